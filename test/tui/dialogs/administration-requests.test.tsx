import { pluginSettingsRequest, shownPluginValue } from '../../../src/resources/plugin-settings/actions.ts';
import { settingRequest } from '../../../src/resources/settings/actions.ts';
import { pluginRequest } from '../../../src/resources/plugins/actions.ts';
import {
  deletionRequest,
  newUserRequest,
  passwordRequest,
  tagsRequest,
  checkRequest,
} from '../../../src/resources/users/actions.ts';
import type { DialogRequest } from '../../../src/actions/requests.ts';
import { Box } from 'ink';
import { afterEach, describe, expect, test } from 'vitest';
import type { PluginSetting } from '../../../src/domain/administration.ts';
import { ConfirmDialog } from '../../../src/tui/dialogs/confirm-dialog.tsx';
import { FormDialog } from '../../../src/tui/dialogs/form-dialog.tsx';
import { capabilitiesB, fill, formOf, pluginOf, settingOf } from '../../screens/administration-fixtures.tsx';
import { createFakeMonitor } from '../../screens/list-fixtures.ts';
import { colorTheme, createRig, endRigs, plainTheme } from '../support/rig.tsx';

afterEach(endRigs);

const hostile = 'z\u001B[2J\u202E\u0007';
const long = `${hostile}${'x'.repeat(5_000)}`;
const nodes = Array.from({ length: 20 }, (_, index) => `node${index}${hostile}@host`);
const unread: readonly string[] = [hostile];
const theme = colorTheme;

const requestOf = (asked: { readonly request: DialogRequest } | { readonly refused: string }): DialogRequest => {
  if ('refused' in asked) throw new Error(asked.refused);
  return asked.request;
};
const nextOf = (request: DialogRequest, values: Readonly<Record<string, string>>): DialogRequest => {
  const next = fill(formOf(request), values);
  if (typeof next === 'string') throw new Error(next);
  return next;
};

const plugin = {
  name: long,
  description: long,
  byNode: new Map(nodes.map((node) => [node, pluginOf(long, true)])),
  versions: [hostile],
  activeCount: 20,
  knownCount: 20,
};
const setting = {
  id: 'id',
  app: hostile,
  key: long,
  dataType: hostile,
  byNode: new Map(nodes.map((node) => [node, settingOf(long, long)])),
  isDifferent: false,
};
const pluginSetting = { key: long, value: long, description: long, required: false };
const user = { username: long, tags: long };

const requests = (): readonly (readonly [string, DialogRequest])[] => {
  const settingForm = requestOf(settingRequest(theme, { row: setting, node: undefined, unread, stopped: [] }));
  const pluginForm = requestOf(
    pluginSettingsRequest(theme, { node: hostile, plugin: long, isActive: true, settings: [pluginSetting], key: long }),
  );
  const password = passwordRequest(theme, user, long);
  return [
    [
      'plugin',
      requestOf(
        pluginRequest(theme, {
          row: plugin,
          active: false,
          node: undefined,
          unread,
          stopped: [],
          capabilities: capabilitiesB,
        }),
      ),
    ],
    ['setting', settingForm],
    ['change of a setting', nextOf(settingForm, { value: hostile })],
    ['set of plugin settings', pluginForm],
    ['change of plugin settings', nextOf(pluginForm, { 'value 0': hostile })],
    ['new user', newUserRequest(theme, [])],
    ['user', nextOf(newUserRequest(theme, []), { username: long, tags: long, password: 'a', again: 'a' })],
    ['tags', tagsRequest(theme, user, undefined)],
    ['change of tags', nextOf(tagsRequest(theme, user, long), { tags: hostile })],
    ['password', password],
    ['change of a password', nextOf(password, { old: 'a', password: 'b', again: 'b' })],
    ['deletion', requestOf(deletionRequest(theme, user, long))],
    ['check', checkRequest(theme, long)],
  ];
};

const nothing = (): void => {};

