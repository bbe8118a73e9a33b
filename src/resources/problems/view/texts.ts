import { checkOf, isNote, isOutOfReach, uncheckedText } from '../../../checks/words.ts';
import { beginMs, type Finding } from '../../../triage/problem.ts';
import type { Reason } from '../../../triage/reasons.ts';
import type { TriageSummary } from '../../../triage/triage.ts';
import { type Sentence, withShortNames } from '../../../domain/sentence.ts';
import { literal } from '../../../domain/text.ts';
import { formatAge, formatCount, formatDuration } from '../../../terminal/format.ts';
import { glyphs } from '../../../terminal/glyphs.ts';
import type { Span } from '../../../terminal/line.ts';
import { joinSafe, safe, type SafeText, trusted } from '../../../terminal/safe-text.ts';
import { sentenceText } from '../../../terminal/sentence-text.ts';
import { widestFitting } from '../../../terminal/text-width.ts';
import type { Role, Theme } from '../../../terminal/theme.ts';
import type { Severity } from '../../../triage/thresholds.ts';
import type { PendingCheck } from '../../../triage/view.ts';

/** Texts of the Overview's problems, of Triage and of `--once`. */
export const triageTexts = {
  problems: safe`Problems`,
  triage: safe`Triage`,
  severity: { critical: safe`critical`, warning: safe`warning` },
  /** The words that lines of the screens begin with. */
  severityWords: { critical: safe`CRITICAL`, warning: safe`WARNING` },
  /** Stands behind the title of a problem. */
  isAcknowledged: ' (acknowledged)',
  /** Labels when a problem was acknowledged, and the note. */
  acknowledged: safe`acked`,
  /** @param isHere whether `z` works here */
  acknowledgedFor: (ageSeconds: number, note: SafeText, isHere: boolean) =>
    safe`${formatAge(ageSeconds)}${isHere ? safe` (z: undo)` : safe``}${note === '' ? safe`` : safe`: ${note}`}`,
  ok: safe`ok`,
  /** Marks a check that this broker's API cannot feed. */
  absent: safe`not available`,
  absentShort: safe`n/a`,
  /** Says how to read lists that only Triage reads. */
  unreadHow: safe`(press T)`,
  notRead: safe`(not read)`,
  unreadQuick: safe`(not read with --quick)`,
  overOnceLimit: (maxRows: number) => safe`(more than the ${formatCount(maxRows)} rows that --once reads)`,
  /** Says that there are so many sessions that only Triage reads them. */
  tooManySessions: (count: number | undefined) => safe`sessions (${formatCount(count)}; press T)`,
  unreadByOnce: safe`(not read by --once)`,
  more: (count: number) => safe`+${formatCount(count)} more`,
  moreAnd: (unchecked: SafeText) => safe`; ${unchecked}`,
  allOk: (checks: number) => safe`no problems: all ${formatCount(checks)} checks passed`,
  /** Shown while checks are missing that need no key. */
  nothingSoFar: safe`no problems so far`,
  /** Shown where no check was made. */
  unknown: safe`problems unknown`,
  /** Labels the checks that passed, while others are missing. */
  soFar: safe`so far`,
  noneSoFar: (done: number, total: number) => safe`no problems in ${formatCount(done)} of ${formatCount(total)} checks`,
  /** Marks a check that will be made without a key. */
  pending: safe`pending`,
  notChecked: safe`not checked`,
  /** Marks what is not checked, or not exactly. */
  note: safe`note`,
  passed: (passed: number, total: number) => safe`${passed} of ${total} checks passed`,
  soon: safe`a few seconds`,
  readyIn: (time: SafeText) => safe`in ${time}`,
  /** @param checks without those that are absent; `partly`: checks with findings that are incomplete as well */
  results: (
    checks: number,
    counts: {
      readonly found: number;
      readonly partly: number;
      readonly ok: number;
      readonly pending?: number;
      readonly unchecked: number;
      /** Checks that this broker's API cannot feed. */ readonly absent?: number;
    },
  ) =>
    safe`; ${formatCount(checks)} checks: ${joinSafe(
      [
        ...(counts.found === 0
          ? []
          : [
              safe`${formatCount(counts.found)} with problems${counts.partly === 0 ? safe`` : safe` (${formatCount(counts.partly)} incomplete)`}`,
            ]),
        safe`${formatCount(counts.ok)} passed`,
        ...(counts.pending === undefined || counts.pending === 0
          ? []
          : [safe`${formatCount(counts.pending)} ${safe`pending`}`]),
        ...(counts.unchecked === 0 ? [] : [safe`${formatCount(counts.unchecked)} not checked`]),
      ],
      safe`, `,
    )}${counts.absent === undefined || counts.absent === 0 ? safe`` : safe`; ${formatCount(counts.absent)} not available on this broker`}`,
  next: safe`Next`,
  /** Stands right of the title of Overview's problems. */
  checksNote: (checks: number) => safe`${formatCount(checks)} checks (T)`,
  /** `part`: if not all nodes were. */
  sessionsRead: (ageSeconds: number, part?: { readonly nodes: number; readonly total: number }) =>
    part === undefined
      ? safe`sessions read ${formatAge(ageSeconds)}`
      : safe`sessions of ${formatCount(part.nodes)} of ${formatCount(part.total)} nodes read ${formatAge(ageSeconds)}`,
  readingSessions: (read: number, expected: number | undefined) =>
    expected === undefined
      ? safe`scanning sessions: ${formatCount(read)}`
      : safe`scanning sessions: ${formatCount(read)} of ${formatCount(expected)}`,
  openHint: safe`Enter opens a problem`,
} as const;

