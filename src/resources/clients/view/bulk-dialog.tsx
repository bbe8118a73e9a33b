import type { BulkChoice } from '../../../tui/dialogs/dialog-host.tsx';
import { disconnectClient } from '../actions.ts';
import type { BulkDisconnectRequest } from '../../../actions/requests.ts';
import { type ReactNode, use, useMemo, useState } from 'react';
import type { ActingMonitor, ActingState, WatchedMonitor } from '../../../actions/acting-monitor.ts';
import {
  bulkCounts,
  type BulkFailure,
  type BulkPreview,
  type BulkProgress,
  defaultPerSecond,
  perSecondChoices,
  previewBulk,
  type Reconnects,
  reconnectsText,
  retryablePlaces,
} from '../../../actions/bulk.ts';
import { bulkTexts } from '../../../actions/texts.ts';
import { type Client, type Session, clientIdOf, type DisconnectTarget } from '../../../domain/client.ts';
import { compareNatural } from '../../../domain/natural-order.ts';
import { type NodeName, shortNodeName } from '../../../domain/node.ts';
import { createConnectionJoin, unknownRates } from '../../sessions/history.ts';
import type { ScanState } from '../../../monitor/state.ts';
import { formatCount, formatDuration, loadingText, unknownText } from '../../../terminal/format.ts';
import { glyphs } from '../../../terminal/glyphs.ts';
import { gaugeSpans } from '../../../terminal/gauge.ts';
import { composeLine, type Line, type Span, wrapWords } from '../../../terminal/line.ts';
import { escapeText, joinSafe, safe, type SafeText } from '../../../terminal/safe-text.ts';
import { cutText } from '../../../terminal/text-width.ts';
import type { Theme } from '../../../terminal/theme.ts';
import { titleLine } from '../../../tui/components/blocks.ts';
import {
  type Button,
  buttonsLine,
  closeButtons,
  ClusterNameContext,
  DialogBox,
  fitDialog,
} from '../../../tui/components/dialog-box.tsx';
import { useTheme } from '../../../tui/components/drawing.tsx';
import { scrolledWindow, type TextWindow, useTop } from '../../../tui/hooks/use-scroll.ts';
import { useReading, useStore, useWatch } from '../../../tui/hooks/use-store.ts';
import { useKeys } from '../../../tui/keys/use-keys.ts';
import { useNodeNames } from '../../view/node-names.ts';
import { typedNameButtons, typedNameLines, useTypedName } from '../../../tui/dialogs/confirm-dialog.tsx';
import { useChangedSince } from './target-change.ts';
import { type BulkEntry, type BulkTable, bulkTable, BulkTableView } from './bulk-table.tsx';
import { clientScan } from '../resource.ts';
import { sessionScan } from '../../sessions/resource.ts';
import { nodes } from '../../nodes/resource.ts';
import { bulkDialogTexts, type Queued } from './bulk-texts.ts';

export interface BulkPreviewDialogProps {
  readonly monitor: WatchedMonitor;
  readonly request: BulkDisconnectRequest;
  readonly width: number;
  readonly height: number;
  readonly onConfirm: (plan: BulkChoice) => void;
  readonly onCancel: () => void;
}

/**
 * Returns the usernames: empty for none, `undefined` if unknown. Sessions do not have one, so they need the client
 * scan.
 */
const usersOf = (
  targets: readonly DisconnectTarget[],
  { rows, finishedAtMs }: ScanState<Client>,
): readonly (string | undefined)[] | undefined => {
  if (targets.every(({ kind }) => kind === 'client')) {
    return targets.map((target) => (target.kind === 'client' ? (target.client.username ?? '') : undefined));
  }
  if (finishedAtMs === undefined) {
    return undefined;
  }
  const byId = new Map(rows.map(({ clientId, username }) => [clientId, username ?? '']));
  return targets.map((target) =>
    target.kind === 'client' ? (target.client.username ?? '') : byId.get(target.session.clientId),
  );
};

const isClean = (target: DisconnectTarget): boolean | undefined =>
  (target.kind === 'client' ? target.client : target.session).cleanSession;

/** Returns targets whose sessions end; `undefined` if some are unknown. */
const endingOf = (
  targets: readonly DisconnectTarget[],
  endsSessions: boolean | undefined,
): readonly DisconnectTarget[] | undefined => {
  if (endsSessions === true) return targets;
  return targets.some((target) => isClean(target) === undefined)
    ? undefined
    : targets.filter((target) => isClean(target) === true);
};

