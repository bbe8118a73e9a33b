import type { MetricName } from '../../domain/metrics.ts';
import { selectNodeCounts } from '../../resources/nodes/select.ts';
import { selectRate } from '../../resources/metrics/rates.ts';
import { selectTotals, type Total } from '../../resources/statistics/select.ts';
import { escapeText } from '../../terminal/safe-text.ts';
import { isOutOfReach, problemParts, problemText, uncheckedText } from '../../checks/words.ts';
import type { Finding } from '../../triage/problem.ts';
import { summarizeTriage } from '../../triage/triage.ts';
import type { Severity } from '../../triage/thresholds.ts';
import { plainText, withoutFullStop } from '../../domain/sentence.ts';
import { hasAnything, type OnceReading, unreadLists } from '../once/once.ts';
import { partName } from '../once/text.tsx';
import { checkCommandTexts, withoutStop } from '../texts.ts';

/** Checks whose problems have another severity than in Triage. */
export interface CheckSeverities {
  /** Checks whose problems are at most a warning. */
  readonly warn: readonly string[];
  /** Checks whose problems are critical; stronger than `warn`. */
  readonly crit: readonly string[];
}

/** An address that was given up, or skipped. */
export interface AddressNote {
  readonly text: string;
  /** The certificate of the address was refused, or it is another machine without TLS. That is a warning. */
  readonly isUntrusted: boolean;
}

/** Exit codes of a monitoring plugin. */
export const checkCodes = { OK: 0, WARNING: 1, CRITICAL: 2, UNKNOWN: 3 } as const;
export type CheckStatus = keyof typeof checkCodes;

export interface CheckOutcome {
  readonly status: CheckStatus;
  /** Ends with a line feed. */
  readonly text: string;
}

/** Escapes a text of the broker, which may not end the line or begin the performance data. */
const plain = (text: string): string => escapeText(text).replaceAll('|', String.raw`\x7c`);

const lineOf = (status: CheckStatus, text: string, data = ''): string =>
  `BROKERTOP ${status} - ${plain(text)}${data === '' ? '' : ` | ${data}`}\n`;

/** Returns the outcome when nothing is known, with the reason. */
export const unknownOutcome = (reason: string): CheckOutcome => ({
  status: 'UNKNOWN',
  text: lineOf(
    'UNKNOWN',
    reason
      .split('\n')
      .map((line) => line.trim())
      .join(' '),
  ),
});

/** Returns what a monitoring plugin prints: the worst problem with performance data, the others on lines below. */
export function checkOutcome(
  reading: OnceReading,
  severities: CheckSeverities,
  addresses: readonly AddressNote[] = [],
): CheckOutcome {
  const { report, errors, takenAtMs } = reading;
  const [failure] = errors;
  if (failure !== undefined && !hasAnything(reading)) return unknownOutcome(withoutStop(failure.message));
  const found = report.problems
    .map((finding) => ({ finding, severity: severityOf(finding, severities) }))
    .toSorted((a, b) => Number(b.severity === 'critical') - Number(a.severity === 'critical'));
  const unread = [...new Set(errors.map(({ message }) => message))].map((message) =>
    checkCommandTexts.notRead(
      errors.filter((error) => error.message === message).map(({ part }) => partName(part)),
      message,
    ),
  );
  const tooLong = unreadLists(reading, summarizeTriage(report, takenAtMs).unread).map(
    ({ nouns, why }) => `${nouns.join(', ')} ${why}`,
  );
  const [worst] = found;
  const untrusted = addresses.filter(({ isUntrusted }) => isUntrusted).map(({ text }) => withoutStop(text));
  const others = addresses.filter(({ isUntrusted }) => !isUntrusted).map(({ text }) => text);
  const [firstUnread] = unread;
  const counts: Readonly<Record<Severity, number>> = {
    critical: found.filter(({ severity }) => severity === 'critical').length,
    warning: found.filter(({ severity }) => severity === 'warning').length + untrusted.length,
  };
  const data = performanceData(reading, counts);
  // What no further reading will show.
  const unseen = report.results.flatMap(({ unchecked }) => unchecked).filter(isOutOfReach);
  const notes = [...unread, ...tooLong, ...unseen.map((reason) => plainText(uncheckedText(reason))), ...others];
  const warnings = untrusted.map((text) => `warning: ${text}`);
  const [firstUntrusted] = untrusted;
  if (worst === undefined) {
    if (firstUntrusted !== undefined)
      return { status: 'WARNING', text: lineOf('WARNING', firstUntrusted, data) + longOutput([...warnings, ...notes]) };
    const status = firstUnread === undefined ? 'OK' : 'UNKNOWN';
    const below = status === 'UNKNOWN' ? notes.slice(1) : notes;
    return { status, text: lineOf(status, firstUnread ?? checkCommandTexts.noProblems, data) + longOutput(below) };
  }
  const status = worst.severity === 'critical' ? 'CRITICAL' : 'WARNING';
  const problemCount = counts.critical + counts.warning;
  const title = plainText(withoutFullStop(problemParts(worst.finding).title));
  return {
    status,
    text:
      lineOf(status, problemCount === 1 ? title : checkCommandTexts.andMore(title, problemCount), data) +
      longOutput([
        ...found.map(({ finding, severity }) => `${severity}: ${plainText(problemText(finding))}`),
        ...warnings,
        ...notes,
      ]),
  };
}

const longOutput = (lines: readonly string[]): string => lines.map((line) => `${plain(line)}\n`).join('');

function severityOf({ check, severity }: Finding, { warn, crit }: CheckSeverities): Severity {
  if (crit.includes(check)) return 'critical';
  return warn.includes(check) ? 'warning' : severity;
}

function performanceData(
  { state, queueDropsPerSecond }: OnceReading,
  { critical, warning }: Readonly<Record<Severity, number>>,
): string {
  const { clients, sessions } = selectTotals(state);
  const nodes = selectNodeCounts(state);
  const total = ({ value, missingNodes }: Total): number | undefined => (missingNodes.length === 0 ? value : undefined);
  const rate = (name: MetricName): number | undefined => selectRate(state, name);
  return [
    `clients=${figure(total(clients))};;;0`,
    `sessions=${figure(total(sessions))};;;0`,
    `messages_in=${figure(rate('messages.received'))}`,
    `messages_out=${figure(rate('messages.sent'))}`,
    `queue_drops=${figure(queueDropsPerSecond)}`,
    `nodes_running=${figure(nodes?.running)};;;0;${nodes?.total ?? ''}`,
    `critical=${critical}`,
    `warning=${warning}`,
  ].join(' ');
}

/** Writes a value of the performance data; `U` is one that could not be read. */
const figure = (value: number | undefined): string => (value === undefined ? 'U' : String(Math.round(value * 10) / 10));
