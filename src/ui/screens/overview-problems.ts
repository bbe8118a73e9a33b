import type { Problem, TextPart } from '../../store/selectors.ts';
import type { Unjudged } from '../../store/select-judged.ts';
import { formatCount, formatDuration } from '../format.ts';
import { glyphs } from '../glyphs.ts';
import { type SafeText, joinSafe, safe } from '../safe-text.ts';
import type { Theme } from '../theme.ts';
import type { Span } from '../widgets/line.ts';
import { type SpanRow, endsRow, fillRows, titleRow } from './blocks.ts';
import { resourceNames } from './resource-names.ts';

export interface ProblemsView {
  readonly problems: readonly Problem[];
  readonly unjudged: readonly Unjudged[];
  readonly nowMs: number;
  /** When a problem was first seen here, for those that nobody knows the beginning of. */
  readonly firstSeenMs: (key: string) => number | undefined;
}

/** A piece of a sentence, fit for the screen. */
export const partText = (theme: Theme, { text, isFromBroker }: TextPart, width: number): SafeText =>
  // The program's own words hold nothing that would be escaped, except spaces at their ends.
  isFromBroker ? theme.escape(text, width) : joinSafe(text.split(' ').map((word) => (word === '' ? safe`` : theme.escape(word))), safe` `);

const howLong = ({ key, sinceMs }: Problem, { nowMs, firstSeenMs }: ProblemsView): SafeText => {
  const seconds = (fromMs: number): number => Math.max(0, nowMs - fromMs) / 1000;
  if (sinceMs !== undefined) {
    return safe`for ${formatDuration(seconds(sinceMs))}`;
  }
  const seenMs = firstSeenMs(key);
  return seenMs === undefined ? safe`` : safe`for >=${formatDuration(seconds(seenMs))}`;
};

const problemRow = (theme: Theme, width: number, view: ProblemsView, problem: Problem): SpanRow => {
  const sign: Span = problem.severity === 'error' ? { text: safe` ! `, role: 'error' } : { text: safe` ${glyphs.up} `, role: 'warning' };
  const words = joinSafe(problem.parts.map((part) => partText(theme, part, width)));
  return endsRow(width, [sign, { text: words, role: problem.severity }], [{ text: safe`${howLong(problem, view)} `, role: 'dim' }]);
};

const figureNames: Readonly<Record<Extract<Unjudged, { kind: 'limit' }>['figure'], SafeText>> = {
  memory: safe`memory`, processes: safe`processes`, descriptors: safe`descriptors`, connections: safe`listener connections`,
};

/** What could not be judged, in words: resources each, then figures with their nodes. */
export const unjudgedText = (theme: Theme, unjudged: readonly Unjudged[]): SafeText => {
  const nodesOf = new Map<SafeText, SafeText[]>();
  const parts: SafeText[] = [];
  for (const item of unjudged) {
    if (item.kind === 'resource') {
      const old = item.ageSeconds === undefined ? safe`` : safe` (${formatDuration(item.ageSeconds)} old)`;
      parts.push(safe`${resourceNames[item.resource]}${old}`);
    } else {
      const name = figureNames[item.figure];
      nodesOf.set(name, [...(nodesOf.get(name) ?? []), theme.escape(item.node, 60)]);
    }
  }
  for (const [name, nodes] of nodesOf) {
    parts.push(safe`${name} of ${joinSafe(nodes, safe` and `)}`);
  }
  return joinSafe(parts, safe`, `);
};

const allGood = (width: number): SpanRow => [
  { text: safe` ${glyphs.running} `, role: 'ok' },
  { text: width < 80 ? safe`nothing wrong in nodes, listeners, limits, readings` : safe`nothing wrong in nodes, listeners, memory, processes, descriptors, readings` },
];

const countText = (problems: readonly Problem[]): SafeText => {
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  const warnings = problems.length - errors;
  return joinSafe([
    ...(errors > 0 ? [safe`${formatCount(errors)} ${errors === 1 ? safe`error` : safe`errors`}`] : []),
    ...(warnings > 0 ? [safe`${formatCount(warnings)} ${warnings === 1 ? safe`warning` : safe`warnings`}`] : []),
  ], safe`, `);
};

const bodyRows = (theme: Theme, width: number, height: number, view: ProblemsView): readonly SpanRow[] => {
  const { problems, unjudged } = view;
  const doubt: readonly SpanRow[] = unjudged.length === 0 ? [] : [[
    { text: safe` ? `, role: 'warning' }, { text: safe`not judged${problems.length === 0 ? safe` yet` : safe``}: ${unjudgedText(theme, unjudged)}` },
  ]];
  if (problems.length === 0) {
    return doubt.length === 0 ? [allGood(width)] : doubt;
  }
  const shown = problems.map((problem) => problemRow(theme, width, view, problem));
  if (shown.length + doubt.length <= height) {
    return [...shown, ...doubt];
  }
  const kept = Math.max(0, height - 1);
  const more: Span = { text: safe`   +${formatCount(problems.length - kept)} more`, role: 'error' };
  const doubtful: readonly Span[] = unjudged.length === 0 ? [] : [{ text: safe`, and not judged: ${unjudgedText(theme, unjudged)}` }];
  return [...shown.slice(0, kept), [more, ...doubtful]];
};

/** What is wrong, the worst first, in exactly `height` rows and a title; or what was checked; or what could not be. */
export const problemRows = (theme: Theme, width: number, height: number, hasTitle: boolean, view: ProblemsView): readonly SpanRow[] => {
  const body = fillRows(bodyRows(theme, width, height, view), height);
  const { problems } = view;
  return hasTitle
    ? [titleRow(width, safe`What is wrong`, problems.length === 0 ? undefined : countText(problems), 'error'), ...body]
    : body;
};
