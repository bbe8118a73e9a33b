import type { BrokerSeconds } from '../../domain/node.ts';

const kibibyte = 1024;

/** Writes a size as brokers do: two decimals and K, M or G. */
export function sizeText(bytes: number): string {
  if (bytes >= kibibyte ** 3) return `${(bytes / kibibyte ** 3).toFixed(2)}G`;
  if (bytes >= kibibyte ** 2) return `${(bytes / kibibyte ** 2).toFixed(2)}M`;
  return `${(bytes / kibibyte).toFixed(2)}K`;
}

/** Writes `2 hours, 3 minutes, 4 seconds`. */
export function uptimeText(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const hours = Math.floor(whole / 3600);
  const minutes = Math.floor(whole / 60) % 60;
  const parts = [`${whole % 60} seconds`];
  if (whole >= 60) parts.unshift(`${minutes} minutes`);
  if (whole >= 3600) parts.unshift(`${hours} hours`);
  return parts.join(', ');
}

/** Writes `2026-11-21 12:19:31`. */
export const wallTimeText = (seconds: BrokerSeconds): string =>
  new Date(Math.floor(seconds) * 1000).toISOString().slice(0, 19).replace('T', ' ');
