import type { AuditLog } from './audit.ts';
import type { Clock } from '../monitor/clock.ts';

/** Longest that is waited for an entry to be on disk. */
export const auditDeadlineMs = 5_000;

/** An audit that is not waited for without end: a disk that hangs refuses actions, and keeps nothing from ending. */
export function boundAudit(audit: AuditLog, clock: Clock): AuditLog {
  return {
    write(entry) {
      return new Promise((resolve, reject) => {
        const cancel = clock.setTimer(auditDeadlineMs, () => { reject(new Error(`The audit did not take it within ${auditDeadlineMs / 1_000} s.`)); });
        audit.write(entry).then(resolve, reject).finally(cancel);
      });
    },
  };
}
