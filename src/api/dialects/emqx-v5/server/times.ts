import type { BrokerSeconds } from '../../../../domain/node.ts';
import { invalid } from './answer.ts';

/** The zone of this machine: broker seconds are its wall clock read as UTC. */
const offsetMs = (epochMs: number): number => new Date(epochMs).getTimezoneOffset() * 60_000;

export function epochMsOf(seconds: BrokerSeconds): number {
  const wallMs = Math.round(seconds * 1000);
  return wallMs + offsetMs(wallMs + offsetMs(wallMs));
}

function timeText(seconds: BrokerSeconds, digits: number): string {
  const minutes = -offsetMs(epochMsOf(seconds)) / 60_000;
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
  return (epochMs - offsetMs(epochMs)) / 1000;
}

export const nowSeconds = (): BrokerSeconds => {
  const now = Date.now();
  return (now - offsetMs(now)) / 1000;
};
