import { checkOf, isNote, problemFacts, problemParts, uncheckedText } from '../checks/words.ts';
import { type ChangeRow, changeRows } from '../compare/rows.ts';
import { compareStates, type Comparison } from '../compare/compare.ts';
import { join, plainText, say, type Sentence } from '../domain/sentence.ts';
import { clockText, literal, untrusted, withThousands } from '../domain/text.ts';
import { momentText } from '../domain/time-text.ts';
import { reading } from '../monitor/query/part.ts';
import type { TimeRange } from '../recording/recording.ts';
import { nodeFields } from '../resources/nodes/fields.ts';
import { selectTotals } from '../resources/statistics/select.ts';
import type { TimelineEvent } from '../domain/event.ts';
import { triageView } from '../triage/view.ts';
import type { Block, Graph, GraphLine, GraphMark, GraphPoint, ReportDocument } from './document.ts';
import { type Observations, rateNames } from './observe.ts';
import type { RecordedFinding, ReportedProblem } from './problems.ts';
import { isSmallNumber } from './redact.ts';
import { fullDateText, reportTexts, zoneText } from './texts.ts';

export interface ReportOptions {
  readonly cluster: string;
  /** The time that was asked for. */
  readonly range: TimeRange;
  readonly version: string;
  readonly writtenMs: number;
  readonly isRedacted: boolean;
}

const maxDetailedProblems = 25;
const maxEvents = 1_000;
const maxClients = 100;
const maxChanges = 60;
const maxNodeLines = 5;
const maxSummaryProblems = 5;
const maxPoints = 400;
/** Half the width of a character of a mark, as a share of the width of a graph. */
const labelHalfWidth = 0.005;
/** What happens later is not said to follow from an action. */
const afterwardsMs = 600_000;

const heading = (level: 1 | 2 | 3, text: Sentence | string): Block => ({
  kind: 'heading',
  level,
  text: typeof text === 'string' ? [literal(text)] : text,
});
const paragraph = (text: Sentence | string): Block => ({
  kind: 'paragraph',
  text: typeof text === 'string' ? [literal(text)] : text,
});
const list = (items: readonly (Sentence | string)[]): Block => ({
  kind: 'list',
  items: items.map((item) => (typeof item === 'string' ? [literal(item)] : item)),
});
const cell = (text: string | undefined): Sentence => [literal(text ?? '')];
const named = (text: string | undefined): Sentence => (text === undefined ? cell(undefined) : [untrusted(text)]);

type Clock = (atMs: number) => string;

/** Makes a report of what a recording says of a range. */
export function buildReport(seen: Observations, options: ReportOptions): ReportDocument {
  const [beginMs, endMs] = [seen.first.at.wallMs, seen.last.at.wallMs];
  const isOneDay = fullDateText(beginMs) === fullDateText(endMs);
  const clock: Clock = (atMs) =>
    isOneDay && fullDateText(atMs) === fullDateText(beginMs) ? clockText(atMs) : momentText(atMs);
  const [before, after] = seen.compared;
  const comparison = compareStates(before, after);
  // The name of a context may say whose cluster it is.
  const title = options.isRedacted ? [literal(reportTexts.redactedTitle)] : reportTexts.title(options.cluster);
  return {
    title,
    blocks: [
      heading(1, title),
      paragraph(
        reportTexts.range(
          `${fullDateText(beginMs)} ${clockText(beginMs)}`,
          isOneDay ? clockText(endMs) : `${fullDateText(endMs)} ${clockText(endMs)}`,
          endMs - beginMs,
          zoneText(endMs),
        ),
      ),
      paragraph(
        reportTexts.recordedBy(
          seen.programs,
          options.version,
          `${fullDateText(options.writtenMs)} ${clockText(options.writtenMs)}`,
        ),
      ),
      ...(options.isRedacted ? [paragraph(reportTexts.redacted)] : []),
      ...summary(seen, clock),
      ...problems(seen, clock),
      ...timeline(seen, clock),
      ...graphs(seen),
      ...clients(seen),
      ...actions(seen, clock),
      ...changes(comparison, reportTexts.compared(clock(before.at.wallMs), clock(after.at.wallMs))),
      ...unknowns(seen, comparison, options, clock),
    ],
  };
}

/**
 * Returns the text of an event. The client that it is about is a part of its own if its ID looks like a number: in a
 * redacted report, only that one is replaced.
 */
