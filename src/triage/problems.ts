import { memoise } from '../domain/memoise.ts';
import type { NodeName } from '../domain/node.ts';
import { literal, pluralize, type TextPart, untrusted } from '../domain/text.ts';
import { type Gauge, type ListenerRow, type NodeRow, selectListeners, selectNodes } from '../monitor/select/nodes.ts';
import type { LastKnown, MonitorState, ResourceName, ResourceState } from '../monitor/state.ts';
import { severityOf, type Threshold, thresholds } from './thresholds.ts';

/** A problem, for the top of the Overview. */
export interface Problem {
  /** Stable from state to state. */
  readonly key: string;
  readonly severity: 'error' | 'warning';
  readonly parts: readonly TextPart[];
  /** Wall clock; `undefined` if not known. */
  readonly sinceMs: number | undefined;
}

/** What a problem is of. */
export type ProblemArea = 'readings' | 'nodes' | 'listeners' | 'limits';

/** A problem that is seen in the state, and what of it is meant. */
export interface AreaProblem extends Problem {
  readonly area: ProblemArea;
  /** The node that has it. */
  readonly node?: NodeName | undefined;
  readonly reading?: { readonly title: string; readonly reason: string } | undefined;
}

const resourceTitles: Readonly<Record<ResourceName, string>> = {
  nodes: 'Node list',
  nodeStats: 'Node statistics',
  listeners: 'Listeners',
  metrics: 'Metrics',
  stats: 'Statistics',
};

/**
 * All problems, errors before warnings, then missing access and data before nodes before limits. Failures of scans are left
 * out: scans run only while watched, so their failures may be old.
 */
export function selectProblems(state: MonitorState): readonly AreaProblem[] {
  return findProblems(state.isUnauthorized, state.proxyRefusal, state.variantDoubt, state.resources, selectNodes(state), selectListeners(state), state.lastKnown);
}

const findProblems = memoise((
  isUnauthorized: boolean, proxyRefusal: MonitorState['proxyRefusal'], variantDoubt: string | undefined, resources: MonitorState['resources'], nodes: readonly NodeRow[], listeners: readonly ListenerRow[] | undefined,
  lastKnown: MonitorState['lastKnown'],
): readonly AreaProblem[] => {
  const problems = [
    ...unauthorizedProblem(isUnauthorized, proxyRefusal, resources),
    ...failingResources(isUnauthorized, resources),
    ...(variantDoubt === undefined ? [] : [{ key: 'variant', severity: 'warning', area: 'readings', parts: [literal(variantDoubt)], sinceMs: undefined } satisfies AreaProblem]),
    ...nodes.flatMap((node) => nodeStatus(node, lastClients(lastKnown?.get(node.name)))),
    ...nodes.flatMap(nodeLimits),
    ...(listeners ?? []).flatMap(listenerLimit),
  ];
  return [...problems.filter((problem) => problem.severity === 'error'), ...problems.filter((problem) => problem.severity === 'warning')];
});

function namedResources(resources: MonitorState['resources']): readonly (readonly [ResourceName, ResourceState<unknown>])[] {
  const { nodeStats, stats, metrics, nodes, listeners } = resources;
  return [['nodeStats', nodeStats], ['stats', stats], ['metrics', metrics], ['nodes', nodes], ['listeners', listeners]];
}

function unauthorizedProblem(isUnauthorized: boolean, proxyRefusal: MonitorState['proxyRefusal'], resources: MonitorState['resources']): readonly AreaProblem[] {
  if (!isUnauthorized) return [];
  const refused = namedResources(resources).find(([, resource]) => resource.error?.kind === 'unauthorized')?.[1];
  const text = proxyRefusal === undefined ? 'The broker rejected the user name or password (401): nothing is read any more.' : `${proxyRefusal.message} Nothing is read any more.`;
  return [{ key: 'unauthorized', severity: 'error', area: 'readings', parts: [literal(text)], sinceMs: refused?.failingSinceMs }];
}

function failingResources(isUnauthorized: boolean, resources: MonitorState['resources']): readonly AreaProblem[] {
  if (isUnauthorized) return [];
  return namedResources(resources).flatMap(([name, { error, failingSinceMs }]): readonly AreaProblem[] => {
    if (error === undefined) return [];
    const reading = { title: resourceTitles[name], reason: error.message };
    return [{ key: `resource ${name}`, severity: 'error', area: 'readings', reading, parts: [literal(`${reading.title}: ${reading.reason}`)], sinceMs: failingSinceMs }];
  });
}

