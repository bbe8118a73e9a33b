import type { BrokerSeconds } from '../../domain/node.ts';

/** The zone of this machine: broker seconds are its wall clock read as UTC. */
export const zoneOffsetMs = (epochMs: number): number => new Date(epochMs).getTimezoneOffset() * 60_000;

export function epochMsOf(seconds: BrokerSeconds): number {
  const wallMs = Math.round(seconds * 1000);
  return wallMs + zoneOffsetMs(wallMs + zoneOffsetMs(wallMs));
}

export const secondsOfEpoch = (epochMs: number): BrokerSeconds => (epochMs - zoneOffsetMs(epochMs)) / 1000;

export const nowSeconds = (): BrokerSeconds => secondsOfEpoch(Date.now());
