import { memoise } from '../domain/memoise.ts';
import { selectProblems } from './select-problems.ts';
import type { AreaProblem } from './select-problems.ts';
import type { MonitorState } from '../monitor/state.ts';
import { own } from '../domain/text-part.ts';

/** Readings there are. */
const mostReadings = 5;

/** What fails for one reason, as one problem. */
function together(reason: string, problems: readonly AreaProblem[]): AreaProblem {
  const [first = '', ...others] = problems.flatMap(({ reading }) => reading?.title ?? []);
  const what = problems.length === mostReadings ? 'All readings' : [first, ...others.map((title) => title.toLowerCase())].join(', ');
  const since = problems.map(({ sinceMs }) => sinceMs).filter((sinceMs) => sinceMs !== undefined);
  return {
    key: `readings ${reason}`, severity: 'error', area: 'readings', parts: [own(`${what}: ${reason}`)],
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

/** The problems, with readings that fail for one reason as one problem: a broker that is away is one thing, not five. */
export function selectGroupedProblems(state: MonitorState): readonly AreaProblem[] {
  return group(selectProblems(state));
}