function eventText({ text, clientId }: TimelineEvent): Sentence {
  if (clientId === undefined || !isSmallNumber.test(clientId)) return named(text);
  return text
    .split(new RegExp(`(?<![\\w.:-])(${clientId})(?![\\w:-]|\\.\\d)`, 'u'))
    .filter((part) => part !== '')
    .map(untrusted);
}

const firstText = (event: TimelineEvent | undefined, otherwise: string): Sentence =>
  event === undefined ? named(otherwise) : eventText(event);

/** Says what a problem is, at its worst. */
const titleOf = ({ worst, events, key }: ReportedProblem): Sentence =>
  worst === undefined
    ? firstText(events.find(({ kind }) => kind === 'began') ?? events[0], key)
    : problemParts(worst.finding).title;

const titleIn = ({ finding }: RecordedFinding): Sentence => problemParts(finding).title;

const isAction = ({ kind }: TimelineEvent): boolean => kind === 'action' || kind === 'bulk';

/** Its outcome and what became of its target later are events of one action. */
const actionKey = ({ action, id }: TimelineEvent): string => action?.record ?? id;

/** Returns the events of actions, without what became of their targets. */
const actionsOf = (events: readonly TimelineEvent[]): readonly TimelineEvent[] =>
  [
    ...events
      .filter(isAction)
      .toReversed()
      .reduce((all, event) => all.set(actionKey(event), event), new Map<string, TimelineEvent>())
      .values(),
  ].toReversed();

const isOpenEnd = ({ end }: ReportedProblem): boolean => end.kind === 'open';

function summary(
  { problems: all, events, first, last, gaps, areProblemsRecorded }: Observations,
  clock: Clock,
): readonly Block[] {
  const worst = all.slice(0, maxSummaryProblems);
  const critical = all.filter(({ severity }) => severity === 'critical').length;
  const open = all.filter(isOpenEnd).length;
  const unknown = all.filter(({ end }) => end.kind === 'unknown').length;
  const notes = [
    ...(open > 0 ? [reportTexts.stillOpen(open)] : []),
    ...(unknown > 0 ? [reportTexts.endUnknown(unknown)] : []),
  ];
  const counts = reportTexts.problemCounts(critical, all.length - critical);
  const [before, after] = [selectTotals(first.state).clients, selectTotals(last.state).clients];
  const areClientsKnown =
    before.value !== undefined &&
    after.value !== undefined &&
    before.missingNodes.length === 0 &&
    after.missingNodes.length === 0;
  const done = actionsOf(events).length;
  const silentMs = gaps.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);
  return [
    heading(2, reportTexts.summary),
    all.length === 0
      ? paragraph(areProblemsRecorded ? reportTexts.noProblems : reportTexts.problemsUnknown)
      : paragraph(notes.length === 0 ? counts : [...counts, literal(` ${sentenceOf(notes)}`)]),
    list([
      ...worst.map((problem, index) => [
        literal(`${index + 1}: ${problem.severity.toUpperCase()} `),
        ...titleOf(problem),
        ...shortCourse(problem, clock),
      ]),
      ...(all.length > worst.length ? [reportTexts.moreProblems(all.length - worst.length)] : []),
      ...(areClientsKnown ? [reportTexts.clients(before.value ?? 0, after.value ?? 0)] : []),
      events.length === 0 ? reportTexts.actionsUnknown : done === 0 ? reportTexts.noActions : reportTexts.actions(done),
      ...(silentMs > 0 ? [reportTexts.notRecordedFor(silentMs)] : []),
    ]),
  ];
}

const sentenceOf = ([first = '', ...others]: readonly string[]): string =>
  `${[`${first.charAt(0).toUpperCase()}${first.slice(1)}`, ...others].join('; ')}.`;

/** Returns the last title of a problem; `undefined` if it is that of its worst moment. */
function lastTitle(problem: ReportedProblem): Sentence | undefined {
  if (problem.latest === undefined) return undefined;
  const title = titleIn(problem.latest);
  return plainText(title) === plainText(titleOf(problem)) ? undefined : title;
}

