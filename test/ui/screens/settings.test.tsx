import { afterEach, describe, expect, test } from 'vitest';
import { NotAvailableError, TimeoutError } from '../../../src/api/errors.ts';
import type { Setting } from '../../../src/domain/administration.ts';
import { emptyResource } from '../../../src/monitor/polling/poller.ts';
import { askForSetting } from '../../../src/ui/dialogs/administration-requests.ts';
import { helpLines } from '../../../src/ui/frame/help.tsx';
import { absentNotes } from '../../../src/ui/frame/hints.ts';
import { createKeymap } from '../../../src/ui/keys/keymap.ts';
import { MoreScreen } from '../../../src/ui/screens/more/more.tsx';
import { SettingsScreen } from '../../../src/ui/screens/settings/settings.tsx';
import { asciiTheme, colorTheme, createRig, endRigs } from '../support/rig.tsx';
import { type AskingRig, capabilitiesA, capabilitiesB, confirmed, confirmOf, createAskingRig, createCluster, fill, formOf, node1, node2, node3, settingOf } from './administration-fixtures.tsx';
import { type FakeMonitor, propsOf, ready, sizes } from './list-fixtures.ts';

afterEach(endRigs);

const cells = (line = ''): readonly string[] => line.trim().split(/\s{2,}/);
const hostile = 'z\u001B[2J\u202E';

const open = (monitor: FakeMonitor, size: readonly [number, number] = [140, 12], options?: { readonly isReadOnly: boolean }): AskingRig =>
  createAskingRig(<SettingsScreen {...propsOf(monitor, size)} />, size, options);

const own = [settingOf('mqtt.max_inflight', '32', { dataType: 'integer' }), settingOf('mqtt.cache_acl', 'true', { dataType: 'enum' }), settingOf('auth.password', 'hunter2'), settingOf(hostile, hostile)];
const others = [settingOf('mqtt.max_inflight', '64', { dataType: 'integer' }), settingOf('mqtt.cache_acl', 'true', { dataType: 'enum' }), settingOf('auth.password', 'hunter3')];
const cluster = (): FakeMonitor => createCluster({ settings: ready(new Map([[node1, own], [node2, others]])) });

describe('the list of settings', () => {
  test.each(sizes)('fills %i by %i', (width, height) => {
    const lines = open(cluster(), [width, height]).lines();
    expect(lines).toHaveLength(height);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(width);
    expect(lines[0]).toMatch(/^ KEY ▲/);
    expect(lines[1]).toContain('▸auth.password');
  });

  test('has a column a node, and marks what differs; a password is hidden', () => {
    const rig = open(cluster());
    const lines = rig.lines();
    expect(cells(lines[0])).toEqual(['KEY ▲', 'SAME', 'broker1', 'broker2', 'broker3', 'TYPE', 'APPLICATION']);
    expect(cells(lines[1])).toEqual(['▸auth.password', '! no', '(hidden)', '(hidden)', '–', 'string', 'broker']);
    expect(cells(lines[2])).toEqual(['mqtt.cache_acl', '2 of 3', 'true', 'true', '–', 'enum', 'broker']);
    expect(cells(lines[3])).toEqual(['mqtt.max_inflight', '! no', '32', '64', '–', 'integer', 'broker']);
    expect(cells(lines[4]).slice(0, 4)).toEqual([String.raw`z\x1b[2J\u202e`, '! no', String.raw`z\x1b[2J\u202e`, 'absent']);
    expect(lines.at(-1)).toContain('! 3 differ between nodes');
    expect(rig.raw()).not.toMatch(/hunter/);
  });

  test('where all at once is not available it reads node by node, and says so', async () => {
    const monitor = createCluster({ settings: { ...emptyResource(), error: new NotAvailableError('the settings of all nodes at once') } });
    const rig = open(monitor);
    await rig.until(() => monitor.watching.some(({ kind }) => kind === 'nodeSettings'));
    expect(monitor.watching.flatMap((watched) => (watched.kind === 'nodeSettings' ? [watched.node] : []))).toEqual([node1, node2]);
    expect(monitor.watching.some(({ kind }) => kind === 'settings')).toBe(false);
    monitor.set({ nodeSettings: new Map([[node1, ready<readonly Setting[]>(own)], [node2, { ...emptyResource(), error: new TimeoutError(5_000), nextAttemptAtMs: Date.now() + 9_000 }]]) });
    const lines = await rig.until((text) => text.includes('mqtt.cache_acl'));
    expect(cells(lines[2])).toEqual(['mqtt.cache_acl', '–', 'true', '–', '–', 'enum', 'broker']);
    expect(lines.join('\n')).toContain('! settings of broker2: not read');
    expect(lines.at(-2)).toContain('not available on this broker, read node by node');
  });

  test('loading, empty, failed, not available and stale look different', () => {
    const show = (patch: Parameters<typeof createCluster>[0]): string => open(createCluster(patch)).lines().join('\n');
    expect(show({})).toContain('··· reading the settings');
    expect(show({ settings: ready(new Map()) })).toContain('The nodes list no setting');
    expect(show({ settings: { ...emptyResource(), error: new TimeoutError(5_000), nextAttemptAtMs: Date.now() + 9_000 } })).toMatch(/! settings: not read, tried again in \d+ s/);
    const none = { ...emptyResource<never>(), error: new NotAvailableError('the settings') };
    expect(show({ settings: none, nodeSettings: new Map([[node1, none], [node2, none]]) })).toContain('Not available on this broker: it answers 404');
    expect(show({ capabilities: capabilitiesA })).toContain('Not available on this broker: variant A');
    expect(show({ settings: ready(new Map([[node1, own]]), 200_000) })).toMatch(/settings: as read 3m/);
  });

  test('a node that does not run is in none of what is the same', () => {
    const lines = open(cluster()).lines();
    expect(lines.find((line) => line.includes('mqtt.cache_acl'))).toMatch(/mqtt\.cache_acl +2 of 3 +true +true/u);
    expect(lines.at(-1)).toContain('1 of 3 nodes not running');
  });

  test('nothing is asked of a broker that has none', async () => {
    const monitor = createCluster({ capabilities: capabilitiesA });
    const rig = open(monitor);
    await rig.until(() => monitor.watching.length > 0);
    expect(monitor.watching).toEqual([{ kind: 'resource', name: 'nodeStats' }]);
  });
});

