import { type ReactNode, useMemo, useState } from 'react';
import type { ActingMonitor } from '../../actions/acting-monitor.ts';
import { type BulkFailure, type BulkPreview, type BulkProgress, defaultPerSecond, type DisconnectTarget, perSecondChoices, previewBulk, retryablePlaces, skipCounts } from '../../actions/bulk.ts';
import { clientIdOf } from '../../actions/clients.ts';
import type { ActingState } from '../../actions/state.ts';
import type { Client } from '../../domain/client.ts';
import { compareNatural } from '../../domain/natural-order.ts';
import { unknownRates } from '../../monitor/history/session-rates.ts';
import { createConnectionJoin } from '../../monitor/scan/session-connection.ts';
import type { MonitorState, ScanState } from '../../monitor/state.ts';
import { formatCount, formatDuration, loadingText, unknownText } from '../../terminal/format.ts';
import { glyphs } from '../../terminal/glyphs.ts';
import { gaugeSpans } from '../../terminal/graphs.ts';
import { composeLine, type Line, type Span, wrapWords } from '../../terminal/line.ts';
import { escapeText, joinSafe, safe, type SafeText, spaces } from '../../terminal/safe-text.ts';
import { cutText } from '../../terminal/text-width.ts';
import type { Theme } from '../../terminal/theme.ts';
import { Rows } from '../components/painted.tsx';
import { useTheme } from '../components/theme-context.ts';
import { titleLine } from '../components/title-line.ts';
import { scrolledWindow, type TextWindow, useTop } from '../hooks/use-scroll.ts';
import { useStore, useWatch } from '../hooks/use-store.ts';
import { useKeys } from '../keys/use-keys.ts';
import type { BulkDisconnectRequest } from './ask.ts';
import { typedNameLines, useTypedName } from './confirm-dialog.tsx';

export interface BulkPreviewDialogProps {
  readonly monitor: ActingMonitor;
  readonly request: BulkDisconnectRequest;
  readonly width: number;
  readonly height: number;
  /** @param perSecond actions started per second */
  readonly onConfirm: (perSecond: number) => void;
  readonly onCancel: () => void;
}

/** The user names. Sessions do not have one, so they need the client scan. */
const usersOf = (targets: readonly DisconnectTarget[], { rows, finishedAtMs }: ScanState<Client>): readonly (string | undefined)[] | undefined => {
  if (targets.every(({ kind }) => kind === 'client')) {
    return targets.map((target) => (target.kind === 'client' ? target.client.username : undefined));
  }
  if (finishedAtMs === undefined) {
    return undefined;
  }
  const byId = new Map(rows.map(({ clientId, username }) => [clientId, username]));
  return targets.map((target) => (target.kind === 'client' ? target.client.username : byId.get(target.session.clientId)));
};

const selectNodes = ({ resources }: MonitorState): MonitorState['resources']['nodes'] => resources.nodes;
const selectClients = ({ clientScan }: MonitorState): MonitorState['clientScan'] => clientScan;

