import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import type { ActingState, ActionState, WatchedMonitor } from '../../actions/acting-monitor.ts';
import { isWatched } from '../../monitor/query/part.ts';
import type { MonitorState } from '../../monitor/state.ts';
import { ageSeconds } from '../../resources/freshness.ts';
import { eventRows } from '../../resources/log/screen.tsx';
import { type ScanName, scanNames } from '../../resources/scans.ts';
import { vitalNames, selectVital, vitalResources } from '../../resources/vital.ts';
import { formatBytes, formatCount, formatDuration } from '../../terminal/format.ts';
import { composeEnds, composeLine, type Line, type Span, spanAt, spansWidth } from '../../terminal/line.ts';
import { safe, type SafeText, trusted } from '../../terminal/safe-text.ts';
import { widestFitting } from '../../terminal/text-width.ts';
import type { Role, Theme } from '../../terminal/theme.ts';
import { Rows, useTheme } from '../components/drawing.tsx';
import { useNow } from '../hooks/use-now.ts';
import { useStore, wholeState } from '../hooks/use-store.ts';
import { allBindings, type CommandId, formatKey, isAbsent, type Keymap, type Scope } from '../keys/keymap.ts';
import { usePointer, useRuns } from '../keys/use-keys.ts';
import { errorText } from '../list/resource-notice.ts';
import type { Place } from '../navigation.ts';
import { definitionOf, programHints, type ScreenId, screens, sortHints } from '../../screens/registry.ts';
import { useSpoken } from '../speech/use-speech.ts';
import type { Notify } from './screen.ts';
import { messageTexts } from './texts.ts';
import { resourceNames as resourceTexts } from '../../resources/view/texts.ts';

/** Describes the first watched resource that fails: what, why, next attempt, age of the data shown. */
const failure = (theme: Theme, state: MonitorState, nowMs: number): readonly Span[] | undefined => {
  const vital = selectVital(state);
  const watched = vitalNames.filter((name) => isWatched(state, vitalResources[name]));
  const read = watched.map((name) => vital[name]);
  const isApiDown =
    read.length > 1 && read.every(({ error }) => error?.kind === 'unreachable' || error?.kind === 'timeout');
  for (const name of watched) {
    const { error, nextAttemptAtMs } = vital[name];
    if (error === undefined) {
      continue;
    }
    const age = ageSeconds(state, name, nowMs);
    const waitSeconds = nextAttemptAtMs === undefined ? undefined : Math.ceil((nextAttemptAtMs - nowMs) / 1000);
    const again =
      waitSeconds === undefined
        ? safe``
        : waitSeconds <= 0
          ? messageTexts.retrying
          : messageTexts.retry(formatDuration(waitSeconds));
    const shown = age === undefined ? safe`` : messageTexts.dataAge(formatDuration(age));
    return [
      {
        text: safe` ${messageTexts.failed(isApiDown ? messageTexts.apiDown : resourceTexts[name], errorText(theme, error))}${again}${shown}`,
        role: 'error',
      },
    ];
  }
  return undefined;
};

const bulkSpans = ({ bulk }: ActionState): readonly Span[] =>
  bulk === undefined || bulk.phase === 'finished'
    ? []
    : [
        {
          text: messageTexts.disconnecting(
            formatCount(bulk.total - bulk.waiting - bulk.running),
            formatCount(bulk.total),
          ),
          role: 'warning',
        },
        { text: messageTexts.bulkKey, role: 'dim' },
      ];

/**
 * Writes open connections, and requests and bytes of the last minute, in the longest wording that fits; empty where
 * none does.
 */
const loadText = ({ requests, answerBytes, connections }: MonitorState['causedLoad'], room: number): SafeText => {
  const count = messageTexts.requests(formatCount(requests), requests === 1);
  const whole = answerBytes === undefined ? [] : [messageTexts.load(count, formatBytes(answerBytes))];
  const open =
    connections === undefined ? undefined : messageTexts.connections(formatCount(connections), connections === 1);
  const withOpen = open === undefined ? [] : [...whole, count].map((text) => safe`${open} · ${text}`);
  return widestFitting([...withOpen, ...(open === undefined ? whole : []), count], room) ?? safe``;
};

const signInKey = trusted(allBindings.find(({ id }) => id === 'signIn')?.keys[0] ?? '');

