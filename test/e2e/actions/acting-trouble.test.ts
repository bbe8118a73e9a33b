import { askTexts } from '../../../src/actions/asking.ts';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createHttpApi } from '../../../src/api/dialects/index.ts';
import { trusted } from '../../../src/terminal/safe-text.ts';
import { nextMessages, untilClosed } from '../../contract/support.ts';
import type { TerminalSession } from '../../support/terminal.ts';
import { closeTerminalsAtEnd, openReadyMonitor, waitForCursor, waitForFrame } from '../support.ts';
import { type ActingServer, otherPassword, otherUser, startActingServer } from './acting-server.ts';
import {
  acceptName,
  beginForm,
  confirm,
  confirmByName,
  dialogIs,
  fillForm,
  findRow,
  answerYes,
  showOutcome,
  showQuestion,
  typeName,
  repeatUntil,
} from './dialogs.ts';

closeTerminalsAtEnd();

const [one, two, three] = ['broker1@127.0.0.1', 'broker2@127.0.0.1', 'broker3@127.0.0.1'] as const;
const inflight = 'mqtt.session.max_inflight';

let server: ActingServer;
let api: ReturnType<typeof createHttpApi>;
let terminal: TerminalSession;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'brokertop-trouble-'));
  server = await startActingServer();
  api = createHttpApi({ url: server.url, user: otherUser, password: otherPassword, variant: 'b' });
  terminal = await openReadyMonitor(server.target, {
    cols: 120,
    rows: 36,
    args: ['--interval', '0.5'],
    env: { XDG_STATE_HOME: folder },
  });
}, 180_000);

afterAll(async () => {
  await terminal?.close();
  await api?.close();
  await server?.close();
  await rm(folder, { recursive: true, force: true });
});

const callsOf = (name: string): readonly unknown[] =>
  server.calls.filter(([each]) => each === name).map(([, ...about]) => about);
const valuesOf = (key: string): Promise<readonly (string | undefined)[]> =>
  Promise.all(
    [one, two, three].map(async (node) => (await api.getSettings(node)).find((each) => each.key === key)?.value),
  );

const headers = { '4': 'CLIENT ID', '8': 'PLUGIN', ',': 'APPLICATION', '@': 'TAGS' } as const;

/** Opens a list by its key and goes to a row. */
async function goTo(key: keyof typeof headers, name: string): Promise<void> {
  terminal.press(key);
  await waitForFrame(terminal, (session) => session.text().includes(headers[key]));
  // After a cut connection a list is read again only seconds later, unless that is asked for.
  await repeatUntil(
    terminal,
    () => {
      terminal.press('ctrl-r');
    },
    (session) => /showing \d/u.test(session.text()) && !session.text().includes('retry in '),
    5_000,
  );
  await findRow(terminal, name);
}

/** Chooses the node for changes of plugins or settings: the first, or all. */
async function chooseNode(key: 'left' | 'right', shown: string): Promise<void> {
  terminal.press(key);
  await terminal.waitFor(shown);
}

/** Goes from the row of a setting to the confirmation. */
async function typeValue(key: string, value: string): Promise<void> {
  terminal.press('e');
  await beginForm(terminal, `Setting ${key}`);
  terminal.press('ctrl-u');
  terminal.type(value);
  await terminal.waitFor(new RegExp(`▸ .* ${value}`, 'u'));
  terminal.press('ctrl-s');
}

/** Goes from any screen to the confirmation of a publish. */
async function askToPublish(topic: string): Promise<void> {
  terminal.press('P');
  await terminal.waitFor(dialogIs('Publish a message'));
  await terminal.waitFor('1 of 6');
  terminal.press('ctrl-u');
  terminal.type(topic);
  await terminal.waitFor(new RegExp(`▸ Topic +${topic}`, 'u'));
}