/** Says when a problem began and ended, what it cost, and what it is by now. */
function shortCourse(problem: ReportedProblem, clock: Clock): Sentence {
  const { end, lost } = problem;
  const began = beganText(problem, clock);
  const ended = {
    moment: () => '',
    open: () => `, ${reportTexts.open}`,
    ended: () => ` to ${endedText(problem, clock) ?? ''}`,
    between: () => `, ended ${endedText(problem, clock) ?? ''}`,
    unknown: () => `, end ${endedText(problem, clock) ?? ''}`,
  }[end.kind]();
  const lastedFor = lastedText(problem);
  const course = [
    `${began}${ended}${lastedFor === undefined ? '' : ` (${lastedFor})`}`,
    ...(lost === undefined ? [] : [`${reportTexts.messages(lost.count, lost.isMin)} lost`]),
  ].join(', ');
  const last = end.kind === 'open' ? lastTitle(problem) : undefined;
  return [literal(`: ${course}`), ...(last === undefined ? [] : [literal(`; ${reportTexts.atEnd}: `), ...last])];
}

const beganText = ({ beganMs, isBeginUnknown }: ReportedProblem, clock: Clock): string =>
  beganMs === undefined
    ? reportTexts.notKnown
    : isBeginUnknown
      ? reportTexts.beganBefore(clock(beganMs))
      : clock(beganMs);

function endedText({ end }: ReportedProblem, clock: Clock): string | undefined {
  switch (end.kind) {
    case 'moment':
      return undefined;
    case 'open':
      return reportTexts.open;
    case 'ended':
      return clock(end.atMs);
    case 'between':
      return reportTexts.between(clock(end.fromMs), clock(end.toMs));
    case 'unknown':
      return reportTexts.unknownSince(clock(end.sinceMs));
    default:
      return end satisfies never;
  }
}

/** Returns until when a problem is known to have lasted; `undefined` if it has no end yet, or never has one. */
function knownUntilMs(end: ReportedProblem['end']): number | undefined {
  if (end.kind === 'ended') return end.atMs;
  if (end.kind === 'between') return end.fromMs;
  return end.kind === 'unknown' ? end.sinceMs : undefined;
}

function lastedText({ beganMs, isBeginUnknown, end, events }: ReportedProblem): string | undefined {
  if (beganMs === undefined) return undefined;
  const told = events.findLast(({ kind }) => kind === 'ended')?.lastedMs;
  const untilMs = knownUntilMs(end);

  if (untilMs === undefined) return undefined;
  const ms = told ?? untilMs - beganMs;
  return isBeginUnknown || end.kind !== 'ended' ? reportTexts.lastedAtLeast(ms) : reportTexts.lastedFor(ms);
}

/** Events of a problem after its beginning that tell how it went on. */
const courseKinds: ReadonlySet<TimelineEvent['kind']> = new Set([
  'worse',
  'eased',
  'unknown',
  'known',
  'named',
  'acknowledged',
  'unacknowledged',
]);

/** Whether an action is about what a problem is about, and was done while it lasted. */
function isAbout({ atMs, clientId, node }: TimelineEvent, problem: ReportedProblem): boolean {
  const { beganMs = 0, end } = problem;
  const untilMs =
    end.kind === 'ended'
      ? end.atMs
      : end.kind === 'between'
        ? end.toMs
        : end.kind === 'moment'
          ? beganMs + afterwardsMs
          : Infinity;
  const isSame =
    clientId === undefined ? node !== undefined && node === problem.node : problem.clientIds.includes(clientId);
  return isSame && atMs >= beganMs && atMs <= untilMs;
}

function problems({ problems: all, events, last }: Observations, clock: Clock): readonly Block[] {
  if (all.length === 0) return [];
  const numbered = all.slice(0, maxDetailedProblems);
  const others = all.slice(maxDetailedProblems);
  return [
    heading(2, reportTexts.problems),
    ...numbered.flatMap((problem, index) => [
      heading(3, [literal(`${index + 1}: ${problem.severity.toUpperCase()} `), ...titleOf(problem)]),
      list(problemLines(problem, events, last.at.wallMs, clock)),
    ]),
    ...(others.length === 0
      ? []
      : [
          paragraph(reportTexts.notDetailed(others.length)),
          list(
            others
              .slice(0, maxClients)
              .map((problem) => [
                literal(`${problem.severity.toUpperCase()} `),
                ...titleOf(problem),
                ...shortCourse(problem, clock),
              ]),
          ),
        ]),
  ];
}

