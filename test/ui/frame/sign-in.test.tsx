import { afterEach, describe, expect, test } from 'vitest';
import type { StoreApi } from 'zustand/vanilla';
import { createMonitor } from '../../../src/actions/acting-monitor.ts';
import type { ActingState } from '../../../src/actions/state.ts';
import { type ApiError, ProxyLoginError, UnauthorizedError } from '../../../src/api/errors.ts';
import { Frame } from '../../../src/ui/frame/frame.tsx';
import type { SignInView } from '../../../src/ui/frame/sign-in.tsx';
import { createKeymap } from '../../../src/ui/keys/keymap.ts';
import { ListMemoryProvider } from '../../../src/ui/list/list-state.ts';
import { createFakeApi, nodeStats } from '../../monitor/fake-api.ts';
import { createRig, endRigs } from '../support/rig.tsx';

const ending: (() => void)[] = [];
afterEach(() => {
  endRigs();
  for (const end of ending.splice(0)) end();
});

/** A screen on a broker that takes the password `right`, after the first one was rejected. */
function show(view: Partial<SignInView> = {}, { isReadOnly = false, failure = new UnauthorizedError() }: { isReadOnly?: boolean; failure?: ApiError } = {}) {
  const asked: string[] = [];
  let used = 'first';
  const api = createFakeApi({
    async listNodeStats() {
      asked.push(used);
      if (used !== 'right') throw failure;
      return [nodeStats('a')];
    },
  });
  const monitor = createMonitor({ api, intervalSeconds: 60 });
  const session = { url: 'http://127.0.0.1:1', user: 'admin', isReadOnly, isInsecure: false, readPayload: async () => '', describeVariant: () => '' };
  const signIn: SignInView = { source: undefined, readAgain: async () => 'right', takePassword: (password) => { used = password; }, ...view };
  const rig = createRig(
    <ListMemoryProvider><Frame monitor={monitor} session={session} signIn={signIn} /></ListMemoryProvider>,
    { columns: 100, rows: 24, keymap: createKeymap({ isReadOnly }) },
  );
  ending.push(() => { monitor.stop(); });
  return { rig, monitor, asked };
}

describe.each([false, true])('read-only: %j', (isReadOnly) => {
  test('asks for the password by itself, shows no letter of it, and fetches again once it is right', async () => {
    const { rig, asked } = show({}, { isReadOnly });
    await rig.until((text) => text.includes('Password of admin:'));
    rig.type('guess');
    await rig.until((text) => text.includes('Password of admin: *****'));
    expect(rig.lines().join('\n')).not.toContain('guess');
    rig.type('\r');
    await rig.until((text) => text.includes('! The broker rejected the user name or password (401).'));
    expect(asked).toEqual(['first', 'guess']);
    rig.type('right');
    await rig.until((text) => text.includes('Password of admin: *****'));
    rig.type('\r');
    await rig.until((text) => text.includes('nodes 1/1') && !text.includes('Password of admin'));
    expect(asked).toEqual(['first', 'guess', 'right', 'right']);
  });
});

test('Enter on nothing asks for nothing; Esc leaves it for later, and A opens it again', async () => {
  const { rig, asked } = show();
  await rig.until((text) => text.includes('Password of admin:'));
  rig.type('\r');
  rig.type('\u001B');
  await rig.until((text) => !text.includes('Password of admin:') && text.includes('password: A signs in'));
  rig.type('4');
  await rig.until((text) => text.includes('Not read: the login was rejected.'));
  expect(rig.lines().join('\n')).not.toContain('Password of admin:');
  rig.type('A');
  await rig.until((text) => text.includes('Password of admin:'));
  expect(asked).toEqual(['first']);
});

test('asks for no password of the broker where a proxy rejected its own, nor begins an action', async () => {
  const refusal = new ProxyLoginError({ url: 'http://proxy.test:3128', variable: 'HTTPS_PROXY', hasLogin: true });
  const { rig, asked } = show({}, { failure: refusal });
  await rig.until((text) => text.includes('proxy login rejected (407): correct HTTPS_PROXY and start again'));
  rig.type('A');
  await rig.until((text) => text.includes('The proxy http://proxy.test:3128 rejected the login (HTTP 407).'));
  rig.type('4');
  await rig.until((text) => text.includes('Not read: the login was rejected.'));
  expect(rig.lines().join('\n')).not.toMatch(/Password of admin|the broker rejected/u);
  rig.type('P');
  await rig.until((text) => text.includes('nothing can be done: proxy login rejected (407)'));
  expect(asked).toEqual(['first']);
});

test('does not open under the fingers of somebody who types', async () => {
  const { rig, monitor } = show();
  await rig.until((text) => text.includes('Password of admin:'));
  rig.type('right\r');
  await rig.until((text) => text.includes('nodes 1/1'));
  rig.type(':');
  await rig.until((text) => text.includes('Publish a message'));
  // What the fetch of a rejected password does to the state, at a moment of the test's own choice.
  (monitor.store as StoreApi<ActingState>).setState({ isUnauthorized: true });
  await rig.until((text) => text.includes('password: A signs in'));
  expect(rig.lines().join('\n')).not.toContain('Password of admin:');
  rig.type('\u001B');
  await rig.until((text) => text.includes('Password of admin:'));
});

test('a file is read again on the key, not by itself, and what is wrong with it is said', async () => {
  let reads = 0;
  const { rig, asked } = show({
    source: 'file',
    async readAgain() {
      reads += 1;
      if (reads === 1) throw new Error('The password file "p" cannot be opened (ENOENT).');
      return 'right';
    },
  });
  await rig.until((text) => text.includes('password: A signs in'));
  expect(reads).toBe(0);
  expect(rig.lines().join('\n')).not.toContain('Password of admin:');
  rig.type('A');
  await rig.until((text) => text.includes('The password file "p" cannot be opened (ENOENT).'));
  expect(asked).toEqual(['first']);
  rig.type('A');
  await rig.until((text) => text.includes('nodes 1/1'));
  expect(asked).toEqual(['first', 'right', 'right']);
});

test('the key says so when nothing was rejected', async () => {
  const { rig } = show();
  await rig.until((text) => text.includes('Password of admin:'));
  rig.type('right\r');
  await rig.until((text) => text.includes('nodes 1/1'));
  rig.type('A');
  await rig.until((text) => text.includes('the broker has not rejected the password'));
  expect(rig.lines().join('\n')).not.toContain('Password of admin:');
});

test('another address that answers stands in the header, and for a while with its reason above the keys', async () => {
  const { rig, monitor } = show();
  await rig.until((text) => text.includes('Password of admin:'));
  rig.type('right\r');
  await rig.until((text) => text.includes('nodes 1/1') && text.includes('http://127.0.0.1:1'));
  monitor.noteTakeover({ url: 'http://127.0.0.1:2', insteadOf: 'http://127.0.0.1:1', because: 'It is gone.' });
  await rig.until((text) => text.split('\n')[0]?.includes('http://127.0.0.1:2') === true);
  const lines = await rig.until((text) => text.includes('! now http://127.0.0.1:2'));
  expect(lines.join('\n')).toContain('! now http://127.0.0.1:2, because http://127.0.0.1:1 is gone: It is gone.');
});
