import { BrokerError } from '../api/errors.ts';
import { type Clock, wallMs } from '../monitor/clock.ts';
import type { ActionResult, Outcome, EndReason, ShownValues } from './action.ts';
import type { BulkProgress } from './bulk.ts';
import { auditTexts } from './texts.ts';

export interface AuditOrigin {
  readonly operator: string;
  /** The URL of the management API; a name and password in it are left out. */
  readonly url: string;
  readonly brokerUser: string | undefined;
}

export interface AuditSubject {
  readonly id: string;
  /** Steady time; a line has the time of day. */
  readonly atMs: number;
  readonly action: string;
  readonly url?: string | undefined;
  readonly target: ShownValues;
  readonly before: ShownValues | undefined;
  readonly after: ShownValues | undefined;
  readonly bulkId: string | undefined;
}

interface AuditBulk {
  readonly bulkId: string;
  readonly atMs: number;
  readonly title: string;
}

/** An entry of the audit. It cannot hold a `Secret`. */
export type AuditEntry =
  | (AuditSubject & { readonly kind: 'intent' })
  | (AuditSubject & { readonly kind: 'outcome'; readonly result: ActionResult })
  | (AuditSubject & { readonly kind: 'follow-up'; readonly text: string })
  /** Records the acknowledgement of a problem by its key; `note` is `undefined` when it is no longer acknowledged. */
  | { readonly kind: 'acknowledge'; readonly atMs: number; readonly problem: string; readonly note: string | undefined }
  | (AuditBulk & { readonly kind: 'bulk-begin'; readonly chosen: number; readonly perSecond: number })
  | (AuditBulk & { readonly kind: 'bulk-end'; readonly progress: BulkProgress });

export interface AuditLog {
  /** Resolves when the entry is on disk; rejects with a one-sentence message. */
  write(entry: AuditEntry): Promise<void>;
}

const maxValueLength = 70_000;
const maxMessageLength = 2_000;
/** Matches by code unit, without the flag `u`: JSON writes a surrogate pair as two escapes. */
const beyondAscii = /[\u007F-\uFFFF]/g;

/**
 * Writes one line of ASCII JSON with its newline, so that broker text can neither forge a line nor reach a terminal.
 */
export function formatAuditLine(origin: AuditOrigin, entry: AuditEntry): string {
  const line = {
    time: new Date(wallMs(entry.atMs)).toISOString(),
    kind: entry.kind,
    ...('id' in entry && { id: entry.id }),
    ...('bulkId' in entry && entry.bulkId !== undefined && { bulk: entry.bulkId }),
    operator: origin.operator,
    url: withoutCredentials(('id' in entry ? entry.url : undefined) ?? origin.url),
    brokerUser: origin.brokerUser ?? null,
    ...('id' in entry
      ? describeAction(entry)
      : entry.kind === 'acknowledge'
        ? {
            problem: cut(entry.problem, maxMessageLength),
            note: entry.note === undefined ? null : cut(entry.note, maxMessageLength),
          }
        : describeBulk(entry)),
  };
  return `${toAscii(JSON.stringify(line))}\n`;
}

function describeAction(entry: Extract<AuditEntry, AuditSubject>): object {
  return {
    action: entry.action,
    target: writable(entry.target),
    before: writable(entry.before),
    after: writable(entry.after),
    ...(entry.kind === 'outcome' && describeResult(entry.result)),
    ...(entry.kind === 'follow-up' && { text: cut(entry.text, maxMessageLength) }),
  };
}

function describeBulk(entry: Extract<AuditEntry, AuditBulk>): object {
  const title = cut(entry.title, maxMessageLength);
  if (entry.kind === 'bulk-begin') return { title, chosen: entry.chosen, perSecond: entry.perSecond };
  const { total, done, notDone, unknown, skipped, skips, endedBecause } = entry.progress;
  return {
    title,
    chosen: total,
    done,
    notDone,
    unknown,
    skipped,
    ...skips,
    aborted: endedBecause !== undefined,
    why: endedBecause ?? null,
  };
}

interface WrittenResult {
  readonly outcome: Outcome;
  readonly reason: EndReason;
  readonly sent: boolean;
  readonly answer: {
    readonly kind: string;
    readonly code: number | string | null;
    readonly message: string | null;
  } | null;
  readonly why: string | null;
  readonly nodes: Readonly<Record<string, Outcome | 'unchanged'>>;
}

function describeResult({ outcome, reason, wasSent, isAccepted, error, why, parts }: ActionResult): WrittenResult {
  const brokerError = error instanceof BrokerError ? error : undefined;
  return {
    outcome,
    reason,
    sent: wasSent,
    answer: isAccepted
      ? { kind: 'accepted', code: 0, message: null }
      : error === undefined
        ? null
        : {
            kind: brokerError === undefined ? error.kind : 'broker',
            code: brokerError?.code ?? null,
            message: cut(brokerError?.brokerMessage ?? error.message, maxMessageLength),
          },
    why: why === undefined ? null : cut(why, maxMessageLength),
    nodes: Object.fromEntries(
      parts.flatMap(({ node, outcome: onNode, wasAlready }) =>
        node === undefined ? [] : [[node, wasAlready === true ? 'unchanged' : onNode]],
      ),
    ),
  };
}

function writable(values: ShownValues | undefined): Readonly<Record<string, string | number | boolean | null>> | null {
  if (values === undefined) return null;
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => [
      key,
      typeof value === 'string' ? cut(value, maxValueLength) : (value ?? null),
    ]),
  );
}

function cut(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest)} ${auditTexts.cut(text.length)}`;
}

function toAscii(json: string): string {
  return json.replaceAll(beyondAscii, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function withoutCredentials(url: string): string {
  if (!URL.canParse(url)) return auditTexts.noUrl;
  const parsed = new URL(url);
  parsed.username = '';
  parsed.password = '';
  parsed.search = '';
  parsed.hash = '';
  return parsed.href;
}

export const auditDeadlineMs = 5_000;

/** Limits the time of each write: a hanging disk makes actions fail, and never blocks the program's end. */
export function withAuditDeadline(audit: AuditLog, clock: Clock): AuditLog {
  return {
    write(entry) {
      return new Promise((resolve, reject) => {
        const cancel = clock.setTimer(auditDeadlineMs, () => {
          reject(new Error(auditTexts.tooSlow(auditDeadlineMs / 1_000)));
        });
        audit.write(entry).then(resolve, reject).finally(cancel);
      });
    },
  };
}
