import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { ActionResult } from '../../../src/actions/action.ts';
import { Secret } from '../../../src/actions/secret.ts';
import { BrokerError } from '../../../src/api/errors.ts';
import { openEventFile } from '../../../src/cli/files/event-file.ts';
import { keepEvents } from '../../../src/cli/files/keep-events.ts';
import { addApiKey } from '../../../src/resources/api-keys/actions.ts';
import { replacePluginSettings } from '../../../src/resources/plugin-settings/actions.ts';
import { changeSetting } from '../../../src/resources/settings/actions.ts';
import { addUser, changePassword, changeUserTags } from '../../../src/resources/users/actions.ts';
import { createTriagedMonitor } from '../../../src/timeline/triaged-monitor.ts';
import { setUp } from '../../resources/support.ts';
import { newSecret } from '../../support/full-broker.ts';

const secret = (name: string): string => `Pässwörd-of-${name}`;

const setting = (key: string, value: string) => ({ key, value, required: true, description: secret('description') });

/** A broker that has secrets in all its settings, and repeats in its refusals what it was sent. */
function setUpMonitor() {
  const state = {
    setting: secret('setting before'),
    pluginSettings: [
      setting('auth.password', secret('plugin before')),
      setting('auth.params', `password=${secret('params before')}`),
      setting('server.token', secret('other setting')),
    ],
    users: [{ username: 'ann', tags: 'viewer' }],
  };
  const refuse = (password: string): never => {
    throw new BrokerError('failed', `wrong: ${password}`);
  };
  const { api, clock } = setUp(() => ({
    getSettings: async () => [
      { app: 'emqx', key: 'mqtt.password', value: state.setting, dataType: 'string', description: '' },
    ],
    async changeSetting(_node, { value }) {
      state.setting = value;
    },
    listPlugins: async () => [{ name: 'hook', version: '1', description: undefined, active: true }],
    getPluginSettings: async () => state.pluginSettings,
    async replacePluginSettings(_node, _plugin, values) {
      state.pluginSettings = state.pluginSettings.map(({ key }) => setting(key, values[key] ?? ''));
    },
    listUsers: async () => state.users,
    async addUser({ password }) {
      return refuse(password);
    },
    async changePassword(_username, _old, password) {
      return refuse(password);
    },
    async changeUserTags(username, tags) {
      state.users = [{ username, tags }];
    },
    checkCredentials: (_username, password) => Promise.reject(new BrokerError('failed', password)),
  }));
  const monitor = createTriagedMonitor({ api, clock, intervalSeconds: 2, author: 'ann' });
  onTestFinished(() => {
    monitor.stop();
  });
  return { monitor, clock, state };
}

test('no secret of an action is in the file of events', async () => {
  const { monitor, clock, state } = setUpMonitor();
  const folder = await mkdtemp(path.join(tmpdir(), 'event-secrets-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = path.join(folder, 'events', 'prod.ndjson');
  const events = keepEvents(monitor.store, openEventFile(file), {
    onEarlier: () => {},
    onOthers: () => {},
    onStart: () => {},
    onUnreadable: () => {},
  });
  const actions = [
    changeSetting.create({
      app: 'emqx',
      key: 'mqtt.password',
      value: secret('setting after'),
      nodes: [{ node: 'a', value: state.setting }],
      isForAll: false,
    }),
    replacePluginSettings.create({
      node: 'a',
      plugin: 'hook',
      shown: state.pluginSettings,
      edits: { 'auth.password': secret('plugin after'), 'auth.params': `password=${secret('params after')}` },
    }),
    addApiKey.create({ name: 'new' }),
    addUser.create({ username: 'bob', tags: 'viewer', password: new Secret(secret('bob')) }),
    changePassword.create({
      username: 'ann',
      oldPassword: new Secret(secret('old')),
      newPassword: new Secret(secret('new')),
      isSignedInUser: false,
    }),
    changeUserTags.create({ username: 'ann', tags: 'viewer' }, 'administrator'),
  ];
  for (const action of actions) {
    let result: ActionResult | undefined;
    void monitor.runAction(action).then((ended) => {
      result = ended;
    });
    while (result === undefined) await clock.advance(10_000);
    expect(result.wasSent).toBe(true);
  }
  await events.close();
  const bytes = await readFile(file);
  for (const each of [secret(''), newSecret])
    for (const form of [each, encodeURIComponent(each), JSON.stringify(each).slice(1, -1)])
      for (const encoding of ['utf8', 'latin1', 'utf16le'] as const)
        expect(bytes.includes(Buffer.from(form, encoding))).toBe(false);
  const kept = (await openEventFile(file).read()).flatMap(({ action }) => (action === undefined ? [] : [action]));
  // What can be undone is there all the same.
  expect(kept.map(({ name, changed }) => [name, changed !== undefined])).toEqual([
    ['change-setting', true],
    ['replace-plugin-settings', true],
    ['add-api-key', true],
    ['add-user', false],
    ['change-password', false],
    ['change-user-tags', true],
  ]);
  expect(kept.find(({ name }) => name === 'replace-plugin-settings')?.changed).toEqual({
    node: 'a',
    plugin: 'hook',
    settings: ['auth.password', 'auth.params'].map((key) => ({
      key,
      before: { secret: '(hidden)' },
      after: { secret: '(hidden)' },
    })),
  });
});