describe('the connection is cut after the request was sent', () => {
  test('a client is disconnected once, which is verified', async () => {
    const victim = await server.chain.connect('cut-1', 0);
    await goTo('4', 'cut-1');
    terminal.press('K');
    await showQuestion(terminal, 'Disconnect this client?');
    server.cutNext();
    await answerYes(terminal);
    await untilClosed(victim);
    await server.heal();
    await showOutcome(terminal, 'Disconnected client cut-1.');
    expect(callsOf('disconnect')).toEqual([['cut-1']]);
  }, 180_000);

  test('a message is published once, and the outcome is unknown', async () => {
    const listener = await server.chain.connect('listener', 0);
    await listener.subscribeAsync('cut/#', { qos: 1 });
    const arrived = nextMessages(listener, 2);
    await askToPublish('cut/here');
    server.cutNext();
    terminal.press('ctrl-s');
    await showQuestion(terminal, 'Publish this message?');
    await answerYes(terminal);
    await server.heal();
    await showOutcome(terminal, 'Outcome unknown: publish to cut/here.');
    await listener.publishAsync('cut/mark', '', { qos: 1 });
    expect((await arrived).map(({ topic }) => topic)).toEqual(['cut/here', 'cut/mark']);
    expect(callsOf('publish')).toHaveLength(1);
  }, 180_000);

  test('a plugin is stopped on its node, which is verified', async () => {
    await goTo('8', 'broker_modules');
    await chooseNode('right', '[broker1]');
    terminal.press('K');
    await showQuestion(terminal, `Stop this plugin on ${one}?`);
    server.cutNext();
    await answerYes(terminal);
    await server.heal();
    await showOutcome(terminal, 'Stopped plugin broker_modules on ');
    expect(callsOf('stop')).toEqual([[one, 'broker_modules']]);
    expect((await api.listPlugins(one)).find(({ name }) => name === 'broker_modules')?.active).toBe(false);
  }, 180_000);

  test('a setting is changed on its node, which is verified', async () => {
    await goTo(',', inflight);
    await chooseNode('right', '[broker1]');
    await typeValue(inflight, '48');
    await showQuestion(terminal, '32 messages → 48 messages');
    server.cutNext();
    await answerYes(terminal);
    await server.heal();
    await showOutcome(terminal, `Set ${inflight} to 48`);
    expect(callsOf('set')).toHaveLength(1);
    expect(await valuesOf(inflight)).toEqual(['48', '32', '32']);
  }, 180_000);
});

test('an accepted change that only one of three nodes made is not reported as done', async () => {
  server.setting.takesOnlyFirst = true;
  await chooseNode('left', 'target: all nodes');
  await typeValue(inflight, '40');
  await confirmByName(terminal, 'Change this setting on all nodes?', inflight, 'Not done');
  server.setting.takesOnlyFirst = false;
  expect(await valuesOf(inflight)).toEqual(['40', '32', '32']);
  terminal.press('L');
  await terminal.waitFor((session) => session.text().replaceAll(/\s+/gu, ' ').includes('1 of 3 nodes done.'));
}, 180_000);

test('a list that changes behind a confirmation does not change its target', async () => {
  const victim = await server.chain.connect('m-victim', 0);
  await goTo('4', 'm-victim');
  terminal.press('esc');
  await waitForFrame(terminal, (session) => !session.text().includes('Esc clears'));
  terminal.press('G');
  await waitForCursor(terminal, 'm-victim');
  terminal.press('K');
  await showQuestion(terminal, 'm-victim');
  const first = await server.chain.connect('a-stranger', 0);
  await terminal.waitFor(/a-stranger[^]*Disconnect this client/u);
  await answerYes(terminal);
  await untilClosed(victim);
  await showOutcome(terminal, 'Disconnected client m-victim.');
  expect(first.connected).toBe(true);
}, 180_000);

