import { expect, onTestFinished, test } from 'vitest';
import { createClusterRecorder, usualLimits } from '../../../src/cli/record/cluster-recorder.ts';
import { createFakeMonitor } from '../../screens/list-fixtures.ts';

test('what happened is recorded, once', async () => {
  const monitor = createFakeMonitor({}, { logsProblems: true });
  const recorder = createClusterRecorder({
    monitor,
    cluster: 'prod',
    folder: undefined,
    limits: usualLimits,
    environment: {},
  });
  onTestFinished(() => recorder.close());
  const recorded = (): Promise<void> =>
    new Promise((resolve) => {
      const end = recorder.memory.follow(() => {
        end();
        resolve();
      });
    });
  monitor.note('warning', 'Problem: x is slow');
  await recorded();
  monitor.note('info', 'Resolved: x is slow');
  await recorded();
  const events = await recorder.memory.events(0, Number.MAX_SAFE_INTEGER);
  expect(events.map(({ text }) => text)).toEqual(['Problem: x is slow', 'Resolved: x is slow']);
});
