import { afterEach, expect, test } from 'vitest';
import { createMonitor } from '../../../src/actions/acting-monitor.ts';
import { AbortedError } from '../../../src/api/errors.ts';
import { systemClock } from '../../../src/monitor/clock.ts';
import { Frame } from '../../../src/ui/frame/frame.tsx';
import { createKeymap } from '../../../src/ui/keys/keymap.ts';
import { ListMemoryProvider } from '../../../src/ui/list/list-state.ts';
import { createFakeApi, nodeStats } from '../../monitor/fake-api.ts';
import { createRig, endRigs, type Rig } from '../support/rig.tsx';

const ending: (() => void)[] = [];
afterEach(() => {
  endRigs();
  for (const end of ending.splice(0)) end();
});

interface Shown {
  readonly rig: Rig;
  readonly monitor: ReturnType<typeof createMonitor>;
}

function show(isReadOnly = false, options: Partial<Parameters<typeof createMonitor>[0]> = {}): Shown {
  const monitor = createMonitor({ api: createFakeApi({ listNodeStats: async () => [nodeStats('a')] }), intervalSeconds: 60, isReadOnly, ...options });
  ending.push(() => { monitor.stop(); });
  const session = { url: 'http://127.0.0.1:1', user: 'admin', isReadOnly, isInsecure: false, readPayload: async () => '', describeVariant: () => '' };
  const signIn = { source: undefined, readAgain: async () => '', takePassword: () => {} };
  const rig = createRig(<ListMemoryProvider><Frame monitor={monitor} session={session} signIn={signIn} /></ListMemoryProvider>, { columns: 100, rows: 24, keymap: createKeymap({ isReadOnly }) });
  return { rig, monitor };
}

test('on a screen without a filter what is typed for one is not taken for keys', async () => {
  const { rig, monitor } = show();
  await rig.until((text) => text.includes('nodes 1/1'));
  rig.type('/');
  await rig.until((text) => text.includes('nothing to filter here: Esc'));
  rig.type('dev-3+q');
  await rig.until((text) => text.includes('dev-3+q'));
  rig.type('\r');
  await rig.until((text) => !text.includes('nothing to filter here'));
  expect(monitor.store.getState().intervalSeconds).toBe(60);
  rig.type('3');
  await rig.until((text) => text.includes('LISTENER') || text.includes('listeners'));
});

test('what was said goes with the screen that it was said on', async () => {
  const { rig } = show();
  await rig.until((text) => text.includes('nodes 1/1'));
  rig.type('p');
  await rig.until((text) => text.includes('frozen: nothing is fetched'));
  rig.type('0');
  const lines = await rig.until((text) => text.includes('Settings'));
  // Gone at once, or with the next frame.
  await rig.until((text) => !text.includes('frozen: nothing is fetched'));
  expect(lines.join('\n')).toContain('FROZEN');
});

test('a key that acts says in read-only mode why it does not', async () => {
  const { rig } = show(true);
  await rig.until((text) => text.includes('nodes 1/1'));
  for (const key of ['K', ' ', 'S', 'P']) {
    rig.type('p');
    await rig.until((text) => /frozen|fetching again/u.test(text));
    rig.type(key);
    await rig.until((text) => text.includes('read-only: this program was started to look only'));
  }
  // What means nothing anywhere says nothing.
  rig.type('p');
  await rig.until((text) => /frozen|fetching again/u.test(text));
  rig.type('Z');
  rig.type('4');
  await rig.until((text) => text.includes('CLIENT ID') || text.includes('clients'));
  expect(rig.lines().join('\n')).not.toContain('read-only:');
});

test.each([
  ['unsub', /All that can be done to the row: unsubscribe +on Clients, Sessions, Subscriptions: a/u],
  ['acl cache', /All that can be done to the row: ACL, cache +on Clients, Sessions, Subscriptions: a/u],
  ['stop the plugin', /stop the plugin; always asks +on Plugins: K/u],
  ['audit', /▸ Log: what was done, and what failed: audit +L/u],
])('the palette finds "%s", also where it cannot be done', async (typed, line) => {
  const { rig } = show();
  await rig.until((text) => text.includes('nodes 1/1'));
  rig.type(':');
  await rig.until((text) => text.includes('Command palette') || /\d+ of \d+/u.test(text));
  rig.type(typed);
  const lines = await rig.until((text) => line.test(text));
  expect(lines.filter((each) => line.test(each))).toHaveLength(1);
});

