import { renderToString, Text } from 'ink';
import { Table } from 'ink-table';
import type { ReactNode } from 'react';
import { problemText } from '../../checks/words.ts';
import { type MetricName, statNames } from '../../domain/metrics.ts';
import { shownWallMs } from '../../monitor/shown-time.ts';
import { selectListeners } from '../../resources/listeners/select.ts';
import { selectRate } from '../../resources/metrics/rates.ts';
import { rateText } from '../../resources/metrics/view/rate-rows.ts';
import { selectNodeCounts, selectNodes } from '../../resources/nodes/select.ts';
import { statusWord } from '../../resources/nodes/view/columns.ts';
import { selectMaximum, selectTotals } from '../../resources/statistics/select.ts';
import { selectVital } from '../../resources/vital.ts';
import { formatCount, formatDuration, formatLoad, formatPercent, unknownText } from '../../terminal/format.ts';
import { asciiGlyphs } from '../../terminal/glyphs.ts';
import { wrapWords } from '../../terminal/line.ts';
import { joinSafe, safe, type SafeText, trusted } from '../../terminal/safe-text.ts';
import { sentenceText } from '../../terminal/sentence-text.ts';
import { cutText, widthOf } from '../../terminal/text-width.ts';
import type { Theme } from '../../terminal/theme.ts';
import { summarizeTriage } from '../../triage/triage.ts';
import { type Exposure, exposureTexts } from '../../tui/frame/screen.ts';
import { statLabels, totalText } from '../../resources/statistics/view/totals.ts';
import { okText, triageTexts, uncheckedSummary } from '../../resources/problems/view/texts.ts';
import { type OnceReading, unreadLists } from './once.ts';
import { resourceNames } from '../../resources/view/texts.ts';

export const onceTexts = {
  variant: (variant: string | undefined, name: string | undefined) =>
    name ?? (variant === undefined ? 'API unknown' : `variant ${variant.toUpperCase()}`),
  nodes: ({ running, total }: { readonly running: number; readonly total: number }, clients: string) =>
    `Nodes: ${formatCount(running)} of ${formatCount(total)} running, clients ${clients}`,
  totals: 'Totals',
  /** Nodes need not have reached their maximum at the same time. */
  totalsOfNodes: 'Totals (max: sum over nodes)',
  rates: (duration: string, unrouted: string, connects: string) =>
    `Rates over ${duration}: unrouted ${unrouted}, connects ${connects}`,
  listeners: 'Listeners',
} as const;

/** Returns the name of a part that could not be read, for standard error. */
export const partName = (part: string): SafeText =>
  Object.hasOwn(resourceNames, part) ? resourceNames[part as keyof typeof resourceNames] : trusted(part);

type Cells = Readonly<Record<string, SafeText>>;

/** Limits a cell: one hostile name must not widen the table. */
const widestCell = 40;
const lineWidth = 80;

/**
 * Prints problems, nodes, totals, rates and listeners as plain text, 80 columns wide unless names are long; ends with a
 * newline.
 */
export function readingText(reading: OnceReading, place: Exposure & { readonly url: string }, theme: Theme): string {
  const { takenAtMs, variant, state } = reading;
  const show = (raw: string | undefined): SafeText =>
    raw === undefined ? unknownText : cutText(theme.escape(raw, widestCell), widestCell);
  const totals = selectTotals(state);
  const counts = selectNodeCounts(state);
  const maxima = statNames.map((name) => selectMaximum(state, name));
  const sections = [
    [
      theme.escape(place.url),
      new Date(shownWallMs(takenAtMs)).toISOString(),
      onceTexts.variant(variant, state.capabilities?.apiName),
      ...exposureTexts(place),
    ].join('  '),
    problemSection(reading, theme),
    counts === undefined
      ? undefined
      : table(
          onceTexts.nodes(counts, totalText(totals.clients, false)),
          selectNodes(state).map((row) => ({
            node: show(row.name),
            status: statusWord(theme, row, widestCell),
            version: show(row.info?.version),
            uptime: formatDuration(row.info?.uptimeSeconds),
            clients: formatCount(row.stats?.clients ?? row.counts?.clients.count),
            memory: formatPercent(row.memory.share),
            procs: formatPercent(row.processes.share),
            load: formatLoad(row.stats?.load1),
          })),
          ['node', 'status', 'version'],
        ),
    selectVital(state).stats.data === undefined
      ? undefined
      : table(
          maxima.some(({ isUpperBound }) => isUpperBound) ? onceTexts.totalsOfNodes : onceTexts.totals,
          [
            {
              ' ': safe`now`,
              ...Object.fromEntries(statNames.map((name) => [statLabels[name], totalText(totals[name], false)])),
            },
            {
              ' ': safe`max`,
              ...Object.fromEntries(
                statNames.map((name, index) => [statLabels[name], formatCount(maxima[index]?.value)]),
              ),
            },
          ],
          [' '],
        ),
    rateSection(reading),
    listenerSection(reading, show),
  ].filter((section) => section !== undefined);
  const text = `${sections.join('\n\n')}\n`;
  return theme.charset === 'ascii'
    ? text
        .split('\n')
        .map((line) => asciiGlyphs(trusted(line)))
        .join('\n')
    : text;
}

