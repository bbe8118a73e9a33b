import type { NodeName } from '../domain/node.ts';
import { say } from '../domain/sentence.ts';
import { untrusted, withThousands } from '../domain/text.ts';
import type { Row } from '../triage/check.ts';
import { ascending, type Finding, type Found, type Problem, type ProblemWords } from '../triage/problem.ts';
import type { ReasonWords } from '../triage/reasons.ts';
import { rowOf } from '../triage/grouping.ts';

/** Things that each node of a cluster has for itself, and should have in common with the others. */
type What = 'plugins' | 'settings';

export type DifferenceReason =
  | { readonly code: 'no-running-node' }
  | { readonly code: 'node-unread'; readonly what: What; readonly node: NodeName }
  | { readonly code: 'rows-unusable'; readonly what: What };

export const differenceReasons: {
  readonly [Code in DifferenceReason['code']]: ReasonWords<Extract<DifferenceReason, { readonly code: Code }>>;
} = {
  'no-running-node': { text: () => say`no running node` },
  'node-unread': { text: ({ what, node }) => say`${what} of ${untrusted(node)} not read` },
  'rows-unusable': { text: ({ what }) => say`some ${what} invalid` },
};

/** Returns the nodes that could not be compared. */
export function uncomparedNodes(
  what: What,
  running: readonly NodeName[],
  read: ReadonlySet<NodeName>,
  hasInvalidRows: boolean,
): readonly DifferenceReason[] {
  if (running.length === 0) return [{ code: 'no-running-node' }];
  return [
    ...running.filter((node) => !read.has(node)).map((node): DifferenceReason => ({ code: 'node-unread', what, node })),
    ...(hasInvalidRows ? [{ code: 'rows-unusable', what } as const] : []),
  ];
}

export type MoreDifferences = Problem<'more-differences', { readonly what: What; readonly count: number }>;

/** Words for the differences without a row of their own, the same for both checks. */
export const moreDifferences: ProblemWords<MoreDifferences['evidence']> = {
  title: ({ what, count }) =>
    say`${withThousands(count)} more ${count === 1 ? what.slice(0, -1) : what} ${count === 1 ? 'differs' : 'differ'} between nodes`,
  next: ({ what }) => `\`Enter\` lists the ${what}.`,
  jump: ({ what }) => ({ screen: what, sort: ascending(what === 'plugins' ? 'plugin' : 'key') }),
};

/** More differences share a row. */
const maxRows = 5;

/** The rows of differences: the first have one each, the others one together. */
export function differenceRows<P extends Problem>(
  what: What,
  differences: readonly Finding<P | MoreDifferences>[],
  suffix: string,
): readonly Row<P | MoreDifferences>[] {
  const rest = differences.slice(maxRows);
  if (rest.length === 0) return differences;
  const more: Found<MoreDifferences> = {
    key: `${what}, more${suffix}`,
    severity: 'warning',
    code: 'more-differences',
    evidence: { what, count: rest.length },
  };
  return [...differences.slice(0, maxRows), rowOf(more, rest)];
}