test('Enter that comes twice at once answers no confirmation, and Enter alone sends once', async () => {
  const twins = await Promise.all(['twin-1', 'twin-2'].map((id) => server.chain.connect(id, 0)));
  await goTo('8', 'broker_retainer');
  await chooseNode('left', 'target: all nodes');
  const stopsBefore = callsOf('stop').length;
  terminal.press('K');
  await terminal.waitFor(dialogIs('Stop this plugin on all nodes?'));
  await typeName(terminal, 'broker_retainer');
  terminal.type('\r\r');
  await acceptName(terminal);
  await showOutcome(terminal, 'Stopped plugin broker_retainer on ');
  expect(callsOf('stop').slice(stopsBefore)).toEqual([
    [one, 'broker_retainer'],
    [two, 'broker_retainer'],
    [three, 'broker_retainer'],
  ]);

  terminal.press('4');
  await waitForFrame(terminal, (session) => session.text().includes('twin-2'));
  terminal.type('/twin-\r');
  await waitForFrame(terminal, (session) => session.text().includes('showing 2 of'));
  terminal.press('*');
  await terminal.waitFor('2 marked');
  const disconnectsBefore = callsOf('disconnect').length;
  terminal.press('K');
  await terminal.waitFor('Type 2 to disconnect');
  await typeName(terminal, '2');
  terminal.type('\r\r');
  await acceptName(terminal);
  await Promise.all(twins.map((twin) => untilClosed(twin)));
  await showOutcome(terminal, '2 of 2 disconnected');
  expect(callsOf('disconnect').slice(disconnectsBefore).toSorted()).toEqual([['twin-1'], ['twin-2']]);

  const publishedBefore = callsOf('publish').length;
  await askToPublish('never/sent');
  terminal.press('tab', 'tab', 'tab', 'tab', 'tab');
  await terminal.waitFor('6 of 6');
  // The second Enter does not confirm: the dialog stays or is cancelled.
  terminal.type('\r\r');
  await repeatUntil(
    terminal,
    () => {
      terminal.press('esc');
    },
    (session) => !/Publish (a|this) message/u.test(session.text()),
  );
  expect(callsOf('publish')).toHaveLength(publishedBefore);
}, 180_000);

test('while a node is stopped, actions reach the others and name it', async () => {
  const [client, listener] = [await server.chain.connect('near', 0), await server.chain.connect('hearer', 1)];
  await server.chain.broker.cluster.stopNode(three);
  await terminal.waitFor((session) => session.lines()[0]?.includes('2/3 nodes') === true);

  await goTo('8', 'broker_retainer');
  // This list is read less often and may still show the state of an earlier test.
  await terminal.waitFor(/broker_retainer +\[0\/2\]/u);
  terminal.press('S');
  await terminal.waitFor(askTexts.stopped(trusted(three)));
  await confirmByName(terminal, 'Start this plugin on all nodes?', 'broker_retainer');
  expect(
    (await Promise.all([one, two].map((node) => api.listPlugins(node)))).map(
      (plugins) => plugins.find(({ name }) => name === 'broker_retainer')?.active,
    ),
  ).toEqual([true, true]);
  terminal.press('right', 'right', 'right');
  await terminal.waitFor('[broker3]');
  terminal.press('K');
  await terminal.waitFor(askTexts.stoppedNode(trusted(three)));

  await goTo(',', inflight);
  await typeValue(inflight, '64');
  await terminal.waitFor(askTexts.stopped(trusted(three)));
  await confirmByName(terminal, 'Change this setting on all nodes?', inflight);
  expect(
    await Promise.all(
      [one, two].map(async (node) => (await api.getSettings(node)).find(({ key }) => key === inflight)?.value),
    ),
  ).toEqual(['64', '64']);

  await goTo('8', 'broker_retainer');
  await chooseNode('left', '[broker2]');
  terminal.press('enter');
  await terminal.waitFor('Settings of broker_retainer on');
  await findRow(terminal, 'retainer.max_message_num');
  terminal.press('e');
  await beginForm(terminal, 'Settings of plugin broker_retainer');
  terminal.press('ctrl-u');
  terminal.type('1234');
  await terminal.waitFor(/▸ .*1234/u);
  terminal.press('ctrl-s');
  await confirm(terminal, 'Change 1 setting of this plugin');

  await goTo('4', 'hearer');
  terminal.press('S');
  await terminal.waitFor(dialogIs('Subscribe on behalf of hearer'));
  terminal.type('given');
  await terminal.waitFor(/▸ Topic filter +given/u);
  terminal.press('ctrl-s');
  await confirm(terminal, 'Subscribe this client?');
  const arrived = nextMessages(listener, 1);
  await askToPublish('given');
  terminal.press('ctrl-s');
  await confirm(terminal, 'Publish this message?', 'Accepted');
  expect((await arrived)[0]?.topic).toBe('given');
  terminal.press('a');
  await terminal.waitFor('Clear ACL cache');
  terminal.press('down', 'down', 'enter');
  await terminal.waitFor(/Unsubscribe hearer from[^]*▸ given/u);
  terminal.press('enter');
  await confirm(terminal, 'Unsubscribe this client?');
  expect(await api.getSubscriptions('hearer')).toEqual([]);
  terminal.press('a');
  await terminal.waitFor('Clear ACL cache');
  terminal.press('down', 'down', 'down', 'enter');
  await terminal.waitFor(dialogIs('Clear the ACL cache of hearer'));
  terminal.type('given');
  await terminal.waitFor(/▸ Topic +given/u);
  terminal.press('ctrl-s');
  await confirm(terminal, 'Clear', 'Accepted');
  await findRow(terminal, 'near');
  terminal.press('K');
  await confirm(terminal, 'Disconnect this client?');
  await untilClosed(client);
}, 180_000);

