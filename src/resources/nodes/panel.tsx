import type { ReactNode } from 'react';
import type { NodeName } from '../../domain/node.ts';
import { watchOf } from '../../monitor/query/part.ts';
import type { Monitor } from '../../monitor/state.ts';
import { safe } from '../../terminal/safe-text.ts';
import { escapeEnds } from '../../terminal/text-width.ts';
import type { Role } from '../../terminal/theme.ts';
import { isTitleRow, type SpanRow, toLines } from '../../tui/components/blocks.ts';
import { Rows, useTheme } from '../../tui/components/drawing.tsx';
import { useNow } from '../../tui/hooks/use-now.ts';
import { useStore, useWatch, wholeState } from '../../tui/hooks/use-store.ts';
import { DetailPanel, detailRoom, useRested } from '../../tui/list/detail.tsx';
import { nextContext } from '../problems/view/next-context.ts';
import { targetProblemRows } from '../problems/view/target-problem.ts';
import { selectFreshness, selectLastReadMs } from '../freshness.ts';
import { listeners } from '../listeners/resource.ts';
import { needsNodeMetrics } from '../metrics/rates.ts';
import { metrics, nodeMetrics } from '../metrics/resource.ts';
import { stats } from '../statistics/resource.ts';
import { minSidesWidth, nodePanels, nodeProblem, nodeRowsOf } from './page.tsx';
import { selectNodes } from './select.ts';
import { nodeTexts } from './texts.ts';
import { statusDuration, statusRole, statusWord } from './view/columns.ts';

interface NodePanelProps {
  readonly monitor: Monitor;
  readonly node: NodeName;
  readonly width: number;
  readonly height: number;
}

/** Draws the selected node beside the list or below it. */
export const nodePanel = (monitor: Monitor, node: NodeName, width: number, height: number): ReactNode => (
  <NodePanel monitor={monitor} node={node} width={width} height={height} />
);

/**
 * Shows the node under the cursor, as far as its page fits. Counters that the broker gives for one node only are read
 * once the cursor rests.
 */
const NodePanel = ({ monitor, node, width, height }: NodePanelProps): ReactNode => {
  const theme = useTheme();
  const rested = useRested(node);
  const state = useStore(monitor.store, wholeState);
  const nowMs = useNow(1000);
  useWatch(monitor, stats);
  useWatch(monitor, listeners);
  useWatch(
    monitor,
    !needsNodeMetrics(state, node) ? metrics : rested === undefined ? undefined : watchOf(nodeMetrics, rested),
  );
  const problem = nodeProblem(state, node);
  const troublesIn = (columns: number): readonly SpanRow[] =>
    targetProblemRows(theme, columns, 2, problem, nextContext(state, nowMs));
  const troubles = troublesIn(width);
  const panels = width >= minSidesWidth ? nodePanels(theme, width, state, node, nowMs, height - troubles.length) : [];
  if (panels.length > 0 && troubles.length + panels.length <= height)
    return <Rows lines={toLines(theme, width, height, [...troubles, ...panels])} />;
  const room = detailRoom(width, height);
  const [, ...rows] = nodeRowsOf(theme, room.width, state, node, nowMs, room.height + 1);
  const shown = [...troublesIn(room.width), ...rows].slice(0, room.height);
  // A title without anything below it is left out.
  const content = isTitleRow(shown.at(-1)) ? shown.slice(0, -1) : shown;
  const row = selectNodes(state).find(({ name }) => name === node);
  const isStale = selectFreshness(state, nowMs).stale.includes('nodeStats');
  const status =
    row === undefined
      ? undefined
      : row.status === 'running'
        ? statusWord(theme, row)
        : safe`${statusWord(theme, row, 20)} ${statusDuration(row, nowMs, selectLastReadMs(state, 'nodeStats', nowMs))}`;
  const note: { readonly note: typeof status; readonly noteRole: Role | undefined } = isStale
    ? { note: nodeTexts.stale, noteRole: 'warning' }
    : { note: status, noteRole: row === undefined ? undefined : statusRole(row) };
  return (
    <DetailPanel
      width={width}
      height={height}
      title={escapeEnds(node, room.width - 22, theme.charset)}
      {...note}
      content={content}
    />
  );
};
