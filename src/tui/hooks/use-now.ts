import { useEffect, useState, useSyncExternalStore } from 'react';
import { steadyNowMs } from '../../monitor/clock.ts';
import { onMoment, shownMoment } from '../../monitor/shown-time.ts';

interface Ticker {
  readonly listeners: Set<(nowMs: number) => void>;
  readonly tickWithRendering: () => void;
  readonly end: () => void;
}

const tickers = new Map<number, Ticker>();

/** The earliest that a tick comes when something else is drawn, as a fraction of its interval. */
const earliestFraction = 0.6;
/** The latest that a tick comes after such a one. */
const latestFraction = 1.1;

const startTicker = (everyMs: number): Ticker => {
  const listeners: Ticker['listeners'] = new Set();
  let tickedMs = performance.now();
  const tick = (): void => {
    tickedMs = performance.now();
    const nowMs = steadyNowMs();
    for (const each of listeners) {
      each(nowMs);
    }
  };
  const tickOnTime = (): void => {
    waitFor(everyMs);
    tick();
  };
  let timer = setInterval(tickOnTime, everyMs);
  let waitMs = everyMs;
  const waitFor = (ms: number): void => {
    if (ms === waitMs) {
      timer.refresh();
      return;
    }
    clearInterval(timer);
    timer = setInterval(tickOnTime, ms);
    waitMs = ms;
  };
  return {
    listeners,
    tickWithRendering: () => {
      waitFor(latestFraction * everyMs);
      if (performance.now() - tickedMs >= earliestFraction * everyMs) {
        tick();
      }
    },
    end: () => {
      clearInterval(timer);
    },
  };
};

/** Starts one timer for each interval, so that everything that shows ages is drawn at once. */
const listen = (everyMs: number, listener: (nowMs: number) => void): (() => void) => {
  const ticker = tickers.get(everyMs) ?? startTicker(everyMs);
  tickers.set(everyMs, ticker);
  ticker.listeners.add(listener);
  return () => {
    ticker.listeners.delete(listener);
    if (ticker.listeners.size === 0) {
      ticker.end();
      tickers.delete(everyMs);
    }
  };
};

/** Returns the steady time that is shown, for ages. In the past it stands still. */
export const useNow = (everyMs: number): number => {
  const [nowMs, setNowMs] = useState(() => steadyNowMs());
  useEffect(() => listen(everyMs, setNowMs), [everyMs]);
  const moment = useSyncExternalStore(onMoment, shownMoment, shownMoment);
  return moment?.steadyMs ?? nowMs;
};

/** Updates ages together with what a store shows where the interval allows it, so that both are drawn at once. */
export const useTicksWith = (store: { readonly subscribe: (listener: () => void) => () => void }): void => {
  useEffect(
    () =>
      store.subscribe(() => {
        for (const { tickWithRendering } of tickers.values()) {
          tickWithRendering();
        }
      }),
    [store],
  );
};