describe.each([
  [80, 18],
  [60, 9],
] as const)('at %i by %i', (width, height) => {
  test.each(requests())('the dialog of a %s keeps its layout with any names', (_, request) => {
    const dialog =
      request.kind === 'confirm' ? (
        <ConfirmDialog
          monitor={createFakeMonitor()}
          request={request}
          width={width}
          height={height}
          onConfirm={nothing}
          onCancel={nothing}
        />
      ) : (
        request.kind === 'form' && (
          <FormDialog
            request={request}
            before={undefined}
            width={width}
            height={height}
            onNext={nothing}
            onCancel={nothing}
          />
        )
      );
    const rig = createRig(
      <Box width={width} height={height}>
        {dialog}
      </Box>,
      { columns: width, rows: height },
    );
    const lines = rig.lines();
    expect(lines.length).toBeLessThanOrEqual(height);
    expect(lines.length).toBeGreaterThan(2);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(width);
    expect(rig.raw()).not.toMatch(/\u001B\[2J|\u202E|\u0007/);
    // How to get out of it is always there.
    expect(lines.join('\n')).toMatch(/Esc/);
  });
});

test('a change that may delete settings that are not listed says so, and has the name typed', () => {
  const keys = ['access', 'rule', 'topic'].map((name) => ({
    key: `${name}.$id`,
    value: '',
    description: '',
    required: false,
    isTemplate: true as const,
  }));
  const shown = { key: 'max_clients', value: '512', description: '', required: true };
  const open = (settings: readonly PluginSetting[], key = 'max_clients') =>
    pluginSettingsRequest(plainTheme, { node: 'a', plugin: 'emq_dashboard', isActive: false, settings, key });
  const form = formOf(requestOf(open([...keys, shown])));
  expect(form.fields.map(({ label }) => label)).toEqual(['max_clients']);
  const warning =
    'The plugin may have numbered settings (access.$id, rule.$id and 1 more). This API does not list them, and this change may delete them.';
  expect(form.notes?.[0]).toBe(warning);
  expect(nextOf(form, { 'value 0': '100' })).toMatchObject({
    kind: 'confirm',
    mustType: 'emq_dashboard',
    warning,
    details: expect.arrayContaining(['max_clients: 512 → 100']),
  });
  expect(nextOf(requestOf(open([shown])), { 'value 0': '100' })).toMatchObject({
    mustType: undefined,
    warning: undefined,
  });
  expect(open([...keys, shown], 'rule.$id')).toEqual({
    refused: 'rule.$id stands for numbered settings, which this API cannot change',
  });
  expect(shownPluginValue(plainTheme, keys[0] ?? shown)).toBe('(not listed by this API)');
});

test('a setting that is never reported is not said to be verified', () => {
  const key = 'mqtt.client.idle_timeout';
  const row = {
    ...setting,
    key,
    app: 'mqtt',
    dataType: 'duration',
    byNode: new Map([['a', settingOf(key, undefined, { dataType: 'duration', mayReadBackUnchanged: true })]]),
  };
  const form = formOf(requestOf(settingRequest(plainTheme, { row, node: 'a', unread: [], stopped: [] })));
  expect(form.notes).toContain('This broker does not report the value of this setting.');
  expect(nextOf(form, { value: '15s' })).toMatchObject({
    details: expect.arrayContaining(['The result cannot be verified.']),
  });
});

test('no dialog shows a password', () => {
  const texts: string[] = [];
  const collect = (request: DialogRequest): void => {
    texts.push(JSON.stringify(request));
  };
  collect(nextOf(newUserRequest(theme, []), { username: 'a', tags: 'b', password: 'hunter2', again: 'hunter2' }));
  collect(nextOf(passwordRequest(theme, user, undefined), { old: 'hunter2', password: 'hunter3', again: 'hunter3' }));
  collect(nextOf(checkRequest(theme, 'a'), { password: 'hunter2' }));
  expect(texts.join('\n')).toContain('add-user');
  expect(texts.join('\n')).not.toContain('hunter');
});

test.each([
  ['1000', '10', true],
  ['0', '10', true],
  ['1000', '5000', false],
  ['1000', '0', false],
])('a queue limit of %s that becomes %s warns of lost messages: %s', (before, wanted, isLower) => {
  const key = 'mqtt.mqueue.max_length';
  const row = {
    ...setting,
    key,
    app: 'mqtt',
    dataType: 'integer',
    byNode: new Map([['a', settingOf(key, before, { dataType: 'integer' })]]),
  };
  const next = nextOf(requestOf(settingRequest(theme, { row, node: 'a', unread: [], stopped: [] })), { value: wanted });
  expect(next).toMatchObject({
    kind: 'confirm',
    warning: isLower ? 'Sessions with longer queues lose messages.' : undefined,
  });
});