test('Enter shows a setting in full, as each node has it', async () => {
  const rig = open(cluster());
  rig.type('/mqtt.max_inflight\r');
  await rig.until((text) => text.includes('▸mqtt.max_inflight') && text.includes('Esc clears'));
  rig.type('\r');
  await rig.until(() => rig.asked.length === 1);
  const [request] = rig.asked;
  expect(request).toMatchObject({ kind: 'text' });
  const parts = request?.kind === 'text' ? request.parts.map(({ label, text }) => [label, text]) : [];
  expect(parts.slice(0, 3)).toEqual([['key', 'mqtt.max_inflight'], [`on ${node1}`, '32'], [`on ${node2}`, '64']]);
  expect(parts).toContainEqual([`on ${node3}`, '–']);
});

/** Of the embedded broker, whose settings are of the application `broker`. */
const atOnce = 'It holds at once, also for connected clients.';

describe('changing a setting', () => {
  const edit = async (monitor: FakeMonitor, key: string, steps = 0): Promise<AskingRig> => {
    const rig = open(monitor);
    rig.type(`/${key}\r`);
    await rig.until((text) => text.includes(`▸${key}`) && text.includes('Esc clears'));
    for (let step = 1; step <= steps; step += 1) {
      rig.type('v');
      await rig.until((text) => text.includes(`▸broker${step} `));
    }
    rig.type('e');
    await rig.until(() => rig.asked.length === 1);
    return rig;
  };

  test('on all nodes shows before and after of each, and asks for the key', async () => {
    const rig = await edit(cluster(), 'mqtt.max_inflight');
    const form = formOf(rig.asked[0]);
    expect(form.notes).toContain(`${node2}: now 64`);
    const question = fill(form, { value: '48' });
    expect(question).toMatchObject({
      kind: 'confirm', question: 'Change this setting on all nodes?', target: 'mqtt.max_inflight', mustType: 'mqtt.max_inflight',
      details: [`${node1}: 32 → 48`, `${node2}: 64 → 48`, `${node3}: not changed: stopped`, atOnce, 'Every node is read afterwards.'],
      action: { target: { app: 'broker', key: 'mqtt.max_inflight', all: true } },
    });
    expect(fill(form, { value: '' })).toBe('The value is empty.');
    for (const value of ['-5', '1e3', '16 ', ' 16', '0x10', '016', '1.5']) expect(fill(form, { value })).toMatch(/^It takes a whole number/u);
  });

  test('on the node under the column cursor asks yes or no', async () => {
    const rig = await edit(cluster(), 'mqtt.max_inflight', 2);
    const form = formOf(rig.asked[0]);
    expect(form.fields).toMatchObject([{ id: 'value', initial: '64' }, { id: 'where', initial: node2 }]);
    expect(fill(form, {})).toBe('It has that value already.');
    expect(form.notes).toContain('It takes a whole number.');
    const question = fill(form, { value: '48' });
    expect(question).toMatchObject({ question: `Change this setting on ${node2}?`, mustType: undefined, details: [`${node2}: 64 → 48`, atOnce, 'Every node is read afterwards.'], action: { target: { all: false, nodes: node2 } } });
  });

  test('of true and false is a choice; a password is typed hidden and twice', async () => {
    const flag = formOf((await edit(cluster(), 'mqtt.cache_acl')).asked[0]);
    expect(flag.fields[0]).toMatchObject({ kind: 'choice', choices: ['true', 'false'], initial: 'true' });
    const secret = formOf((await edit(cluster(), 'auth.password', 1)).asked[0]);
    expect(secret.fields.slice(0, 2).map(({ kind }) => kind)).toEqual(['hidden', 'hidden']);
    expect(fill(secret, { value: 'a', again: 'b' })).toBe('The two differ.');
    const question = fill(secret, { value: 'changed', again: 'changed' });
    expect(confirmOf(typeof question === 'string' ? undefined : question).details?.[0]).toBe(`${node1}: (hidden) → (hidden)`);
    expect(JSON.stringify([secret, question])).not.toMatch(/hunter|changed/);
  });

  const formFor = (key: string, value: string | undefined, dataType: string) => {
    const byNode = new Map([node1, node2].map((node) => [node, settingOf(key, value, { dataType, app: 'emqttd' })]));
    const asked = askForSetting(colorTheme, { row: { id: key, app: 'emqttd', key, dataType, byNode, isDifferent: false }, node: undefined, unread: [], stopped: [] });
    return formOf('request' in asked ? asked.request : undefined);
  };

  test.each([
    ['mqtt.session.retry_interval', '20000', 'duration', '20s', 'a duration with its unit (ms, s, m, h, d or w), such as 30s', '21s', ['21', '21000', '1x', '20s', '20000ms']],
    ['mqtt.max_packet_size', '65536', 'bytesize', '64KB', 'a size in bytes, or with KB, MB or GB, such as 64KB', '32768', ['32K', '-1', '65536', '64kb']],
    ['mqtt.mqueue.low_watermark', '0.2000', 'percent', '20%', 'a percentage, such as 60%', '70%', ['0.7', '101%', '20.0%']],
    ['mqtt.keepalive_backoff', '0.7500', 'float', '0.75', 'a number, such as 0.75', '0.8', ['x', '0.75', '.7500']],
    ['retainer.expiry_interval', '0', 'integer, duration', '0', 'a whole number, or a duration with its unit (ms, s, m, h, d or w), such as 30s', '5m', ['-1', '0s']],
    ['mqtt.mqueue.high_watermark', '0.6000', 'string', '0.6000', 'a text', '0.7', ['0.6']],
  ])('of a real broker: %s of %s (%s) is shown and typed as %s', (key, value, dataType, initial, takes, wanted, refused) => {
    const form = formFor(key, value, dataType);
    expect(form.fields[0]).toMatchObject({ id: 'value', initial });
    expect(form.notes).toEqual(expect.arrayContaining([`${node1}: now ${initial}`, `It takes ${takes}.`]));
    expect(confirmed(form, { value: wanted }).details).toContain(`${node1}: ${initial} → ${wanted}`);
    for (const each of refused) expect(fill(form, { value: each })).toMatch(/^It (?:takes|has that value already)/u);
  });

  test('of a real broker: a flag is on or off, and a word of true and false is what it says', () => {
    expect(formFor('mqtt.session.upgrade_qos', 'false', 'flag').fields[0]).toMatchObject({ kind: 'choice', choices: ['on', 'off'], initial: 'off' });
    expect(formFor('mqtt.websocket_protocol_header', 'on', 'flag').fields[0]).toMatchObject({ choices: ['on', 'off'], initial: 'on' });
    expect(formFor('mqtt.allow_anonymous', 'false', 'enum').fields[0]).toMatchObject({ choices: ['true', 'false'], initial: 'false' });
    // It has none yet: none of the two is suggested.
    const unknown = formFor('mqtt.client.enable_stats', undefined, 'flag');
    expect(unknown.fields[0]).toMatchObject({ id: 'value', initial: undefined });
    expect([fill(unknown, { value: '' }), fill(unknown, { value: 'true' })]).toEqual(['The value is empty.', 'It takes on or off.']);
    expect(confirmed(unknown, { value: 'on' }).details).toContain(`${node1}: – → on`);
  });

  test('says for whom it holds where that is known, and that a log level may read back as before', () => {
    const notesOf = (key: string): string => formFor(key, '1', 'integer').notes?.join(' ') ?? '';
    expect(notesOf('mqtt.session.max_inflight')).toContain('It holds for sessions that begin from now on; the others keep the old value.');
    expect(notesOf('mqtt.max_clientid_len')).toContain('It holds for clients that connect from now on');
    expect(notesOf('mqtt.acl_nomatch')).not.toContain('It holds');
    const level = formFor('log.console.level', 'error', 'enum');
    expect(level.notes).toContain('What is shown may not be what is in force: some brokers do not read this setting back.');
    expect(confirmed(level, { value: 'error' }).details).toContain(`${node1}: error → error`);
  });

  test('is refused where no node has it, and does not exist in read-only mode', async () => {
    const monitor = cluster();
    const rig = open(monitor);
    rig.type('V');
    await rig.until((text) => text.includes('▸broker3'));
    rig.type('e');
    await rig.until(() => monitor.notices.length === 1);
    expect(monitor.notices[0]).toBe('not asked: broker3@127.0.0.1 is stopped');
    const readOnly = open(cluster(), [140, 12], { isReadOnly: true });
    readOnly.type('e');
    readOnly.type('j');
    await readOnly.until((text) => text.includes('▸mqtt.cache_acl'));
    expect([...rig.asked, ...readOnly.asked]).toEqual([]);
  });
});

