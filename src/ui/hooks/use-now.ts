import { useEffect, useState } from 'react';

interface Ticker {
  readonly listeners: Set<(nowMs: number) => void>;
  /** Something else is drawn now. */
  readonly tickAlong: () => void;
  readonly end: () => void;
}

const tickers = new Map<number, Ticker>();

/** Of the rhythm: a tick comes so early when something else is drawn, */
const earliest = 0.6;
/** and so late after that, for what comes again and again may come a little late. */
const latest = 1.1;

const startTicker = (everyMs: number): Ticker => {
  const listeners: Ticker['listeners'] = new Set();
  let tickedMs = performance.now();
  const tick = (): void => {
    tickedMs = performance.now();
    const nowMs = Date.now();
    for (const each of listeners) {
      each(nowMs);
    }
  };
  const tickAlone = (): void => {
    waitFor(everyMs);
    tick();
  };
  let timer = setInterval(tickAlone, everyMs);
  let waitMs = everyMs;
  const waitFor = (ms: number): void => {
    if (ms === waitMs) {
      timer.refresh();
      return;
    }
    clearInterval(timer);
    timer = setInterval(tickAlone, ms);
    waitMs = ms;
  };
  return {
    listeners,
    tickAlong: () => {
      waitFor(latest * everyMs);
      if (performance.now() - tickedMs >= earliest * everyMs) {
        tick();
      }
    },
    end: () => { clearInterval(timer); },
  };
};

/** One timer for all that ask for the same rhythm, so that what they show is drawn at once and not one after the other. */
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

/** This machine's time in milliseconds, brought up to date about every `everyMs`: for ages on the screen. */
export const useNow = (everyMs: number): number => {
  const [nowMs, setNowMs] = useState(() => Date.now());
  useEffect(() => listen(everyMs, setNowMs), [everyMs]);
  return nowMs;
};

/** Has ages brought up to date together with what a store shows, as far as the rhythm allows: both are then drawn at once. */
export const useTicksWith = (store: { readonly subscribe: (listener: () => void) => () => void }): void => {
  useEffect(() => store.subscribe(() => {
    for (const { tickAlong } of tickers.values()) {
      tickAlong();
    }
  }), [store]);
};
