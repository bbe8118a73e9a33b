import type { BrokerSeconds } from '../../../../domain/node.ts';
import { epochMsOf, secondsOfEpoch, zoneOffsetMs } from '../../../server/epoch.ts';
import { invalid } from './answer.ts';

function timeText(seconds: BrokerSeconds, digits: number): string {
  const minutes = -zoneOffsetMs(epochMsOf(seconds)) / 60_000;
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  const zone = `${minutes < 0 ? '-' : '+'}${String(hours).padStart(2, '0')}:${String(rest).padStart(2, '0')}`;
  return new Date(Math.round(seconds * 1000)).toISOString().slice(0, digits) + zone;
}

/** Writes RFC 3339 with milliseconds, in the zone of the server. */
export const exactTime = (seconds: BrokerSeconds): string => timeText(seconds, 23);
/** Writes RFC 3339 without milliseconds, in the zone of the server. */
export const plainTime = (seconds: BrokerSeconds): string => timeText(seconds, 19);

/** Reads RFC 3339 or epoch milliseconds. @throws RefusalError */
export function readTime(value: unknown, path: string): BrokerSeconds {
  const epochMs =
    typeof value === 'number'
      ? value
      : typeof value !== 'string'
        ? Number.NaN
        : /^\d{1,15}$/u.test(value)
          ? Number(value)
          : Date.parse(value);
  if (!Number.isFinite(epochMs) || Math.abs(epochMs) > 8.64e15) throw invalid(path, 'invalid time', value);
  return secondsOfEpoch(epochMs);
}
