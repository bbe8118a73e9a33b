import { writeSync } from 'node:fs';
import { PassThrough, Writable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import path from 'node:path';
import { writeHeapSnapshot } from 'node:v8';
import type { ActingState } from '../../src/actions/acting-monitor.ts';
import { openScreen } from '../../src/cli/commands/screen.tsx';
import { createTheme } from '../../src/terminal/theme.ts';
import { App } from '../../src/screens/app.tsx';
import { createTriagedMonitor } from '../../src/timeline/triaged-monitor.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { createChangingCluster } from './changing-cluster.ts';
import { eventsIn } from '../support/events.ts';

// Runs the real store and the real screen through thousands of refreshes in simulated time:
// `node --expose-gc FILE FOLDER REFRESHES...`. Prints what it holds after these numbers of refreshes, as lines of JSON,
// and writes snapshots of its heap into the folder.
const [folder, ...numbers] = process.argv.slice(2);
const measuredAt = numbers.map(Number);
if (folder === undefined || measuredAt.length === 0)
  throw new Error('Usage: node --expose-gc FILE FOLDER REFRESHES...');
const intervalSeconds = 4;
/** Every nth refresh is drawn: drawing takes ten times as long as everything else. */
const drawEvery = 50;
const pressEvery = 50;

// A dialog ignores a confirmation that comes too early by this clock, so the clock jumps before every key.
const now = performance.now.bind(performance);
let aheadMs = 0;
performance.now = () => now() + aheadMs;

/** All screens, rows opened, filters, groups, dialogs cancelled and confirmed. */
const keyScript: readonly (readonly string[])[] = [
  ['4'],
  ['j', 'j'],
  ['\r'],
  ['\u001B'],
  ['/', '1', '\r'],
  ['\u001B'],
  ['K', 'n'],
  ['K', 'y'],
  ['\u001B'],
  ['o'],
  ['\r'],
  ['5'],
  ['j'],
  ['6'],
  ['t'],
  ['\u001B'],
  ['7'],
  ['t'],
  ['j'],
  ['8'],
  ['\r'],
  ['\u001B'],
  ['9'],
  ['v'],
  ['2'],
  ['\r'],
  ['c'],
  ['\u001B'],
  ['\u001B'],
  ['3'],
  ['0'],
  ['\u001B'],
  [','],
  ['@'],
  ['L'],
  ['T'],
  ['?'],
  ['\u001B'],
  ['P'],
  ['\u001B'],
  ['4'],
  [' ', 'j', ' '],
  ['U'],
  ['C'],
  ['\u001B'],
  ['p'],
  ['p'],
  [':'],
  ['\u001B'],
  ['1'],
];

const cluster = createChangingCluster();
const clock = createFakeClock();
const real = createTriagedMonitor({ api: cluster.api, clock, holdMs: 60, intervalSeconds, random: () => 0.5 });

// The screen sees the store's state only when `show` is called.
let shown: ActingState = real.store.getState();
const listeners = new Set<(state: ActingState, before: ActingState) => void>();
const monitor: typeof real = {
  ...real,
  store: {
    ...real.store,
    getState: () => shown,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
  },
};
function show(): void {
  const before = shown;
  shown = real.store.getState();
  for (const listener of listeners) listener(shown, before);
}

let written = 0;
const stdout = Object.assign(
  new Writable({
    write(chunk: Buffer, _encoding, done) {
      written += chunk.length;
      done();
    },
  }),
  { columns: 120, rows: 40, isTTY: true as const },
);
const noop = (): void => {};
const stdin = Object.assign(new PassThrough(), { isTTY: true as const, setRawMode: noop, ref: noop, unref: noop });
const session = {
  url: 'http://127.0.0.1:8080',
  isReadOnly: false,
  isInsecure: false,
  isTlsUnchecked: false,
  readPayload: async () => '',
  describeApi: () => 'variant B',
};
const signIn = { source: undefined, readAgain: async () => '', takePassword: noop };
const { instance } = openScreen(
  <App monitor={monitor} session={session} signIn={signIn} theme={createTheme({ LANG: 'C.UTF-8', TERM: 'xterm' })} />,
  { stdin: stdin as unknown as NodeJS.ReadStream, stdout: stdout as unknown as NodeJS.WriteStream },
  false,
);

async function settle(): Promise<void> {
  for (let turn = 0; turn < 4; turn += 1) await setImmediate();
}

async function press(keys: readonly string[]): Promise<void> {
  for (const key of keys) {
    aheadMs += 1_000;
    stdin.write(key);
    await settle();
    // Answers what the key requested, and shows it.
    await clock.advance(20);
    show();
    await settle();
  }
}

async function refresh(count: number): Promise<void> {
  cluster.next();
  await clock.advance(intervalSeconds * 1_000);
  if (count % drawEvery === 0) {
    show();
    await settle();
  }
  if (count % pressEvery === 0) await press(keyScript[(count / pressEvery) % keyScript.length] ?? []);
}

/** Goes to the Overview, lets everything finish, and prints what the process holds. */
async function measure(done: number): Promise<void> {
  await press(['\u001B', '\u001B', '\u001B', '1']);
  await clock.advance(120_000);
  show();
  await settle();
  // Finalizers run between collections.
  for (let count = 0; count < 4; count += 1) {
    global.gc?.();
    await settle();
  }
  const { external } = process.memoryUsage();
  const snapshot = writeHeapSnapshot(path.join(folder ?? '', `${done}.heapsnapshot`));
  // Ink has taken over the console.
  writeSync(
    1,
    `${JSON.stringify({
      done,
      snapshot,
      external,
      written,
      calls: cluster.calls(),
      resources: process
        .getActiveResourcesInfo()
        .filter((name) => name !== 'Immediate')
        .toSorted(),
      timers: clock.pendingTimers(),
      storeListeners: listeners.size,
      streamListeners: [stdin, stdout, process].map((emitter) =>
        emitter.eventNames().reduce((sum, name) => sum + emitter.listenerCount(name), 0),
      ),
      performanceEntries: performance.getEntries().length,
      log: eventsIn(real.store.getState()).length,
      actions: real.store.getState().actions.length,
    })}\n`,
  );
}

let count = 0;
for (const last of measuredAt) {
  for (; count < last; count += 1) await refresh(count);
  await measure(count);
}
instance.unmount();
real.stop();
