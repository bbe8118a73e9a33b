import { type MonitorSession, openApi } from '../commands/monitor-session.ts';
import { maxOnceRows } from '../once/lists.ts';
import { readCluster } from '../once/once.ts';
import { checkCodes, checkOutcome, type CheckSeverities, unknownOutcome } from './check.ts';

export interface CheckOptions {
  readonly rateSeconds?: number | undefined;
  readonly deadlineMs?: number | undefined;
}

/** Makes the checks of Triage once, as `--once` does, and prints them as a monitoring plugin. @returns its exit code */
export async function runCheck(session: MonitorSession, severities: CheckSeverities, stdout: NodeJS.WritableStream, { rateSeconds = 1, deadlineMs = 10_000 }: CheckOptions = {}): Promise<number> {
  const api = openApi(session);
  try {
    const { text, status } = checkOutcome(await readCluster(api, { rateSeconds, deadlineMs, maxRows: Math.min(maxOnceRows, session.maxRows ?? maxOnceRows) }), severities);
    stdout.write(text);
    return checkCodes[status];
  } finally {
    await api.close();
  }
}

/** For failures before the checks. @returns the exit code */
export function printUnknown(reason: string, stdout: NodeJS.WritableStream): number {
  stdout.write(unknownOutcome(reason).text);
  return checkCodes.UNKNOWN;
}
