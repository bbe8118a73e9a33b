import { isCalmWithout } from '../../checks/words.ts';
import { type ReactNode, useMemo } from 'react';
import { shownWallMs } from '../../monitor/shown-time.ts';
import { isWaitingFor, mayBeAnswered, selectFreshness } from '../../resources/freshness.ts';
import { selectNodes } from '../../resources/nodes/select.ts';
import type { MonitorState, ReadableStore } from '../../monitor/state.ts';
import { formatAge, formatClock, formatSeconds, loadingText, unknownText } from '../../terminal/format.ts';
import { glyphs } from '../../terminal/glyphs.ts';
import {
  composeEnds,
  cutSpans,
  dimLine,
  type Line,
  type Span,
  spansWidth,
  widestFittingSpans,
} from '../../terminal/line.ts';
import { joinSafe, safe, trusted } from '../../terminal/safe-text.ts';
import type { Theme } from '../../terminal/theme.ts';
import { reading } from '../../monitor/query/part.ts';
import { summarizeTriage } from '../../triage/triage.ts';
import { verdictOf } from '../../triage/check.ts';
import { type TriageReport, triageView } from '../../triage/view.ts';
import type { TriagedMonitor } from '../../triage/triaged-monitor.ts';
import { severityCounts, severityRoles, triageTexts } from '../../resources/problems/view/texts.ts';
import { Rows, useTheme } from '../../tui/components/drawing.tsx';
import { useNow } from '../../tui/hooks/use-now.ts';
import { useStore, wholeState } from '../../tui/hooks/use-store.ts';
import { usePointer } from '../../tui/keys/use-keys.ts';
import { useSpoken } from '../../tui/speech/use-speech.ts';
import type { Place } from '../navigation.ts';
import { useSpokenProblems } from './use-spoken-problems.ts';
import {
  definitionOf,
  type MenuScreenId,
  menuScreens,
  minNamedWidth,
  screenCommandOf,
  type ScreenId,
  type TabId,
  tabOf,
  tabs,
} from '../registry.ts';
import { exposureTexts } from '../../tui/frame/screen.ts';
import { headerTexts } from './texts.ts';
import { type Tab, tabAt, tabLine } from '../../tui/frame/tabs.ts';
import type { RecordingStatus, SessionView } from '../session-view.ts';
import { steadyNowMs, wallMs } from '../../monitor/clock.ts';
import { momentText } from '../../domain/time-text.ts';
import { agoText, pastTexts } from '../../tui/frame/texts.ts';

/** The number of lines: status and tabs. */
export const headerHeight = 2;
const tabsLine = 1;

type TabbedId = TabId | MenuScreenId;

const tabBar: readonly Tab<TabbedId>[] = tabs.map((id) => {
  const { key = '', title, tab } = definitionOf(id);
  return { id, key: trusted(key), label: tab?.label ?? title, shortLabel: tab?.shortLabel };
});

const menuTabs: ReadonlyMap<ScreenId, Tab<TabbedId>> = new Map(
  menuScreens.map(({ id, key, title }) => [id, { id, key: trusted(key), label: title }]),
);

/**
 * The smallest width with a separate tab for the open screen of More. Narrower terminals show it in place of More, and
 * the narrowest mark More, so that all names stay as they are.
 */
const minExtraTab = 130;
const tabsAt = (
  { screen }: Place,
  width: number,
): { readonly tabs: readonly Tab<TabbedId>[]; readonly active: TabbedId } => {
  const extra = menuTabs.get(screen);
  if (extra === undefined || width < minNamedWidth) return { tabs: tabBar, active: tabOf(screen) };
  return { tabs: [...(width < minExtraTab ? tabBar.slice(0, -1) : tabBar), extra], active: extra.id };
};

const gap: Span = { text: safe`  ` };

