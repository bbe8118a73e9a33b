import { afterEach, describe, expect, test } from 'vitest';
import { type ApiError, HttpStatusError, ProxyLoginError, UnauthorizedError } from '../../../src/api/errors.ts';
import { createTriagedMonitor } from '../../../src/timeline/triaged-monitor.ts';
import { Frame } from '../../../src/screens/frame.tsx';
import type { SignInView } from '../../../src/tui/frame/sign-in.tsx';
import { ListMemoryProvider } from '../../../src/tui/list/list-state.ts';
import { createFakeApi, nodeStats } from '../../monitor/fake-api.ts';
import { holdLongTimeouts } from '../../support/long-timeouts.ts';
import { createRig, endRigs } from '../support/rig.tsx';
import { createKeymap } from '../../../src/screens/keys.ts';

const ending: (() => void)[] = [];
afterEach(() => {
  endRigs();
  for (const end of ending.splice(0)) end();
});

/** A screen on a broker that takes the password `right`, after the first one was rejected. */
function show(
  view: Partial<SignInView> = {},
  {
    isReadOnly = false,
    failure = new UnauthorizedError(),
    settleMs = 0,
  }: { isReadOnly?: boolean; failure?: ApiError; settleMs?: number } = {},
) {
  const asked: string[] = [];
  let used = 'first';
  const api = createFakeApi({
    async listNodeStats() {
      asked.push(used);
      if (used !== 'right') throw failure;
      return [nodeStats('a')];
    },
  });
  const monitor = createTriagedMonitor({ api, intervalSeconds: 60 });
  const session = {
    url: 'http://127.0.0.1:1',
    user: 'admin',
    isReadOnly,
    isInsecure: false,
    readPayload: async () => '',
    describeApi: () => '',
  };
  const signIn: SignInView = {
    source: undefined,
    readAgain: async () => 'right',
    takePassword: (password) => {
      used = password;
    },
    ...view,
  };
  const rig = createRig(
    <ListMemoryProvider>
      <Frame monitor={monitor} session={session} signIn={signIn} />
    </ListMemoryProvider>,
    { columns: 100, rows: 24, keymap: createKeymap({ isReadOnly }), settleMs },
  );
  ending.push(() => {
    monitor.stop();
  });
  return {
    rig,
    monitor,
    asked,
    expire: () => {
      used = 'expired';
    },
  };
}

describe.each([false, true])('read-only: %j', (isReadOnly) => {
  test('asks for the password, hides it, and resumes polling once it is right', async () => {
    const { rig, asked } = show({}, { isReadOnly });
    await rig.until((text) => text.includes('Password of admin:'));
    rig.type('guess');
    await rig.until((text) => text.includes('Password of admin: *****'));
    expect(rig.lines().join('\n')).not.toContain('guess');
    rig.type('\r');
    await rig.until((text) => text.includes('! The broker rejected the username or password (401).'));
    expect(asked).toEqual(['first', 'guess']);
    rig.type('right');
    await rig.until((text) => text.includes('Password of admin: *****'));
    rig.type('\r');
    await rig.until((text) => text.includes('1/1 nodes') && !text.includes('Password of admin'));
    expect(asked).toEqual(['first', 'guess', 'right', 'right']);
  });
});

test('says what may be wrong with the login, if the API knows', async () => {
  const { rig } = show({}, { failure: new UnauthorizedError({ hint: 'Expired keys look alike.' }) });
  await rig.until((text) => text.includes('Password of admin:') && text.includes('Expired keys look alike.'));
  expect(rig.lines().join('\n')).toContain('Password of admin:');
});

test('Enter without text sends nothing; Esc closes the prompt, and A opens it again', async () => {
  const { rig, asked } = show();
  await rig.until((text) => text.includes('Password of admin:'));
  rig.type('\r');
  rig.type('\u001B');
  await rig.until(
    (text) =>
      !text.includes('Password of admin:') &&
      text.includes('! Login rejected: press A to sign in. Polling has stopped.'),
  );
  rig.type('4');
  await rig.until((text) => text.includes('Not loaded: login rejected.'));
  expect(rig.lines().join('\n')).not.toContain('Password of admin:');
  rig.type('A');
  await rig.until((text) => text.includes('Password of admin:'));
  expect(asked).toEqual(['first']);
});

test('keys typed for something else when the prompt opens are no password; those after A are', async () => {
  const { rig, asked } = show({}, { settleMs: 3_600_000 });
  await rig.until((text) => text.includes('Password of admin:'));
  for (const key of ['g', 'u', '\r', '\u001B']) rig.type(key);
  await rig.until((text) => !text.includes('Password of admin:'));
  expect(asked).toEqual(['first']);
  rig.type('A');
  await rig.until((text) => text.includes('Password of admin:'));
  rig.type('right');
  await rig.until((text) => text.includes('Password of admin: *****'));
  rig.type('\r');
  await rig.until((text) => text.includes('1/1 nodes'));
  expect(asked).toEqual(['first', 'right', 'right']);
});

