import { checkOf, magnitudeOf, problemParts } from '../checks/words.ts';
import type { EventFacts, EventKind, EventSeverity, TimelineEvent } from '../domain/event.ts';
import { join, plainText, type Sentence } from '../domain/sentence.ts';
import { durationText, literal } from '../domain/text.ts';
import { wallMs } from '../monitor/clock.ts';
import type { EventNote } from '../monitor/events.ts';
import { logTexts } from '../resources/log/texts.ts';
import { isProblem } from '../triage/check.ts';
import type { FindingChange } from '../triage/finding-changes.ts';
import { beginMs, type Finding, subjectOf } from '../triage/problem.ts';
import type { BegunProblem, ProblemNews } from '../triage/triaged-monitor.ts';
import { readings } from '../checks/readings/check.ts';
import type { EarlierRuns } from './open-problems.ts';

/** Returns what alerts say of a change; `undefined` unless a problem that nobody knows of began or became critical. */
function begunProblem({ kind, finding, isQuiet }: FindingChange): BegunProblem | undefined {
  if ((kind !== 'began' && kind !== 'worsened') || isQuiet || finding.acknowledged !== undefined) return undefined;
  const { title, facts } = problemParts(finding);
  return {
    severity: finding.severity,
    check: finding.check,
    title: plainText(title),
    evidence: facts.map(plainText).join(', '),
  };
}

interface LoggedText {
  readonly finding: Finding;
  readonly text: string;
  readonly title: string;
  /** Whether the evidence names who has the problem, or the title, which is more. */
  readonly named: 'nowhere' | 'evidence' | 'title';
}

const isNaming = (sentence: Sentence): boolean => sentence.some(({ isUntrusted }) => isUntrusted === true);

/** Returns the title, and the evidence that names who has the problem, unless the title does. */
function loggedText(finding: Finding): LoggedText {
  const { title: sentence, facts } = problemParts(finding);
  const title = plainText(sentence);
  if (isNaming(sentence)) return { finding, title, text: title, named: 'title' };
  const naming = facts.filter(isNaming);
  return naming.length === 0
    ? { finding, title, text: title, named: 'nowhere' }
    : { finding, title, text: plainText([...sentence, literal(': '), ...join(naming, ', ')]), named: 'evidence' };
}

const namesMore = (now: LoggedText, before: LoggedText): boolean =>
  now.named !== before.named && (now.named === 'title' || before.named === 'nowhere');

/** Whether a problem is worse than at its worst moment before. */
const isWorse = (now: Finding, before: Finding): boolean =>
  now.severity === before.severity ? (magnitudeOf(now) ?? 0) > (magnitudeOf(before) ?? 0) : now.severity === 'critical';

/** Writes `2m 05s`, or `>2m 05s` if the start was not seen; `undefined` if it is not known since when. */
const lastedText = (finding: Finding, endMs: number): string | undefined => {
  const fromMs = beginMs(finding);
  return fromMs === undefined
    ? undefined
    : `${finding.sinceMs === undefined ? '>' : ''}${durationText(Math.max(0, endMs - fromMs) / 1_000)}`;
};

/** Returns the end of a problem: with its worst moment, if that is not the one that its beginning told. */
function endText(logged: LoggedText, worst: Finding | undefined, lasted: string | undefined): string {
  if (worst === undefined || !isWorse(worst, logged.finding)) return logTexts.problemEnded(logged.text, lasted);
  const peak = loggedText(worst);
  if (peak.title === logged.title) return logTexts.problemEnded(logged.text, lasted);
  return namesMore(logged, peak)
    ? logTexts.problemEnded(logged.text, lasted, peak.title)
    : logTexts.worstProblemEnded(peak.text, lasted);
}

/** Limits entries of one kind at once; the log keeps 500. */
const maxLogged = 50;

/** What happened to problems, for the log and for whoever follows them. */
export interface LoggedProblems {
  readonly notes: readonly EventNote[];
  readonly news: readonly ProblemNews[];
}

/** Tells when a problem begins, becomes critical or a warning, is known to be of somebody, and ends. */
export type ProblemLog = (
  changes: readonly FindingChange[],
  found: ReadonlyMap<string, Finding>,
  nowMs: number,
  shown?: readonly Finding[],
  earlier?: EarlierRuns,
) => LoggedProblems;

/** A problem that is seen no more is unknown, unless it is seen again so soon. */
const unknownAfterMs = 10_000;
/** After a start, and after an outage of the API, everything is read in this time. */
const readAgainMs = 60_000;

/** Whether the API as a whole cannot be reached. */
const isOutage = (finding: Finding): boolean =>
  isProblem(finding, readings, 'read-failed') && finding.evidence.unreachable !== undefined;

