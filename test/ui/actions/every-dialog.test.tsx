import { afterEach, describe, expect, test } from 'vitest';
import type { ManagementApi } from '../../../src/api/management-api.ts';
import type { AskRequest, ConfirmRequest, FormRequest } from '../../../src/ui/actions/ask.ts';
import { clearAclRequest, disconnectRequest, subscribeRequest, unsubscribeRequest } from '../../../src/ui/actions/client-requests.ts';
import { clientMenu } from '../../../src/ui/actions/client-keys.tsx';
import { type Asked, askForPlugin } from '../../../src/ui/actions/plugin-requests.ts';
import { askForPluginSettings } from '../../../src/ui/actions/plugin-settings-request.ts';
import { publishRequest } from '../../../src/ui/actions/publish-request.ts';
import { askForSetting } from '../../../src/ui/actions/setting-requests.ts';
import { askForDeletion, askForNewUser, askForPassword, askForTags, askToCheck } from '../../../src/ui/actions/user-requests.ts';
import { capabilitiesB, confirmed, confirmOf, formOf, pluginOf, settingOf } from '../screens/administration-fixtures.tsx';
import { endRigs, plainTheme as theme } from '../support/rig.tsx';
import { type AskedRig, createAskedRig, endMonitors, hostileId, shownClient } from './harness.tsx';

afterEach(() => {
  endRigs();
  endMonitors();
});

/** As long as MQTT lets an id be, and hostile at both ends. */
const id = `${hostileId}${'x'.repeat(65_000)}${hostileId}`;
const [here, there] = ['broker1@127.0.0.1', 'broker2@127.0.0.1'];

const requestOf = (asked: Asked): AskRequest => {
  if ('refused' in asked) throw new Error(asked.refused);
  return asked.request;
};

const client = shownClient(id);
const subscription = { clientId: id, topic: id, qos: 1, node: here } as const;
const user = { username: id, tags: id };
const setting = { id: 'id', app: 'broker', key: id, dataType: 'string', byNode: new Map([here, there].map((node) => [node, settingOf(id, id)])), isDifferent: false };
const pluginRow = (name: string) => ({ name, description: id, byNode: new Map([here, there].map((node) => [node, pluginOf(name, true)])), versions: [], activeCount: 2, knownCount: 2 });
const stop = (name: string, node?: string): AskRequest => requestOf(askForPlugin(theme, { row: pluginRow(name), active: false, node, unread: [], stopped: [], capabilities: capabilitiesB }));
const start: Asked = askForPlugin(theme, { row: { ...pluginRow(id), byNode: new Map([[here, pluginOf(id, false)]]) }, active: true, node: here, unread: [], stopped: [], capabilities: capabilitiesB });
const values = [{ key: id, value: id, description: id, required: true }, { key: `${id}.password`, value: 'hunter2', description: '', required: false }];

const forms: Readonly<Record<string, { readonly form: FormRequest; readonly typed: Readonly<Record<string, string>> }>> = {
  'a subscription': { form: formOf(subscribeRequest(theme, { kind: 'client', client })), typed: { topic: 'a/#' } },
  'an ACL cache': { form: formOf(clearAclRequest(theme, shownClient(id.replaceAll('/', '')))), typed: { topic: 'a' } },
  'a message': { form: formOf(publishRequest(theme, async () => '')), typed: { topic: 'a', payload: id } },
  'a setting of one node': { form: formOf(requestOf(askForSetting(theme, { row: setting, node: here, unread: [], stopped: [] }))), typed: { value: 'b' } },
  'a setting of all nodes': { form: formOf(requestOf(askForSetting(theme, { row: setting, node: undefined, unread: [there], stopped: [] }))), typed: { value: 'b' } },
  'the settings of a plugin': { form: formOf(requestOf(askForPluginSettings(theme, { node: here, plugin: id, isActive: true, settings: values, key: id }))), typed: { 'value 0': 'b' } },
  'a new user': { form: formOf(askForNewUser(theme, [])), typed: { username: id, tags: id, password: 'p', again: 'p' } },
  'tags': { form: formOf(askForTags(theme, user)), typed: { tags: 'b' } },
  'a password': { form: formOf(askForPassword(theme, user, undefined)), typed: { old: 'o', password: 'p', again: 'p' } },
  'the own password': { form: formOf(askForPassword(theme, user, id)), typed: { old: 'o', password: 'p', again: 'p' } },
  'a check of a password': { form: formOf(askToCheck(id)), typed: { password: 'p' } },
};