/** Shows what disconnecting the selected clients affects and how fast; the number has to be typed. */
export const BulkPreviewDialog = ({ monitor, request, width, height, onConfirm, onCancel }: BulkPreviewDialogProps): ReactNode => {
  const theme = useTheme();
  const { targets, changedCount, shownCount } = request;
  const { top, onScroll: scrolling } = useTop();
  const hasSessions = targets.some(({ kind }) => kind === 'session');
  useWatch(monitor, hasSessions ? { kind: 'clientScan' } : undefined);
  // The nodes' clocks tell which sessions are newer than the client scan.
  useWatch(monitor, hasSessions ? { kind: 'resource', name: 'nodes' } : undefined);
  const clients = useStore(monitor.store, selectClients);
  const preview = useMemo(() => previewBulk(targets, usersOf(targets, clients)), [targets, clients]);
  const [join] = useState(createConnectionJoin);
  const sessions = useMemo(() => targets.flatMap((target) => (target.kind === 'session' ? [{ session: target.session, rates: unknownRates }] : [])), [targets]);
  const nodes = useStore(monitor.store, selectNodes);
  const listed = join(sessions, clients, nodes);
  const absentIds = useMemo(() => new Set(listed.filter(({ isConnected }) => isConnected === false).map(({ session }) => session.clientId)), [listed]);
  const [perSecond, setPerSecond] = useState(defaultPerSecond);
  const wanted = String(targets.length);
  const ids = useMemo(() => targets.map((target) => clientIdOf(target)).toSorted(compareNatural), [targets]);
  const names = useMemo(() => markedLines(theme, width, ids), [theme, width, ids]);
  const onScroll = scrolling(() => view);
  const typed = useTypedName({ wanted, onConfirm: () => { onConfirm(perSecond); }, onCancel, onScroll, isActive: true });
  useKeys('bulkPreview', {
    paceUp: () => { setPerSecond((old) => perSecondChoices.find((pace) => pace > old) ?? old); },
    paceDown: () => { setPerSecond((old) => perSecondChoices.findLast((pace) => pace < old) ?? old); },
  });
  const answer = typedNameLines(theme, width, wanted, safe`disconnect them`, typed);
  const view = bulkPreviewLines(theme, width, height, { preview, perSecond, changedCount, shownCount, names, absentIds }, answer, top);
  return <Rows lines={view.lines} />;
};

export interface BulkProgressDialogProps {
  readonly monitor: ActingMonitor;
  readonly width: number;
  readonly height: number;
  readonly onClose: () => void;
  readonly onQuit: () => void;
}

const selectBulk = ({ bulk }: ActingState): ActingState['bulk'] => bulk;

/** A running or finished bulk. Closing the dialog does not stop it. */
export const BulkProgressDialog = ({ monitor, width, height, onClose, onQuit }: BulkProgressDialogProps): ReactNode => {
  const theme = useTheme();
  const progress = useStore(monitor.store, selectBulk);
  const isFinished = progress?.phase === 'finished';
  useKeys('bulk', { bulkAbort: () => { monitor.abortBulk(); }, bulkLeave: onClose, bulkQuit: onQuit }, { isActive: !isFinished });
  useKeys('outcome', { outcomeClose: onClose }, { isActive: isFinished });
  return progress === undefined ? undefined : <Rows lines={bulkProgressLines(theme, width, height, progress)} />;
};

const longestName = 40;
/** Characters of a failure: an id may have 65,535. */
const maxFailureLength = 1_000;

const countsText = (theme: Theme, counts: BulkPreview['byUser'], most: number): SafeText => {
  if (counts === undefined) {
    return safe`${loadingText} only the list of clients tells`;
  }
  const shown = counts.slice(0, most).map(([name, count]) => safe`${name === undefined ? unknownText : cutText(theme.escape(name, longestName), longestName)} ${formatCount(count)}`);
  const rest = counts.slice(most);
  const restCount = rest.reduce((sum, [, count]) => sum + count, 0);
  return joinSafe([...shown, ...(rest.length === 0 ? [] : [safe`${formatCount(rest.length)} others ${formatCount(restCount)}`])], safe` · `);
};

export interface BulkPlan {
  readonly preview: BulkPreview;
  /** Actions started per second, max. */
  readonly perSecond: number;
  /** How many are no longer listed as selected. */
  readonly changedCount: number;
  /** How many the list shows. */
  readonly shownCount: number;
  /** All names, from `markedLines`. */
  readonly names: readonly MarkedLine[];
  /** Ids whose sessions had no connection when last read; raw. */
  readonly absentIds: ReadonlySet<string>;
}

/** One line of a name. */
export interface MarkedLine {
  /** Raw. */
  readonly id: string;
  readonly text: SafeText;
  /** It continues the line above. */
  readonly isMore: boolean;
}

/** Columns before a name; continued lines are indented deeper, so that two names never look like one. */
const nameIndent = 2;

/** All names in full, wrapped to the width. */
export const markedLines = (theme: Theme, width: number, ids: readonly string[]): readonly MarkedLine[] =>
  ids.flatMap((id) => wrapWords(theme.escape(id), width - 2 - 2 * nameIndent).map((text, index) => ({ id, text, isMore: index > 0 })));