const kindOf = ({ kind, finding, replaces }: FindingChange, outages: ReadonlySet<string>): EventKind => {
  if (kind === 'began' && isOutage(finding)) return 'api-lost';
  if (kind === 'ended' && outages.has(finding.key)) return 'api-back';
  if (kind === 'acknowledged') return finding.acknowledged === undefined ? 'unacknowledged' : 'acknowledged';
  if (kind === 'joined' || (kind === 'began' && replaces !== undefined)) return 'named';
  return kind === 'worsened' ? 'worse' : kind;
};

/** Returns the object of a problem, from where Enter leads and from its evidence. */
function factsOf(finding: Finding | undefined, kind: EventKind): EventFacts {
  if (finding === undefined) return { kind };
  const { check, code, key, jump, sinceMs, atMs } = finding;
  return {
    kind,
    check,
    code,
    problem: key,
    ...subjectOf(finding),
    jump,
    ...(atMs !== undefined && { isMoment: true as const }),
    ...(sinceMs === undefined && atMs === undefined && { isBeginUnknown: true as const }),
  };
}

/** Returns what is known of a problem of an earlier run that cannot be read. */
const unknownOf = ({ check, code, problem, node, clientId, topic, jump }: TimelineEvent): EventFacts => ({
  kind: 'unknown',
  check,
  code,
  problem,
  node,
  clientId,
  topic,
  jump,
});

/** Returns how many messages the session of a problem has lost since it was created. */
function lostIn({ evidence }: Finding): number | undefined {
  const { dropped } = evidence as { readonly dropped?: unknown };
  return typeof dropped === 'number' ? dropped : undefined;
}

/** The counts of lost messages of a session when its problem began, and in the last finding. */
interface LossCount {
  readonly begun: number;
  readonly last: number;
}

/** @returns `undefined` if nothing was lost, or if the counter fell: it began again, and what came before is not known. */
const lostSince = (count: LossCount | undefined, after: number | undefined): number | undefined =>
  count === undefined || after === undefined || after < count.last || after <= count.begun
    ? undefined
    : after - count.begun;

