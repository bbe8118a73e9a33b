import type { ScanState } from '../state.ts';

/** The state of a list of which nothing has been read. */
export function emptyScan<T>(): ScanState<T> {
  return {
    rows: [], added: new Set(), gone: [], phase: 'idle', coverage: new Map(), leftOut: new Map(), requests: 0,
    startedAtMs: undefined, finishedAtMs: undefined, nextScanAtMs: undefined, error: undefined,
  };
}