/** Counts messages in the queues of these sessions. */
const queuedIn = (targets: readonly DisconnectTarget[], sessions: readonly Session[]): Queued => {
  const byId = targets.every(({ kind }) => kind === 'session')
    ? undefined
    : new Map(sessions.map((session) => [session.clientId, session.queueLength]));
  const lengths = targets.map((target) =>
    target.kind === 'session' ? target.session.queueLength : byId?.get(target.client.clientId),
  );
  return {
    messages: lengths.reduce<number>((sum, length = 0) => sum + length, 0),
    unknown: lengths.filter((length) => length === undefined).length,
    queues: lengths.length,
  };
};

/** Keeps a queue that was known while its client reconnects, so that the text does not change back. */
const useBestKnown = (queued: Queued | undefined): Queued | undefined => {
  const [best, setBest] = useState(queued);
  if (queued === undefined || (best !== undefined && best.unknown < queued.unknown)) return best;
  if (best === undefined || best.messages !== queued.messages || best.unknown !== queued.unknown) setBest(queued);
  return queued;
};

export const BulkPreviewDialog = ({
  monitor,
  request,
  width,
  height,
  onConfirm,
  onCancel,
}: BulkPreviewDialogProps): ReactNode => {
  const theme = useTheme();
  const { targets, group, changedIds, shownCount, areBanned } = request;
  const { top, onScroll: scrolling } = useTop();
  const hasSessions = targets.some(({ kind }) => kind === 'session');
  useWatch(monitor, hasSessions ? clientScan : undefined);
  // The nodes' clocks tell which sessions are newer than the client scan.
  useWatch(monitor, hasSessions ? nodes : undefined);
  const clients = useReading(monitor, clientScan);
  const [join] = useState(createConnectionJoin);
  const sessions = useMemo(
    () =>
      targets.flatMap((target) =>
        target.kind === 'session' ? [{ session: target.session, rates: unknownRates }] : [],
      ),
    [targets],
  );
  const listedNodes = useReading(monitor, nodes);
  const listed = join(sessions, clients, listedNodes);
  const absentIds = useMemo(
    () => new Set(listed.filter(({ isConnected }) => isConnected === false).map(({ session }) => session.clientId)),
    [listed],
  );
  const endsSessions = useStore(monitor.store, ({ capabilities }) => capabilities?.disconnectEndsSession);
  const countersSeconds = useStore(monitor.store, ({ capabilities }) => capabilities?.sessionCountersSeconds);
  const nodeNames = useNodeNames(monitor);
  const [keptRate] = useState(() => rateToKeep(monitor.store.getState()));
  const [perSecond, setPerSecond] = useState(keptRate ?? defaultPerSecond);
  const changedSince = useChangedSince(monitor, targets, changedIds);
  const users = useMemo(() => usersOf(targets, clients), [targets, clients]);
  const unchanged = useMemo(
    () =>
      targets.flatMap((target, place) =>
        changedIds.has(clientIdOf(target)) || absentIds.has(clientIdOf(target)) ? [] : [{ target, place }],
      ),
    [targets, changedIds, absentIds],
  );
  const places = useMemo(
    () => unchanged.flatMap(({ target, place }) => (changedSince.has(clientIdOf(target)) ? [] : [place])),
    [unchanged, changedSince],
  );
  const preview = useMemo((): BulkPreview => {
    const full = previewBulk(
      places.flatMap((place) => targets[place] ?? []),
      users && places.map((place) => users[place]),
    );
    return {
      ...full,
      byNode: full.byNode.map(([node, count]) => [
        node === undefined ? undefined : shortNodeName(node, nodeNames),
        count,
      ]),
    };
  }, [places, targets, users, nodeNames]);
  const left = useMemo(() => places.flatMap((place) => targets[place] ?? []), [places, targets]);
  const isNoneLeft = left.length === 0;
  const wanted = String(places.length);
  const entries = useMemo(
    () => entriesOf(theme, targets, users, { changedIds, changedSince, absentIds, nodeNames }),
    [theme, targets, users, changedIds, changedSince, absentIds, nodeNames],
  );
  const tableFor = useMemo(() => rememberByWidth((inner) => bulkTable(theme, inner, entries)), [theme, entries]);
  const onScroll = scrolling(() => view);
  const typed = useTypedName({
    wanted,
    onConfirm: () => {
      onConfirm({ actions: left.map((target) => disconnectClient.create(target)), places, perSecond });
    },
    onCancel,
    onScroll,
    isActive: !isNoneLeft,
  });
  useKeys('outcome', { outcomeClose: onCancel }, { isActive: isNoneLeft });
  useKeys('bulkPreview', {
    paceUp: () => {
      setPerSecond((old) => perSecondChoices.find((pace) => pace > old) ?? old);
    },
    paceDown: () => {
      setPerSecond((old) => perSecondChoices.findLast((pace) => pace < old) ?? old);
    },
  });
  const sessionRows = useReading(monitor, sessionScan).rows;
  const ending = useMemo(() => {
    const found = endingOf(left, endsSessions);
    return found === undefined ? undefined : { count: found.length, queued: queuedIn(found, sessionRows) };
  }, [left, endsSessions, sessionRows]);
  const queued = useBestKnown(ending?.queued);
  const plan: Omit<BulkPlan, 'table'> = {
    preview,
    group,
    perSecond,
    isKeptRate: perSecond === keptRate,
    areBanned,
    changedCount: changedIds.size,
    changedSinceCount: unchanged.length - places.length,
    chosenCount: targets.length,
    shownCount,
    absentCount: absentIds.size,
    endsSessions,
    countersSeconds,
    ending: ending === undefined || queued === undefined ? undefined : { count: ending.count, queued },
  };
  const buttons = isNoneLeft ? closeButtons('outcomeClose') : typedNameButtons(bulkDialogTexts.verb, true);
  const dialog = fitDialog({
    theme,
    title: questionOf(plan),
    isDangerous: true,
    note: use(ClusterNameContext),
    width,
    height,
    draw: (inner, lines) => {
      const answer = isNoneLeft
        ? [buttonsLine(theme, inner, buttons)]
        : typedNameLines(theme, inner, wanted, bulkDialogTexts.verb, typed, buttons);
      return bulkPreviewLines(theme, inner, lines, { ...plan, table: tableFor(inner) }, answer, top);
    },
  });
  const view = dialog.content;
  const table =
    view.tableAt === undefined
      ? undefined
      : { line: view.tableAt, children: <BulkTableView table={view.table} from={view.from} to={view.to} /> };
  return <DialogBox dialog={dialog} buttons={buttons} area={{ width, height }} inside={table} />;
};