const failoverShownMs = 15_000;

/**
 * Describes the address in use. It comes first, so that nothing cuts it off, and why the last one failed at the end: it
 * is often long.
 */
const addressNotes = (theme: Theme, state: MonitorState, nowMs: number): readonly Span[] => {
  const { failover } = state;
  const skipped = skipNote(theme, state, nowMs);
  return failover === undefined || nowMs - failover.atMs > failoverShownMs
    ? skipped
    : [
        { text: safe` ${messageTexts.switched(theme.escape(failover.url))}`, role: 'warning' },
        ...skipped,
        {
          text: safe` ${messageTexts.switchedBecause(theme.escape(failover.insteadOf), theme.escape(failover.because))}`,
          role: 'warning',
        },
      ];
};

/** How long a skipped address is shown: longer than a failover, beside which there is little room. */
const skipShownMs = 2 * failoverShownMs;

/** Names an address that was skipped for its certificate, for a while. */
export const skipNote = (theme: Theme, { skippedAddress }: MonitorState, nowMs: number): readonly Span[] =>
  skippedAddress === undefined || nowMs - skippedAddress.atMs > skipShownMs
    ? []
    : [
        {
          text: safe` ${messageTexts.skipped(theme.escape(skippedAddress.url), errorText(theme, skippedAddress))}`,
          role: 'warning',
        },
      ];

export interface Notice {
  readonly text: SafeText;
  readonly role: Role;
}

/** Draws the line of messages. Left: the last message, else what fails, else `idle`. Right: a running bulk action. */
export const messageLine = (
  theme: Theme,
  width: number,
  state: ActingState,
  notice: Notice | undefined,
  nowMs: number,
  idle: readonly Span[] = [],
): Line => {
  const left: readonly Span[] = (() => {
    if (notice !== undefined) {
      return [{ text: safe` ${notice.text}`, role: notice.role }];
    }
    if (state.proxyLoginError !== undefined) {
      return [{ text: safe` ${messageTexts.proxyRejected(theme.escape(state.proxyLoginError.brief))}`, role: 'error' }];
    }
    if (state.isUnauthorized) {
      return [{ text: safe` ${messageTexts.rejected(signInKey)}`, role: 'error' }];
    }
    const notes = addressNotes(theme, state, nowMs);
    return notes.length > 0 ? notes : (failure(theme, state, nowMs) ?? idle);
  })();
  return composeEnds(theme, width, left, bulkSpans(state));
};

export interface MessageProps {
  readonly monitor: WatchedMonitor;
  readonly notice: Notice | undefined;
  readonly width: number;
  /** Shows the latest event while there is nothing else to say. */
  readonly hasLatestEvent?: boolean | undefined;
}

export const MessageLine = ({ monitor, notice, width, hasLatestEvent = false }: MessageProps): ReactNode => {
  const theme = useTheme();
  const state = useStore(monitor.store, wholeState);
  const nowMs = useNow(1000);
  const line = messageLine(theme, width, state, notice, nowMs);
  const latest = hasLatestEvent ? (eventRows(theme, width - 2, state, 1)[0] ?? []) : [];
  // Counts go on by themselves.
  useSpoken({ rank: 'message', key: notice?.text ?? line.replace(/\d+/gu, ''), lines: () => [line] });
  return (
    <Rows
      lines={[
        latest.length === 0
          ? line
          : messageLine(theme, width, state, notice, nowMs, [
              { text: safe` ` },
              ...latest.map((span) => ({ ...span, role: span.role ?? 'dim' })),
            ]),
      ]}
    />
  );
};

/** Whether Esc closes a dialog. */
const isDialog = (screen: Hinted): boolean =>
  screen === 'help' || screen === 'palette' || dialogScopes.some((each) => each === screen);

type Hinted = ScreenId | 'groups' | 'subscriptionGroups' | 'palette' | DialogScope;

const dialogScopes = [
  'prompt',
  'columns',
  'menu',
  'choices',
  'form',
  'confirm',
  'confirmName',
  'bulkPreview',
  'running',
  'outcome',
  'secret',
  'bulk',
  'help',
] as const satisfies readonly Scope[];
type DialogScope = (typeof dialogScopes)[number];

