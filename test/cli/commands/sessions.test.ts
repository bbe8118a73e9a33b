import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { allContexts, type MonitorSession } from '../../../src/cli/commands/monitor-session.ts';
import { createSessions, type Sessions } from '../../../src/cli/commands/sessions.ts';
import { monitorConfig } from '../../../src/cli/options/config.ts';
import type { FlagValues } from '../../../src/cli/options/flags.ts';

let sessions: (flags: FlagValues) => Sessions;

beforeEach(async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'brokertop-sessions-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const passwords = ['first', 'second'].map((name) => path.join(folder, name));
  await Promise.all(passwords.map((file) => writeFile(file, `password of ${path.basename(file)}\n`, { mode: 0o600 })));
  const [first = '', second = ''] = passwords;
  const contexts = {
    first: { url: 'http://127.0.0.1:1', 'password-file': first },
    second: { url: 'http://127.0.0.1:2', user: 'ops', 'password-file': second, color: 'red' as const },
    typed: { url: 'http://127.0.0.1:3' },
  };
  sessions = (flags) => createSessions({ context: 'first', contexts }, flags, {});
});

const open = async ({ chosen, open: openFirst }: Sessions, fromEnvironment?: string) => {
  const first = chosen(fromEnvironment !== undefined);
  return openFirst(first, monitorConfig(first.flags, fromEnvironment !== undefined), fromEnvironment);
};

const openNext = async ({ otherContexts }: MonitorSession, next: string | typeof allContexts) => {
  if (otherContexts === undefined) throw new Error('no other contexts');
  return (await otherContexts.prepare(next))();
};

test('the login of the command line and of the environment goes to the first context only', async () => {
  const first = await open(sessions({ user: 'flag' }), 'from the environment');
  expect(first).toMatchObject({
    context: 'first',
    user: 'flag',
    password: 'from the environment',
    otherContexts: { names: ['second', 'typed'] },
  });
  const second = await openNext(first, 'second');
  expect(second).toMatchObject({
    context: 'second',
    contextColor: 'red',
    url: 'http://127.0.0.1:2',
    user: 'ops',
    password: 'password of second',
  });
});

test('flags of the screen, of alerts and of actions stay with every context', async () => {
  const first = await open(
    sessions({ 'read-only': true, bell: true, 'on-problem': 'true', theme: 'light', interval: '7' }),
  );
  expect(await openNext(first, 'second')).toMatchObject({
    isReadOnly: true,
    alerts: { hasBell: true, hasNotification: false, command: 'true' },
    themeName: 'light',
    intervalSeconds: 7,
  });
});

test('among all clusters, one whose password must be typed says so', async () => {
  const first = await open(sessions({}));
  const all = await openNext(first, allContexts);
  if (!('contexts' in all)) throw new Error('no clusters');
  expect(all.contexts.map(({ name }) => name)).toEqual(['first', 'second', 'typed']);
  expect(await all.contexts[1]?.open()).toMatchObject({ context: 'second', password: 'password of second' });
  await expect(all.contexts[2]?.open()).rejects.toThrow(
    'A password is required: press Enter to open the cluster and enter it, or set password-file or password-command.',
  );
});
