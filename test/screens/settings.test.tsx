import { afterEach, describe, expect, test } from 'vitest';
import type { ActionRecord } from '../../src/actions/acting-monitor.ts';
import type { ActionResult } from '../../src/actions/action.ts';
import { askTexts } from '../../src/actions/asking.ts';
import { NotAvailableError, TimeoutError } from '../../src/api/errors.ts';
import type { Setting } from '../../src/domain/administration.ts';
import { steadyNowMs } from '../../src/monitor/clock.ts';
import { watchKey } from '../../src/monitor/query/part.ts';
import { emptyResource } from '../../src/monitor/state.ts';
import { changeSetting, settingRequest } from '../../src/resources/settings/actions.ts';
import { nodeSettings, settings } from '../../src/resources/settings/resource.ts';
import { settingColumns, SettingsScreen } from '../../src/resources/settings/screen.tsx';
import {
  settingDialogTexts,
  settingSentences,
  settingsTexts,
  settingTexts,
} from '../../src/resources/settings/texts.ts';
import { safe, trusted } from '../../src/terminal/safe-text.ts';
import type { CellContext } from '../../src/tui/components/column.ts';
import { helpLines } from '../../src/tui/frame/help.tsx';
import { tableWidthOf } from '../../src/tui/list/detail.tsx';
import type { ByNodeData } from '../../src/resources/view/node-table.ts';
import { MoreScreen } from '../../src/screens/more.tsx';
import { definitionOf } from '../../src/screens/registry.ts';
import { moreTexts } from '../../src/screens/texts.ts';
import { readingsOf, watchedKeys } from '../support/readings.ts';
import { cellsByHeader } from '../tui/support/cells.ts';
import { asciiTheme, colorTheme, createRig, endRigs } from '../tui/support/rig.tsx';
import {
  type AskingRig,
  capabilitiesA,
  capabilitiesB,
  cellsOf,
  confirmed,
  confirmOf,
  createCluster,
  fill,
  formOf,
  hostile,
  node1,
  node2,
  node3,
  openersOf,
  settingOf,
} from './administration-fixtures.tsx';
import { type FakeMonitor, linesWithoutPanels, propsOf, ready, sizes } from './list-fixtures.ts';
import { createKeymap } from '../../src/screens/keys.ts';
import { eventOf } from '../support/events.ts';
import { absentNotes } from '../../src/screens/absent-notes.ts';

afterEach(endRigs);

const { open, openWhole } = openersOf((props) => <SettingsScreen {...props} />);

const own = [
  settingOf('mqtt.max_inflight', '32', { dataType: 'integer' }),
  settingOf('mqtt.cache_acl', 'true', { dataType: 'enum' }),
  settingOf('auth.password', 'hunter2'),
  settingOf(hostile, hostile),
];
const others = [
  settingOf('mqtt.max_inflight', '64', { dataType: 'integer' }),
  settingOf('mqtt.cache_acl', 'true', { dataType: 'enum' }),
  settingOf('auth.password', 'hunter3'),
];
const cluster = (): FakeMonitor =>
  createCluster(
    readingsOf({
      settings: ready(
        new Map([
          [node1, own],
          [node2, others],
        ]),
      ),
    }),
  );