/** A line of a name, with a sign in front if it is not connected. */
const markedLine = (theme: Theme, width: number, { text, isMore }: MarkedLine, isAbsent: boolean): Line =>
  composeLine(theme, width, [
    { text: isAbsent && !isMore ? glyphs.stopped : safe` `, role: 'warning' },
    { text: spaces(isMore ? 2 * nameIndent - 1 : nameIndent - 1) },
    { text },
  ]);

export interface BulkPreviewView extends Pick<TextWindow, 'maxTop' | 'page'> {
  readonly lines: readonly Line[];
}

/** At least, because slow answers delay it. */
const minDuration = (count: number, perSecond: number): SafeText => formatDuration(Math.ceil(count / perSecond));

/** The preview, max `height` lines: names scroll from line `top` on, and the `answer` comes last. */
export const bulkPreviewLines = (
  theme: Theme, width: number, height: number, { preview, perSecond, changedCount, shownCount, names, absentIds }: BulkPlan, answer: readonly Line[], top = 0,
): BulkPreviewView => {
  const { total, byNode, byUser } = preview;
  const line = (text: SafeText, role?: Span['role']): Line => composeLine(theme, width, [{ text: safe`  ` }, { text, role }]);
  const write = (text: SafeText, role?: Span['role']): readonly Line[] => wrapWords(text, Math.max(2, width - 4)).map((each) => line(each, role));
  const head = [
    ...write(safe`${formatCount(total)} marked: ${perSecond} a second (+ - change it), at least ${minDuration(total, perSecond)}`, 'title'),
    ...(shownCount === total ? [] : write(safe`! ${formatCount(shownCount)} of them in the list as it is shown; the filter hides others, or they are gone`, 'warning')),
    ...write(safe`by node: ${countsText(theme, byNode, 6)}`),
    ...write(safe`by user: ${countsText(theme, byUser, 6)}`),
    ...(changedCount === 0 ? [] : write(safe`! ${formatCount(changedCount)} of them are not listed any more as they were marked; these are left alone`, 'warning')),
    ...(absentIds.size === 0 ? [] : write(safe`! ${formatCount(absentIds.size)} of them not connected (${glyphs.stopped}): there is nothing to disconnect, and they are skipped`, 'warning')),
  ];
  const room = Math.max(1, height - 1 - answer.length);
  // Without room for two names, the head scrolls too.
  const fixed = head.length + Math.min(2, names.length) <= room ? head : [];
  const moving = head.slice(fixed.length);
  const { from, to, maxTop, page, position } = scrolledWindow(moving.length + names.length, room - fixed.length, top);
  const shown = [
    ...moving.slice(from, to),
    ...names.slice(Math.max(0, from - moving.length), Math.max(0, to - moving.length)).map((each) => markedLine(theme, width, each, absentIds.has(each.id))),
  ];
  const more = position === undefined ? [] : [line(position, 'dim')];
  const lines = [titleLine(theme, width, safe`Disconnect the marked clients?`), ...fixed, ...shown, ...more, ...answer];
  return { lines: lines.slice(-Math.max(1, height)), maxTop, page };
};

const skipText = (progress: BulkProgress): SafeText => {
  const why = skipCounts(progress).map(([count, words]) => safe`${formatCount(count)} ${escapeText(words)}`);
  return why.length === 0 ? safe`` : safe` (${joinSafe(why, safe`, `)})`;
};

/** The four counts, which add up to the total at the end. */
export const bulkCounts = (progress: BulkProgress): SafeText => {
  const { done, notDone, unknown, skipped, total } = progress;
  return safe`${formatCount(done)} done · ${formatCount(notDone)} not done · ${formatCount(unknown)} unknown · ${formatCount(skipped)} skipped${
    skipText(progress)} · ${formatCount(total)} in all`;
};

const progressTitle = (theme: Theme, { phase, title, endedBecause }: BulkProgress): SafeText => {
  if (phase !== 'finished') {
    return theme.escape(title);
  }
  return endedBecause === undefined ? safe`Finished: ${theme.escape(title)}` : safe`Aborted: ${theme.escape(title)}`;
};