/** Returns the rate of the last bulk, if some of its clients are left to try again. */
const rateToKeep = ({ bulk }: ActingState): number | undefined =>
  bulk === undefined || retryablePlaces(bulk).size === 0 ? undefined : bulk.perSecond;

/** Returns the rows, those that are skipped first. */
const entriesOf = (
  theme: Theme,
  targets: readonly DisconnectTarget[],
  users: readonly (string | undefined)[] | undefined,
  {
    changedIds,
    changedSince,
    absentIds,
    nodeNames,
  }: {
    readonly changedIds: ReadonlySet<string>;
    readonly changedSince: ReadonlySet<string>;
    readonly absentIds: ReadonlySet<string>;
    readonly nodeNames: readonly NodeName[];
  },
): readonly BulkEntry[] =>
  targets
    .map((target, place): BulkEntry => {
      const { node } = target.kind === 'client' ? target.client : target.session;
      const user = users?.[place];
      const id = clientIdOf(target);
      return {
        id,
        node: node === undefined ? unknownText : theme.escapeEnds(shortNodeName(node, nodeNames), longestName),
        user: users === undefined ? loadingText : nameText(theme, user),
        raw: { node, user },
        sign: changedIds.has(id) || changedSince.has(id) ? changedSign : absentIds.has(id) ? glyphs.stopped : safe` `,
      };
    })
    .toSorted((a, b) => Number(a.sign === safe` `) - Number(b.sign === safe` `) || compareNatural(a.id, b.id));

/** Marks a client that is skipped. */
const changedSign = safe`!`;

const rememberByWidth = <T,>(make: (width: number) => T): ((width: number) => T) => {
  const made = new Map<number, T>();
  return (width) => {
    const value = made.get(width) ?? make(width);
    made.set(width, value);
    return value;
  };
};

export interface BulkProgressDialogProps {
  readonly monitor: ActingMonitor;
  readonly width: number;
  readonly height: number;
  readonly onClose: () => void;
  readonly onQuit: () => void;
}

const selectBulk = ({ bulk }: ActingState): ActingState['bulk'] => bulk;

