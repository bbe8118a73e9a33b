import { renderToString } from 'ink';
import { Table } from 'ink-table';
import { metricNames } from '../domain/metric.ts';
import { statNames } from '../domain/stat.ts';
import type { Snapshot } from '../store/once.ts';
import { formatBytes, formatCount, formatDuration, formatLoad, unknownText } from '../ui/format.ts';
import { type Exposure, exposureTexts } from '../ui/exposure.ts';
import { toAscii } from '../ui/glyphs.ts';
import { type SafeText, safe, trusted } from '../ui/safe-text.ts';
import { cutText } from '../ui/text-width.ts';
import type { Theme } from '../ui/theme.ts';

type Cells = Readonly<Record<string, SafeText>>;

/** A longer name is cut: one hostile name must not blow up the table. */
const widestCell = 60;

/** The snapshot as plain text without terminal codes; ends with a newline. */
export function snapshotText(snapshot: Snapshot, place: Exposure & { readonly url: string }, theme: Theme): string {
  const { takenAt, variant, clients, nodes, listeners, metrics, stats } = snapshot;
  const running = nodes?.filter((node) => (node.stats ?? node.info)?.status === 'running').length;
  const show = (raw: string | undefined): SafeText => (raw === undefined ? unknownText : cutText(theme.escape(raw, widestCell), widestCell));
  const sections = [
    [theme.escape(place.url), takenAt, `variant ${variant?.toUpperCase() ?? 'not known'}`, ...exposureTexts(place)].join('  '),
    `nodes running ${formatCount(running)} of ${formatCount(nodes?.length)}, clients ${formatCount(clients.total)}`,
    table('Nodes', nodes?.map(({ name, info, stats: load }) => ({
      node: show(name),
      status: show((load ?? info)?.statusText),
      version: show(info?.version),
      uptime: formatDuration(info?.uptimeSeconds),
      clients: formatCount(clients.byNode[name]),
      memory: safe`${formatBytes(load?.memoryUsedBytes)} of ${formatBytes(load?.memoryTotalBytes)}`,
      processes: safe`${formatCount(load?.processesUsed)} of ${formatCount(load?.processLimit)}`,
      load: safe`${formatLoad(load?.load1)} ${formatLoad(load?.load5)} ${formatLoad(load?.load15)}`,
    }))),
    table('Listeners', listeners && Object.entries(listeners).flatMap(([node, rows]) => rows.map((listener) => ({
      node: show(node),
      protocol: show(listener.protocol),
      listen: show(listener.listen),
      clients: formatCount(listener.currentClients),
      max: formatCount(listener.maxClients),
    })))),
    table('Statistics', stats && Object.entries(stats).map(([node, row]) => ({
      node: show(node),
      ...Object.fromEntries(statNames.map((name) => [name, safe`${formatCount(row[name].count)} (max ${formatCount(row[name].max)})`])),
    }))),
    table('Metrics', metricRows(metrics, show)),
  ].filter((section) => section !== undefined);
  const text = `${sections.join('\n\n')}\n`;
  return theme.charset === 'ascii' ? plainBorders(text) : text;
}

function metricRows(metrics: Snapshot['metrics'], show: (raw: string) => SafeText): readonly Cells[] | undefined {
  if (metrics === undefined) return undefined;
  if (metrics.kind === 'total') return metricNames.map((name) => ({ metric: trusted(name), cluster: formatCount(metrics.total[name]) }));
  const nodes = Object.entries(metrics.nodes);
  return metricNames.map((name) => ({
    metric: trusted(name),
    ...Object.fromEntries(nodes.map(([node, values]) => [show(node), formatCount(values[name])])),
  }));
}

function table(title: string, rows: readonly Cells[] | undefined): string | undefined {
  if (rows === undefined) return undefined;
  if (rows.length === 0) return `${title}: none`;
  // Wider than any row: Ink must not wrap what goes into a pipe.
  const columns = 4 + rows.reduce((widest, row) => Math.max(widest, Object.keys(row).length * (widestCell * 2 + 3)), 0);
  return `${title}\n${renderToString(<Table data={rows.map((row) => ({ ...row }))} />, { columns })}`;
}

/** Box-drawing lines as `+`, `-` and `|`. */
function plainBorders(text: string): string {
  return text.split('\n').map((line) => toAscii(trusted(line.replaceAll(/[┌┬┐├┼┤└┴┘]/gu, '+').replaceAll('─', '-').replaceAll('│', '|')))).join('\n');
}
