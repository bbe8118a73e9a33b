import { useEffect, useState } from 'react';

/** This machine's time in milliseconds, brought up to date every `everyMs`: for ages on the screen. */
export const useNow = (everyMs: number): number => {
  const [nowMs, setNowMs] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => { setNowMs(Date.now()); }, everyMs);
    return () => { clearInterval(timer); };
  }, [everyMs]);
  return nowMs;
};
