import { afterEach, describe, expect, test } from 'vitest';
import { askForPlugin, askForPluginSettings, askForSetting } from '../../../src/ui/dialogs/administration-requests.ts';
import type { AskRequest } from '../../../src/ui/dialogs/ask.ts';
import { ConfirmDialog } from '../../../src/ui/dialogs/confirm-dialog.tsx';
import { FormDialog } from '../../../src/ui/dialogs/form-dialog.tsx';
import { askForDeletion, askForNewUser, askForPassword, askForTags, askToCheck } from '../../../src/ui/dialogs/user-requests.ts';
import { capabilitiesB, fill, formOf, pluginOf, settingOf } from '../screens/administration-fixtures.tsx';
import { colorTheme, createRig, endRigs } from '../support/rig.tsx';

afterEach(endRigs);

const hostile = 'z\u001B[2J\u202E\u0007';
const long = `${hostile}${'x'.repeat(5_000)}`;
const nodes = Array.from({ length: 20 }, (_, index) => `node${index}${hostile}@host`);
const unread: readonly string[] = [hostile];
const theme = colorTheme;

const requestOf = (asked: { readonly request: AskRequest } | { readonly refused: string }): AskRequest => {
  if ('refused' in asked) throw new Error(asked.refused);
  return asked.request;
};
const nextOf = (request: AskRequest, values: Readonly<Record<string, string>>): AskRequest => {
  const next = fill(formOf(request), values);
  if (typeof next === 'string') throw new Error(next);
  return next;
};

const plugin = { name: long, description: long, byNode: new Map(nodes.map((node) => [node, pluginOf(long, true)])), versions: [hostile], activeCount: 20, knownCount: 20 };
const setting = { id: 'id', app: hostile, key: long, dataType: hostile, byNode: new Map(nodes.map((node) => [node, settingOf(long, long)])), isDifferent: false };
const pluginSetting = { key: long, value: long, description: long, required: false };
const user = { username: long, tags: long };

const requests = (): readonly (readonly [string, AskRequest])[] => {
  const settingForm = requestOf(askForSetting(theme, { row: setting, node: undefined, unread, stopped: [] }));
  const pluginForm = requestOf(askForPluginSettings(theme, { node: hostile, plugin: long, isActive: true, settings: [pluginSetting], key: long }));
  const password = askForPassword(theme, user, long);
  return [
    ['plugin', requestOf(askForPlugin(theme, { row: plugin, active: false, node: undefined, unread, stopped: [], capabilities: capabilitiesB }))],
    ['setting', settingForm], ['change of a setting', nextOf(settingForm, { value: hostile })],
    ['set of plugin settings', pluginForm], ['change of plugin settings', nextOf(pluginForm, { 'value 0': hostile })],
    ['new user', askForNewUser(theme, [])], ['user', nextOf(askForNewUser(theme, []), { username: long, tags: long, password: 'a', again: 'a' })],
    ['tags', askForTags(theme, user, undefined)], ['change of tags', nextOf(askForTags(theme, user, long), { tags: hostile })],
    ['password', password], ['change of a password', nextOf(password, { old: 'a', password: 'b', again: 'b' })],
    ['deletion', requestOf(askForDeletion(theme, user, long))],
    ['check', askToCheck(theme, long)],
  ];
};

const nothing = (): void => {};

describe.each([[80, 18], [60, 9]] as const)('at %i by %i', (width, height) => {
  test.each(requests())('the dialog of a %s stays in its place, whatever the names are', (_, request) => {
    const dialog = request.kind === 'confirm'
      ? <ConfirmDialog request={request} width={width} height={height} onConfirm={nothing} onCancel={nothing} />
      : request.kind === 'form' && <FormDialog request={request} before={undefined} width={width} height={height} onNext={nothing} onCancel={nothing} />;
    const rig = createRig(dialog, { columns: width, rows: height });
    const lines = rig.lines();
    expect(lines.length).toBeLessThanOrEqual(height);
    expect(lines.length).toBeGreaterThan(2);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(width);
    expect(rig.raw()).not.toMatch(/\u001B\[2J|\u202E|\u0007/);
    // How to get out of it is always there.
    expect(lines.join('\n')).toMatch(/Esc/);
  });
});

test('a password never is in what a dialog is told to show', () => {
  const texts: string[] = [];
  const collect = (request: AskRequest): void => {
    texts.push(JSON.stringify(request));
  };
  collect(nextOf(askForNewUser(theme, []), { username: 'a', tags: 'b', password: 'hunter2', again: 'hunter2' }));
  collect(nextOf(askForPassword(theme, user, undefined), { old: 'hunter2', password: 'hunter3', again: 'hunter3' }));
  collect(nextOf(askToCheck(theme, 'a'), { password: 'hunter2' }));
  expect(texts.join('\n')).toContain('add-user');
  expect(texts.join('\n')).not.toContain('hunter');
});
