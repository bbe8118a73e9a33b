import type { TextPart } from '../../../domain/text.ts';
import { formatAge, formatCount, formatDuration } from '../../../terminal/format.ts';
import { joinSafe, safe, type SafeText, trusted } from '../../../terminal/safe-text.ts';
import type { Theme } from '../../../terminal/theme.ts';
import type { CheckId, Finding } from '../../../triage/check.ts';
import type { TriageSummary } from '../../../triage/standing.ts';

/** A part of a sentence, escaped. */
export const partText = (theme: Theme, { text, isUntrusted: isFromBroker }: TextPart, width: number): SafeText =>
  // The program's own words need no escape, except for spaces at their ends.
  isFromBroker ? theme.escape(text, width) : joinSafe(text.split(' ').map((word) => (word === '' ? safe`` : theme.escape(word))), safe` `);

/** A sentence in one line. */
export const sentenceText = (theme: Theme, parts: readonly TextPart[], width = 60): SafeText => joinSafe(parts.map((part) => partText(theme, part, width)));

const leastShownSeconds = 1;

/**
 * How long a finding has lasted: `for 2m 05s`, `for >=2m 05s` where its start was not seen, and when it was last seen if
 * that is past (alone where room is short). For an event: how long ago it was.
 */
export const howLong = ({ atMs, sinceMs, foundMs, seenMs }: Pick<Finding, 'atMs' | 'sinceMs' | 'foundMs' | 'seenMs'>, nowMs: number, isShort = false): SafeText => {
  if (atMs !== undefined) return formatAge(Math.max(0, nowMs - atMs) / 1000);
  const fromMs = sinceMs ?? foundMs;
  const seconds = fromMs === undefined ? 0 : ((seenMs ?? nowMs) - fromMs) / 1000;
  const seen = seenMs === undefined ? [] : [safe`seen ${formatAge(Math.max(0, nowMs - seenMs) / 1000)}`];
  const lasted = fromMs === undefined ? []
    : seconds >= leastShownSeconds ? [safe`for ${sinceMs === undefined ? safe`>=` : safe``}${formatDuration(seconds)}`]
      : seenMs === undefined ? [safe`new`] : [];
  return joinSafe(isShort && seen.length > 0 ? seen : [...lasted, ...seen], safe`, `);
};

const checkNouns: Readonly<Record<CheckId, SafeText>> = {
  readings: safe`readings`, nodes: safe`nodes`, listeners: safe`listeners`, limits: safe`limits`, sudden: safe`sudden changes`, reconnects: safe`reconnects`, slow: safe`sessions`, alarms: safe`alarms`,
  dropped: safe`no subscriber`, fanOut: safe`fan-out`, spread: safe`spread`, versions: safe`versions`, plugins: safe`plugins`, settings: safe`settings`,
};

/** The checks without findings; "nothing wrong" only if all were checked. */
export const fineText = ({ total, fine }: TriageSummary): SafeText =>
  fine.length === total ? safe`nothing wrong: all ${total} checks fine` : safe`${fine.length} of ${total} checks fine: ${joinSafe(fine.map((check) => checkNouns[check]), safe`, `)}`;

/** The checks not made or made long ago; may be empty. `unreadHow`: how to read the lists that only triage reads. */
export const unjudgedText = (theme: Theme, { unread, past, doubts }: TriageSummary, nowMs: number, unreadHow = safe`not read: T`): SafeText => {
  const reasons = [
    ...(unread.length === 0 ? [] : [safe`${joinSafe(unread.map((noun) => trusted(noun)), safe`, `)} ${unreadHow}`]),
    ...doubts.map((parts) => sentenceText(theme, parts)),
  ];
  const oldestMs = Math.min(...past.map(({ atMs }) => atMs));
  return joinSafe([
    ...(reasons.length === 0 ? [] : [safe`not judged: ${joinSafe(reasons, safe`; `)}`]),
    ...(past.length === 0 ? [] : [safe`fine ${formatAge(Math.max(0, nowMs - oldestMs) / 1000)}, not read since: ${joinSafe(past.map(({ noun }) => trusted(noun)), safe`, `)} (T)`]),
  ], safe`; `);
};

/** The number of findings; a line may stand for several. */
export const countOf = (findings: readonly Pick<Finding, 'count'>[]): number => findings.reduce((sum, { count = 1 }) => sum + count, 0);

/** Counts by severity. */
export const countText = (findings: readonly Pick<Finding, 'severity' | 'count'>[]): SafeText => {
  const errors = countOf(findings.filter(({ severity }) => severity === 'error'));
  const warnings = countOf(findings) - errors;
  return joinSafe([
    ...(errors > 0 ? [safe`${formatCount(errors)} ${errors === 1 ? safe`error` : safe`errors`}`] : []),
    ...(warnings > 0 ? [safe`${formatCount(warnings)} ${warnings === 1 ? safe`warning` : safe`warnings`}`] : []),
  ], safe`, `);
};
