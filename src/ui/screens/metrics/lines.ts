import type { NodeName } from '../../../domain/node.ts';
import type { MetricSource } from '../../../monitor/select/metric-source.ts';
import { formatCount, formatDuration, loadingText } from '../../../terminal/format.ts';
import { type SafeText, joinSafe, safe } from '../../../terminal/safe-text.ts';
import type { Theme } from '../../../terminal/theme.ts';
import { type SpanRow, titleRow } from '../blocks.ts';
import { errorText } from '../../list/resource-notice.ts';

const nodesText = (theme: Theme, nodes: readonly NodeName[]): SafeText => joinSafe(nodes.map((node) => theme.escape(node, 60)), safe`, `);

/** Where the figures come from, in words. */
export const originText = (theme: Theme, source: MetricSource): SafeText => {
  switch (source.origin) {
    case 'unknown':
      return source.error === undefined ? safe`${loadingText} not here yet` : safe`nothing has come`;
    case 'total':
      return safe`one total, made by the broker`;
    case 'sum': {
      const nodes = source.included.length === 1 ? safe`1 node` : safe`${formatCount(source.included.length)} nodes`;
      return source.leftOut.length === 0
        ? safe`sum of ${nodes}, added up here`
        : safe`sum of ${nodes}, without ${nodesText(theme, source.leftOut)}`;
    }
    case 'part':
      return source.hasData ? safe`its part of the cluster's answer` : safe`not in the cluster's answer`;
    case 'alone':
      return source.hasData || source.error !== undefined ? safe`asked of this node alone` : safe`${loadingText} asked of this node alone`;
  }
};

/** Which view it is, where its figures come from, and how old they are when that matters. `status` is said of a node that does not run. */
export const metricTitle = (theme: Theme, width: number, node: NodeName | undefined, source: MetricSource, status?: SafeText | undefined): SpanRow => {
  const title = node === undefined ? safe`Metrics of the cluster` : safe`Metrics of ${theme.escape(node, width)}${status === undefined ? safe`` : safe` (${status})`}`;
  const isOld = source.isStale && source.ageSeconds !== undefined;
  const age = isOld ? safe`, ${formatDuration(source.ageSeconds)} old` : safe``;
  return titleRow(width, title, safe`${originText(theme, source)}${age}`, isOld || source.error !== undefined ? 'error' : 'dim');
};

/** What failed, for the table's footer. */
export const metricNote = (theme: Theme, source: MetricSource): SafeText | undefined =>
  source.error === undefined ? undefined : safe`! ${errorText(theme, source.error)}`;