/** Shows a running or finished bulk. Closing the dialog does not stop it. */
export const BulkProgressDialog = ({ monitor, width, height, onClose, onQuit }: BulkProgressDialogProps): ReactNode => {
  const theme = useTheme();
  const progress = useStore(monitor.store, selectBulk);
  const isFinished = progress?.phase === 'finished';
  useKeys(
    'bulk',
    {
      bulkAbort: () => {
        monitor.abortBulk();
      },
      bulkLeave: onClose,
      bulkQuit: onQuit,
    },
    { isActive: !isFinished },
  );
  useKeys('outcome', { outcomeClose: onClose }, { isActive: isFinished });
  if (progress === undefined) return undefined;
  const dialog = fitDialog({
    theme,
    title: progressTitle(theme, progress),
    width,
    height,
    draw: (inner, lines) => ({ lines: bulkProgressLines(theme, inner, lines, progress) }),
  });
  return <DialogBox dialog={dialog} buttons={progressButtons(progress)} area={{ width, height }} />;
};

const longestName = 40;
/** Limits a failure's text: an id may have 65,535 characters. */
const maxFailureLength = 1_000;

const nameText = (theme: Theme, name: string | undefined): SafeText =>
  name === undefined ? unknownText : name === '' ? bulkDialogTexts.noUser : theme.escape(name, longestName);

const countsText = (theme: Theme, counts: BulkPreview['byUser'], maxShown: number): SafeText => {
  if (counts === undefined) {
    return bulkDialogTexts.usersLoading(loadingText);
  }
  const shown = counts
    .slice(0, maxShown)
    .map(([name, count]) => safe`${cutText(nameText(theme, name), longestName)} ${formatCount(count)}`);
  const rest = counts.slice(maxShown);
  const restCount = rest.reduce((sum, [, count]) => sum + count, 0);
  return joinSafe([...shown, ...(rest.length === 0 ? [] : [bulkDialogTexts.rest(rest.length, restCount)])], safe` · `);
};

export interface BulkPlan {
  /** The facts about the clients that are disconnected. */
  readonly preview: BulkPreview;
  /** The group that the targets are; by default they are the marked rows. */
  readonly group?: BulkDisconnectRequest['group'];
  readonly perSecond: number;
  /** The rate is that of the last bulk. */
  readonly isKeptRate?: boolean | undefined;
  readonly areBanned?: BulkDisconnectRequest['areBanned'];
  readonly changedCount: number;
  /** The number of clients that changed since the dialog opened; they are skipped like those that had changed before. */
  readonly changedSinceCount?: number | undefined;
  /** The number of clients that are chosen, including those that are skipped. */
  readonly chosenCount: number;
  readonly shownCount: number;
  readonly table: BulkTable;
  readonly absentCount: number;
  readonly endsSessions?: boolean | undefined;
  /** How old the counts of the queues may be when they are read. */
  readonly countersSeconds?: number | undefined;
  /** Sessions that end, without those of clients that changed; `undefined` if some are unknown. */
  readonly ending?: { readonly count: number; readonly queued: Queued } | undefined;
}

export interface BulkPreviewView extends Pick<TextWindow, 'maxTop' | 'page'> {
  readonly lines: readonly Line[];
  readonly hasList: true;
  /** The line that the table begins at, with its headers; `undefined` while none of it is in sight. */
  readonly tableAt: number | undefined;
  readonly table: BulkTable;
  /** The first and the last row in sight. */
  readonly from: number;
  readonly to: number;
}

/** The height from which on the parts are set apart. */
const minSpaced = 20;

/** Estimates the time until the last of so many requests, if the broker answers fast. The first is sent at once. */
const aboutDuration = (count: number, perSecond: number): SafeText =>
  formatDuration(Math.max(1, Math.round((count - 1) / perSecond)));

/** Writes the question. What is gone from the list has a line of its own. */
const questionOf = ({
  preview: { total },
  chosenCount,
  group,
  shownCount,
  changedCount,
}: Omit<BulkPlan, 'table'>): SafeText =>
  bulkDialogTexts.question(total, chosenCount, group?.text, Math.max(0, chosenCount - shownCount - changedCount));