test("does not ask for the broker's password, or start an action, when a proxy rejected its login", async () => {
  const refusal = new ProxyLoginError({ url: 'http://proxy.test:3128', variable: 'HTTPS_PROXY', hasLogin: true });
  const { rig, asked } = show({}, { failure: refusal });
  await rig.until((text) => text.includes(refusal.brief));
  rig.type('A');
  await rig.until((text) => text.includes(refusal.message.slice(0, 60)));
  rig.type('4');
  await rig.until((text) => text.includes('Not loaded: login rejected.'));
  expect(rig.lines().join('\n')).not.toMatch(/Password of admin|the broker rejected/u);
  rig.type('P');
  await rig.until((text) => text.includes('Actions are disabled: proxy login rejected (407)'));
  expect(asked).toEqual(['first']);
});

test('does not open while the operator types', async () => {
  const timeouts = holdLongTimeouts();
  const { rig, monitor, expire } = show();
  await rig.until((text) => text.includes('Password of admin:'));
  rig.type('right\r');
  await rig.until((text) => text.includes('1/1 nodes'));
  await rig.until((text) => text.includes('Signed in. Polling resumed.'));
  timeouts.pass(4_000);
  rig.type(':');
  await rig.until((text) => text.includes('Commands'));
  expire();
  monitor.refresh();
  await rig.until((text) => text.includes('! Login rejected: press A to sign in. Polling has stopped.'));
  expect(rig.lines().join('\n')).not.toContain('Password of admin:');
  rig.type('\u001B');
  await rig.until((text) => text.includes('Password of admin:'));
});

test('a password file is read again only on the key, and its error is shown', async () => {
  let reads = 0;
  const { rig, asked } = show({
    source: 'file',
    async readAgain() {
      reads += 1;
      if (reads === 1) throw new Error('The password file "p" cannot be opened (ENOENT).');
      return 'right';
    },
  });
  await rig.until((text) => text.includes('! Login rejected: press A to sign in. Polling has stopped.'));
  expect(reads).toBe(0);
  expect(rig.lines().join('\n')).not.toContain('Password of admin:');
  rig.type('A');
  await rig.until((text) => text.includes('The password file "p" cannot be opened (ENOENT).'));
  expect(asked).toEqual(['first']);
  rig.type('A');
  await rig.until((text) => text.includes('1/1 nodes'));
  expect(asked).toEqual(['first', 'right', 'right']);
});

test('the key reports when nothing was rejected', async () => {
  const { rig } = show();
  await rig.until((text) => text.includes('Password of admin:'));
  rig.type('right\r');
  await rig.until((text) => text.includes('1/1 nodes'));
  rig.type('A');
  await rig.until((text) => text.includes('The login was not rejected'));
  expect(rig.lines().join('\n')).not.toContain('Password of admin:');
});

test('after a failover the header shows the new URL, and the message line the reason for a while', async () => {
  const timeouts = holdLongTimeouts();
  const { rig, monitor } = show();
  await rig.until((text) => text.includes('Password of admin:'));
  rig.type('right\r');
  await rig.until((text) => text.includes('1/1 nodes') && text.includes('http://127.0.0.1:1'));
  await rig.until((text) => text.includes('Signed in. Polling resumed.'));
  timeouts.pass(4_000);
  monitor.noteFailover({ url: 'http://127.0.0.1:2', insteadOf: 'http://127.0.0.1:1', because: 'It is gone.' });
  await rig.until((text) => text.split('\n')[0]?.includes('http://127.0.0.1:2') === true);
  const switched = '! Switched to http://127.0.0.1:2. http://127.0.0.1:1 failed: It is gone.';
  expect(await rig.until((text) => text.includes(switched))).toContainEqual(expect.stringContaining(switched));
});

test('an address that was skipped is named beside the one in use', async () => {
  const timeouts = holdLongTimeouts();
  const { rig, monitor } = show();
  await rig.until((text) => text.includes('Password of admin:'));
  rig.type('right\r');
  await rig.until((text) => text.includes('1/1 nodes') && text.includes('http://127.0.0.1:1'));
  await rig.until((text) => text.includes('Signed in. Polling resumed.'));
  timeouts.pass(4_000);
  monitor.noteSkippedAddress({
    url: 'https://127.0.0.1:3',
    brief: 'certificate expired',
    message: 'Certificate expired.',
  });
  monitor.noteFailover({ url: 'http://127.0.0.1:2', insteadOf: 'http://127.0.0.1:1', because: 'It is gone.' });
  const lines = await rig.until(
    (text) => text.includes('Skipped https://127.0.0.1:3: certificate expired') && text.includes('Switched to'),
  );
  expect(lines).toContainEqual(
    expect.stringContaining(
      '! Switched to http://127.0.0.1:2. ! Skipped https://127.0.0.1:3: certificate expired (L: log)',
    ),
  );
});

test('a login that failed for another reason can be tried again with A, although nothing was rejected', async () => {
  const failure = new HttpStatusError(500);
  failure.nameLogin();
  const { rig, asked } = show({}, { failure });
  await rig.until((text) => text.includes('Login failed: Unexpected status: HTTP 500'));
  expect(rig.lines().join('\n')).not.toContain('Password of admin:');
  rig.type('A');
  const lines = await rig.until((text) => text.includes('Password of admin:'));
  expect(lines.join('\n')).toContain('Polling of http://127.0.0.1:1 goes on. The password may be right.');
  expect(lines.join('\n')).not.toContain('rejected');
  rig.type('right');
  await rig.until((text) => text.includes('Password of admin: *****'));
  rig.type('\r');
  await rig.until((text) => text.includes('1/1 nodes') && !text.includes('Password of admin'));
  expect(asked).toContain('right');
});
