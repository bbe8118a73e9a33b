import { scanNames } from '../scan/scans.ts';
import type { MonitorState } from '../state.ts';

/** From here on somebody waits for a list, and may want to stop its being read. */
const longMs = 1_000;

/** Whether a list has been read for so long that one may want to stop it. `nowMs`: wall clock. */
export const selectHasLongScan = (state: MonitorState, nowMs: number): boolean =>
  scanNames.some((name) => {
    const { phase, startedAtMs } = state[name];
    return phase === 'running' && startedAtMs !== undefined && nowMs - startedAtMs >= longMs;
  });