export const bulkPreviewLines = (
  theme: Theme,
  width: number,
  height: number,
  plan: BulkPlan,
  answer: readonly Line[],
  top = 0,
): BulkPreviewView => {
  const {
    preview,
    group,
    perSecond,
    isKeptRate,
    areBanned,
    changedCount,
    changedSinceCount = 0,
    table,
    absentCount,
    endsSessions,
    countersSeconds,
    ending,
  } = plan;
  const sharedNode = group?.by === 'node' ? undefined : table.shared.node;
  const sharedUser = group?.by === 'username' ? undefined : table.shared.user;
  const { total: left, byNode, byUser } = preview;
  const line = (text: SafeText, role?: Span['role']): Line =>
    composeLine(theme, width, [{ text: safe`  ` }, { text, role }]);
  const write = (text: SafeText, role?: Span['role']): readonly Line[] =>
    wrapWords(text, Math.max(2, width - 4)).map((each) => line(each, role));
  const sessionLines = (): readonly Line[] => {
    if (endsSessions === true)
      return write(
        bulkDialogTexts.endsSessions(ending?.queued ?? { messages: 0, unknown: left, queues: left }, countersSeconds),
        'warning',
      );
    return ending === undefined
      ? []
      : write(bulkDialogTexts.sessions(ending.count, left - ending.count, ending.queued));
  };
  const head = [
    ...write(
      left === 0
        ? bulkDialogTexts.none
        : bulkDialogTexts.head(perSecond, aboutDuration(left, perSecond), isKeptRate, areBanned),
      'title',
    ),
    ...(sharedNode === undefined && sharedUser === undefined
      ? []
      : write(bulkDialogTexts.shared(sharedNode, sharedUser))),
    ...(left < 2 || table.shared.node !== undefined ? [] : write(bulkDialogTexts.byNode(countsText(theme, byNode, 6)))),
    ...(left < 2 || table.shared.user !== undefined ? [] : write(bulkDialogTexts.byUser(countsText(theme, byUser, 6)))),
    ...(left === 0 ? [] : sessionLines()),
    ...(changedCount === 0 ? [] : write(bulkDialogTexts.changed(changedCount, changedSign), 'warning')),
    ...(changedSinceCount === 0 ? [] : write(bulkDialogTexts.changedSince(changedSinceCount, changedSign), 'warning')),
    ...(absentCount === 0 ? [] : write(bulkDialogTexts.absent(absentCount, glyphs.stopped), 'warning')),
  ];
  const room = Math.max(1, height - 1 - answer.length - (height < minSpaced ? 0 : 1));
  // Without room for two clients, the head scrolls too.
  const isFixed = head.length + 1 + Math.min(2, table.rows.length) <= room;
  const blank = height < minSpaced ? [] : [line(safe``)];
  const fixed = isFixed ? [...head, ...blank] : [];
  const moving = isFixed ? [] : head;
  const headers = 1;
  const { from, to, maxTop, page, position } = scrolledWindow(
    moving.length + table.rows.length,
    Math.max(1, room - fixed.length - headers),
    top,
  );
  const shown = { from: Math.max(0, from - moving.length), to: Math.max(0, to - moving.length) };
  const above = [...fixed, ...moving.slice(from, to)];
  const count = shown.to - shown.from;
  const lines = [
    titleLine(theme, width, questionOf(plan)),
    ...above,
    ...Array.from({ length: count === 0 ? 0 : headers + count }, () => line(safe``)),
    ...(position === undefined ? [] : [line(position, 'dim')]),
    ...blank,
    ...answer,
  ];
  const kept = lines.slice(-Math.max(1, height));
  return {
    lines: kept,
    maxTop,
    page,
    hasList: true,
    table,
    ...shown,
    tableAt: count === 0 ? undefined : 1 + above.length - (lines.length - kept.length),
  };
};

const progressTitle = (theme: Theme, { phase, title, endedBecause }: BulkProgress): SafeText => {
  if (phase !== 'finished') {
    return theme.escape(title);
  }
  return endedBecause === undefined
    ? bulkDialogTexts.finished(theme.escape(title))
    : bulkDialogTexts.aborted(theme.escape(title));
};

const outcomeOrder = { unknown: 0, 'not-done': 1, skipped: 2 } as const satisfies Record<
  BulkFailure['outcome'],
  number
>;
const orderOf = ({ outcome, skip }: BulkFailure): number =>
  outcomeOrder[outcome] + (skip === 'changed' || skip === 'absent' ? 1 : 0);

const listedFailures = ({ failures }: BulkProgress): readonly BulkFailure[] =>
  failures.filter(({ skip }) => skip !== 'notReached').toSorted((a, b) => orderOf(a) - orderOf(b));

