import { writeSync } from 'node:fs';
import { PassThrough, Writable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { createMonitor } from '../../src/actions/acting-monitor.ts';
import type { ActingState } from '../../src/actions/state.ts';
import { openScreen } from '../../src/cli/commands/screen.tsx';
import { createTheme } from '../../src/terminal/theme.ts';
import { App } from '../../src/ui/app.tsx';
import { createFakeClock } from '../support/fake-clock.ts';
import { createChangingCluster } from './changing-cluster.ts';

// The real store and the real screen through days that pass in a minute: `node --expose-gc FILE REFRESHES`.
// Says once after the first tenth and once at the end, as lines of JSON, what it holds.
const refreshes = Number(process.argv[2]);
const intervalSeconds = 2;
/** One refresh of so many is drawn: drawing takes ten times as long as all else. */
const drawnOnceIn = 50;
const keyOnceIn = 100;

// A question takes no yes before it has stood there for a while, on this clock: it jumps before every key.
const now = performance.now.bind(performance);
let aheadMs = 0;
performance.now = () => now() + aheadMs;

/** What an operator does in days: all screens, rows opened, filters, groups, dialogs left and answered with yes. */
const script: readonly (readonly string[])[] = [
  ['4'], ['j', 'j'], ['\r'], ['\u001B'], ['/', '1', '\r'], ['\u001B'], ['K'], ['n'], ['K'], ['y'], ['\u001B'], ['o'], ['o'], ['5'], ['j'], ['6'], ['t'], ['\u001B'],
  ['7'], ['t'], ['j'], ['8'], ['\r'], ['\u001B'], ['9'], ['v'], ['2'], ['\r'], ['c'], ['\u001B'], ['\u001B'], ['3'], ['0'], ['\u001B'], [','], ['@'], ['L'], ['T'], ['?'], ['\u001B'],
  ['P'], ['\u001B'], ['4'], [' ', 'j', ' '], ['U'], ['C'], ['\u001B'], ['p'], ['p'], [':'], ['\u001B'], ['1'],
];

const cluster = createChangingCluster();
const clock = createFakeClock();
const real = createMonitor({ api: cluster.api, clock, intervalSeconds, random: () => 0.5 });

// What the screen sees of the store: a state of now and then.
let shown: ActingState = real.store.getState();
const listeners = new Set<(state: ActingState, before: ActingState) => void>();
const monitor: typeof real = {
  ...real,
  store: {
    ...real.store,
    getState: () => shown,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => { listeners.delete(listener); };
    },
  },
};
function show(): void {
  const before = shown;
  shown = real.store.getState();
  for (const listener of listeners) listener(shown, before);
}

let written = 0;
const stdout = Object.assign(new Writable({
  write(chunk: Buffer, _encoding, done) { written += chunk.length; done(); },
}), { columns: 120, rows: 40, isTTY: true as const });
const nothing = (): void => {};
const stdin = Object.assign(new PassThrough(), { isTTY: true as const, setRawMode: nothing, ref: nothing, unref: nothing });
const session = { url: 'http://127.0.0.1:8080', isReadOnly: false, isInsecure: false, isTlsUnchecked: false, readPayload: async () => '', describeVariant: () => 'variant B' };
const signIn = { source: undefined, readAgain: async () => '', takePassword: nothing };
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
    // What the key asked for is answered and shown.
    await clock.advance(20);
    show();
    await settle();
  }
}

async function refresh(count: number): Promise<void> {
  cluster.next();
  await clock.advance(intervalSeconds * 1_000);
  if (count % drawnOnceIn === 0) {
    show();
    await settle();
  }
  if (count % keyOnceIn === 0) await press(script[(count / keyOnceIn) % script.length] ?? []);
}

/** On the Overview, with nothing open and nothing on its way. */
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
  const { heapUsed, external } = process.memoryUsage();
  // The console belongs to the screen.
  writeSync(1, `${JSON.stringify({
    done, heapUsed, external, written,
    calls: cluster.calls(),
    resources: process.getActiveResourcesInfo().filter((name) => name !== 'Immediate').toSorted(),
    timers: clock.pendingTimers(),
    storeListeners: listeners.size,
    streamListeners: [stdin, stdout, process].map((emitter) => emitter.eventNames().reduce((sum, name) => sum + emitter.listenerCount(name), 0)),
    performanceEntries: performance.getEntries().length,
    log: real.store.getState().log.length,
    actions: real.store.getState().actions.length,
  })}\n`);
}

for (let count = 0; count < refreshes; count += 1) {
  if (count === refreshes / 10) await measure(count);
  await refresh(count);
}
await measure(refreshes);
instance.unmount();
real.stop();
