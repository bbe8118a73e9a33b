import { formatAge, formatCountIn, formatElapsed, unknownText } from '../../terminal/format.ts';
import { glyphs } from '../../terminal/glyphs.ts';
import type { Span } from '../../terminal/line.ts';
import { safe, type SafeText } from '../../terminal/safe-text.ts';
import { fit } from '../../terminal/text-width.ts';
import { headerTexts } from '../status/texts.ts';
import { problemParts } from '../../checks/words.ts';
import { countText, severityCounts, severityRoles } from '../../resources/problems/view/texts.ts';
import { columnsOf } from '../../tui/components/field-columns.ts';
import { defineFields } from '../../table/field.ts';
import { plainText } from '../../domain/sentence.ts';
import { sentenceText } from '../../terminal/sentence-text.ts';
import type { ClusterRow } from './cluster.ts';
import { clustersTexts } from './texts.ts';

const healthText = ({ health, findings }: ClusterRow): SafeText => {
  if (health !== 'critical' && health !== 'warning') return clustersTexts.health[health];
  const { critical } = severityCounts(findings);
  return critical > 0 && critical < findings.length
    ? safe`${headerTexts.shortSeverity.critical(critical)} ${headerTexts.shortSeverity.warning(findings.length - critical)}`
    : countText(findings);
};

/** Draws the health. The sign says the same as the colour. */
const healthSpans = (row: ClusterRow, width: number): readonly Span[] => {
  const role =
    row.health === 'critical' || row.health === 'warning'
      ? severityRoles[row.health]
      : row.health === 'ok'
        ? 'ok'
        : row.health === 'connecting' || row.health === 'checking'
          ? 'dim'
          : 'error';
  const sign =
    row.health === 'ok' ? glyphs.running : row.health === 'connecting' || row.health === 'checking' ? safe` ` : safe`!`;
  return [{ text: fit(safe`${sign} ${healthText(row)}`, width), role }];
};

const clusterFields = defineFields<ClusterRow>()({
  name: { label: 'CLUSTER', type: 'name', get: ({ name }) => name },
  health: { label: 'HEALTH', type: 'text', get: healthText },
  nodes: { label: 'NODES', type: 'count', get: ({ nodes }) => nodes },
  clients: { label: 'CLIENTS', type: 'count', get: ({ clients }) => clients },
  in: { label: 'MSG IN', type: 'rate', get: ({ inPerSecond }) => inPerSecond },
  out: { label: 'MSG OUT', type: 'rate', get: ({ outPerSecond }) => outPerSecond },
  // In milliseconds.
  latency: { label: 'LATENCY', type: 'count', get: ({ latencyMs }) => latencyMs },
  age: { label: 'READ', type: 'seconds', get: ({ ageSeconds }) => ageSeconds },
  problem: {
    label: 'WORST PROBLEM',
    type: 'text',
    get: ({ findings: [worst], reason }) =>
      reason ?? (worst === undefined ? undefined : plainText(problemParts(worst).title)),
  },
  url: { label: 'URL', type: 'text', get: ({ url }) => url },
});

export const clusterColumns = columnsOf(clusterFields, {
  name: {
    spans: ({ name, role }, { width, ends }) =>
      role === undefined ? undefined : [{ text: fit(ends(name), width), role }],
    isSticky: true,
    width: { min: 20, max: 40 },
    priority: 0,
  },
  health: {
    format: (row) => safe`  ${healthText(row)}`,
    spans: (row, { width }) => healthSpans(row, width),
    width: { min: 16, max: 26, grow: 0 },
    priority: 0,
  },
  nodes: {
    format: ({ nodes, runningNodes }) =>
      nodes === undefined || runningNodes === undefined
        ? unknownText
        : safe`${formatCountIn(runningNodes, 3)}/${formatCountIn(nodes, 3)}`,
    spans: ({ nodes, runningNodes }, { width }) =>
      nodes === undefined || runningNodes === undefined || runningNodes === nodes
        ? undefined
        : [
            {
              text: fit(safe`! ${formatCountIn(runningNodes, 3)}/${formatCountIn(nodes, 3)}`, width, 'right'),
              role: 'error',
            },
          ],
    width: 7,
    priority: 1,
    highlightsChanges: false,
  },
  clients: { width: 9, priority: 2, highlightsChanges: false },
  in: { width: 9, priority: 4 },
  out: { width: 9, priority: 5 },
  latency: { format: ({ latencyMs }) => formatElapsed(latencyMs), width: 8, priority: 6, highlightsChanges: false },
  age: {
    format: ({ ageSeconds }) => formatAge(ageSeconds),
    largest: safe`oldest`,
    width: 10,
    priority: 7,
    highlightsChanges: false,
  },
  problem: {
    format: ({ findings: [worst], reason }, { theme, width, text }) =>
      reason !== undefined
        ? text(reason)
        : worst === undefined
          ? safe``
          : sentenceText(theme, problemParts(worst).title, width),
    width: { min: 24 },
    fills: true,
    priority: 3,
  },
  url: { width: { min: 20, max: 60 }, priority: 8 },
});