function problemSection(reading: OnceReading, theme: Theme): string {
  const { report, takenAtMs } = reading;
  const summary = summarizeTriage(report, takenAtMs);
  const unread = unreadLists(reading, summary.unread).map(
    ({ nouns, why }) =>
      safe`${joinSafe(
        nouns.map((noun) => trusted(noun)),
        safe`, `,
      )} ${why}`,
  );
  const unchecked = uncheckedSummary(theme, summary, takenAtMs, { unreadTexts: unread });
  const lines: readonly (readonly [SafeText, SafeText])[] = [
    ...report.problems.map(
      (finding) => [triageTexts.severity[finding.severity], sentenceText(theme, problemText(finding))] as const,
    ),
    ...(unchecked === '' ? [] : [[triageTexts.note, unchecked] as const]),
    ...(summary.ok.length === 0 ? [] : [[triageTexts.ok, okText(summary)] as const]),
  ];
  const indent = 9;
  return lines
    .map(([word, text]) =>
      wrapWords(text, lineWidth - indent)
        .map((line, index) => `${(index === 0 ? word : '').padEnd(indent)}${line}`)
        .join('\n'),
    )
    .join('\n');
}

const flows = ['messages', 'bytes', 'packets'] as const;

function rateSection({ state, rateSeconds = 1 }: OnceReading): string | undefined {
  if (selectVital(state).metrics.data === undefined) return undefined;
  const rate = (name: MetricName): SafeText => rateText(name, selectRate(state, name));
  return table(
    onceTexts.rates(formatDuration(rateSeconds), rate('messages.dropped'), rate('packets.connect')),
    flows.map((flow) => ({ ' ': trusted(flow), in: rate(`${flow}.received`), out: rate(`${flow}.sent`) })),
    [' '],
  );
}

function listenerSection({ state }: OnceReading, show: (raw: string) => SafeText): string | undefined {
  return table(
    onceTexts.listeners,
    selectListeners(state)?.map(({ node, listener, clients }) => ({
      node: show(node),
      protocol: show(listener.protocol),
      listen: show(listener.listen),
      clients: formatCount(clients.used),
      max: formatCount(clients.limit),
      used: formatPercent(clients.share),
    })),
    ['node', 'protocol', 'listen'],
  );
}

const NoLines = (): ReactNode => <Text />;

/** Adds or removes padding so that the text takes as many columns as it has characters. */
function inColumns(text: string, isLeft: boolean): string {
  const surplus = widthOf(trusted(text)) - text.length;
  if (surplus <= 0) return isLeft ? text.padEnd(text.length - surplus) : text.padStart(text.length - surplus);
  return isLeft ? text.slice(0, -surplus) : text.slice(surplus);
}

/** Prints a titled table; columns are aligned right except those in `leftAligned`. */
function table(title: string, rows: readonly Cells[] | undefined, leftAligned: readonly string[]): string | undefined {
  const [first] = rows ?? [];
  if (rows === undefined) return undefined;
  if (first === undefined) return joinSafe([trusted(title), safe`none`], safe`: `);
  // Wider than any row, so that Ink does not wrap.
  const width = 4 + Object.keys(first).length * (widestCell * 2 + 3);
  const columns = Object.keys(first).map(
    (key) => ({ key, align: leftAligned.includes(key) ? 'left' : 'right' }) as const,
  );
  const widths = new Map(
    columns.map(({ key }) => [
      key,
      Math.max(...rows.map((row) => Math.max(row[key]?.length ?? 0, widthOf(row[key] ?? safe``)))),
    ]),
  );
  // ink-table counts characters, not columns; `Cell` corrects the padding of wide ones.
  const data = rows.map((row) =>
    Object.fromEntries(
      columns.map(({ key, align }) => {
        const cellWidth = widths.get(key) ?? 0;
        return [key, align === 'left' ? (row[key] ?? '').padEnd(cellWidth) : (row[key] ?? '').padStart(cellWidth)];
      }),
    ),
  );
  const Cell = ({ column, children }: { readonly column: number; readonly children?: ReactNode }): ReactNode => (
    <Text>{inColumns(String(children), columns[column]?.align === 'left')}</Text>
  );
  const drawn = renderToString(<Table data={data} columns={columns} skeleton={NoLines} cell={Cell} />, {
    columns: width,
  });
  const lines = drawn.split('\n').filter((line) => line.trim() !== '');
  return [title, ...lines.map((line) => line.trimEnd())].join('\n');
}
