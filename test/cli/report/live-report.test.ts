import path from 'node:path';
import { expect, test } from 'vitest';
import { liveRecording, reportWriter } from '../../../src/cli/report/live-report.ts';
import type { MonitorState } from '../../../src/monitor/state.ts';
import { openRecording } from '../../../src/recording/folder-reader.ts';
import type { TimelineEvent } from '../../../src/domain/event.ts';
import type { RecordingStatus } from '../../../src/screens/session-view.ts';
import { at, incident } from '../../report/scene.ts';
import { recordStates } from '../../support/recordings.ts';

const rangeOf = (report: string | undefined): string | undefined => /14:\d\d:00 to 14:\d\d:00/u.exec(report ?? '')?.[0];

test('the monitor reports from the folder that it records to, and from memory what is only there', async () => {
  const memory = await openRecording<MonitorState, TimelineEvent>(await recordStates(incident().slice(2)));
  const folder = await recordStates(incident());
  const later = await recordStates(incident().slice(4));
  const shares: number[] = [];
  const write = (status: RecordingStatus): Promise<string | undefined> =>
    reportWriter({
      cluster: 'prod',
      use: liveRecording({ memory, status: { getState: () => status, subscribe: () => () => {} } }),
      readKept: () => Promise.resolve([]),
    })({ fromMs: at(0), toMs: at(10) }, 'markdown', false, (share) => shares.push(share));
  expect(rangeOf(await write({ kind: 'off' }))).toBe('14:02:00 to 14:10:00');
  expect(rangeOf(await write({ kind: 'on', folder }))).toBe('14:00:00 to 14:10:00');
  expect(rangeOf(await write({ kind: 'on', folder: later }))).toBe('14:02:00 to 14:10:00');
  // Nothing is written yet.
  expect(rangeOf(await write({ kind: 'on', folder: path.join(folder, 'none') }))).toBe('14:02:00 to 14:10:00');
  expect(shares[0]).toBe(0);
  expect(Math.max(...shares)).toBeGreaterThan(0.5);
  await memory.close();
});