/** Returns the dialog that handles keys first, if any. */
export const dialogScopeOf = (scope: Scope | undefined): DialogScope | undefined =>
  dialogScopes.find((each) => each === scope);

const otherHints: Readonly<Record<Exclude<Hinted, ScreenId>, readonly CommandId[]>> = {
  groups: ['filter', 'open', 'disconnect', 'groupBy', ...sortHints, 'abortScan', ...programHints],
  // Subscriptions do not say which connection they are of.
  subscriptionGroups: ['filter', 'open', 'groupBy', ...sortHints, 'abortScan', ...programHints],
  help: ['helpClear', 'helpSearch', 'helpUp', 'helpDown', 'helpPageDown', 'helpClose'],
  prompt: ['promptAccept', 'promptEraseWord', 'promptClear', 'promptCancel'],
  columns: [
    'columnToggle',
    'columnSort',
    'columnEarlier',
    'columnLater',
    'columnWider',
    'columnNarrower',
    'columnsReset',
    'columnDown',
    'columnsClose',
  ],
  // The buttons of a dialog say its keys; here are those that have none.
  palette: ['menuUp', 'menuDown'],
  choices: ['menuUp', 'menuDown'],
  menu: ['menuUp', 'menuDown'],
  form: [],
  // A question is answered far from where its buttons stand on a wide terminal.
  confirm: ['confirmYes', 'confirmNo'],
  confirmName: ['nameAccept', 'nameCancel'],
  bulkPreview: ['paceUp', 'paceDown'],
  running: ['runningQuit'],
  outcome: ['palette', 'help'],
  secret: [],
  bulk: ['bulkAbort', 'palette', 'bulkQuit', 'help'],
};

/** Hints at the end that are never dropped: the palette, how to leave or quit, and the help. */
const keptHints: ReadonlySet<string> = new Set(['palette', 'close', 'quit', 'help']);
const moveHints: ReadonlySet<string> = new Set(['moveDown', 'moveUp']);

/** Hints of each screen. Everybody tries the arrows, so other keys come first. */
const screenHints: ReadonlyMap<Hinted, readonly CommandId[]> = new Map(
  screens.map(({ id }): [Hinted, readonly CommandId[]] => {
    const { hints } = definitionOf(id);
    return [
      id,
      [
        ...hints.filter((hint) => !moveHints.has(hint)),
        ...programHints.filter((hint) => !keptHints.has(hint)),
        ...hints.filter((hint) => moveHints.has(hint)),
        ...programHints.filter((hint) => keptHints.has(hint)),
      ],
    ];
  }),
);

const hintsFor = (place: Hinted): readonly CommandId[] =>
  screenHints.get(place) ?? otherHints[place as keyof typeof otherHints];

/** Returns whose hints a place shows. */
export const hintedAt = (place: Place): Hinted => {
  if (!('scope' in place) || place.scope?.kind !== 'groups') {
    return place.screen;
  }
  return place.screen === 'subscriptions' ? 'subscriptionGroups' : 'groups';
};

/**
 * Whether a key does nothing. A plugin opens its settings, and is started and stopped by node, where the API can do
 * that.
 */
const doesNothing = (screen: Hinted, id: CommandId, capabilities: MonitorState['capabilities']): boolean =>
  (screen === 'plugins' && id === 'open' && capabilities?.settings === false) ||
  (screen === 'plugins' && nodeHints.has(id) && capabilities?.pluginPerNode === false) ||
  (screen === 'settings' && nodeHints.has(id) && capabilities?.settings === false) ||
  (id === 'screenMenu' && !hasActions(screen, capabilities));

const hasActions = (screen: Hinted, capabilities: MonitorState['capabilities']): boolean => {
  const scopes = screens.flatMap(({ id }) => (id === screen ? definitionOf(id).scopes : []));
  return allBindings.some(
    ({ id, scope, group }) => group === 'Actions' && scopes.includes(scope) && !isAbsent(id, capabilities),
  );
};

const nodeHints: ReadonlySet<CommandId> = new Set(['chooseNodeLeft', 'chooseNodeRight']);

/** What decides which hints are shown, and which come first. */
export interface HintContext {
  /** Whether the key of a command would run it now. */
  readonly runs: (id: CommandId) => boolean;
  readonly hasLongScan?: boolean | undefined;
  /** How many clients a disconnect is about, if it is not the row under the cursor. */
  readonly selectedCount?: number | undefined;
}