function problemLines(
  problem: ReportedProblem,
  events: readonly TimelineEvent[],
  endMs: number,
  clock: Clock,
): readonly (Sentence | string)[] {
  const { worst, latest, end, lost, beganMs, parts } = problem;
  const began = `${end.kind === 'moment' ? reportTexts.happened : reportTexts.began}: ${beganText(problem, clock)}`;
  const ended = endedText(problem, clock);
  const lastedFor = lastedText(problem);
  const last = lastTitle(problem);
  const facts = worst === undefined ? [] : problemFacts(worst.finding);
  const course = problem.events.filter(({ kind }) => courseKinds.has(kind));
  const done = events.filter((event) => isAction(event) && isAbout(event, problem));
  return [
    began,
    ...(end.kind === 'open'
      ? [reportTexts.openSince(endMs - (beganMs ?? endMs))]
      : ended === undefined
        ? []
        : [`${reportTexts.ended}: ${ended}`]),
    ...(lastedFor === undefined ? [] : [`${reportTexts.lasted}: ${lastedFor}`]),
    ...(lost === undefined ? [] : [`${reportTexts.lost}: ${reportTexts.messages(lost.count, lost.isMin)}`]),
    worst === undefined
      ? `${reportTexts.notSampled}: ${reportTexts.notSampledText}`
      : [literal(`${reportTexts.atWorst(clock(worst.atMs))}: `), ...join([titleOf(problem), ...facts], '; ')],
    ...(latest !== undefined && last !== undefined && end.kind !== 'moment'
      ? [[literal(`${reportTexts.lastSeen(clock(latest.atMs))}: `), ...last]]
      : []),
    ...course.map((event): Sentence => [literal(`${clock(event.atMs)} `), ...eventText(event)]),
    ...parts.map((part): Sentence => [literal(`${reportTexts.caused}: `), ...titleOf(part)]),
    ...(done.length === 0
      ? events.length === 0
        ? []
        : [reportTexts.nothingDone]
      : done.map((event): Sentence => [literal(`${reportTexts.action}: ${clock(event.atMs)} `), ...eventText(event)])),
  ];
}

const severityOrder = { critical: 0, warning: 1, info: 2 } as const;

function timeline({ events }: Observations, clock: Clock): readonly Block[] {
  const kept = new Set(
    events
      .toSorted((a, b) => severityOrder[a.severity] - severityOrder[b.severity] || a.atMs - b.atMs)
      .slice(0, maxEvents),
  );
  return [
    heading(2, reportTexts.timeline),
    ...(events.length === 0
      ? [paragraph(reportTexts.noEvents)]
      : [
          {
            kind: 'table' as const,
            head: reportTexts.timelineHead,
            rows: events
              .filter((event) => kept.has(event))
              .map((event): readonly Sentence[] => [
                cell(clock(event.atMs)),
                cell(severityText(event)),
                eventText(event),
                named(event.clientId ?? event.topic ?? event.node),
              ]),
          },
        ]),
    ...(events.length > kept.size ? [paragraph(reportTexts.eventsLeftOut(events.length - kept.size))] : []),
  ];
}

/** As in the timeline: what ended or was done is no alarm. */
const severityText = ({ kind, severity }: TimelineEvent): string =>
  severity === 'info' || kind === 'ended' || kind === 'eased' ? kind : severity.toUpperCase();

/** Averages points that are closer to each other than a line can show. */
function thinned(points: readonly GraphPoint[], fromMs: number, toMs: number): readonly GraphPoint[] {
  const bucketMs = Math.max(1, (toMs - fromMs) / maxPoints);
  const result: GraphPoint[] = [];
  let bucket: { readonly index: number; readonly points: GraphPoint[] } | undefined;
  const flush = (): void => {
    if (bucket === undefined) return;
    const values = bucket.points.flatMap(({ value }) => value ?? []);
    const atMs = bucket.points.reduce((sum, point) => sum + point.atMs, 0) / bucket.points.length;
    if (values.length < bucket.points.length) result.push({ atMs: bucket.points[0]?.atMs ?? atMs, value: undefined });
    if (values.length > 0) result.push({ atMs, value: values.reduce((sum, value) => sum + value, 0) / values.length });
  };
  for (const point of points) {
    const index = Math.floor((point.atMs - fromMs) / bucketMs);
    if (index !== bucket?.index) {
      flush();
      bucket = { index, points: [] };
    }
    bucket.points.push(point);
  }
  flush();
  return result;
}

