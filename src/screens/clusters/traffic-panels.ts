import { selectFreshness } from '../../resources/freshness.ts';
import { formatElapsed } from '../../terminal/format.ts';
import type { Theme } from '../../terminal/theme.ts';
import { asStale, sideBySide, type SpanRow } from '../../tui/components/blocks.ts';
import { panelFrame, panelRows } from '../../tui/components/panel.ts';
import { trafficNote, trafficRows, trafficView } from '../../resources/metrics/view/traffic.ts';
import { type Cluster, type ClusterRow, clusterTrouble } from './cluster.ts';
import { clustersTexts } from './texts.ts';

/** The figures above a graph would be left out in a narrower panel. */
const minWidth = 60;
/** The height of a panel with its borders, figures, time axis and two rows for each direction. */
const minLines = 8;
/** A taller graph says no more. */
const maxLines = 20;

/**
 * Draws the messages of the clusters that answer, worst cluster first, as many as fit into `height` rows; no rows where
 * none fits.
 */
export function trafficPanels(
  theme: Theme,
  width: number,
  height: number,
  clusters: readonly Cluster[],
  rows: readonly ClusterRow[],
  nowMs: number,
): readonly SpanRow[] {
  const byName = new Map(clusters.map((cluster) => [cluster.name, cluster]));
  const shown = rows
    .filter(({ nodes }) => nodes !== undefined)
    .toSorted((a, b) => clusterTrouble(b) - clusterTrouble(a))
    .flatMap((row) => {
      const cluster = byName.get(row.name);
      return cluster === undefined ? [] : [{ cluster, row }];
    });
  const perRow = Math.min(shown.length, Math.max(1, Math.floor(width / minWidth)));
  const bands = perRow === 0 ? 0 : Math.min(Math.ceil(shown.length / perRow), Math.floor(height / minLines));
  if (bands === 0) return [];
  const lines = Math.min(maxLines, Math.floor(height / bands));
  return Array.from({ length: bands }, (_, band) => shown.slice(band * perRow, (band + 1) * perRow)).flatMap((some) =>
    some.reduce<readonly SpanRow[]>((left, { cluster, row }, index) => {
      const [from, to] = [Math.floor((index * width) / perRow), Math.floor(((index + 1) * width) / perRow)];
      return sideBySide(left, from, 0, panelOf(theme, to - from, lines, cluster, row, nowMs));
    }, []),
  );
}

function panelOf(
  theme: Theme,
  width: number,
  lines: number,
  { connection }: Cluster,
  { name, role, latencyMs }: ClusterRow,
  nowMs: number,
): readonly SpanRow[] {
  if (connection.kind !== 'watched') return [];
  const state = connection.monitor.store.getState();
  const isStale = selectFreshness(state, nowMs).stale.includes('metrics');
  const view = trafficView(state, undefined, isStale, nowMs);
  const inner = width - panelFrame.columns;
  const title = clustersTexts.messagesOf(theme.escapeEnds(name, Math.floor(inner / 2)));
  return panelRows(
    width,
    lines,
    {
      title,
      titleRole: role ?? 'title',
      note: clustersTexts.trafficNote(formatElapsed(latencyMs), trafficNote(theme, view)),
    },
    asStale(trafficRows(theme, inner, lines - panelFrame.lines, view), isStale),
  );
}