const failureLines = (theme: Theme, width: number, room: number, failures: readonly BulkFailure[]): readonly Line[] => {
  const line = (text: SafeText): Line => composeLine(theme, width, [{ text: safe`  ` }, { text, role: 'warning' }]);
  if (failures.length <= room) {
    const wrapped = failures.flatMap(({ text }) =>
      wrapWords(cutText(theme.escape(text, maxFailureLength), maxFailureLength), Math.max(2, width - 4)),
    );
    if (wrapped.length <= room) {
      return wrapped.map((text) => line(text));
    }
  }
  const isCut = failures.length > room;
  const shown = room === 0 ? [] : failures.slice(0, isCut ? Math.max(1, room - 1) : room);
  return [
    ...shown.map(({ text }) => line(theme.escape(text, width - 2))),
    ...(isCut && room > 1
      ? [
          composeLine(theme, width, [
            { text: safe`  ${bulkDialogTexts.more(failures.length - shown.length)}`, role: 'dim' },
          ]),
        ]
      : []),
  ];
};

const progressLine = ({ phase, perSecond, running, sent, waiting }: BulkProgress): SafeText =>
  bulkDialogTexts.progress(
    sent,
    running - sent,
    waiting,
    phase === 'ending'
      ? bulkDialogTexts.ending
      : bulkDialogTexts.remaining(perSecond, aboutDuration(waiting + 1, perSecond)),
  );

const reconnectLines = (theme: Theme, width: number, reconnects: Reconnects): readonly Line[] => {
  const isFinished = reconnects.isFinished || reconnects.reconnected === reconnects.total;
  const text =
    reconnects.unchecked === reconnects.total && !reconnects.isFinished
      ? bulkDialogTexts.reconnectsLater
      : escapeText(reconnectsText(reconnects, formatCount));
  return wrapWords(isFinished ? text : safe`··· ${text}`, Math.max(2, width - 4)).map((line) =>
    composeLine(theme, width, [{ text: safe`  ` }, { text: line, role: isFinished ? 'normal' : 'dim' }]),
  );
};

const progressButtons = ({ phase }: BulkProgress): readonly Button[] => {
  if (phase === 'finished') return closeButtons('outcomeClose');
  return [
    ...(phase === 'running' ? [{ id: 'bulkAbort', keys: safe`x`, label: bulkDialogTexts.abort } as const] : []),
    { id: 'bulkLeave', keys: safe`Esc`, label: bulkDialogTexts.leave },
  ];
};

export const bulkProgressLines = (
  theme: Theme,
  width: number,
  height: number,
  progress: BulkProgress,
): readonly Line[] => {
  const { phase, total, running, waiting, skips, endedBecause, reconnects } = progress;
  const isFinished = phase === 'finished';
  const leftCount = isFinished ? retryablePlaces(progress).size : 0;
  const gauge = [
    composeLine(theme, width, [
      { text: safe`  ` },
      ...gaugeSpans(Math.max(10, width - 4), total - waiting - running - skips.notReached, total, {
        warning: 2,
        critical: 2,
      }),
    ]),
  ];
  const counts = [
    ...wrapWords(escapeText(bulkCounts(progress, formatCount)), Math.max(2, width - 4)).map((text) =>
      composeLine(theme, width, [{ text: safe`  ` }, { text, role: 'title' }]),
    ),
    ...(isFinished
      ? []
      : wrapWords(progressLine(progress), Math.max(2, width - 4)).map((text) =>
          composeLine(theme, width, [{ text: safe`  ` }, { text, role: 'dim' }]),
        )),
    ...(reconnects === undefined ? [] : reconnectLines(theme, width, reconnects)),
    // The title says it.
    ...(endedBecause === undefined || endedBecause === bulkTexts.stopped
      ? []
      : [composeLine(theme, width, [{ text: safe`  ! ${theme.escape(endedBecause, width)}`, role: 'warning' }])]),
  ];
  const keys = buttonsLine(
    theme,
    width,
    progressButtons(progress),
    leftCount > 0 ? bulkDialogTexts.marked(leftCount) : undefined,
  );
  const listed = listedFailures(progress);
  // Title and keys.
  const room = Math.max(0, height - gauge.length - counts.length - 2);
  const isSpaced = listed.length + 2 <= room || height >= minSpaced;
  const blank = composeLine(theme, width, []);
  const parts = [gauge, counts, failureLines(theme, width, Math.max(0, isSpaced ? room - 2 : room), listed)].filter(
    ({ length }) => length > 0,
  );
  return [
    titleLine(theme, width, progressTitle(theme, progress)),
    ...parts.flatMap((part, index) => (isSpaced && index > 0 ? [blank, ...part] : part)),
    keys,
  ].slice(0, Math.max(1, height));
};

/** The dialogs of a bulk disconnect. */
export const bulkViews = { BulkPreview: BulkPreviewDialog, BulkProgress: BulkProgressDialog };
