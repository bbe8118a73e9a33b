import type { Monitor, ScanName } from '../../monitor/state.ts';
import { type SafeText, safe } from '../../terminal/safe-text.ts';

/** Stops the reading of a list, or of all lists, and answers with what to say of it. */
export const stopScan = (monitor: Pick<Monitor, 'abortScan'>, only?: ScanName): SafeText =>
  monitor.abortScan(only) ? safe`the scan is stopped; the rows stay` : safe`no scan is running`;