const firstHints = (screen: Hinted, { hasLongScan, selectedCount = 0 }: HintContext): readonly CommandId[] => {
  const hints = hintsFor(screen);
  const stop = hasLongScan === true && hints.includes('abortScan') ? ['abortScan' as const] : [];
  const selected = selectedCount > 0 && hints.includes('mark') ? (['disconnect', 'unmarkAll'] as const) : [];
  return [...(isDialog(screen) ? [] : (['close', 'clearFilter'] as const)), ...stop, ...selected];
};

/** Returns the scans that `x` stops on a screen. */
export const scansOf = (screen: ScreenId): readonly ScanName[] => {
  switch (screen) {
    case 'clients':
      return ['clientScan'];
    case 'sessions':
      return ['sessionScan'];
    case 'subscriptions':
      return ['subscriptionScan'];
    case 'routes':
      return ['routeScan'];
    case 'triage':
      return scanNames;
    default:
      return [];
  }
};

/**
 * Returns hints for a broker with these capabilities: closing, stopping a long scan, acting on selected rows, then the
 * most useful. A key that would do nothing has none.
 */
export const hintsOf = (
  screen: Hinted,
  capabilities: MonitorState['capabilities'],
  context: HintContext,
): readonly CommandId[] =>
  [...new Set([...firstHints(screen, context), ...hintsFor(screen)])].filter(
    (id) =>
      (id !== 'filter' || !context.runs('clearFilter')) &&
      context.runs(id) &&
      !isAbsent(id, capabilities) &&
      !doesNothing(screen, id, capabilities) &&
      (id !== 'abortScan' || context.hasLongScan === true),
  );

const widthOfHint = (hint: readonly Span[]): number => spansWidth(hint) + 2;

/** The width from which on hints leave room for the load. */
const minWidthWithLoad = 100;
/** Returns the room for the load, which is fixed, so that a longer number drops no hint. */
const reservedForLoad = (width: number): number =>
  width < minWidthWithLoad ? 0 : width < minWidthWithConnections ? 20 : 34;
const minWidthWithConnections = 130;
/** How many hints at the end of a dialog's are never dropped. */
const minKept = 2;
/** Columns between the hints and the load, and behind it. */
const loadGap = 3;

export interface HintLineOptions {
  /** How many rows a command acts on, shown behind its name. */
  readonly counts?: ReadonlyMap<CommandId, number> | undefined;
  /** Polling is paused, so that its key resumes it. */
  readonly isFrozen?: boolean | undefined;
  readonly load?: MonitorState['causedLoad'] | undefined;
}

/**
 * Draws hints in one line: ` / filter  Enter open  ? help`, and the load at its end. Hints that do not fit are dropped
 * from the end, except the last ones.
 */
export const hintLine = (
  theme: Theme,
  width: number,
  keymap: Keymap,
  commands: readonly CommandId[],
  options: HintLineOptions = {},
): Line => {
  const { load } = options;
  const spans = hintSpans(theme, width, keymap, commands, options);
  const text = load === undefined ? safe`` : loadText(load, width - spansWidth(spans) - loadGap);
  return text === ''
    ? composeLine(theme, width, spans)
    : composeEnds(theme, width, spans, [{ text: safe`${text} `, role: 'dim' }]);
};

/** Returns the command whose hint is at a column. */
export const hintAt = (
  theme: Theme,
  width: number,
  keymap: Keymap,
  commands: readonly CommandId[],
  column: number,
  options: HintLineOptions = {},
): CommandId | undefined => spanAt(hintSpans(theme, width, keymap, commands, options), column)?.id;

interface HintSpan extends Span {
  /** `undefined` between hints. */
  readonly id: CommandId | undefined;
}