describe('the menu of more', () => {
  const menu = (monitor: FakeMonitor, size: readonly [number, number] = [80, 18]) => createRig(<MoreScreen {...propsOf(monitor, size)} />, { columns: size[0], rows: size[1] });

  test.each(sizes)('fills %i by %i', (width, height) => {
    const lines = menu(createCluster({ capabilities: capabilitiesA }), [width, height]).lines();
    expect(lines).toHaveLength(height);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(width);
  });

  test('opens triage, settings, users and the log', async () => {
    const monitor = createCluster({ capabilities: capabilitiesB });
    const rig = menu(monitor);
    expect(rig.lines().map((line) => line.slice(1).split(' ')[0])).toEqual(expect.arrayContaining(['Triage', 'Settings', 'Users', 'Log']));
    expect(rig.lines().join('\n')).not.toContain('Not on this broker');
    const names = rig.lines().map((line) => line.slice(1).split(' ')[0] ?? '').filter((name) => name !== '');
    for (const name of names) {
      await rig.until((text) => text.includes(`▸${name}`));
      rig.type('\r');
      rig.type('j');
    }
    await rig.until(() => monitor.places.length === names.length);
    expect(monitor.places.map(({ screen }) => screen)).toEqual(names.map((name) => name.toLowerCase()));
  });

  test('leaves out what the broker lacks; it and the help say why', () => {
    const rig = menu(createCluster({ capabilities: capabilitiesA }));
    const text = rig.lines().join('\n');
    expect(text).toContain('Users  who may');
    expect(text).not.toContain('hot settings');
    expect(text).toMatch(/Not on this broker\s+Settings: variant A of the interface has none/);
    const help = (capabilities: typeof capabilitiesA): string => helpLines(asciiTheme, 80, createKeymap({ isReadOnly: false }), 'settings', absentNotes({ capabilities, isReadOnly: false })).join('\n');
    expect(help(capabilitiesA)).toContain('variant A of the interface has none, nor of plugins');
    expect(help(capabilitiesB)).not.toContain('Not on this broker');
  });

  test('says that there are no actions in read-only mode, and so does the help', () => {
    const state = { capabilities: capabilitiesB, isReadOnly: true };
    expect(menu(createCluster(state)).lines().join('\n')).toMatch(/Not in read-only mode\s+Actions: started with --read-only/);
    expect(menu(createCluster({ ...state, isReadOnly: false })).lines().join('\n')).not.toContain('read-only');
    expect(helpLines(asciiTheme, 80, createKeymap({ isReadOnly: true }), 'settings', absentNotes(state)).join('\n')).toContain('started with --read-only');
  });
});
