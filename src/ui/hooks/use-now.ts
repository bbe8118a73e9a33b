import { useEffect, useState } from 'react';

interface Ticker {
  readonly listeners: Set<(nowMs: number) => void>;
  readonly timer: NodeJS.Timeout;
}

const tickers = new Map<number, Ticker>();

/** One timer for all that ask for the same rhythm, so that what they show is drawn at once and not one after the other. */
const listen = (everyMs: number, listener: (nowMs: number) => void): (() => void) => {
  let ticker = tickers.get(everyMs);
  if (ticker === undefined) {
    const listeners: Ticker['listeners'] = new Set();
    const tick = (): void => {
      const nowMs = Date.now();
      for (const each of listeners) {
        each(nowMs);
      }
    };
    ticker = { listeners, timer: setInterval(tick, everyMs) };
    tickers.set(everyMs, ticker);
  }
  const { listeners, timer } = ticker;
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) {
      clearInterval(timer);
      tickers.delete(everyMs);
    }
  };
};

/** This machine's time in milliseconds, brought up to date every `everyMs`: for ages on the screen. */
export const useNow = (everyMs: number): number => {
  const [nowMs, setNowMs] = useState(() => Date.now());
  useEffect(() => listen(everyMs, setNowMs), [everyMs]);
  return nowMs;
};
