import { Box, useApp } from 'ink';
import { type ReactNode, use, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { wallMs } from '../../monitor/clock.ts';
import { formatClock, formatCount } from '../../terminal/format.ts';
import { composeEnds, composeLine, type Line, type Span, spansWidth, widestFittingSpans } from '../../terminal/line.ts';
import type { Reports } from '../../terminal/reports.ts';
import { joinSafe, safe, type SafeText, trusted } from '../../terminal/safe-text.ts';
import { fit } from '../../terminal/text-width.ts';
import { type ThemeName, themeNames } from '../../terminal/theme-name.ts';
import type { Theme } from '../../terminal/theme.ts';
import type { Finding } from '../../triage/problem.ts';
import { countText, severityRoles, triageTexts } from '../../resources/problems/view/texts.ts';
import type { Severity } from '../../triage/thresholds.ts';
import type { BegunProblem } from '../../triage/triaged-monitor.ts';
import { fillRows, type SpanRow } from '../../tui/components/blocks.ts';
import { troubleSort } from '../../tui/components/column.ts';
import { Rows, ThemeChoiceContext, useTheme } from '../../tui/components/drawing.tsx';
import { panelFrame, panelRows } from '../../tui/components/panel.ts';
import { skipNote } from '../../tui/frame/message.ts';
import { Help } from '../../tui/frame/help.tsx';
import { Palette } from '../../tui/frame/palette.tsx';
import { frameTexts } from '../../tui/frame/texts.ts';
import { ProgramProviders } from '../app.tsx';
import { useNow } from '../../tui/hooks/use-now.ts';
import {
  isTooSmall,
  smallestSize,
  useRepaint,
  useRepaintOnResize,
  useSuspend,
  useTerminalSize,
} from '../../tui/hooks/use-terminal.ts';
import type { ExtraKeys, Keymap } from '../../tui/keys/keymap.ts';
import { useAvailableCommands, useKeymap, useKeys, usePointer, useRuns } from '../../tui/keys/use-keys.ts';
import type { Preferences } from '../../tui/list/list-state.ts';
import { ListView, type Trouble, useList } from '../../tui/list/use-list.tsx';
import { ageCell, findingCells, findingColumns } from '../../resources/problems/view/problem-rows.ts';
import { type Cluster, clusterRow, type ClusterRow, clusterTrouble } from './cluster.ts';
import { useSpoken } from '../../tui/speech/use-speech.ts';
import { clusterColumns } from './columns.ts';
import { clustersTexts } from './texts.ts';
import { trafficPanels } from './traffic-panels.ts';
import type { ScreenDefinition } from '../../tui/keys/catalog.ts';
import { TooSmall } from '../../tui/frame/too-small.tsx';
import { hintAt, hintLine } from '../../tui/frame/hint-line.ts';
import { useNotice } from '../../tui/frame/use-notice.ts';
import { commandTexts } from '../command-texts.ts';

export interface ClustersAppProps {
  /** Returns the clusters as they are now. */
  readonly clusters: () => readonly Cluster[];
  readonly refresh: () => void;
  /** Opens a cluster. Resolves when the screen may be left for it; rejects with one sentence. */
  readonly open: (name: string) => Promise<void>;
  /** Called with each problem that begins. */
  readonly onProblem?: ((cluster: Cluster, problem: BegunProblem, notify: (text: string) => void) => void) | undefined;
  readonly theme: Theme;
  readonly themeNamed?: ((name: ThemeName) => Theme) | undefined;
  readonly reports?: Reports | undefined;
  readonly preferences?: Preferences | undefined;
  readonly extraKeys?: ExtraKeys | undefined;
  readonly onCommand?: ((name: string) => void) | undefined;
  readonly onLeave?: ((exit: () => void) => void) | undefined;
}

/** Shows all clusters of the configuration, worst first, and their problems. */
export const ClustersApp = ({
  theme,
  themeNamed,
  reports,
  preferences,
  extraKeys,
  onCommand,
  ...props
}: ClustersAppProps): ReactNode => (
  <ProgramProviders
    theme={theme}
    themeNamed={themeNamed}
    reports={reports}
    preferences={preferences}
    isReadOnly={false}
    extraKeys={extraKeys}
    onCommand={onCommand}
  >
    <Clusters {...props} />
  </ProgramProviders>
);

const trouble: Trouble<ClusterRow> = { value: clusterTrouble, tieBreak: ({ name }) => name };
const identity = ({ name }: ClusterRow): string => name;
const headerHeight = 1;
const footerHeight = 2;
const maxListShare = 0.6;
const hints = [
  'filter',
  'open',
  'sortNext',
  'sortReverse',
  'chooseColumns',
  'refresh',
  'palette',
  'quit',
  'help',
] as const;

/** Defines the screen for the help. */
const definition: ScreenDefinition = { id: 'clusters', title: clustersTexts.title, scopes: [], hints: [] };

/** Keys that work here: those of lists, dialogs and some of the program. */
const programKeys: ReadonlySet<string> = new Set(['quit', 'refresh', 'repaint', 'suspend', 'palette', 'help']);
const keysHere = (keymap: Keymap): Keymap => ({
  ...keymap,
  bindings: keymap.bindings.filter(
    ({ id, scope, group }) => (scope === 'list' && id !== 'exportList') || group === 'Dialogs' || programKeys.has(id),
  ),
});

const Clusters = ({
  clusters,
  refresh,
  open,
  onProblem,
  onLeave,
}: Pick<ClustersAppProps, 'clusters' | 'refresh' | 'open' | 'onProblem' | 'onLeave'>): ReactNode => {
  const theme = useTheme();
  const { columns, rows: lines } = useTerminalSize();
  const repaint = useRepaint();
  useRepaintOnResize({ columns, rows: lines }, repaint);
  const suspend = useSuspend();
  const nowMs = useNow(1000);
  const [notice, notify] = useNotice('clusters');
  const { exit } = useApp();
  const leave = useCallback(() => {
    if (onLeave === undefined) exit();
    else onLeave(exit);
  }, [exit, onLeave]);
  const openCluster = useCallback(
    (name: string) => {
      notify(clustersTexts.opening(theme.escape(name)));
      open(name).then(leave, (error: unknown) => {
        notify(theme.escape(error instanceof Error ? error.message : String(error)));
      });
    },
    [open, leave, notify, theme],
  );
  const rows = useMemo(() => clusters().map((cluster) => clusterRow(cluster, nowMs)), [clusters, nowMs]);
  const followed = useRef(new Map<unknown, () => void>());
  useEffect(() => {
    for (const cluster of clusters()) {
      const { connection } = cluster;
      if (connection.kind !== 'watched' || followed.current.has(connection.monitor)) continue;
      followed.current.set(
        connection.monitor,
        connection.monitor.followProblems(({ begun }) => {
          if (begun !== undefined)
            onProblem?.(cluster, begun, (text) => {
              notify(theme.escape(text));
            });
        }),
      );
    }
  });
  useEffect(() => {
    const ends = followed.current;
    return () => {
      for (const end of ends.values()) end();
      ends.clear();
    };
  }, []);
  const tooSmall = isTooSmall({ columns, rows: lines });
  const width = tooSmall ? smallestSize.columns : columns;
  const height = (tooSmall ? smallestSize.rows : lines) - headerHeight - footerHeight;
  // Besides its rows, a list has a header, a problem line and a footer.
  const listHeight = Math.min(rows.length + 3, Math.ceil(height * maxListShare));
  const list = useList({
    listKey: 'clusters',
    table: 'clusters',
    rows,
    columns: clusterColumns,
    data: undefined,
    getId: identity,
    initialSort: troubleSort,
    trouble,
    generation: undefined,
    noun: clustersTexts.noun,
    title: clustersTexts.title,
    message: { text: safe` ${clustersTexts.empty}` },
    onOpen: ({ name }) => {
      openCluster(name);
    },
    copyText: identity,
    width,
    height: listHeight,
    notify,
  });
  const keymap = useKeymap();
  const available = useAvailableCommands();
  const chooseTheme = use(ThemeChoiceContext);
  const [overlay, setOverlay] = useState<'help' | 'palette' | undefined>(undefined);
  const close = (): void => {
    setOverlay(undefined);
  };
  useKeys(
    'global',
    {
      quit: leave,
      refresh,
      repaint,
      suspend,
      palette: () => {
        setOverlay('palette');
      },
      help: () => {
        setOverlay('help');
      },
    },
    {
      named: [
        ...rows.map(({ name }) => ({
          name: commandTexts.context(theme.escape(name)),
          aliases: ['ctx'],
          group: 'Program' as const,
          run: () => {
            openCluster(name);
          },
        })),
        ...(chooseTheme === undefined
          ? []
          : themeNames.map((name) => ({
              name: commandTexts.theme(trusted(name)),
              aliases: ['theme', 'themes', 'colors', 'colours', name],
              group: 'Program' as const,
              run: () => {
                chooseTheme(name);
              },
            }))),
      ],
      onText: (text) => {
        notify(frameTexts.noKey(theme.escape(text === ' ' ? 'Space' : text)));
      },
    },
  );
  useKeys('tooSmall', { quitTooSmall: leave }, { isActive: tooSmall });
  useSpoken({ rank: 'title', key: 'clusters', lines: () => [clustersTexts.title] });
  const exposed = exposedTexts(theme, rows);
  useSpoken(exposed.length === 0 ? undefined : { rank: 'title', key: exposed.join(' '), lines: () => exposed });
  useSpoken({ rank: 'message', key: notice?.text ?? '', lines: () => [notice?.text ?? ''] });
  const runs = useRuns();
  const shownHints = hints.filter((id) => runs(id));
  const { click } = usePointer();
  return (
    <Box flexDirection="column" width={columns} height={lines} overflow="hidden">
      {tooSmall && <TooSmall columns={columns} rows={lines} needed={smallestSize} quit={frameTexts.quit} />}
      <Box flexDirection="column" width={columns} height={lines} display={tooSmall ? 'none' : 'flex'} overflow="hidden">
        <Rows lines={[headerLine(theme, width, rows, nowMs)]} />
        {overlay === 'help' && (
          <Help width={width} height={height} keymap={keysHere(keymap)} screen={definition} onClose={close} />
        )}
        <Box
          flexDirection="column"
          width={width}
          height={height}
          display={overlay === 'help' ? 'none' : 'flex'}
          overflow="hidden"
        >
          <Box flexDirection="column" width={width} height={listHeight} overflow="hidden">
            <ListView list={list} />
          </Box>
          <Rows lines={belowList(theme, width, height - listHeight, clusters(), rows, nowMs)} />
          {overlay === 'palette' && (
            <Palette
              width={width}
              height={height}
              bindings={available.available().filter(({ id }) => id !== 'palette')}
              elsewhere={[]}
              absent={[]}
              apiName={clustersTexts.title}
              named={available.named()}
              labelOf={() => undefined}
              onClose={close}
              onChoose={(id) => {
                close();
                available.run(id);
              }}
            />
          )}
        </Box>
        <Rows
          lines={[
            composeLine(
              theme,
              width,
              notice === undefined
                ? skipNotes(theme, clusters(), nowMs)
                : [{ text: safe` ${notice.text}`, role: notice.role }],
            ),
            hintLine(theme, width, keymap, shownHints),
          ]}
          onClick={(line, column) => {
            const id = line === 1 ? hintAt(theme, width, keymap, shownHints, column) : undefined;
            if (id !== undefined) click(id);
          }}
        />
      </Box>
    </Box>
  );
};

const skipNotes = (theme: Theme, clusters: readonly Cluster[], nowMs: number): readonly Span[] =>
  clusters.flatMap(({ name, connection }) =>
    connection.kind !== 'watched'
      ? []
      : skipNote(theme, connection.monitor.store.getState(), nowMs).map(({ text, role }): Span => ({
          text: safe` ${theme.escapeEnds(name, maxNameWidth)}:${text}`,
          role,
        })),
  );

const isAnswering = ({ health, reason }: ClusterRow): boolean => reason === undefined && health !== 'connecting';

/** Returns each way in which passwords may leak, with the clusters concerned. */
const exposedTexts = (theme: Theme, rows: readonly ClusterRow[], hasNames = true): readonly SafeText[] =>
  [...new Set(rows.flatMap(({ exposed }) => exposed))].map((text) => {
    const names = rows
      .filter(({ exposed }) => exposed.includes(text))
      .map(({ name }) => theme.escapeEnds(name, maxNameWidth));
    return clustersTexts.exposed(text, hasNames ? joinSafe(names, safe`, `) : formatCount(names.length));
  });

const headerLine = (theme: Theme, width: number, rows: readonly ClusterRow[], nowMs: number): Line => {
  const answering = rows.filter(isAnswering).length;
  const problems = countedIn(worstFirst(rows));
  const reachable: Span = {
    text: clustersTexts.reachable(answering, rows.length),
    role: answering === rows.length ? 'ok' : 'error',
  };
  const titled: readonly Span[] = [{ text: clustersTexts.title, role: 'title' }, { text: safe`  ` }, reachable];
  const named: readonly Span[] = [{ text: safe`brokertop`, role: 'accent' }, { text: safe`  ` }, ...titled];
  const exposed = (hasNames: boolean): readonly Span[] =>
    exposedTexts(theme, rows, hasNames).flatMap((text): readonly Span[] => [
      { text: safe`  ` },
      { text, role: 'error' },
    ]);
  const lefts = [
    [...named, ...exposed(true)],
    [...named, ...exposed(false)],
    [...titled, ...exposed(false)],
    [reachable, ...exposed(false)],
    exposed(false).slice(1),
  ].map((spans): readonly Span[] => [{ text: safe` ` }, ...spans]);
  const right: readonly Span[] = [
    ...(problems.length === 0
      ? []
      : [
          {
            text: countText(problems),
            role: problems.some(({ severity }) => severity === 'critical') ? 'error' : 'warning',
          } as const,
        ]),
    { text: safe`  ${formatClock(wallMs(nowMs))} ` },
  ];
  return composeEnds(theme, width, widestFittingSpans(lefts, width - spansWidth(right)) ?? lefts.at(-1) ?? [], right);
};

const severityWidth = 9;
const maxNameWidth = 24;

interface NamedFinding {
  readonly row: ClusterRow;
  readonly finding: Finding | undefined;
}

/** Returns problems of all clusters, critical ones first, and of each severity the clusters that do not answer. */
const worstFirst = (rows: readonly ClusterRow[]): readonly NamedFinding[] =>
  (['critical', 'warning'] as const).flatMap((severity) => [
    ...rows
      .filter((row) => row.reason !== undefined && silenceSeverity(row) === severity)
      .map((row) => ({ row, finding: undefined })),
    ...rows.flatMap((row) =>
      row.findings.filter((finding) => finding.severity === severity).map((finding) => ({ row, finding })),
    ),
  ]);

/** Returns the severity of a cluster that does not answer. One that was never asked is no incident. */
const silenceSeverity = ({ health }: ClusterRow): Severity => (health === 'failed' ? 'warning' : 'critical');

const countedIn = (
  problems: readonly NamedFinding[],
): readonly Pick<Finding, 'severity' | 'acknowledged' | 'members'>[] =>
  problems.map(({ row, finding }) => finding ?? { severity: silenceSeverity(row) });

/** Fills the room below the list: problems first, then the traffic where they leave it room. */
const belowList = (
  theme: Theme,
  width: number,
  height: number,
  clusters: readonly Cluster[],
  rows: readonly ClusterRow[],
  nowMs: number,
): readonly Line[] => {
  const wanted = Math.max(1, worstFirst(rows).length) + panelFrame.lines;
  const traffic = trafficPanels(theme, width, height - wanted, clusters, rows, nowMs);
  return [...problemRows(theme, width, height - traffic.length, rows, nowMs), ...traffic].map((row) =>
    composeLine(theme, width, row),
  );
};

const problemRows = (
  theme: Theme,
  width: number,
  height: number,
  rows: readonly ClusterRow[],
  nowMs: number,
): readonly SpanRow[] => {
  const problems = worstFirst(rows);
  const inner = width - panelFrame.columns;
  const room = Math.max(1, height - panelFrame.lines);
  const shown = problems.length > room ? problems.slice(0, room - 1) : problems;
  const nameWidth = Math.min(maxNameWidth, Math.max(8, ...shown.map(({ row }) => row.name.length)) + 2);
  const textWidth = Math.max(1, inner - severityWidth - nameWidth);
  const columns = findingColumns(
    theme,
    textWidth,
    shown.flatMap(({ finding }) => finding ?? []),
  );
  const content = shown.map(({ row, finding }): SpanRow => {
    const severity = finding?.severity ?? silenceSeverity(row);
    return [
      { text: fit(triageTexts.severityWords[severity], severityWidth), role: severityRoles[severity] },
      { text: fit(theme.escapeEnds(row.name, nameWidth - 2), nameWidth), role: row.role ?? 'title' },
      ...(finding === undefined
        ? [{ text: theme.escape(row.reason ?? '', textWidth) }]
        : [...findingCells(theme, textWidth, columns, finding), ...ageCell(columns, finding, nowMs)]),
    ];
  });
  const hidden = countedIn(problems.slice(shown.length));
  const ending: readonly SpanRow[] =
    problems.length === 0
      ? [
          [
            {
              text: rows.every(({ health }) => health === 'ok')
                ? clustersTexts.noProblems
                : clustersTexts.health.checking,
              role: 'dim',
            },
          ],
        ]
      : hidden.length > 0
        ? [[{ text: countText(hidden, true), role: 'dim' }]]
        : [];
  const panel = {
    title: clustersTexts.problems,
    note: problems.length === 0 ? undefined : countText(countedIn(problems)),
  };
  return fillRows(panelRows(width, height, panel, fillRows([...content, ...ending], room)), height);
};
