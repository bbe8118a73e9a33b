import type { Clock } from './clock.ts';

/** Counts requests of the last minute. */
export interface RequestMeter {
  note(): void;
  perMinute(): number;
}

const windowMs = 60_000;

export function createRequestMeter(clock: Clock): RequestMeter {
  let startsMs: number[] = [];
  return {
    note() {
      startsMs.push(clock.monotonicMs());
    },
    perMinute() {
      const fromMs = clock.monotonicMs() - windowMs;
      const first = startsMs.findIndex((startMs) => startMs > fromMs);
      startsMs = first === -1 ? [] : startsMs.slice(first);
      return startsMs.length;
    },
  };
}
