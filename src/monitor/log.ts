import type { LogEntry } from './state.ts';

const mostEntries = 500;

/** The log with one more entry, the oldest falling out after 500; the same log when the last entry says the same. */
export function appendLog(log: readonly LogEntry[], entry: LogEntry): readonly LogEntry[] {
  const last = log.at(-1);
  if (last !== undefined && last.level === entry.level && last.text === entry.text) return log;
  return [...log.slice(-(mostEntries - 1)), entry];
}
