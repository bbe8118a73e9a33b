import { createReplayMonitor } from '../../replay/replay-monitor.ts';
import { createTheme } from '../../terminal/theme.ts';
import { snapshotJson } from '../once/command.tsx';
import { recordedReading, snapshotOf } from '../once/once.ts';
import { readingText } from '../once/text.tsx';
import { openPlace, type ReplayCommand, wantedMs } from './place.ts';

export interface ReplayOnceStreams {
  readonly stdout: NodeJS.WritableStream;
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Prints a moment of a recording as text or one JSON document, as `--once` does now.
 *
 * @returns 0
 * @throws UsageError if there is no recording, or no such time
 */
export async function runReplayOnce(
  command: ReplayCommand,
  format: 'text' | 'json',
  { stdout, env }: ReplayOnceStreams,
  nowMs = Date.now(),
): Promise<number> {
  const recording = await openPlace(command.place);
  const monitor = createReplayMonitor(recording);
  await monitor.travel.goTo(wantedMs(command, recording, nowMs));
  const state = monitor.store.getState();
  const reading = recordedReading(state, state.past?.at.steadyMs ?? 0);
  const url = recording.cluster;
  stdout.write(
    format === 'json'
      ? snapshotJson(snapshotOf(reading), url)
      : readingText(reading, { url, isInsecure: false }, createTheme(env)),
  );
  monitor.stop();
  await recording.close();
  return 0;
}
