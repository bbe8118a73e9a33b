import type { BrokerSeconds } from '../../../../domain/node.ts';

const kibibyte = 1024;

/** Bytes as the wire writes memory (§2.3): `48.77M`, `1.20G`, `0.03K`. */
export function encodeSize(bytes: number): string {
  if (bytes >= kibibyte ** 3) return `${(bytes / kibibyte ** 3).toFixed(2)}G`;
  if (bytes >= kibibyte ** 2) return `${(bytes / kibibyte ** 2).toFixed(2)}M`;
  return `${(bytes / kibibyte).toFixed(2)}K`;
}

/** A node's time since its start (§2.2): `26 hours, 3 minutes, 4 seconds`; leading zeros are left out. */
export function encodeUptime(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const hours = Math.floor(whole / 3600);
  const minutes = Math.floor(whole / 60) % 60;
  const parts = [`${whole % 60} seconds`];
  if (whole >= 60) parts.unshift(`${minutes} minutes`);
  if (whole >= 3600) parts.unshift(`${hours} hours`);
  return parts.join(', ');
}

/** A moment of the broker's wall clock as `YYYY-MM-DD HH:MM:SS`. */
export function encodeTime(seconds: BrokerSeconds): string {
  return new Date(Math.floor(seconds) * 1000).toISOString().slice(0, 19).replace('T', ' ');
}

/** A load average (§2.3): a decimal number as text. */
export function encodeLoad(load: number): string {
  return load.toFixed(2);
}

/** The value of `encode`, or `undefined` for `undefined`: the field is then left out of the JSON. */
export function encodeKnown<T>(value: T | undefined, encode: (value: T) => string): string | undefined {
  return value === undefined ? undefined : encode(value);
}

/** JSON in ASCII alone, as real brokers answer (field notes, "Transport"). */
export function encodeJson(value: unknown): string {
  return escapeJson(JSON.stringify(value));
}

/** Makes JSON text, or a part of it, ASCII: everything above U+007E becomes a `\uXXXX` escape. */
export function escapeJson(text: string): string {
  return text.replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