/** Worst first. */
const outcomeOrder = { unknown: 0, 'not-done': 1, skipped: 2 } as const satisfies Record<BulkFailure['outcome'], number>;
const orderOf = ({ outcome, skip }: BulkFailure): number => outcomeOrder[outcome] + (skip === 'changed' || skip === 'absent' ? 1 : 0);

/** The failures to list, worst first; those not reached are only counted. */
const listedFailures = ({ failures }: BulkProgress): readonly BulkFailure[] =>
  failures.filter(({ skip }) => skip !== 'notReached').toSorted((a, b) => orderOf(a) - orderOf(b));

/** Failures in full if they fit, else one line each and the number of the rest. */
const failureLines = (theme: Theme, width: number, room: number, failures: readonly BulkFailure[]): readonly Line[] => {
  const line = (text: SafeText): Line => composeLine(theme, width, [{ text: safe`  ` }, { text, role: 'warning' }]);
  if (failures.length <= room) {
    const wrapped = failures.flatMap(({ text }) => wrapWords(cutText(theme.escape(text, maxFailureLength), maxFailureLength), Math.max(2, width - 4)));
    if (wrapped.length <= room) {
      return wrapped.map((text) => line(text));
    }
  }
  const isCut = failures.length > room;
  const shown = room === 0 ? [] : failures.slice(0, isCut ? Math.max(1, room - 1) : room);
  return [
    ...shown.map(({ text }) => line(theme.escape(text, width - 2))),
    ...(isCut && room > 1 ? [composeLine(theme, width, [{ text: safe`  and ${formatCount(failures.length - shown.length)} more: in the log (L)`, role: 'dim' }])] : []),
  ];
};

/** What is left, and what can no longer be stopped. */
const progressLine = ({ phase, perSecond, running, sent, waiting }: BulkProgress): SafeText =>
  safe`${formatCount(sent)} sent, no outcome yet · ${formatCount(running - sent)} being checked · ${formatCount(waiting)} waiting; ${
    phase === 'ending' ? safe`no more are begun` : safe`${perSecond} a second, at least ${minDuration(waiting, perSecond)} more`}`;

/** A bulk, max `height` lines: counts, then the worst failures, then keys. */
export const bulkProgressLines = (theme: Theme, width: number, height: number, progress: BulkProgress): readonly Line[] => {
  const { phase, total, running, waiting, skips, endedBecause } = progress;
  const isFinished = phase === 'finished';
  const leftCount = isFinished ? retryablePlaces(progress).size : 0;
  const head = [
    titleLine(theme, width, progressTitle(theme, progress)),
    composeLine(theme, width, [{ text: safe`  ` }, ...gaugeSpans(Math.max(10, width - 4), total - waiting - running - skips.notReached, total, { warning: 2, error: 2 })]),
    ...wrapWords(bulkCounts(progress), Math.max(2, width - 4)).map((text) => composeLine(theme, width, [{ text: safe`  ` }, { text, role: 'title' }])),
    ...(isFinished ? [] : wrapWords(progressLine(progress), Math.max(2, width - 4)).map((text) => composeLine(theme, width, [{ text: safe`  ` }, { text, role: 'dim' }]))),
    ...(endedBecause === undefined ? [] : [composeLine(theme, width, [{ text: safe`  ! ${theme.escape(endedBecause, width)}`, role: 'warning' }])]),
  ];
  const keys = composeLine(theme, width, [
    { text: safe`  ` },
    { text: isFinished ? safe`Enter Esc` : safe`Esc`, role: 'key' },
    { text: isFinished ? safe` close` : safe` leave it running` },
    ...(phase === 'running' ? [{ text: safe`  x`, role: 'key' }, { text: safe` abort: begin no more` }] as const : []),
    ...(leftCount > 0 ? [{ text: safe`   ${formatCount(leftCount)} not sent: still marked`, role: 'dim' } as const] : []),
  ]);
  const room = Math.max(0, height - head.length - 1);
  return [...head, ...failureLines(theme, width, room, listedFailures(progress)), keys].slice(0, Math.max(1, height));
};