function graphs({ first, last, rates, clientsByNode, problems: all, gaps }: Observations): readonly Block[] {
  const [fromMs, toMs] = [first.at.wallMs, last.at.wallMs];
  if (toMs <= fromMs) return [];
  const marks = all
    .slice(0, maxDetailedProblems)
    .flatMap(({ beganMs, severity }, index): readonly ProblemMark[] =>
      beganMs === undefined || beganMs < fromMs ? [] : [{ atMs: beganMs, numbers: [index + 1], severity }],
    );
  const withGaps = (points: readonly GraphPoint[]): readonly GraphPoint[] =>
    [...thinned(points, fromMs, toMs), ...gaps.map((gap) => ({ atMs: gap.fromMs, value: undefined }))].toSorted(
      (a, b) => a.atMs - b.atMs,
    );
  const line = (name: Sentence | string, points: readonly GraphPoint[] | undefined): GraphLine => ({
    name: typeof name === 'string' ? [literal(name)] : name,
    points: withGaps(points ?? []),
  });
  const graph = (title: string, unit: string, lines: readonly GraphLine[]): Block => ({
    kind: 'graph',
    graph: { title, unit, fromMs, toMs, lines, marks: joinedMarks(marks, toMs - fromMs) } satisfies Graph,
  });
  const nodes = [...clientsByNode].toSorted(([, a], [, b]) => rangeOf(b) - rangeOf(a)).slice(0, maxNodeLines);
  const left = clientsByNode.size - nodes.length;
  return [
    heading(2, reportTexts.graphs),
    ...(marks.length === 0 ? [] : [paragraph(reportTexts.graphsNote)]),
    graph(reportTexts.messagesGraph, reportTexts.perSecond, [
      line(reportTexts.received, rates.get('messages.received')),
      line(reportTexts.sent, rates.get('messages.sent')),
    ]),
    graph(reportTexts.lossGraph, reportTexts.perSecond, [
      line(reportTexts.dropped, rates.get('messages.dropped')),
      line(reportTexts.queues, rates.get('queues')),
    ]),
    graph(
      reportTexts.clientsGraph,
      reportTexts.connected,
      nodes.toSorted(([a], [b]) => a.localeCompare(b)).map(([node, points]) => line([untrusted(node)], points)),
    ),
    ...(left > 0 ? [paragraph(reportTexts.nodesNotDrawn(left))] : []),
  ];
}

interface ProblemMark {
  readonly atMs: number;
  readonly numbers: readonly number[];
  readonly severity: GraphMark['severity'];
}

/** Writes `1, 4–8`. */
function numbersText(numbers: readonly number[]): string {
  const runs: number[][] = [];
  for (const number of numbers.toSorted((x, y) => x - y)) {
    const last = runs.at(-1);
    if (last?.at(-1) === number - 1) last.push(number);
    else runs.push([number]);
  }
  return runs.map((run) => (run.length > 2 ? `${run[0] ?? ''}–${run.at(-1) ?? ''}` : run.join(','))).join(',');
}

/** Joins marks that are so close to each other that their labels would overlap. */
function joinedMarks(marks: readonly ProblemMark[], spanMs: number): readonly GraphMark[] {
  const joined: ProblemMark[] = [];
  const halfWidth = ({ numbers }: ProblemMark): number => (numbersText(numbers).length + 1) * labelHalfWidth;
  for (const mark of marks.toSorted((x, y) => x.atMs - y.atMs)) {
    let next = mark;
    for (let last = joined.at(-1); last !== undefined; last = joined.at(-1)) {
      if (next.atMs - last.atMs > (halfWidth(last) + halfWidth(next)) * spanMs) break;
      joined.pop();
      next = {
        atMs: last.atMs,
        numbers: [...last.numbers, ...next.numbers],
        severity: last.severity === 'critical' ? last.severity : next.severity,
      };
    }
    joined.push(next);
  }
  return joined.map(({ atMs, numbers, severity }) => ({ atMs, severity, label: numbersText(numbers) }));
}

function rangeOf(points: readonly GraphPoint[]): number {
  const values = points.flatMap(({ value }) => value ?? []);
  return values.length === 0 ? -1 : Math.max(...values) - Math.min(...values);
}