/** Joins parts with two spaces between them. */
const spaced = (...parts: readonly (readonly Span[])[]): readonly Span[] =>
  parts.filter((part) => part.length > 0).flatMap((part, index) => (index === 0 ? part : [gap, ...part]));

const nodesSpans = (state: MonitorState, isStale: boolean): readonly Span[] => {
  const nodes = selectNodes(state);
  if (nodes.length === 0) {
    return [{ text: headerTexts.nodes(mayBeAnswered(state, 'nodeStats') ? loadingText : unknownText) }];
  }
  const running = nodes.filter(({ status }) => status === 'running').length;
  const count = headerTexts.nodes(safe`${running}/${nodes.length}`);
  if (isStale) {
    return [{ text: safe`? ${count}`, role: 'stale' }];
  }
  return running === nodes.length
    ? [{ text: safe`${glyphs.running} ${count}`, role: 'ok' }]
    : [{ text: safe`! ${count}`, role: 'error' }];
};

/** Writes product and version as the nodes report them; nothing until they do. */
const productSpans = (theme: Theme, state: MonitorState, isShort: boolean): readonly Span[] => {
  const infos = selectNodes(state).flatMap(({ info }) => (info?.version === undefined ? [] : [info]));
  const [first] = infos;
  if (first?.version === undefined) return [];
  const versions = new Set(infos.map(({ version }) => version)).size;
  const version =
    versions === 1 ? headerTexts.version(theme.escape(first.version, maxVersionWidth)) : headerTexts.versions(versions);
  const product = isShort ? [] : [theme.escape(first.description ?? '', maxProductWidth)];
  return [
    {
      text: joinSafe(
        [...product, version].filter((text) => text !== ''),
        safe` `,
      ),
      role: 'dim',
    },
  ];
};

const maxVersionWidth = 20;
const maxProductWidth = 30;

const variantSpans = ({ apiDoubt }: MonitorState, session: SessionView): readonly Span[] => {
  const described = trusted(session.describeApi());
  return apiDoubt === undefined
    ? [{ text: described, role: 'dim' }]
    : [{ text: safe`${described} ?`, role: 'warning' }];
};

const recordingSpans = (recording: RecordingStatus): readonly Span[] => {
  switch (recording.kind) {
    case 'off':
      return [];
    case 'on':
      return [{ text: headerTexts.recording, role: 'accent' }];
    case 'failing':
      return [{ text: headerTexts.notRecording, role: 'error' }];
  }
};

const flagSpans = (session: SessionView, recording: RecordingStatus, isFrozen: boolean): readonly Span[] =>
  spaced(
    recordingSpans(recording),
    session.isReadOnly ? [{ text: headerTexts.readOnly, role: 'warning' }] : [],
    session.isUnrecorded === true && !session.isReadOnly ? [{ text: headerTexts.noAudit, role: 'warning' }] : [],
    ...exposureTexts(session).map((text): readonly Span[] => [{ text, role: 'error' }]),
    isFrozen ? [{ text: headerTexts.frozen, role: 'warning' }] : [],
  );

/** Problems that are so old say when they were seen. */
const oldAfterMs = 300_000;