const hintSpans = (
  theme: Theme,
  width: number,
  keymap: Keymap,
  commands: readonly CommandId[],
  { counts, isFrozen, load }: HintLineOptions,
): readonly HintSpan[] => {
  const labels: string[] = [];
  const hints: HintSpan[][] = [];
  for (const id of commands) {
    const binding = keymap.bindings.find((candidate) => candidate.id === id);
    const key = binding?.keys[0];
    const count = counts?.get(id);
    if (binding === undefined || key === undefined) continue;
    // Two keys with one label, such as ← and →, are one hint.
    const before = labels.at(-1) === binding.label ? hints.pop()?.slice(0, 1) : undefined;
    labels.push(binding.label);
    hints.push([
      ...(before === undefined ? [] : [...before, { id, text: safe` ` }]),
      { id, text: formatKey(key, theme.charset), role: 'key' },
      {
        id,
        text: safe` ${id === 'freeze' && isFrozen === true ? messageTexts.resume : trusted(binding.label)}`,
        role: 'dim',
      },
      ...(count === undefined ? [] : [{ id, text: safe` ${formatCount(count)}`, role: 'warning' } as const]),
    ]);
  }
  const keptCount = Math.max(minKept, commands.length - 1 - commands.findLastIndex((id) => !keptHints.has(id)));
  const kept = hints.slice(-keptCount);
  const shown: HintSpan[][] = [];
  let room =
    width -
    1 -
    Math.max(1, load === undefined ? 0 : reservedForLoad(width)) -
    kept.reduce((sum, hint) => sum + widthOfHint(hint), -2);
  for (const hint of hints.slice(0, -keptCount)) {
    if (widthOfHint(hint) > room) {
      break;
    }
    room -= widthOfHint(hint);
    shown.push(hint);
  }
  shown.push(...kept);
  return shown.flatMap((hint, index) => [{ id: undefined, text: index === 0 ? safe` ` : safe`  ` }, ...hint]);
};

export interface KeyHintsProps {
  readonly monitor: WatchedMonitor;
  readonly keymap: Keymap;
  readonly screen: Hinted;
  readonly hasLongScan: boolean;
  readonly selectedCount: number;
  readonly width: number;
}

const selectLoad = ({ causedLoad }: MonitorState): MonitorState['causedLoad'] => causedLoad;

const selectFrozen = ({ isFrozen }: MonitorState): boolean => isFrozen;

const selectCapabilities = ({ capabilities }: MonitorState): MonitorState['capabilities'] => capabilities;

export const KeyHints = ({ monitor, keymap, screen, width, hasLongScan, selectedCount }: KeyHintsProps): ReactNode => {
  const theme = useTheme();
  const causedLoad = useStore(monitor.store, selectLoad);
  // Not while a dialog is open: it would stand where its keys are looked for.
  const load = isDialog(screen) ? undefined : causedLoad;
  const capabilities = useStore(monitor.store, selectCapabilities);
  const runs = useRuns();
  const commands = hintsOf(screen, capabilities, { runs, hasLongScan, selectedCount });
  const counts: HintLineOptions['counts'] = selectedCount === 0 ? undefined : new Map([['disconnect', selectedCount]]);
  const isFrozen = useStore(monitor.store, selectFrozen);
  const { click } = usePointer();
  const onClick = (_line: number, column: number): void => {
    const id = hintAt(theme, width, keymap, commands, column, { counts, isFrozen, load });
    if (id !== undefined) click(id);
  };
  return <Rows onClick={onClick} lines={[hintLine(theme, width, keymap, commands, { counts, isFrozen, load })]} />;
};

const shownForMs = 4000;
const outcomeShownForMs = 8000;

/**
 * Keeps a message that disappears after a few seconds or with its screen. One that is set while going to a screen
 * belongs to that screen.
 */
export const useNotice = (screen: string): readonly [Notice | undefined, Notify] => {
  const [notice, setNotice] = useState<Notice | undefined>(undefined);
  const drawnLast = useRef({ screen, notice });
  useEffect(() => {
    const last = drawnLast.current;
    drawnLast.current = { screen, notice };
    if (screen !== last.screen && notice !== undefined && notice === last.notice) {
      setNotice(undefined);
    }
  }, [screen, notice]);
  useEffect(() => {
    if (notice === undefined) {
      return undefined;
    }
    const timer = setTimeout(
      () => {
        setNotice(undefined);
      },
      notice.role === 'ok' ? outcomeShownForMs : shownForMs,
    );
    return () => {
      clearTimeout(timer);
    };
  }, [notice]);
  // A new object, so that the same text again is shown for its full time.
  const notify = useCallback<Notify>((text, role = 'accent') => {
    setNotice(text === undefined ? undefined : { text, role });
  }, []);
  return [notice, notify];
};