describe('the Settings screen', () => {
  test.each(sizes)('fills %i by %i', (width, height) => {
    const lines = open(cluster(), [width, height]).lines();
    expect(lines).toHaveLength(linesWithoutPanels(width, height));
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(width);
    expect(lines[0]).toMatch(/^ KEY ▲/);
    expect(lines[1]).toContain('▸auth.password');
  });

  test('has a column for each node, marks differences and hides passwords', () => {
    const rig = open(cluster());
    const lines = rig.lines();
    expect(cellsByHeader(lines[0], lines[1])).toMatchObject({
      KEY: 'auth.password',
      'ALL NODES': '[! differ]',
      broker1: '(hidden)',
      broker2: '(hidden)',
      broker3: '–',
      TYPE: 'string',
      'TAKES EFFECT': 'at once',
      APPLICATION: 'broker',
    });
    expect(cellsByHeader(lines[0], lines[2])).toMatchObject({
      KEY: 'mqtt.cache_acl',
      'ALL NODES': '2 of 3',
      broker1: 'true',
      broker2: 'true',
      broker3: '–',
      TYPE: 'enum',
      'TAKES EFFECT': 'at once',
      APPLICATION: 'broker',
    });
    expect(cellsByHeader(lines[0], lines[3])).toMatchObject({
      KEY: 'mqtt.max_inflight',
      'ALL NODES': '! differ',
      broker1: '32',
      broker2: '64',
      broker3: '–',
      TYPE: 'integer',
      'TAKES EFFECT': 'at once',
      APPLICATION: 'broker',
    });
    expect(cellsByHeader(lines[0], lines[4])).toMatchObject({
      KEY: String.raw`z\x1b[2J\u202e`,
      'ALL NODES': '! differ',
      broker1: String.raw`z\x1b[2J\u202e`,
      broker2: 'absent',
    });
    expect(lines.at(-1)).toContain('! 3 differ between nodes');
    expect([settingsTexts.different(1), settingsTexts.different(2)]).toEqual([
      '! 1 differs between nodes',
      '! 2 differ between nodes',
    ]);
    expect(rig.raw()).not.toMatch(/hunter/);
  });

  test('has the colour of a warning where nodes differ', () => {
    const context: CellContext<ByNodeData> = {
      theme: colorTheme,
      width: 10,
      data: { loading: new Set(), read: new Set() },
      text: trusted,
      ends: trusted,
    };
    const rolesOf = (isDifferent: boolean): unknown =>
      settingColumns(colorTheme, [node1])
        .slice(1, 3)
        .map(
          ({ spans }) =>
            spans?.(
              {
                id: 'x',
                key: 'x',
                app: 'a',
                dataType: 'integer',
                isDifferent,
                byNode: new Map([[node1, settingOf('x', '1')]]),
              },
              context,
            )?.[0]?.role,
        );
    expect([rolesOf(true), rolesOf(false)]).toEqual([
      ['warning', 'warning'],
      [undefined, undefined],
    ]);
  });

  test('puts separators in counts, with units where there is room, and edits the number as the broker has it', async () => {
    const settings = [
      settingOf('mqtt.mqueue.max_length', '5000000', { dataType: 'integer' }),
      settingOf('mqtt.max_packet_size', '64KB', { dataType: 'bytesize' }),
      settingOf('other.limit', '7', { dataType: 'integer' }),
    ];
    const monitor = createCluster(
      readingsOf({
        settings: ready(
          new Map([
            [node1, settings],
            [node2, settings],
          ]),
        ),
      }),
    );
    const rig = open(monitor, [200, 12]);
    expect(
      rig
        .lines()
        .slice(1, 4)
        .map((line) => cellsOf(line).slice(2, 4)),
    ).toEqual([
      ['64KB', '64KB'],
      ['5,000,000 messages', '5,000,000 messages'],
      ['7', '7'],
    ]);
    expect(open(monitor, [80, 12]).lines()[2]).toMatch(/ 2 of 3 +5,000,000 +5,000,000 /u);
    // All nodes or none have the unit.
    let [without, withUnit] = [80, 200];
    while (withUnit - without > 1) {
      const width = (without + withUnit) >> 1;
      const values = cellsOf(open(monitor, [width, 12]).lines()[2]).slice(2, 4);
      expect(values).toEqual([values[0], values[0]]);
      if (values[0] === '5,000,000 messages') withUnit = width;
      else without = width;
    }
    expect(withUnit).toBeGreaterThan(90);
    rig.type('je');
    await rig.until(() => rig.asked.length === 1);
    const form = formOf(rig.asked[0]);
    expect(form.fields[0]?.initial).toBe('5000000');
    expect(form.notes).toContain(`${node1}: now 5,000,000 messages`);
    expect(confirmed(form, { value: '6000000' }).details).toContain(
      `${node1}: 5,000,000 messages → 6,000,000 messages`,
    );
  });

  test('beside a wide list, says what the setting is for, and its value on each node', async () => {
    const setting = settingOf('mqtt.mqueue.max_length', '5000000', { dataType: 'integer', appliesTo: 'new-sessions' });
    const rig = openWhole(
      createCluster(
        readingsOf({
          settings: ready(
            new Map([
              [node1, [setting, settingOf('z.password', 'hunter2')]],
              [node2, [{ ...setting, value: '7' }]],
            ]),
          ),
        }),
      ),
      [200, 40],
    );
    const panel = (): string =>
      rig
        .lines()
        .map((line) => line.slice(tableWidthOf(200) + 3, -2).trim())
        .join('\n');
    expect(panel().replaceAll('\n', ' ')).toContain('How many messages a session queues.');
    expect(panel()).toMatch(/^Values +! differ\nbroker1 +5,000,000 messages\nbroker2 +7 messages\nbroker3 +–$/mu);
    expect(panel().replaceAll('\n', ' ')).toContain('Takes effect for new sessions; existing ones keep the old value');
    rig.type('j');
    await rig.until(() => panel().includes('z.password'));
    expect(panel()).toMatch(/^broker1 +\(hidden\)$/mu);
    expect(rig.raw()).not.toMatch(/hunter/);
  });

  test('says what a setting accepts, and what changed it here', async () => {
    const setting = settingOf('mqtt.mqueue.max_length', '9', { dataType: 'integer' });
    const record = (title: string, patch: Partial<ActionRecord>): ActionRecord => ({
      key: title,
      name: changeSetting.id,
      title,
      target: { app: 'broker', key: setting.key },
      startedAtMs: 0,
      phase: 'finished',
      result: { outcome: 'done' } as ActionResult,
      ...patch,
    });
    const monitor = createCluster(
      readingsOf({
        settings: ready(new Map([[node1, [setting, settingOf('mqtt.acl_nomatch', 'allow', { dataType: 'enum' })]]])),
      }),
    );
    const actions = [
      record('set it', {}),
      record('set another', { target: { app: 'broker', key: 'mqtt.cache_acl' } }),
      record('set it again\u001B[2J', { phase: 'sending', result: undefined }),
    ];
    const rig = openWhole(monitor, [200, 40]);
    const panel = (): string =>
      rig
        .lines()
        .map((line) => line.slice(tableWidthOf(200) + 3, -2).trim())
        .join('\n');
    expect(panel()).toContain('Accepts\nallow, deny');
    expect(panel()).not.toContain('Changed here');
    monitor.set({ actions });
    rig.type('j');
    await rig.until(() => panel().includes('Accepts\na whole number'));
    expect(panel()).toMatch(/Changed here .*\n[\d:]+ +running\nset it again\\x1b\[2J\n[\d:]+ +Done\nset it\n/u);
    expect(panel()).not.toContain('set another');
  });

  test('shows three nodes at 80 columns', () => {
    expect(cellsOf(open(cluster(), [80, 12]).lines()[0]).slice(0, 5)).toEqual([
      'KEY ▲',
      '[ALL NODES]',
      'broker1',
      'broker2',
      'broker3',
    ]);
  });

  test('reads node by node if the broker has no request for all nodes, and says so', async () => {
    const monitor = createCluster(
      readingsOf({
        settings: { ...emptyResource(), error: new NotAvailableError('the settings of all nodes at once') },
      }),
    );
    const rig = open(monitor);
    await rig.until(() => watchedKeys(monitor.watching, nodeSettings).length > 0);
    expect(watchedKeys(monitor.watching, nodeSettings)).toEqual([node1, node2]);
    expect(watchedKeys(monitor.watching, settings)).toEqual([]);
    monitor.set(
      readingsOf({
        nodeSettings: new Map([
          [node1, ready<readonly Setting[]>(own)],
          [node2, { ...emptyResource(), error: new TimeoutError(5_000), nextAttemptAtMs: steadyNowMs() + 9_000 }],
        ]),
      }),
    );
    const lines = await rig.until((text) => text.includes('mqtt.cache_acl'));
    expect(cellsOf(lines[2])).toEqual(['mqtt.cache_acl', '–', 'true', '–', '–', 'enum', 'at once', 'broker']);
    expect(lines.join('\n')).toMatch(/! Cannot load settings of broker2, .*\. .*/u);
    expect(lines.at(-2)).toContain('read node by node');
  });

  test('shows loading, empty, failed, not available and stale differently', () => {
    const show = (patch: Parameters<typeof createCluster>[0]): string => open(createCluster(patch)).lines().join('\n');
    expect(show({})).toContain('··· loading the settings');
    expect(show(readingsOf({ settings: ready(new Map()) }))).toContain('No settings on any node.');
    expect(
      show(
        readingsOf({
          settings: { ...emptyResource(), error: new TimeoutError(5_000), nextAttemptAtMs: steadyNowMs() + 9_000 },
        }),
      ),
    ).toMatch(/! Cannot load settings, retry in .*\. .*/u);
    const none = { ...emptyResource<never>(), error: new NotAvailableError('the settings') };
    expect(
      show(
        readingsOf({
          settings: none,
          nodeSettings: new Map([
            [node1, none],
            [node2, none],
          ]),
        }),
      ),
    ).toContain('Not available on this broker: settings (404).');
    expect(show({ capabilities: capabilitiesA })).toContain('Not available: API v2 A does not support settings.');
    expect(show(readingsOf({ settings: ready(new Map([[node1, own]]), 200_000) }))).toMatch(
      /settings: last read 3m.*/u,
    );
  });

  test('does not count a stopped node as the same', () => {
    const lines = open(cluster()).lines();
    expect(lines.find((line) => line.includes('mqtt.cache_acl'))).toMatch(/mqtt\.cache_acl +2 of 3 +true +true/u);
    expect(lines.at(-1)).toContain('1 of 3 nodes not running');
  });

  test('requests nothing from a broker without settings', async () => {
    const monitor = createCluster({ capabilities: capabilitiesA });
    const rig = open(monitor);
    await rig.until(() => monitor.watching.length > 0);
    expect(monitor.watching.map(watchKey)).toEqual(['nodeStats']);
  });
});

test('Enter shows a setting in full, for each node', async () => {
  const rig = open(cluster());
  rig.type('/mqtt.max_inflight\r');
  await rig.until((text) => text.includes('▸mqtt.max_inflight') && text.includes('Esc clears'));
  rig.type('\r');
  await rig.until(() => rig.asked.length === 1);
  const [request] = rig.asked;
  expect(request).toMatchObject({ kind: 'text' });
  const parts = request?.kind === 'text' ? request.parts.map(({ label, text }) => [label, text]) : [];
  expect(parts.slice(0, 3)).toEqual([
    ['key', 'mqtt.max_inflight'],
    [`on ${node1}`, '32'],
    [`on ${node2}`, '64'],
  ]);
  expect(parts).toContainEqual([`on ${node3}`, '–']);
  expect(parts).toContainEqual(['takes effect', 'at once']);
  // Its button changes the same setting.
  const change = request?.kind === 'text' ? request.change : undefined;
  expect(confirmed(formOf(change), { value: '48' })).toMatchObject({ target: 'mqtt.max_inflight' });
});

/** The words of the embedded broker, whose settings are of the application `broker`. */
const atOnce = 'Takes effect at once.';

describe('changing a setting', () => {
  const edit = async (monitor: FakeMonitor, key: string, steps = 0): Promise<AskingRig> => {
    const rig = open(monitor);
    rig.type(`/${key}\r`);
    await rig.until((text) => text.includes(`▸${key}`) && text.includes('Esc clears'));
    for (let step = 1; step <= steps; step += 1) {
      rig.type('\u001B[C');
      await rig.until((text) => text.includes(`[broker${step}]`));
    }
    rig.type('e');
    await rig.until(() => rig.asked.length === 1);
    return rig;
  };

  test('on all nodes shows before and after for each, and asks for the key', async () => {
    const rig = await edit(cluster(), 'mqtt.max_inflight');
    const form = formOf(rig.asked[0]);
    expect(form.notes).toContain(`${node2}: now 64`);
    const question = fill(form, { value: '48' });
    expect(question).toMatchObject({
      kind: 'confirm',
      question: 'Change this setting on all nodes?',
      target: 'mqtt.max_inflight',
      mustType: 'mqtt.max_inflight',
      button: 'change on 2 nodes',
      details: [
        `${node1}: 32 → 48`,
        `${node2}: 64 → 48`,
        askTexts.stopped(trusted(node3)),
        atOnce,
        'The result is verified on every node.',
      ],
      action: { target: { app: 'broker', key: 'mqtt.max_inflight', all: true } },
    });
    expect(fill(form, { value: '' })).toBe('The value is empty.');
    for (const value of ['-5', '1e3', '16 ', ' 16', '0x10', '016', '1.5'])
      expect(fill(form, { value })).toContain('Must be a whole number');
  });

  test('on the selected node asks yes or no', async () => {
    const rig = await edit(cluster(), 'mqtt.max_inflight', 2);
    const form = formOf(rig.asked[0]);
    expect(form.fields).toMatchObject([
      { id: 'value', initial: '64' },
      { id: 'where', initial: node2 },
    ]);
    expect(fill(form, {})).toBe('It already has this value.');
    expect(form.fields[0]?.help).toBe('a whole number');
    const question = fill(form, { value: '48' });
    expect(question).toMatchObject({
      question: `Change this setting on ${node2}?`,
      mustType: undefined,
      button: undefined,
      details: [`${node2}: 64 → 48`, atOnce, `The result is verified on ${node2}.`],
      action: { target: { all: false, nodes: node2 } },
    });
  });

  test('offers the words of a well-known setting, and says what it does', async () => {
    const settings = [settingOf('mqtt.acl_nomatch', 'allow', { dataType: 'enum' })];
    const form = formOf(
      (
        await edit(
          createCluster(
            readingsOf({
              settings: ready(
                new Map([
                  [node1, settings],
                  [node2, settings],
                ]),
              ),
            }),
          ),
          'mqtt.acl_nomatch',
        )
      ).asked[0],
    );
    expect(form.fields[0]).toMatchObject({ kind: 'choice', choices: ['allow', 'deny'], initial: 'allow' });
    expect(form.notes?.[0]).toBe('Whether to allow a publish or subscribe that no ACL rule matches.');
    expect(form.fields[0]?.help).toBeUndefined();
    const level = [settingOf('log.console.level', 'error', { dataType: 'enum' })];
    const levels = formOf(
      (await edit(createCluster(readingsOf({ settings: ready(new Map([[node1, level]])) })), 'log.console.level'))
        .asked[0],
    );
    expect(levels.fields[0]).toMatchObject({
      kind: 'choice',
      choices: ['debug', 'info', 'warning', 'error', 'none'],
      initial: 'error',
    });
    const other = [settingOf('mqtt.acl_nomatch', 'ask', { dataType: 'enum' })];
    const unknown = formOf(
      (await edit(createCluster(readingsOf({ settings: ready(new Map([[node1, other]])) })), 'mqtt.acl_nomatch'))
        .asked[0],
    );
    expect(unknown.fields[0]).toMatchObject({ initial: 'ask' });
    expect(unknown.fields[0]?.kind).toBeUndefined();
    expect(unknown.fields[0]?.help).toBe('one of a fixed set of words (the broker does not list them)');
  });

  test('offers a choice for true and false, and asks for a password hidden and twice', async () => {
    const flag = formOf((await edit(cluster(), 'mqtt.cache_acl')).asked[0]);
    expect(flag.fields[0]).toMatchObject({ kind: 'choice', choices: ['true', 'false'], initial: 'true' });
    const secret = formOf((await edit(cluster(), 'auth.password', 1)).asked[0]);
    expect(secret.fields.slice(0, 2).map(({ kind }) => kind)).toEqual(['hidden', 'hidden']);
    expect(fill(secret, { value: 'a', again: 'b' })).toBe('The values do not match.');
    const question = fill(secret, { value: 'changed', again: 'changed' });
    expect(confirmOf(typeof question === 'string' ? undefined : question).details?.[0]).toBe(
      `${node1}: (hidden) → (hidden)`,
    );
    expect(JSON.stringify([secret, question])).not.toMatch(/hunter|changed/);
  });

  const formFor = (key: string, value: string | undefined, dataType: string, traits: Partial<Setting> = {}) => {
    const byNode = new Map(
      [node1, node2].map((node) => [
        node,
        settingOf(key, value, { dataType, app: 'emqttd', appliesTo: undefined, ...traits }),
      ]),
    );
    const asked = settingRequest(colorTheme, {
      row: { id: key, app: 'emqttd', key, dataType, byNode, isDifferent: false },
      node: undefined,
      unread: [],
      stopped: [],
    });
    return formOf('request' in asked ? asked.request : undefined);
  };

  test.each([
    [
      'mqtt.session.retry_interval',
      '20000',
      'duration',
      '20s',
      'a duration with a unit (ms, s, m, h, d, w), such as 30s',
      '21s',
      ['21', '21000', '1x', '20s', '20000ms'],
    ],
    [
      'mqtt.max_packet_size',
      '65536',
      'bytesize',
      '64KB',
      'a size in bytes, KB, MB or GB, such as 64KB',
      '32768',
      ['32K', '-1', '65536', '64kb'],
    ],
    [
      'mqtt.mqueue.low_watermark',
      '0.2000',
      'percent',
      '20%',
      'a percentage, such as 60%',
      '70%',
      ['0.7', '101%', '20.0%'],
    ],
    ['mqtt.keepalive_backoff', '0.7500', 'float', '0.75', 'a number, such as 0.75', '0.8', ['x', '0.75', '.7500']],
    [
      'retainer.expiry_interval',
      '0',
      'integer, duration',
      '0',
      'a whole number, or a duration with a unit (ms, s, m, h, d, w), such as 30s',
      '5m',
      ['-1', '0s'],
    ],
    ['mqtt.mqueue.high_watermark', '0.6000', 'string', '0.6000', undefined, '0.7', ['0.6']],
  ])(
    'of a real broker: %s of %s (%s) is shown and typed as %s',
    (key, value, dataType, initial, takes, wanted, refused) => {
      const form = formFor(key, value, dataType);
      expect(form.fields[0]).toMatchObject({ id: 'value', initial });
      expect(form.notes).toContain(`${node1}: now ${initial}`);
      expect(form.fields[0]?.help).toBe(takes);
      expect(confirmed(form, { value: wanted }).details).toContain(
        `${node1}: ${initial} → ${wanted === '32768' ? '32,768 bytes' : wanted}`,
      );
      for (const each of refused)
        expect([settingSentences.wrongType(takes), settingDialogTexts.same]).toContain(fill(form, { value: each }));
    },
  );

  test('of a real broker offers on and off, or true and false as text', () => {
    expect(formFor('mqtt.session.upgrade_qos', 'false', 'flag').fields[0]).toMatchObject({
      kind: 'choice',
      choices: ['on', 'off'],
      initial: 'off',
    });
    expect(formFor('mqtt.websocket_protocol_header', 'on', 'flag').fields[0]).toMatchObject({
      choices: ['on', 'off'],
      initial: 'on',
    });
    expect(formFor('mqtt.allow_anonymous', 'false', 'enum').fields[0]).toMatchObject({
      choices: ['true', 'false'],
      initial: 'false',
    });
    // It has no value yet, so neither is preselected.
    const unknown = formFor('mqtt.client.enable_stats', undefined, 'flag');
    expect(unknown.fields[0]).toMatchObject({ id: 'value', initial: undefined });
    expect([fill(unknown, { value: '' }), fill(unknown, { value: 'true' })]).toEqual([
      'The value is empty.',
      'Must be on or off.',
    ]);
    expect(confirmed(unknown, { value: 'on' }).details).toContain(`${node1}: – → on`);
  });

  test('says for whom it holds where that is known, and that a log level may read back as before', () => {
    const notesOf = (appliesTo: Setting['appliesTo']): string =>
      formFor('k', '1', 'integer', { appliesTo }).notes?.join(' ') ?? '';
    expect(notesOf('new-sessions')).toContain('Applies to new sessions. Existing sessions keep the old value.');
    expect(notesOf('new-connections')).toContain(
      'Applies to new connections. Connected clients may keep the old value.',
    );
    for (const text of Object.values(settingTexts.appliesTo)) expect(notesOf(undefined)).not.toContain(text);
    const level = formFor('log.console.level', 'error', 'enum', { mayReadBackUnchanged: true });
    expect(level.notes).toContain('The value may be outdated: some brokers do not report changes of this setting.');
    expect(confirmed(level, { value: 'error' }).details).toContain(`${node1}: error → error`);
  });

  test('is refused if no node has it, and unavailable in read-only mode', async () => {
    const monitor = cluster();
    const rig = open(monitor);
    for (let step = 1; step <= 3; step += 1) {
      rig.type('\u001B[C');
      await rig.until((text) => text.includes(`[broker${step}]`));
    }
    rig.type('e');
    await rig.until(() => monitor.notices.length === 1);
    expect(monitor.notices[0]).toBe(askTexts.stoppedNode(safe`broker3@127.0.0.1`));
    const readOnly = open(cluster(), [140, 12], { isReadOnly: true });
    readOnly.type('e');
    readOnly.type('j');
    await readOnly.until((text) => text.includes('▸mqtt.cache_acl'));
    expect([...rig.asked, ...readOnly.asked]).toEqual([]);
  });
});

describe('the More screen', () => {
  const menu = (monitor: FakeMonitor, size: readonly [number, number] = [80, 18]) =>
    createRig(<MoreScreen {...propsOf(monitor, size)} />, { columns: size[0], rows: size[1] });

  test.each(sizes)('fills %i by %i', (width, height) => {
    const lines = menu(createCluster({ capabilities: capabilitiesA }), [width, height]).lines();
    expect(lines).toHaveLength(height);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(width);
  });

  test('shows the last lines of the log in the rows that are left', () => {
    const log = readingsOf({
      timelineEvents: Array.from({ length: 30 }, (_, index) => eventOf({ text: `entry ${index}` })),
    });
    const shown = menu(createCluster(log)).lines();
    const from = shown.findIndex((line) => line.includes('── Recent events ──'));
    expect(shown[from + 1]).toContain('entry 29');
    expect(shown.slice(from + 1).every((line) => line.includes(' entry '))).toBe(true);
    expect(shown).toHaveLength(18);
    expect(menu(createCluster()).lines().join()).not.toContain('Recent events');
    expect(menu(createCluster(log), [80, 8]).lines().join()).not.toContain('Recent events');
  });

  test('opens triage, settings, users and the log', async () => {
    const monitor = createCluster({ capabilities: capabilitiesB });
    const rig = menu(monitor);
    const nameIn = (line: string): string => /^[▸ ] \S +(\S+)/u.exec(line)?.[1] ?? '';
    expect(rig.lines().map(nameIn)).toEqual(expect.arrayContaining(['Triage', 'Settings', 'Users', 'Timeline']));
    expect(rig.lines().join('\n')).not.toContain('Not supported by this broker');
    const names = rig
      .lines()
      .map(nameIn)
      .filter((name) => name !== '');
    for (const name of names) {
      await rig.until((text) => new RegExp(`▸ \\S +${name}`, 'u').test(text));
      rig.type('\r');
      rig.type('j');
    }
    await rig.until(() => monitor.places.length === names.length);
    expect(monitor.places.map(({ screen }) => screen)).toEqual(
      names.map((name) => (name === 'Timeline' ? 'log' : name.toLowerCase())),
    );
  });

  test('shows what is known of each screen', () => {
    const monitor = createCluster({
      ...readingsOf({
        timelineEvents: [eventOf({ severity: 'critical', text: 'no' })],
        settings: ready(new Map([[node1, own]])),
        users: ready([{ username: 'admin', tags: 'administrator' }]),
      }),
    });
    const text = menu(monitor).lines().join('\n');
    for (const figure of [moreTexts.settings(own.length), '1 user', safe`1 event, 1 critical`])
      expect(text).toMatch(new RegExp(` {2}${figure}(?: |$)`, 'mu'));
    const nothing = menu(createCluster()).lines().join('\n');
    expect(nothing).toContain('0 events');
    expect(nothing).not.toContain('0 users');
  });

  test('leaves out what the broker lacks, and says why, as does the help', () => {
    const rig = menu(createCluster({ capabilities: capabilitiesA }));
    const text = rig.lines().join('\n');
    expect(text).toMatch(new RegExp(`Users +${definitionOf('users').note ?? ''}`, 'u'));
    expect(text).not.toContain(definitionOf('settings').note);
    expect(text).toMatch(
      /Not supported by this broker [─╮╭│\s]+Settings: API v2 A does not offer broker or plugin settings/u,
    );
    const help = (capabilities: typeof capabilitiesA): string =>
      helpLines(asciiTheme, 80, {
        keymap: createKeymap({ isReadOnly: false }),
        screen: 'settings',
        absent: absentNotes({ capabilities, isReadOnly: false }),
      }).join('\n');
    expect(help(capabilitiesA)).toContain('API v2 A does not offer broker or plugin settings');
    expect(help(capabilitiesB)).not.toContain('Not supported by this broker');
  });

  test('says that read-only mode has no actions, as does the help', () => {
    const state = { capabilities: capabilitiesB, isReadOnly: true };
    expect(menu(createCluster(state)).lines().join('\n')).toMatch(
      /Disabled in read-only mode [─╮╭│\s]+Actions: brokertop was started with --read-only/u,
    );
    expect(
      menu(createCluster({ ...state, isReadOnly: false }))
        .lines()
        .join('\n'),
    ).not.toContain('read-only');
    expect(
      helpLines(asciiTheme, 80, {
        keymap: createKeymap({ isReadOnly: true }),
        screen: 'settings',
        absent: absentNotes(state),
      }).join('\n'),
    ).toContain('started with --read-only');
  });
});
