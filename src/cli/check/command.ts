import { type ApiError, InsecureHttpError, TlsError } from '../../api/errors.ts';
import { journalTexts } from '../../monitor/texts.ts';
import { type MonitorSession, openApi } from '../commands/monitor-session.ts';
import { maxOnceRows } from '../once/once.ts';
import { readCluster } from '../once/once.ts';
import { onceErrorTexts } from '../texts.ts';
import { type AddressNote, checkCodes, checkOutcome, type CheckSeverities, unknownOutcome } from './check.ts';

export interface CheckOptions {
  readonly rateSeconds?: number | undefined;
  readonly deadlineMs?: number | undefined;
}

/** Makes the checks of Triage once, as `--once` does, and prints them as a monitoring plugin. @returns its exit code */
export async function runCheck(
  session: MonitorSession,
  severities: CheckSeverities,
  stdout: NodeJS.WritableStream,
  { rateSeconds = 1, deadlineMs = 10_000 }: CheckOptions = {},
): Promise<number> {
  const api = openApi(session);
  const addresses: AddressNote[] = [];
  api.onServingChange(({ url, insteadOf, because }) => {
    addresses.push({
      text: onceErrorTexts.failover(url, insteadOf, because.message),
      isUntrusted: isUntrusted(because),
    });
  });
  api.onAddressSkipped(({ url, because }) => {
    addresses.push({
      text: journalTexts.skippedAddress({ url, message: because.message }),
      isUntrusted: isUntrusted(because),
    });
  });
  try {
    const { text, status } = checkOutcome(
      await readCluster(api, {
        rateSeconds,
        deadlineMs,
        whyLost: api.whyLost,
        maxRows: Math.min(maxOnceRows, session.maxRows ?? maxOnceRows),
      }),
      severities,
      addresses,
    );
    stdout.write(text);
    return checkCodes[status];
  } finally {
    await api.close();
  }
}

/** Whether somebody may be in between, so that it is more than an address that is down. */
const isUntrusted = (error: ApiError): boolean => error instanceof TlsError || error instanceof InsecureHttpError;

/** Prints why nothing is known, for failures before the checks. @returns the exit code */
export function printUnknown(reason: string, stdout: NodeJS.WritableStream): number {
  stdout.write(unknownOutcome(reason).text);
  return checkCodes.UNKNOWN;
}
