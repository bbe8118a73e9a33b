import path from 'node:path';
import { expect, it } from 'vitest';
import { openRecording } from '../../src/recording/folder-reader.ts';
import type { RecordedEvent } from '../../src/recording/recording.ts';
import { keptStates } from './kept-states.ts';

// A recording that a program of format 1 wrote. It must be read for ever: a new format gets a new one beside it.
it('reads a recording of format 1', async () => {
  const recording = await openRecording<object, RecordedEvent>(
    path.join(import.meta.dirname, '..', 'fixtures', 'recorded', 'format-1'),
  );
  expect(recording.cluster).toBe('prod');
  expect(recording.range()).toStrictEqual({ fromMs: 1_795_788_002_000, toMs: 1_795_788_006_000 });
  expect(await recording.events(0, Infinity)).toStrictEqual([
    { id: 'e1', atMs: 1_795_788_003_000, text: 'Node broker2 is down', severity: 'critical' },
  ]);
  let sample = await recording.at(0);
  for (const state of keptStates) {
    expect(sample?.program).toBe('0.1.0');
    expect(sample?.state).toStrictEqual(state);
    sample = sample && (await recording.next(sample));
  }
  expect(sample).toBeUndefined();
});