export const severityRoles = { critical: 'error', warning: 'warning' } as const satisfies Record<Severity, Role>;

/** Returns what the line of a problem begins with. */
export const severitySpan = ({ severity, acknowledged }: Pick<Finding, 'severity' | 'acknowledged'>): Span =>
  acknowledged === undefined
    ? { text: triageTexts.severityWords[severity], role: severityRoles[severity] }
    : { text: triageTexts.severity[severity], role: 'dim' };

/** Returns the title of a problem, with a mark if it is acknowledged. */
export const markedTitle = (title: Sentence, { acknowledged }: Pick<Finding, 'acknowledged'>): Sentence =>
  acknowledged === undefined ? title : [...title, literal(triageTexts.isAcknowledged)];

const minShownSeconds = 1;

/** Writes `2m 05s`, or `>2m 05s` if the start was not seen; `undefined` if it is not known since when. */
export const lastedText = (
  finding: Pick<Finding, 'atMs' | 'sinceMs' | 'foundMs'>,
  endMs: number,
): SafeText | undefined => {
  const fromMs = beginMs(finding);
  if (fromMs === undefined) return undefined;
  return safe`${finding.sinceMs === undefined ? safe`>` : safe``}${formatDuration(Math.max(0, endMs - fromMs) / 1000)}`;
};

/** Says how long a problem has lasted; with `seen 12 s ago` if it is not current. For an event: its age. */
export const howLong = (
  finding: Pick<Finding, 'atMs' | 'sinceMs' | 'foundMs' | 'seenMs'>,
  nowMs: number,
  isShort = false,
): SafeText => {
  const { atMs, seenMs } = finding;
  if (atMs !== undefined) return formatAge(Math.max(0, nowMs - atMs) / 1000);
  const endMs = seenMs ?? nowMs;
  const lasted = lastedText(finding, endMs);
  const seconds = (endMs - (beginMs(finding) ?? endMs)) / 1000;
  const seenSeconds = seenMs === undefined ? undefined : Math.max(0, nowMs - seenMs) / 1000;
  if (isShort && seenSeconds !== undefined) return safe`${formatDuration(seenSeconds)} old`;
  return joinSafe(
    [
      ...(lasted === undefined
        ? []
        : seconds >= minShownSeconds
          ? [lasted]
          : seenSeconds === undefined
            ? [safe`new`]
            : []),
      ...(seenSeconds === undefined ? [] : [safe`seen ${formatAge(seenSeconds)}`]),
    ],
    safe`, `,
  );
};

export const nounsOf = (checks: readonly string[]): SafeText =>
  joinSafe(
    checks.map((check) => trusted(checkOf(check).noun)),
    safe`, `,
  );

/** Writes `9 of 13 checks passed: nodes, listeners, …`: whole nouns, as many as fit. */
const withNouns = (lead: SafeText, checks: readonly string[], width: number): SafeText => {
  const cut = checks.map(
    (_, dropped) =>
      safe`${lead}: ${nounsOf(checks.slice(0, checks.length - dropped))}${dropped === 0 ? safe`` : safe`, ${glyphs.ellipsis}`}`,
  );
  return widestFitting(cut, width) ?? lead;
};

export const okText = ({ total, ok }: Pick<TriageSummary, 'total' | 'ok'>): SafeText =>
  ok.length === total ? triageTexts.allOk(total) : safe`${triageTexts.passed(ok.length, total)}: ${nounsOf(ok)}`;

/** Writes `9 of 13: nodes, listeners, …`, beside problems. */
export const shortOkText = ({ total, ok }: Pick<TriageSummary, 'total' | 'ok'>, width: number): SafeText =>
  withNouns(safe`${ok.length} of ${total}`, ok, width);

/** Says that there are no problems, as far as is known yet. */
export const noProblemsText = (
  { total, ok, pending }: Pick<TriageSummary, 'total' | 'ok' | 'pending'>,
  width: number,
): SafeText => {
  if (pending.length > 0) return withNouns(triageTexts.noneSoFar(ok.length, total), ok, width);
  return ok.length === total ? triageTexts.allOk(total) : withNouns(triageTexts.passed(ok.length, total), ok, width);
};

const waitRank = ({ wait }: PendingCheck): number => (wait === undefined ? 0 : wait === 'soon' ? 1 : 1 + wait);

/**
 * Lists the checks that are being made, the soonest first: `sessions · unrouted, fan-out (in a few seconds) · sudden
 * changes (in 52 s)`.
 */
