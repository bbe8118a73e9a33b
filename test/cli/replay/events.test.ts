import { describe, expect, test } from 'vitest';
import { initialActingState } from '../../../src/actions/acting-monitor.ts';
import { replayedEventsConfig } from '../../../src/cli/options/config.ts';
import { parseArguments } from '../../../src/cli/options/flags.ts';
import { runReplayEvents } from '../../../src/cli/replay/events.ts';
import type { TimelineEvent } from '../../../src/domain/event.ts';
import { recordStates } from '../../support/recordings.ts';

/** 28 November 2026 of this machine. */
const at = (minute: number): number => new Date(2026, 10, 28, 14, minute).getTime();

const eventAt = (minute: number, text: string): TimelineEvent => ({
  id: text,
  atMs: at(minute),
  kind: 'began',
  severity: 'warning',
  text,
  node: 'b',
  run: 'r',
});

const record = (): Promise<string> =>
  recordStates([
    { atMs: at(0), state: initialActingState(2), events: [eventAt(0, 'first')] },
    { atMs: at(10), state: initialActingState(2), events: [eventAt(7, 'second'), eventAt(9, 'third')] },
  ]);

/** Runs `brokertop replay RECORDING …`. */
async function replay(place: string, ...words: readonly string[]): Promise<string> {
  const command = replayedEventsConfig(parseArguments(['replay', place, ...words]));
  if (command === undefined) throw new TypeError('not about events');
  let output = '';
  const stdout = { write: (text: string) => (output += text) } as unknown as NodeJS.WritableStream;
  expect(await runReplayEvents(place, command, { stdout, env: {} }, at(40))).toBe(0);
  return output;
}

describe('the events of a recording', () => {
  test('are printed as those of a cluster are', async () => {
    expect(await replay(await record(), 'events')).toBe(
      [
        'TIME                 SEVERITY  KIND   EVENT   OBJECT  LASTED',
        '2026-11-28 14:00:00  warning   began  first   b            -',
        '2026-11-28 14:07:00  warning   began  second  b            -',
        '2026-11-28 14:09:00  warning   began  third   b            -',
        '',
      ].join('\n'),
    );
  });

  test('since a time, by the end of the recording, for scripts', async () => {
    const output = await replay(await record(), 'events', '--since', '2m', '--format', 'ndjson');
    expect(output.trimEnd().split('\n')).toHaveLength(1);
    expect(JSON.parse(output)).toMatchObject({ time: new Date(at(9)).toISOString(), text: 'third', node: 'b' });
  });

  test('have flags of their own', () => {
    const config = (...words: readonly string[]) => replayedEventsConfig(parseArguments(['replay', 'DIR', ...words]));
    expect(config('--at', '14:00')).toBeUndefined();
    expect(() => config('--format', 'json')).toThrow(
      '--format is for the events of a recording: brokertop replay RECORDING events.',
    );
    expect(() => config('events', '--at', '14:00')).toThrow(
      '--at is for a moment, not for the events. --since says which events.',
    );
    expect(() => config('event')).toThrow('event');
  });
});
