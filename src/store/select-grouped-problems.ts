import { memoise } from './memoise.ts';
import { selectProblems } from './select-problems.ts';
import type { Problem } from './select-problems.ts';
import type { MonitorState, ResourceName } from './state.ts';

const resourceNames: readonly ResourceName[] = ['nodeStats', 'stats', 'metrics', 'nodes', 'listeners'];

/** The failed reading behind a problem: its title and the reason. */
interface FailedReading {
  readonly title: string;
  readonly reason: string;
}

const readingOf = (problem: Problem, resources: MonitorState['resources']): FailedReading | undefined => {
  const name = resourceNames.find((resource) => problem.key === `resource ${resource}`);
  const reason = name === undefined ? undefined : resources[name].error?.message;
  const text = problem.parts[0]?.text ?? '';
  return reason !== undefined && text.endsWith(`: ${reason}`) ? { title: text.slice(0, -reason.length - 2), reason } : undefined;
};

const group = memoise((problems: readonly Problem[], resources: MonitorState['resources']): readonly Problem[] => {
  const groups = new Map<string, { readonly titles: string[]; sinceMs: number | undefined }>();
  const grouped: (Problem | string)[] = [];
  for (const problem of problems) {
    const reading = readingOf(problem, resources);
    const known = reading === undefined ? undefined : groups.get(reading.reason);
    if (reading === undefined) grouped.push(problem);
    else if (known === undefined) {
      groups.set(reading.reason, { titles: [reading.title], sinceMs: problem.sinceMs });
      grouped.push(reading.reason);
    } else {
      known.titles.push(reading.title);
      known.sinceMs = known.sinceMs === undefined || problem.sinceMs === undefined ? undefined : Math.min(known.sinceMs, problem.sinceMs);
    }
  }
  return grouped.map((item) => {
    if (typeof item !== 'string') return item;
    const { titles, sinceMs } = groups.get(item) ?? { titles: [], sinceMs: undefined };
    const [first = '', ...others] = titles;
    const what = titles.length === resourceNames.length ? 'All readings' : [first, ...others.map((title) => title.toLowerCase())].join(', ');
    return { key: `readings ${item}`, severity: 'error', parts: [{ text: `${what}: ${item}`, isFromBroker: false }], sinceMs };
  });
});

/** The problems, with readings that fail for one reason as one problem: a broker that is away is one thing, not five. */
export function selectGroupedProblems(state: MonitorState): readonly Problem[] {
  return group(selectProblems(state), state.resources);
}