/** What a client lost: as its problem says if that is exact, else as its session's counter was read. */
function lostText(problem: ReportedProblem | undefined, counted: number | undefined): string {
  if (problem?.lost?.isMin === false && problem.clientIds.length === 1) return withThousands(problem.lost.count);
  if (counted === undefined) return reportTexts.notKnown;
  return counted === 0 ? reportTexts.lostNone : reportTexts.lostAtLeast(counted);
}

function clients({ problems: all, losses, clientOf }: Observations): readonly Block[] {
  const problemOf = new Map<string, ReportedProblem>();
  for (const problem of all)
    for (const clientId of problem.clientIds) if (!problemOf.has(clientId)) problemOf.set(clientId, problem);
  const ids = [...problemOf.keys()].toSorted((a, b) => (losses.of(b) ?? -1) - (losses.of(a) ?? -1));
  return [
    heading(2, reportTexts.clientsConcerned),
    ...(ids.length === 0
      ? [paragraph(reportTexts.noClients)]
      : [
          {
            kind: 'table' as const,
            head: reportTexts.clientsHead,
            rows: ids.slice(0, maxClients).map((clientId): readonly Sentence[] => {
              const client = clientOf(clientId);
              const problem = problemOf.get(clientId);
              const lost = losses.of(clientId);
              const known = (text: string | undefined): Sentence =>
                text === undefined || text === ''
                  ? cell(client === undefined ? reportTexts.notKnown : '')
                  : named(text);
              return [
                named(clientId),
                known(client?.node),
                known(client?.username),
                known(client?.ipAddress),
                cell(lostText(problem, lost)),
                problem === undefined ? cell('') : titleOf(problem),
              ];
            }),
          },
        ]),
    ...(ids.length > maxClients ? [paragraph(reportTexts.clientsLeftOut(ids.length - maxClients))] : []),
  ];
}

const changeKinds: ReadonlySet<TimelineEvent['kind']> = new Set([
  'began',
  'worse',
  'eased',
  'ended',
  'alarm-set',
  'alarm-cleared',
  'node',
]);
const maxAfterwards = 3;

function actions({ events }: Observations, clock: Clock): readonly Block[] {
  const done = actionsOf(events);
  const rows = done.map((action): readonly Sentence[] => {
    const followUps = events.filter(
      (event) => event !== action && isAction(event) && actionKey(event) === actionKey(action),
    );
    const changed = events.filter(
      ({ kind, atMs, clientId, node }) =>
        changeKinds.has(kind) &&
        atMs > action.atMs &&
        atMs <= action.atMs + afterwardsMs &&
        (action.clientId === undefined
          ? action.node === undefined || node === action.node
          : clientId === action.clientId),
    );
    const later = [...followUps, ...changed];
    return [
      cell(clock(action.atMs)),
      eventText(action),
      named(action.action?.by),
      later.length === 0
        ? cell(reportTexts.nothingAfterwards)
        : join(
            later
              .slice(0, maxAfterwards)
              .map((event) => reportTexts.afterwards(event.atMs - action.atMs, eventText(event))),
            '; ',
          ),
    ];
  });
  return [
    heading(2, reportTexts.done),
    done.length === 0
      ? paragraph(events.length === 0 ? reportTexts.actionsUnknown : reportTexts.noActions)
      : { kind: 'table', head: reportTexts.doneHead, rows },
  ];
}

/** Lists whose changes the report names one by one. Clients are named if they came or went; other lists are counted. */
const toldLists: ReadonlySet<string> = new Set([
  'nodes',
  'listeners',
  'plugins',
  'settings',
  'bans',
  'users',
  'api-keys',
  'alarms',
]);

/** Rates that are told; the graphs show the others' causes. */
const toldRates: ReadonlySet<string> = new Set([...rateNames, 'packets.connect', 'packets.disconnect']);

/** What is unknown at one of the moments is no change, and rates of all counters would hide what matters. */
const isToldFigure = ({ kind, list: of, name, field, difference }: ChangeRow): boolean =>
  kind === 'figure' &&
  difference !== undefined &&
  (of === 'rates' ? toldRates.has(name) : of !== 'nodes' || field === nodeFields.clients.label.toLowerCase());

