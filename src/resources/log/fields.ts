import { shownWallMs } from '../../monitor/shown-time.ts';
import type { LogEntry } from '../../monitor/state.ts';
import { defineFields } from '../../table/field.ts';

/** An entry, or an action that goes on. */
export interface LogRow {
  readonly id: string;
  readonly atMs: number;
  readonly level: LogEntry['level'] | 'running';
  readonly text: string;
}

export const logFields = defineFields<LogRow>()({
  // Milliseconds since 1970, on the clock of this machine.
  time: { label: 'TIME', type: 'number', get: ({ atMs }) => shownWallMs(atMs), order: ({ atMs }) => atMs },
  level: { label: 'LEVEL', type: 'text', get: ({ level }) => level },
  event: { label: 'EVENT', type: 'text', get: ({ text }) => text },
});