/** Writes the numbers of critical problems and of warnings, as Overview does. */
const severitySpans = (
  state: MonitorState,
  { findings, isAllClear, pending = [], results }: TriageReport,
  nowMs: number,
  isShort: boolean,
): readonly Span[] => {
  const counts = severityCounts(findings);
  const found = (
    [
      ['critical', counts.critical, severityRoles.critical],
      ['warning', counts.warning, severityRoles.warning],
      ['acknowledged', counts.acknowledged, 'dim'],
    ] as const
  )
    .filter(([, count]) => count > 0)
    .map(([severity, count, role]): Span => ({
      text: (isShort ? headerTexts.shortSeverity : headerTexts.severity)[severity](count),
      role,
    }));
  const oldMs = nowMs - Math.min(nowMs, ...findings.map(({ seenMs = nowMs }) => seenMs));
  const age: readonly Span[] =
    oldMs < oldAfterMs ? [] : [{ text: isShort ? safe` ?` : safe` ${headerTexts.seen(oldMs / 1_000)}`, role: 'dim' }];
  if (found.length > 0)
    return [
      ...found.flatMap((span, index) =>
        index === 0 ? [span] : [{ text: safe` ${glyphs.dot} `, role: 'dim' } as const, span],
      ),
      ...age,
    ];
  const offered = results.filter(({ isNotOffered }) => isNotOffered !== true).length;
  if (pending.length > 0 && !isWaitingFor(state, 'nodeStats')) {
    return [
      {
        text: isCalmWithout(pending)
          ? triageTexts.nothingSoFar
          : headerTexts.checkingRest(offered - pending.length, offered),
        role: 'dim',
      },
    ];
  }
  if (isWaitingFor(state, 'nodeStats')) return [{ text: headerTexts.checking, role: 'dim' }];
  if (isAllClear) return [{ text: headerTexts.allClear, role: 'ok' }];
  if (results.every((result) => verdictOf(result) === 'unchecked'))
    return [{ text: triageTexts.unknown, role: 'warning' }];
  return [{ text: headerTexts.noneIn(summarizeTriage({ results }, nowMs).ok.length, offered), role: 'dim' }];
};

/** Writes the time of the data shown, or its age if it is not current; in the past the moment. */
const ageSpans = (state: MonitorState, nowMs: number): readonly Span[] => {
  if (state.past !== undefined) {
    const { wallMs: atMs } = state.past.at;
    const ago = agoText((wallMs(steadyNowMs()) - atMs) / 1_000);
    return [{ text: pastTexts.moment(trusted(momentText(atMs)), ago), role: 'accent' }];
  }
  const { ageSeconds, stale } = selectFreshness(state, nowMs);
  if (ageSeconds === undefined)
    return [
      { text: loadingText },
      ...(stale.length > 0 ? [{ text: safe` ${headerTexts.stale}`, role: 'error' } as const] : []),
    ];
  if (stale.length > 0) return [{ text: safe`${formatAge(ageSeconds)} ${headerTexts.stale}`, role: 'error' }];
  return [{ text: state.isFrozen ? formatAge(ageSeconds) : formatClock(shownWallMs(nowMs - ageSeconds * 1_000)) }];
};

/** Colours the line in the past, except for what is wrong. */
const accented = (spans: readonly Span[]): readonly Span[] =>
  spans.map((span) => (span.role === 'error' || span.role === 'warning' ? span : { ...span, role: 'accent' }));

const minAddressWidth = 10;
/** The width from which on the address is shown next to the name of its context. */
const wideWidth = 140;

/**
 * Draws the first line: cluster, health, problems, flags, age. Where room is short, the name, the variant and the
 * version are dropped, then the interval and the problems, and last the address is cut.
 */
