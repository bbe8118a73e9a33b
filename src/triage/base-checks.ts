import { literal, pluralize, type TextPart, untrusted } from '../domain/text.ts';
import { keyOf } from '../monitor/polling/watch-list.ts';
import { type MissingRows, selectMissingRows } from '../monitor/scan/left-out.ts';
import type { Unjudged } from '../monitor/select/freshness.ts';
import { selectListeners, selectNodes } from '../monitor/select/nodes.ts';
import type { MonitorState, ResourceName } from '../monitor/state.ts';
import type { CheckId, CheckInput, CheckResult, Finding, Jump } from './check.ts';
import { type ProblemArea, selectGroupedProblems } from './problems.ts';

const jumps: Readonly<Record<ProblemArea, Jump>> = {
  readings: { screen: 'log' },
  nodes: { screen: 'nodes' },
  listeners: { screen: 'listeners', sort: { columnId: 'used', isReversed: true } },
  limits: { screen: 'nodes' },
};

const resourceChecks: Readonly<Record<ResourceName, ProblemArea>> = {
  nodes: 'nodes', nodeStats: 'nodes', listeners: 'listeners', metrics: 'readings', stats: 'readings',
};

const resourceNames: Readonly<Record<ResourceName, string>> = {
  nodes: 'node list', nodeStats: 'node statistics', listeners: 'listeners', metrics: 'metrics', stats: 'statistics',
};

/** What is wrong by the rules of the Overview, as findings. */
function baseFindings(state: MonitorState): readonly Finding[] {
  return selectGroupedProblems(state).map(({ area, node, ...problem }): Finding => {
    const narrowed: Jump = area === 'listeners' ? { ...jumps.listeners, node } : { screen: 'node', node };
    return { ...problem, check: area, jump: node === undefined ? jumps[area] : narrowed };
  });
}

const listScreens = { clientScan: 'clients', sessionScan: 'sessions', subscriptionScan: 'subscriptions' } as const;

/** Lists that do not show all their rows. What nobody looks at is as old as its last reading. */
function missingFindings(state: MonitorState): readonly Finding[] {
  const looked = new Set((state.watched ?? []).map(keyOf));
  return selectMissingRows(state).map(({ key, parts, watched, readAtMs, isCut }: MissingRows): Finding => ({
    check: 'readings', key, severity: 'warning', parts, sinceMs: undefined,
    seenMs: looked.has(keyOf(watched)) ? undefined : readAtMs,
    jump: isCut && watched.kind in listScreens ? { screen: listScreens[watched.kind as keyof typeof listScreens] } : jumps.readings,
  }));
}

const checkOfUnjudged = (item: Unjudged): ProblemArea =>
  item.kind === 'resource' ? resourceChecks[item.resource] : item.figure === 'connections' ? 'listeners' : 'limits';

type UnjudgedResource = Extract<Unjudged, { readonly kind: 'resource' }>;

const resourceDoubt = ({ resource, ageSeconds }: UnjudgedResource): readonly TextPart[] =>
  [literal(`${resourceNames[resource]} ${ageSeconds === undefined ? 'not read yet' : `${Math.floor(ageSeconds)} s old`}`)];

/** Readings each, then figures with all nodes that do not tell them. */
function doubtsOf(items: readonly Unjudged[]): readonly (readonly TextPart[])[] {
  const nodesOf = new Map<string, readonly TextPart[]>();
  const readings: (readonly TextPart[])[] = [];
  for (const item of items) {
    if (item.kind === 'resource') readings.push(resourceDoubt(item));
    else {
      const before = nodesOf.get(item.figure);
      nodesOf.set(item.figure, [...(before === undefined ? [] : [...before, literal(' and ')]), untrusted(item.node)]);
    }
  }
  return [...readings, ...[...nodesOf].map(([figure, nodes]) => [literal(`${figure} of `), ...nodes, literal(' not known')])];
}

/** Whether what a resource last said may be relied on; the doubt about it otherwise. */
export function doubtsAbout({ unjudged }: CheckInput, resources: readonly ResourceName[]): readonly (readonly TextPart[])[] {
  return unjudged.flatMap((item) => (item.kind === 'resource' && resources.includes(item.resource) ? [resourceDoubt(item)] : []));
}

const evidenceOf = (check: ProblemArea, state: MonitorState): string => {
  const nodes = selectNodes(state);
  const down = new Set(nodes.filter(({ status }) => status === 'stopped' || status === 'unknown').map(({ name }) => name));
  // What does not run has no figures: it is found as a node, and left out here.
  const without = down.size === 0 ? '' : `; ${pluralize(down.size, 'node')} not running`;
  switch (check) {
    case 'readings': return 'every reading answered';
    case 'nodes': return `${pluralize(nodes.length, 'node')}, all running`;
    case 'listeners': return `${pluralize((selectListeners(state) ?? []).filter(({ node }) => !down.has(node)).length, 'listener')} below 90 % of their connections${without}`;
    case 'limits': return `memory, processes and descriptors below 90 % on ${pluralize(nodes.length - down.size, 'node')}${without}`;
  }
};

/** Readings, nodes, listeners and limits: what the Overview's "What is wrong" says. */
export function baseChecks(input: CheckInput): readonly CheckResult[] {
  const { state, unjudged } = input;
  const findings = [...baseFindings(state), ...missingFindings(state)];
  return (['readings', 'nodes', 'listeners', 'limits'] as const satisfies readonly CheckId[]).map((check): CheckResult => {
    const doubts = doubtsOf(unjudged.filter((item) => checkOfUnjudged(item) === check));
    return {
      check,
      findings: findings.filter((finding) => finding.check === check),
      // What the nodes have and use comes with their statistics.
      doubts: check === 'limits' ? [...doubtsAbout(input, ['nodeStats']), ...doubts] : doubts,
      evidence: [literal(evidenceOf(check, state))],
      jump: jumps[check],
    };
  });
}