test('read-only mode changes no plugins, settings or users', async () => {
  const watching = await openReadyMonitor(server.target, {
    cols: 120,
    rows: 36,
    args: ['--interval', '0.5', '--read-only'],
  });
  for (const [screen, keys, row] of [
    ['8', ['S', 'K'], 'broker_retainer'],
    [',', ['e'], inflight],
    ['@', ['n', 'e', 'w', 'D', 'c'], otherUser],
  ] as const) {
    watching.press(screen);
    await waitForFrame(watching, (session) => session.text().includes(row));
    for (const key of keys) watching.press(key);
    // If one of the keys had opened something, this would be typed into it.
    watching.press('/');
    await watching.waitFor((session) => session.text().includes('text  /regex/  !not'));
    watching.press('esc');
    await waitForFrame(watching, (session) => !session.text().includes('text  /regex/  !not'));
  }
  await watching.close();
}, 180_000);

test('changing the tags of the own user and deleting it: warning, success, password form', async () => {
  await goTo('@', 'ops');
  terminal.press('n');
  await fillForm(terminal, 'New user', ['temp', 'pw-of-temp', 'pw-of-temp', 'viewer']);
  await confirm(terminal, 'Add this user?');
  await api.checkCredentials('temp', 'pw-of-temp');
  terminal.press('e');
  await fillForm(terminal, 'Tags of user ops', ['auditor']);
  await terminal.waitFor('It may lose permissions');
  await confirm(terminal, 'Change the tags');
  await terminal.waitFor(/ops +auditor/);
  terminal.press('D');
  await terminal.waitFor('It will be locked out');
  await confirmByName(terminal, 'Delete this user?', 'ops');
  await waitForFrame(terminal, (session) => session.text().includes('Password of ops:'));
  expect((await api.listUsers()).map(({ username }) => username).toSorted()).toEqual([otherUser, 'temp']);
}, 180_000);

test('the audit log has the values before and after, and no password', async () => {
  const text = await readFile(path.join(folder, 'brokertop', 'audit.log'), 'ascii');
  const lines = text
    .trim()
    .split('\n')
    .map((line): unknown => JSON.parse(line));
  const done = (action: string, before: object, after: object): void => {
    expect(lines).toContainEqual(
      expect.objectContaining({
        kind: 'outcome',
        action,
        outcome: 'done',
        before: expect.objectContaining(before),
        after: expect.objectContaining(after),
      }),
    );
  };
  done('change-setting', { [one]: '32' }, { [one]: '48' });
  done('replace-plugin-settings', { 'retainer.max_message_num': '1000000' }, { 'retainer.max_message_num': '1234' });
  done('stop-plugin', { [one]: true }, { [one]: false });
  done('change-user-tags', { tags: 'administrator' }, { tags: 'auditor' });
  done('add-user', {}, { tags: 'viewer' });
  done('delete-user', { tags: 'auditor' }, {});
  expect(text).not.toMatch(/pw-of-/u);
}, 180_000);