const statusLine = (
  theme: Theme,
  width: number,
  state: MonitorState,
  session: SessionView,
  recording: RecordingStatus,
  report: TriageReport,
  nowMs: number,
): Line => {
  const url = theme.escape(state.failover?.url ?? session.url);
  const context = session.context === undefined ? undefined : theme.escape(session.context);
  const hasUrl = state.failover !== undefined || width >= wideWidth;
  const place: Span = { text: context ?? url, role: session.contextRole ?? 'title' };
  const addressed: readonly Span[] =
    context !== undefined && hasUrl ? [place, { text: safe` ${glyphs.crumb} ${url}`, role: 'title' }] : [place];
  const name: readonly Span[] = [{ text: safe`brokertop`, role: 'accent' }];
  const nodes = nodesSpans(state, selectFreshness(state, nowMs).stale.includes('nodeStats'));
  const product = productSpans(theme, state, false);
  const version = productSpans(theme, state, true);
  const variant = variantSpans(state, session);
  const told = [[product, variant], [version, variant], state.apiDoubt === undefined ? [version] : [variant]];
  const lefts = [
    ...told.map((parts) => [name, addressed, nodes, ...parts]),
    ...told.slice(-1).map((parts) => [addressed, nodes, ...parts]),
    [addressed, nodes],
  ].map((parts): readonly Span[] => [{ text: safe` ` }, ...spaced(...parts)]);

  const flags = flagSpans(session, recording, state.isFrozen);
  const age = ageSpans(state, nowMs);
  const timed: readonly Span[] = [
    { text: safe`${formatSeconds(state.intervalSeconds)} ${glyphs.cursor} `, role: 'dim' },
    ...age,
  ];
  const rights = [
    // The interval means nothing while nothing is read.
    ...(state.isFrozen || state.past !== undefined
      ? []
      : [spaced(severitySpans(state, report, nowMs, false), flags, timed)]),
    spaced(severitySpans(state, report, nowMs, false), flags, age),
    spaced(severitySpans(state, report, nowMs, true), flags, age),
    spaced(flags, age),
  ].map((spans): readonly Span[] => [...spans, { text: safe` ` }]);

  const inTime = (spans: readonly Span[]): readonly Span[] => (state.past === undefined ? spans : accented(spans));
  for (const right of rights) {
    const left = widestFittingSpans(lefts, width - spansWidth(right) - 2);
    if (left !== undefined) return composeEnds(theme, width, inTime(left), inTime(right));
  }
  const right =
    rights.find((spans) => width - spansWidth(spans) - spansWidth(nodes) - 5 >= minAddressWidth) ?? rights.at(-1) ?? [];
  const room = Math.max(0, width - spansWidth(right) - spansWidth(nodes) - 5);
  return composeEnds(
    theme,
    width,
    inTime([{ text: safe` ` }, ...spaced(cutSpans(addressed, room), nodes)]),
    inTime(right),
  );
};

export interface HeaderProps {
  readonly monitor: Pick<TriagedMonitor, 'store' | 'followProblems'>;
  readonly session: SessionView;
  readonly place: Place;
  readonly width: number;
  /** A dialog is open, so the header is dimmed, like all behind it. */
  readonly isCovered?: boolean | undefined;
}

const notRecorded: RecordingStatus = { kind: 'off' };
const neverRecorded: ReadableStore<RecordingStatus> = { getState: () => notRecorded, subscribe: () => () => {} };
const wholeStatus = (status: RecordingStatus): RecordingStatus => status;

export const Header = ({ monitor, session, place, width, isCovered = false }: HeaderProps): ReactNode => {
  const theme = useTheme();
  const state = useStore(monitor.store, wholeState);
  const nowMs = useNow(1000);
  const recording = useStore(session.recording?.status ?? neverRecorded, wholeStatus);
  const { report } = reading(state, triageView);
  useSpokenProblems(monitor);
  const bar = useMemo(() => tabsAt(place, width), [place, width]);
  const shownTabs = useMemo(() => tabLine(theme, width, bar.tabs, bar.active), [theme, width, bar]);
  const { click } = usePointer();
  const onClick = (line: number, column: number): void => {
    const tab = line === tabsLine ? tabAt(theme, width, bar.tabs, bar.active, column) : undefined;
    if (tab !== undefined) click(screenCommandOf(tab));
  };
  const warnings = flagSpans(session, recording, false)
    .map(({ text }) => text)
    .filter((text) => text !== gap.text);
  useSpoken(
    warnings.length === 0
      ? undefined
      : { rank: 'title', key: warnings.join(' '), lines: () => [joinSafe(warnings, safe`, `)] },
  );
  const lines = [statusLine(theme, width, state, session, recording, report, nowMs), shownTabs];
  return <Rows onClick={onClick} lines={isCovered ? lines.map((line) => dimLine(theme, line)) : lines} />;
};
