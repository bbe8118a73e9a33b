import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import type { MonitorState } from '../../src/monitor/state.ts';
import { createFolderWriter } from '../../src/recording/folder-writer.ts';
import type { RecordedEvent } from '../../src/recording/recording.ts';
import { createSampleEncoder } from '../../src/recording/sample-encoder.ts';

/** A state, when it was recorded, and what happened since the one before. */
export interface RecordedMoment {
  readonly atMs: number;
  readonly state: MonitorState;
  readonly events?: readonly RecordedEvent[];
}

/** Records states in a folder of their own, which is removed after the test. */
export async function recordStates(moments: readonly RecordedMoment[], cluster = 'prod'): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'recording-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const encoder = createSampleEncoder();
  let monotonicMs = 0;
  const writer = createFolderWriter<RecordedEvent>({
    folder,
    program: '1.2.3',
    run: crypto.randomUUID(),
    cluster,
    maxBytes: 1e9,
    maxAgeMs: 1e12,
    requestKeyframe: encoder.requestKeyframe,
    onTrouble: () => {},
    monotonicMs: () => monotonicMs,
  });
  for (const { atMs, state, events = [] } of moments) {
    monotonicMs = atMs - (moments[0]?.atMs ?? 0);
    writer.write(await encoder.encode({ steadyMs: atMs, monotonicMs, wallMs: atMs }, state), events);
    await writer.settled();
  }
  await writer.close();
  encoder.close();
  return folder;
}
