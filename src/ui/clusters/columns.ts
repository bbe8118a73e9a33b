import { formatAge, formatCountIn, formatElapsed, formatRate, unknownText } from '../../terminal/format.ts';
import { glyphs } from '../../terminal/glyphs.ts';
import type { Span } from '../../terminal/line.ts';
import { safe, type SafeText } from '../../terminal/safe-text.ts';
import { fit } from '../../terminal/text-width.ts';
import { headerTexts } from '../frame/texts.ts';
import { countText, severityCounts, severityRoles } from '../check-texts.ts';
import type { ListColumn } from '../list/use-list.tsx';
import { problemParts } from '../problem-texts.ts';
import { plainText } from '../../domain/sentence.ts';
import { sentenceText } from '../../terminal/sentence-text.ts';
import type { ClusterRow } from './cluster.ts';
import { clustersTexts } from './texts.ts';

type ClusterColumn = ListColumn<ClusterRow>;

const { columns: headers } = clustersTexts;

const healthText = ({ health, findings }: ClusterRow): SafeText => {
  if (health !== 'critical' && health !== 'warning') return clustersTexts.health[health];
  const { critical } = severityCounts(findings);
  return critical > 0 && critical < findings.length
    ? safe`${headerTexts.shortSeverity.critical(critical)} ${headerTexts.shortSeverity.warning(findings.length - critical)}`
    : countText(findings);
};

/** The sign says the same as the colour. */
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

export const clusterColumns: readonly ClusterColumn[] = [
  {
    id: 'name',
    header: headers.name,
    value: ({ name }) => name,
    format: ({ name }, { ends }) => ends(name),
    isSticky: true,
    width: { min: 20, max: 40 },
    priority: 0,
    spans: ({ name, role }, { width, ends }) =>
      role === undefined ? undefined : [{ text: fit(ends(name), width), role }],
  },
  {
    id: 'health',
    header: headers.health,
    value: healthText,
    format: (row) => safe`  ${healthText(row)}`,
    spans: (row, { width }) => healthSpans(row, width),
    width: { min: 16, max: 26, grow: 0 },
    priority: 0,
  },
  {
    id: 'nodes',
    header: headers.nodes,
    value: ({ nodes }) => nodes,
    align: 'right',
    width: 7,
    priority: 1,
    highlightsChanges: false,
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
  },
  {
    id: 'clients',
    header: headers.clients,
    value: ({ clients }) => clients,
    unit: 'count',
    align: 'right',
    width: 9,
    priority: 2,
    highlightsChanges: false,
    format: ({ clients }, { width }) => formatCountIn(clients, width),
  },
  {
    id: 'in',
    header: headers.in,
    value: ({ inPerSecond }) => inPerSecond,
    unit: 'perSecond',
    align: 'right',
    width: 9,
    priority: 4,
    highlightsChanges: false,
    format: ({ inPerSecond }) => formatRate(inPerSecond),
  },
  {
    id: 'out',
    header: headers.out,
    value: ({ outPerSecond }) => outPerSecond,
    unit: 'perSecond',
    align: 'right',
    width: 9,
    priority: 5,
    highlightsChanges: false,
    format: ({ outPerSecond }) => formatRate(outPerSecond),
  },
  {
    id: 'latency',
    header: headers.latency,
    value: ({ latencyMs }) => latencyMs,
    align: 'right',
    width: 8,
    priority: 6,
    highlightsChanges: false,
    format: ({ latencyMs }) => formatElapsed(latencyMs),
  },
  {
    id: 'age',
    header: headers.age,
    value: ({ ageSeconds }) => ageSeconds,
    align: 'right',
    width: 10,
    priority: 7,
    highlightsChanges: false,
    format: ({ ageSeconds }) => formatAge(ageSeconds),
  },
  {
    id: 'problem',
    header: headers.problem,
    value: ({ findings: [worst], reason }) =>
      reason ?? (worst === undefined ? undefined : plainText(problemParts(worst).title)),
    width: { min: 24 },
    fills: true,
    priority: 3,
    format: ({ findings: [worst], reason }, { theme, width, text }) =>
      reason !== undefined
        ? text(reason)
        : worst === undefined
          ? safe``
          : sentenceText(theme, problemParts(worst).title, width),
  },
  {
    id: 'url',
    header: headers.url,
    value: ({ url }) => url,
    width: { min: 20, max: 60 },
    priority: 8,
    format: ({ url }, { text }) => text(url),
  },
];