test('what is not there at all is said to be so', async () => {
  const { rig } = show(true);
  await rig.until((text) => text.includes('nodes 1/1'));
  rig.type(':');
  await rig.until((text) => /\d+ of \d+/u.test(text));
  rig.type('unsubscribe');
  const lines = await rig.until((text) => text.includes('no command has these words in its name'));
  expect(lines.join('\n')).not.toContain('All that can be done');
});

/** As a terminal sends it that tells it from the beginning of a code, so that a key may follow at once. */
const escape = '\u001B[27u';

test('Esc closes what was opened, and on a screen with nothing open does nothing', async () => {
  const { rig } = show();
  await rig.until((text) => text.includes('nodes 1/1'));
  const hints = (): string => rig.lines().at(-1) ?? '';
  for (const [key, header] of [['2', 'NODE ▲'], ['8', 'PLUGIN'], ['2', 'NODE ▲']] as const) {
    rig.type(key);
    await rig.until((text) => text.includes(header));
  }
  expect(hints()).not.toContain('Esc');
  rig.type(escape);
  // A key that says something, pressed after it: what Esc did would stand on the screen by then.
  rig.type('p');
  await rig.until((text) => text.includes('frozen'));
  expect(rig.lines().join('\n')).toContain('NODE ▲');
  rig.type('\r');
  await rig.until((text) => text.includes('Esc back') && !text.includes('NODE ▲'));
  rig.type(escape);
  await rig.until((text) => text.includes('NODE ▲'));
  rig.type('[');
  await rig.until((text) => text.includes('PLUGIN'));
});

/** A list that is never read to its end; a scan of it seems to have begun so long ago. */
const endless = (agoMs: number): Parameters<typeof show>[1] => ({
  api: createFakeApi({ listNodeStats: async () => [nodeStats('a')], listClients: (_, __, options) => new Promise((__, reject) => { options?.signal?.addEventListener('abort', () => { reject(new AbortedError()); }); }) }),
  clock: { ...systemClock, nowMs: () => systemClock.nowMs() - agoMs },
});

test('Esc stops a list that takes long to read, where it has nothing to close; x is hinted at meanwhile', async () => {
  const { rig, monitor } = show(false, endless(5_000));
  await rig.until((text) => text.includes('nodes 1/1'));
  rig.type('2');
  await rig.until((text) => text.includes('▸a '));
  rig.type('c');
  // What was opened is closed first.
  await rig.until((text) => text.includes('Esc back  x stop scan  / filter'));
  rig.type(escape);
  await rig.until((text) => text.includes('NODE ▲'));
  rig.type('4');
  await rig.until((text) => text.includes('reading the clients') && text.includes(' x stop scan  / filter'));
  rig.type('/');
  await rig.until((text) => text.includes('/regex/'));
  rig.type('z\r');
  await rig.until((text) => text.includes('Esc clears'));
  rig.type(escape);
  await rig.until((text) => !text.includes('Esc clears'));
  expect(monitor.store.getState().clientScan.phase).toBe('running');
  rig.type(escape);
  await rig.until((text) => text.includes('the scan is stopped; the rows stay') && !text.includes(' x stop scan  / filter'));
  expect(monitor.store.getState().clientScan.phase).toBe('aborted');
});

test('Esc stops no reading that has just begun', async () => {
  const { rig, monitor } = show(false, endless(-60_000));
  await rig.until((text) => text.includes('nodes 1/1'));
  rig.type('4');
  await rig.until((text) => text.includes('reading the clients'));
  rig.type(escape);
  // Said after Esc was heard.
  rig.type('p');
  await rig.until((text) => text.includes('frozen'));
  expect(monitor.store.getState().log.filter(({ text }) => text.includes('ended by hand'))).toEqual([]);
});