/** Clients that a node had when it was last seen to run. */
export const lastClients = (last: LastKnown | undefined): number | undefined => last?.stats?.clients ?? last?.counts?.clients.count;

function nodeStatus({ name, status, statusText, sinceMs }: NodeRow, clients: number | undefined): readonly AreaProblem[] {
  const had = clients === undefined ? '' : `; it had ${pluralize(clients, 'client')}`;
  const parts = ((): readonly TextPart[] | undefined => {
    switch (status) {
      case 'running': return undefined;
      case 'stopped': return [literal('Node '), untrusted(name), literal(` is stopped${had}.`)];
      case 'unknown': return [literal('Node '), untrusted(name), literal(` is no longer mentioned by the broker${had}.`)];
      case 'other': return statusText === '' ? [literal('Node '), untrusted(name), literal(' does not say whether it runs.')] : [literal('Node '), untrusted(name), literal(' says '), untrusted(statusText), literal('.')];
    }
  })();
  if (parts === undefined) return [];
  return [{ key: `node ${name}`, severity: status === 'other' ? 'warning' : 'error', area: 'nodes', node: name, parts, sinceMs }];
}

function nodeLimits({ name, memory, processes, fileDescriptors }: NodeRow): readonly AreaProblem[] {
  const whose = { area: 'limits', node: name } as const;
  return [
    ...limit({ ...whose, key: `memory ${name}` }, memory, thresholds.memory, [literal('Node '), untrusted(name), literal(' uses ')], ' of its memory.'),
    ...limit({ ...whose, key: `processes ${name}` }, processes, thresholds.processes, [literal('Node '), untrusted(name), literal(' uses ')], ' of its processes.'),
    ...limit({ ...whose, key: `descriptors ${name}` }, fileDescriptors, thresholds.fileDescriptors, [literal('Clients of node '), untrusted(name), literal(' take ')], ' of its file descriptors.'),
  ];
}

function listenerLimit({ key, node, listener, clients }: ListenerRow): readonly AreaProblem[] {
  const lead = [literal('Listener '), untrusted(`${listener.protocol} ${listener.listen}`), literal(' of '), untrusted(node), literal(' has ')];
  return limit({ key: `listener ${key}`, area: 'listeners', node }, clients, thresholds.listenerClients, lead, ' of its connections.');
}

function limit(whose: Pick<AreaProblem, 'key' | 'area' | 'node'>, { share }: Gauge, threshold: Threshold, lead: readonly TextPart[], tail: string): readonly AreaProblem[] {
  const severity = severityOf(share, threshold);
  if (severity === undefined || share === undefined) return [];
  // Rounded down: 99.9 % is not full.
  return [{ ...whose, severity, parts: [...lead, literal(`${Math.floor(share * 100)} %${tail}`)], sinceMs: undefined }];
}

/** Readings there are. */
const maxReadings = 5;

function together(reason: string, problems: readonly AreaProblem[]): AreaProblem {
  const [first = '', ...others] = problems.flatMap(({ reading }) => reading?.title ?? []);
  const what = problems.length === maxReadings ? 'All readings' : [first, ...others.map((title) => title.toLowerCase())].join(', ');
  const since = problems.map(({ sinceMs }) => sinceMs).filter((sinceMs) => sinceMs !== undefined);
  return {
    key: `readings ${reason}`, severity: 'error', area: 'readings', parts: [literal(`${what}: ${reason}`)],
    sinceMs: since.length === problems.length ? Math.min(...since) : undefined,
  };
}

const group = memoise((problems: readonly AreaProblem[]): readonly AreaProblem[] => {
  const failing = Map.groupBy(problems, ({ reading }) => reading?.reason);
  return problems.flatMap((problem) => {
    const { reading } = problem;
    if (reading === undefined) return [problem];
    const alike = failing.get(reading.reason) ?? [];
    return alike[0] === problem ? [together(reading.reason, alike)] : [];
  });
});

/** The problems, with all readings that fail for one reason as one problem. */
export function selectGroupedProblems(state: MonitorState): readonly AreaProblem[] {
  return group(selectProblems(state));
}