const questions: Readonly<Record<string, ConfirmRequest>> = {
  'disconnecting': disconnectRequest(theme, client),
  'unsubscribing': unsubscribeRequest(theme, subscription),
  'starting a plugin on a node': confirmOf(requestOf(start)),
  'stopping a plugin on a node': confirmOf(stop(id, here)),
  'stopping a plugin on all nodes': confirmOf(stop(id)),
  'stopping what serves the interface': confirmOf(stop('broker_management')),
  'deleting a user': confirmOf(requestOf(askForDeletion(theme, user, undefined))),
  'deleting the own user': confirmOf(requestOf(askForDeletion(theme, user, id))),
  ...Object.fromEntries(Object.entries(forms).filter(([name]) => name !== 'a message').map(([name, { form, typed }]) => [`what the form of ${name} comes to`, confirmed(form, typed)])),
};

const others: Readonly<Record<string, AskRequest>> = {
  'the menu of a client': clientMenu(theme, { subject: { kind: 'client', client } }, true, undefined),
  'marked ones': { kind: 'bulk', targets: [{ kind: 'client', client }, { kind: 'client', client: shownClient('b') }], changedCount: 1, shownCount: 0 },
  'an id alone': { kind: 'read-client', clientId: id, node: here, wish: 'disconnect' },
  'the ACL cache of an id alone': { kind: 'read-client', clientId: id, node: here, wish: 'clear-acl' },
  'which subscription': { kind: 'choose-subscription', clientId: id },
};

/** Every call of the port is written down, and answers nothing. */
const recorded = (): Partial<ManagementApi> => {
  const acting = ['disconnectClient', 'clearAclCache', 'subscribe', 'unsubscribe', 'publish', 'startPlugin', 'stopPlugin', 'changeSetting', 'replacePluginSettings', 'addUser', 'changeUserTags', 'deleteUser', 'checkCredentials', 'changePassword'];
  const reading = ['getNodeClient', 'getClient', 'getSession', 'getSubscriptions', 'listPlugins', 'getSettings', 'getPluginSettings', 'listUsers'];
  return Object.fromEntries([...acting.map((name) => [name, async () => {}]), ...reading.map((name) => [name, async () => []])]);
};

const sizes = [[80, 18], [60, 9]] as const;

const open = async (request: AskRequest, size: readonly [number, number]): Promise<AskedRig> => {
  const rig = createAskedRig(request, recorded(), { size });
  rig.type('P');
  await rig.until((text) => /Esc/.test(text));
  const [, ...lines] = rig.lines();
  expect(lines.length).toBeLessThanOrEqual(size[1]);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(size[0]);
  expect(rig.raw()).not.toMatch(/\u001B\[2J|\u202E/);
  return rig;
};

const closed = (text: string): boolean => !text.includes('──');

describe.each(sizes)('at %i by %i, with an id of 65,000 hostile characters', (...size) => {
  describe.each(Object.entries(questions))('the question of %s', (_, request) => {
    test('is in its place, and Enter does nothing', async () => {
      const rig = await open(request, size);
      rig.type('\r');
      if (request.mustType === undefined) await rig.until(closed);
      else await rig.until((text) => text.includes('that is not the same; nothing was done'));
      expect([rig.calls, rig.heard]).toEqual([[], []]);
    });

    test.each(['\u001B', ...(request.mustType === undefined ? ['n', 'N', 'q'] : [])])('is left by %j, and nothing else hears it', async (key) => {
      const rig = await open(request, size);
      rig.type(key);
      await rig.until(closed);
      expect([rig.calls, rig.heard]).toEqual([[], []]);
    });
  });

  describe.each(Object.entries(forms))('the form of %s', (_, { form }) => {
    test('is in its place, and tells what is missing before anything is sent', async () => {
      const rig = await open(form, size);
      rig.type('\u0013');
      await rig.until((text) => text.includes('  ! '));
      expect(rig.text()).toContain(`of ${form.fields.length}`);
      expect([rig.calls, rig.heard]).toEqual([[], []]);
    });

    test('is left by Esc, and nothing else hears what is typed', async () => {
      const rig = await open(form, size);
      rig.type('q:');
      rig.type('\u001B');
      await rig.until(closed);
      expect([rig.calls, rig.heard]).toEqual([[], []]);
    });
  });

  test.each(Object.entries(others))('%s: in its place, left by Esc, and nothing was sent', async (_, request) => {
    const rig = await open(request, size);
    rig.type('\u001B');
    await rig.until(closed);
    expect(rig.calls.filter((call) => !call.startsWith('get'))).toEqual([]);
    expect(rig.heard).toEqual([]);
  });
});