/** @param by who acknowledges problems from here */
export function createProblemLog(by?: string): ProblemLog {
  /**
   * Open problems with the texts that the log shows: one that ends may have changed, such as a client that has gone
   * offline.
   */
  const open = new Map<string, LoggedText>();
  /** Open problems as they were at their worst moments. */
  const worst = new Map<string, Finding>();
  /** Problems that cannot be read any more, by key. */
  const unknown = new Map<string, Finding>();
  /** Problems that were outages of the API when they began: one by one, the readings come back. */
  const outages = new Set<string>();
  let lostUntilMs = Number.NEGATIVE_INFINITY;
  const lossCounts = new Map<string, LossCount>();

  /** Problems of earlier runs of which an event says that they are unknown. */
  const doubted = new Set<string>();

  return (changes, found, nowMs, shown = [], earlier) => {
    const counts: Record<FindingChange['kind'], number> = {
      began: 0,
      worsened: 0,
      eased: 0,
      ended: 0,
      acknowledged: 0,
      joined: 0,
    };
    const notes: EventNote[] = [];
    const news: ProblemNews[] = [];
    const log = (
      severity: EventSeverity,
      text: string,
      atMs: number,
      about: EventFacts,
      sinceMs?: number,
      begun?: BegunProblem,
    ): void => {
      notes.push({ atMs, severity, text, about, ...(sinceMs !== undefined && { sinceMs }) });
      news.push({ text, begun });
    };
    for (const change of changes) {
      const { kind, finding, atMs, replaces } = change;
      const text = loggedText(finding);
      const logged = open.get(finding.key) ?? text;
      const peak = worst.get(finding.key);
      if (kind === 'ended') {
        open.delete(finding.key);
        worst.delete(finding.key);
      } else {
        open.set(finding.key, text);
      }
      for (const { key } of replaces ?? []) for (const known of [open, worst, unknown, lossCounts]) known.delete(key);
      const begun = begunProblem(change);
      // As alarms, which are logged as they are set and cleared. An event is over when it happens, and is shown for some minutes.
      const isSilent =
        (checkOf(finding.check).isLogged === true && kind !== 'acknowledged') ||
        (finding.atMs !== undefined && kind === 'ended');
      if (!isSilent) counts[kind] += 1;
      if (isSilent || counts[kind] > maxLogged) {
        if (begun !== undefined) news.push({ text: undefined, begun });
        continue;
      }
      const isLess = kind === 'eased' || kind === 'ended' || kind === 'acknowledged' || kind === 'joined';
      const severity = isLess ? 'info' : finding.severity;
      const lost = lostIn(finding);
      if (kind === 'began' && isOutage(finding)) outages.add(finding.key);
      if (kind === 'began' && lost !== undefined) lossCounts.set(finding.key, { begun: lost, last: lost });
      // An earlier run of the program has seen it begin.
      const isTakenOn = kind === 'began' && earlier?.isRecent === true && earlier.open.has(finding.key);
      const facts: EventFacts = {
        ...factsOf(finding, isTakenOn ? 'known' : kindOf(change, outages)),
        ...(replaces !== undefined && { replaces: replaces.map(({ key }) => key) }),
        ...(kind === 'ended' &&
          atMs !== undefined && {
            lastedMs: Math.max(0, atMs - (beginMs(finding) ?? atMs)),
            lost: lostSince(lossCounts.get(finding.key), lost),
          }),
        ...(kind === 'acknowledged' && by !== undefined && { action: { name: 'acknowledge', outcome: 'done', by } }),
      };
      if (kind === 'ended') {
        lossCounts.delete(finding.key);
        unknown.delete(finding.key);
        outages.delete(finding.key);
      }
      const entry = {
        began: isTakenOn
          ? logTexts.problemKnown(text.text)
          : replaces === undefined
            ? logTexts.problemBegan(text.text)
            : logTexts.problemNamed(text.text),
        joined: logTexts.problemNamed(text.text),
        worsened: logTexts.problemCritical(text.text),
        acknowledged: logTexts.problemAcknowledged(text.text, finding.acknowledged?.note),
        eased: logTexts.problemEased(text.text),
        ended: endText(logged, peak, atMs === undefined ? undefined : lastedText(finding, atMs)),
      }[kind];
      log(severity, entry, isTakenOn ? nowMs : (atMs ?? nowMs), facts, beginMs(finding), begun);
    }
    let updates = 0;
    for (const [key, before] of open) {
      const finding = found.get(key);
      const peak = worst.get(key);
      const counted = finding === undefined ? undefined : lostIn(finding);
      const count = lossCounts.get(key);
      if (counted !== undefined && count !== undefined && counted < count.last) lossCounts.delete(key);
      else if (counted !== undefined && count !== undefined) lossCounts.set(key, { ...count, last: counted });
      if (finding !== undefined && finding !== peak && (peak === undefined || isWorse(finding, peak)))
        worst.set(key, finding);
      const now = finding === undefined || before.named === 'title' ? before : loggedText(finding);
      if (!namesMore(now, before) || updates === maxLogged) continue;
      updates += 1;
      open.set(key, now);
      log('info', logTexts.problemNamed(now.text), nowMs, factsOf(finding ?? found.get(key), 'named'));
    }
    // That the API is lost says it for all of them, until they are read again.
    if (shown.some(isOutage)) lostUntilMs = nowMs;
    const isUnread = (seenMs: number): boolean =>
      nowMs - seenMs >= unknownAfterMs && nowMs - lostUntilMs >= readAgainMs;
    let doubts = 0;
    for (const finding of shown) {
      const { key, seenMs } = finding;
      const name = open.get(key)?.text;
      if (name === undefined || isOutage(finding) || checkOf(finding.check).isLogged === true) continue;
      if (seenMs === undefined && unknown.delete(key))
        log('info', logTexts.problemKnown(name), nowMs, factsOf(finding, 'known'), beginMs(finding));
      else if (seenMs !== undefined && !unknown.has(key) && isUnread(seenMs)) {
        unknown.set(key, finding);
        doubts += 1;
        if (doubts <= maxLogged)
          log('warning', logTexts.problemUnknown(name), seenMs, factsOf(finding, 'unknown'), beginMs(finding));
      }
    }
    if (earlier !== undefined && isUnread(earlier.readMs) && nowMs - earlier.readMs >= readAgainMs)
      for (const [key, event] of earlier.open) {
        if (doubted.has(key) || doubts > maxLogged) continue;
        doubted.add(key);
        doubts += 1;
        const { text, sinceMs } = event;
        const begunMs = sinceMs === undefined ? undefined : sinceMs - wallMs(0);
        log('warning', logTexts.problemUnknown(logTexts.titleIn(text)), earlier.lastMs, unknownOf(event), begunMs);
      }
    for (const kind of ['began', 'worsened', 'eased', 'ended', 'joined', 'acknowledged'] as const)
      if (counts[kind] > maxLogged)
        log(
          kind === 'began' || kind === 'worsened' ? 'warning' : 'info',
          logTexts.moreProblems[kind](counts[kind] - maxLogged),
          nowMs,
          { kind: kind === 'worsened' ? 'worse' : kind === 'joined' ? 'named' : kind },
        );
    return { notes, news };
  };
}