export const pendingText = (pending: readonly PendingCheck[]): SafeText =>
  joinSafe(
    [
      ...Map.groupBy(
        pending.toSorted((a, b) => waitRank(a) - waitRank(b)),
        ({ wait }) => wait,
      ),
    ].map(([wait, checks]) => {
      const nouns = nounsOf(checks.map(({ check }) => check));
      return wait === undefined
        ? nouns
        : safe`${nouns} (${triageTexts.readyIn(wait === 'soon' ? triageTexts.soon : formatDuration(wait))})`;
    }),
    safe` · `,
  );

/** Whether nothing is missing, and checks are only less exact. */
export const hasOnlyNotes = ({
  unread,
  past,
  unchecked,
}: Pick<TriageSummary, 'unread' | 'past' | 'unchecked'>): boolean =>
  unread.length === 0 && past.length === 0 && unchecked.every(isNote);

/** Lists the checks not made, or made long ago; may be empty. */
export const uncheckedSummary = (
  theme: Theme,
  { unread, past, unchecked }: Pick<TriageSummary, 'unread' | 'past' | 'unchecked'>,
  nowMs: number,
  {
    unreadTexts,
    tooManySessions,
    nodes,
  }: {
    readonly unreadTexts?: readonly SafeText[];
    readonly tooManySessions?: number | undefined;
    /** Their short names. */ readonly nodes?: ReadonlyMap<string, string> | undefined;
  } = {},
): SafeText => {
  const textOf = (reason: Reason): SafeText => sentenceText(theme, withShortNames(uncheckedText(reason), nodes));
  const isTooMany = (noun: string): boolean => noun === 'sessions' && tooManySessions !== undefined;
  const others = unread.filter((noun) => !isTooMany(noun));
  const reasons = [
    ...(others.length < unread.length ? [triageTexts.tooManySessions(tooManySessions)] : []),
    ...(unreadTexts ??
      (others.length === 0
        ? []
        : [
            safe`${joinSafe(
              others.map((noun) => trusted(noun)),
              safe`, `,
            )} ${triageTexts.unreadHow}`,
          ])),
    ...unchecked.filter((reason) => !isNote(reason)).map(textOf),
  ];
  const mayBeRead = unreadTexts === undefined && (unread.length > 0 || !unchecked.every(isOutOfReach));
  const oldestMs = Math.min(...past.map(({ atMs }) => atMs));
  return joinSafe(
    [
      ...(reasons.length === 0
        ? []
        : [safe`not checked${mayBeRead ? safe` yet` : safe``}: ${joinSafe(reasons, safe`; `)}`]),
      ...(past.length === 0
        ? []
        : [
            safe`${joinSafe(
              past.map(({ noun }) => trusted(noun)),
              safe`, `,
            )}: ok ${formatAge(Math.max(0, nowMs - oldestMs) / 1000)}, not checked since (press T)`,
          ]),
      ...unchecked.filter(isNote).map(textOf),
    ],
    safe`; `,
  );
};

type Counted = Pick<Finding, 'severity' | 'acknowledged' | 'members'>;

/** Counts problems, also where a row stands for several. Acknowledged ones are counted apart. */
export const severityCounts = (findings: readonly Counted[]): Readonly<Record<Severity | 'acknowledged', number>> => {
  const counts = { critical: 0, warning: 0, acknowledged: 0 };
  for (const { severity, acknowledged, members } of findings)
    counts[acknowledged === undefined ? severity : 'acknowledged'] += members?.length ?? 1;
  return counts;
};

/** Counts problems: `1 more critical, 2 warnings`. @param areMore besides those that are listed */
export const countText = (findings: readonly Counted[], areMore = false): SafeText => {
  const { critical, warning: warnings, acknowledged } = severityCounts(findings);
  const counts = [
    [critical, safe`critical`],
    [warnings, warnings === 1 ? safe`warning` : safe`warnings`],
    [acknowledged, safe`acknowledged`],
  ] as const;
  return joinSafe(
    counts
      .filter(([count]) => count > 0)
      .map(([count, noun], at) => safe`${formatCount(count)} ${areMore && at === 0 ? safe`more ` : safe``}${noun}`),
    safe`, `,
  );
};

export const acknowledgeTexts = {
  title: safe`Acknowledge this problem?`,
  verb: safe`acknowledge`,
  note: safe`Note`,
  help: safe`optional: the reason, or who is working on it. The problem moves to the end of the list until it ends.`,
  acknowledged: (note: SafeText) => (note === '' ? safe`Acknowledged` : safe`Acknowledged: ${note}`),
  takenBack: safe`No longer acknowledged`,
  /** The menu of a problem that is not about a single client, and its choices. */
  menu: safe`Actions for this problem`,
  open: safe`Open`,
  acknowledge: safe`Acknowledge`,
  undo: safe`Undo acknowledgement`,
};

/** The words of a screen reader for a problem. */
export const problemSpeechTexts = {
  next: (step: SafeText) => safe`Next: ${step}`,
  problem: (severity: SafeText, title: SafeText) => safe`${severity}: ${title}`,
  acknowledged: (title: SafeText) => safe`Acknowledged: ${title}`,
};
