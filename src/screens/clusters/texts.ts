import { formatCount } from '../../terminal/format.ts';
import { safe, type SafeText } from '../../terminal/safe-text.ts';
import type { ClusterRow } from './cluster.ts';

export const clustersTexts = {
  title: safe`Clusters`,
  noun: safe`cluster`,
  empty: safe`No contexts.`,
  reachable: (count: number, total: number) => safe`${formatCount(count)} of ${formatCount(total)} reachable`,
  exposed: (warning: SafeText, names: SafeText) => safe`${warning}: ${names}`,
  problems: safe`Problems of all clusters`,
  noProblems: safe`No problems found.`,
  messagesOf: (name: SafeText) => safe`Messages of ${name}`,
  /** @param graph what the graph shows, if there is one */
  trafficNote: (latency: SafeText, graph: SafeText | undefined) =>
    graph === undefined ? safe`latency ${latency}` : safe`latency ${latency} · ${graph}`,
  health: {
    connecting: safe`connecting…`,
    failed: safe`cannot connect`,
    rejected: safe`login rejected`,
    unreachable: safe`not reachable`,
    checking: safe`checking…`,
    ok: safe`ok`,
  } satisfies Partial<Record<ClusterRow['health'], SafeText>>,
  opening: (name: SafeText) => safe`Opening ${name}…`,
};