function changes(comparison: Comparison, compared: string): readonly Block[] {
  const rows = changeRows(comparison);
  const figures = rows.filter(isToldFigure);
  const listed = rows.filter(({ kind }) => kind !== 'figure' && kind !== 'unknown');
  const told = [
    ...listed.filter(({ list: of }) => toldLists.has(of)),
    ...listed.filter(({ list: of, kind }) => of === 'clients' && kind !== 'changed'),
  ];
  const counts = comparison.tables.flatMap(({ table, unknownAt, came, gone, changed }) => {
    const parts = [
      ...(came === undefined || came.length === 0 ? [] : [`${came.length} came`]),
      ...(gone === undefined || gone.length === 0 ? [] : [`${gone.length} went`]),
      ...(changed.length === 0 ? [] : [`${changed.length} changed`]),
    ];
    return unknownAt !== undefined || parts.length === 0 || toldLists.has(table.id)
      ? []
      : [`${table.noun.many.charAt(0).toUpperCase()}${table.noun.many.slice(1)}: ${parts.join(', ')}`];
  });
  if (figures.length + told.length + counts.length === 0)
    return [heading(2, reportTexts.changed), paragraph(`${compared} ${reportTexts.nothingChanged}`)];
  return [
    heading(2, reportTexts.changed),
    paragraph(compared),
    ...(counts.length === 0 ? [] : [list(counts)]),
    ...(told.length === 0
      ? []
      : [
          {
            kind: 'table' as const,
            head: reportTexts.changesHead,
            rows: told
              .slice(0, maxChanges)
              .map(({ list: of, kind, name, field, before, after }): readonly Sentence[] => [
                cell(of),
                cell(field === undefined ? kind : field),
                named(name),
                named(before),
                named(after),
              ]),
          },
        ]),
    ...(told.length > maxChanges ? [paragraph(reportTexts.changesLeftOut(told.length - maxChanges))] : []),
    ...(figures.length === 0
      ? []
      : [
          {
            kind: 'table' as const,
            head: reportTexts.figuresHead,
            rows: figures
              .slice(0, maxChanges)
              .map((row): readonly Sentence[] => [figureName(row), cell(row.before), cell(row.after)]),
          },
        ]),
  ];
}

const figureName = ({ name, field }: ChangeRow): Sentence =>
  field === undefined ? cell(name) : say`${untrusted(name)}: ${field}`;

function unknowns(
  { first, last, gaps, programs }: Observations,
  comparison: Comparison,
  { range, version }: ReportOptions,
  clock: Clock,
): readonly Block[] {
  const unread = Map.groupBy(comparison.tables, ({ unknownAt }) => unknownAt);
  const cut = changeRows(comparison).filter(
    ({ kind, list: of }) => kind === 'unknown' && !isWhollyUnknown(comparison, of),
  );
  const { results } = reading(last.state, triageView).report;
  const unchecked = results.flatMap(({ check, unchecked: reasons, isNotOffered, findings }) => {
    const real = reasons.filter((reason) => !isNote(reason));
    return isNotOffered === true || real.length === 0 || findings.length > 0
      ? []
      : [reportTexts.unchecked(checkOf(check).title, join(real.map(uncheckedText), '; '))];
  });
  const edgeMs = 2_000 + 1_000 * last.state.intervalSeconds;
  return [
    heading(2, reportTexts.unknown),
    list([
      ...(first.at.wallMs - range.fromMs > edgeMs ? [reportTexts.beginsLater(clock(first.at.wallMs))] : []),
      ...gaps.map(({ fromMs, toMs }) => reportTexts.gap(clock(fromMs), clock(toMs), toMs - fromMs)),
      ...(range.toMs - last.at.wallMs > edgeMs ? [reportTexts.endsEarlier(clock(last.at.wallMs))] : []),
      ...(['before', 'after', 'both'] as const).flatMap((when) => {
        const names = unread.get(when)?.map(({ table }) => table.noun.many) ?? [];
        return names.length === 0 ? [] : [reportTexts.unread[when](names)];
      }),
      ...cut.map(({ list: of, name }) => reportTexts.notToEnd(of, name)),
      ...unchecked,
      ...(programs.some((program) => program !== version) ? [reportTexts.olderRules(programs)] : []),
      reportTexts.actionsHere,
      reportTexts.zone,
    ]),
  ];
}

const isWhollyUnknown = ({ tables }: Comparison, id: string): boolean =>
  tables.some(({ table, unknownAt }) => table.id === id && unknownAt !== undefined);
