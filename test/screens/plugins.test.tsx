import { stripVTControlCharacters } from 'node:util';
import { afterEach, describe, expect, test } from 'vitest';
import { askTexts } from '../../src/actions/asking.ts';
import { NotAvailableError, TimeoutError } from '../../src/api/errors.ts';
import type { Plugin } from '../../src/domain/administration.ts';
import { steadyNowMs } from '../../src/monitor/clock.ts';
import { readings, watchKey, watchOf } from '../../src/monitor/query/part.ts';
import { emptyResource } from '../../src/monitor/state.ts';
import { MetricsScreen } from '../../src/resources/metrics/screen.tsx';
import { NodeScreen } from '../../src/resources/nodes/page.tsx';
import { PluginSettingsScreen } from '../../src/resources/plugin-settings/screen.tsx';
import { plugins, plugins as pluginsPart, pluginSettings } from '../../src/resources/plugins/resource.ts';
import { PluginsScreen } from '../../src/resources/plugins/screen.tsx';
import { type SafeText, trusted } from '../../src/terminal/safe-text.ts';
import { ClickTargets, ClickTargetsContext } from '../../src/tui/components/drawing.tsx';
import { tableWidthOf } from '../../src/tui/list/detail.tsx';
import { readingsOf, watchedKeys } from '../support/readings.ts';
import { cellsByHeader } from '../tui/support/cells.ts';
import { endRigs, plainTheme } from '../tui/support/rig.tsx';
import {
  type AskingRig,
  capabilitiesA,
  capabilitiesB,
  cellsOf,
  confirmed,
  confirmOf,
  createAskingRig,
  createCluster,
  fill,
  formOf,
  hostile,
  node1,
  node2,
  node3,
  openersOf,
  pluginOf,
} from './administration-fixtures.tsx';
import { type FakeMonitor, figuresOf, linesWithoutPanels, propsOf, ready, sizes, tableOf } from './list-fixtures.ts';
import { nodeTableTexts } from '../../src/resources/view/texts.ts';
import { createKeymap } from '../../src/screens/keys.ts';
import { hintsOf } from '../../src/screens/hints.ts';
import { hintLine } from '../../src/tui/frame/hint-line.ts';

afterEach(endRigs);

const { open, openWhole } = openersOf((props) => <PluginsScreen {...props} />);

const [left, right] = ['\u001B[D', '\u001B[C'];

const cluster = (): FakeMonitor =>
  createCluster(
    readingsOf({
      plugins: new Map([
        [
          node1,
          ready([
            pluginOf('broker_dashboard', true),
            pluginOf('broker_retainer', true),
            pluginOf('only_here', undefined, { version: undefined, description: undefined }),
            pluginOf(hostile, false),
          ]),
        ],
        [
          node2,
          ready([
            pluginOf('broker_dashboard', true),
            pluginOf('broker_retainer', false, { version: '2.3.10' }),
            pluginOf(hostile, false),
          ]),
        ],
        [node3, ready([pluginOf('broker_retainer', true)])],
      ]),
    }),
  );

describe('the Plugins screen', () => {
  test.each(sizes)('fills %i by %i', (width, height) => {
    const lines = open(cluster(), [width, height]).lines();
    expect(lines).toHaveLength(linesWithoutPanels(width, height));
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(width);
    expect(lines[0]).toMatch(/^ PLUGIN ▲/);
    expect(lines[1]).toContain('▸broker_dashboard');
  });

  test('has a column for each node, marks differences, and shows unknown values as such', () => {
    const lines = open(cluster()).lines();
    expect(cellsByHeader(lines[0], lines[1])).toMatchObject({
      PLUGIN: 'broker_dashboard',
      'ALL NODES': '[2/2]',
      broker1: '● active',
      broker2: '● active',
      broker3: '–',
      VERSION: '2.3.11',
      DESCRIPTION: 'The broker_dashboard',
    });
    // Values of the stopped node are not shown.
    expect(cellsByHeader(lines[0], lines[2])).toMatchObject({
      PLUGIN: 'broker_retainer',
      'ALL NODES': '! 1/2',
      broker1: '● active ! 2.3.11',
      broker2: '○ inactive ! 2.3.10',
      broker3: '–',
      VERSION: '! 2 versions',
      DESCRIPTION: 'The broker_retainer',
    });
    expect(cellsByHeader(lines[0], lines[3])).toMatchObject({
      PLUGIN: 'only_here',
      'ALL NODES': '! 0/1',
      broker1: '? unknown',
      broker2: 'absent',
      broker3: '–',
      VERSION: '–',
      DESCRIPTION: '–',
    });
    expect(cellsByHeader(lines[0], lines[4])).toMatchObject({
      PLUGIN: String.raw`z\x1b[2J\u202e`,
      'ALL NODES': '0/2',
      broker1: '○ inactive',
    });
    expect(lines.at(-1)).toContain('1 of 3 nodes not running');
  });

  test('names nodes in its panel as in its columns', () => {
    const text = openWhole(cluster(), [160, 14]).lines().join('\n');
    expect(text).toMatch(/│ ● broker1 +active +2\.3\.11 │/u);
    expect(text).not.toContain(node1);
  });

  test('says what stopping means, and reads the settings of the row that the cursor rests on', async () => {
    const monitor = cluster();
    const rig = openWhole(monitor, [200, 40]);
    const words = (): string =>
      rig
        .lines()
        .map((line) => line.slice(tableWidthOf(200) + 3, -2).trim())
        .join(' ');
    expect(words()).toContain(
      'If stopped It may serve the API that brokertop uses. If so, you cannot start it again from here.',
    );
    const watched = watchOf(pluginSettings, node1, 'broker_dashboard');
    await expect.poll(() => monitor.watching.map(watchKey)).toContainEqual(watchKey(watched));
    monitor.set(
      readingsOf({
        pluginSettings: new Map([
          [
            pluginSettings.textOf(node1, 'broker_dashboard'),
            ready([
              { key: 'port', value: '18083', description: '', required: true },
              { key: 'default.password', value: 'hunter2', description: '', required: true },
            ]),
          ],
        ]),
      }),
    );
    await rig.until(() => /broker1 \(Enter\) port +18083 default\.password +\(hidden\) /u.test(words()));
    expect(rig.raw()).not.toMatch(/hunter/);
    monitor.set(
      readingsOf({
        pluginSettings: new Map([
          [
            pluginSettings.textOf(node1, 'broker_dashboard'),
            { ...emptyResource(), error: new NotAvailableError('settings') },
          ],
        ]),
      }),
    );
    await rig.until(() => !words().includes('Settings '));
    rig.type('jj');
    await rig.until(() => words().includes('only_here') && !words().includes('If stopped'));
  });

  test('names the columns that have no room', async () => {
    const calm = createCluster(
      readingsOf({
        plugins: new Map([node1, node2].map((node) => [node, ready([pluginOf('broker_retainer', true)])])),
      }),
    );
    const rig = open(calm, [90, 12]);
    expect(rig.lines().at(-1)).toMatch(/ → description +target/u);
    // Past the last node arrows scroll to them.
    for (let step = 0; step < 6; step += 1) rig.type(right);
    await rig.until((text) => text.includes('DESCRIPTION') && !text.includes('→ description'));
    expect(open(calm, [139, 12]).lines().at(-1)).not.toContain('→');
  });

  test('keeps the signs in a narrow cell', () => {
    const rows = open(cluster(), [60, 9]).lines();
    expect(rows[2]).toMatch(/broker_retainer .*[●○] (?:active )?!/);
  });

  test('shows loading, empty and failed differently, for each node', () => {
    const show = (states: Parameters<typeof createCluster>[0]): string =>
      open(createCluster(states)).lines().join('\n');
    expect(show({})).toContain('··· loading the plugins');
    expect(
      show(
        readingsOf({
          plugins: new Map([
            [node1, ready([])],
            [node2, ready([])],
          ]),
        }),
      ),
    ).toContain('No plugins on any node.');
    const failed = {
      ...emptyResource<readonly never[]>(),
      error: new TimeoutError(5_000),
      nextAttemptAtMs: steadyNowMs() + 7_500,
    };
    expect(
      show(
        readingsOf({
          plugins: new Map([
            [node1, failed],
            [node2, failed],
          ]),
        }),
      ),
    ).toMatch(
      /! Cannot load plugins of broker1, retry in .*\. The broker did not respond within 5 s\. It may be overloaded, or a node may be hung\./u,
    );
    const one = show(
      readingsOf({
        plugins: new Map([
          [node1, ready<readonly Plugin[]>([pluginOf('broker_retainer', true)])],
          [node2, failed],
        ]),
      }),
    );
    expect(one).toMatch(/broker_retainer +\[1\/1\] +● active +– +–/);
    expect(one).toMatch(/! Cannot load plugins of broker2, .*\. .*/u);
    const partly = show(readingsOf({ plugins: new Map([[node1, ready([pluginOf('broker_retainer', true)])]]) }));
    expect(partly).toMatch(/broker_retainer +\[1\/1\] +● active +··· +–/);
    expect(
      show(readingsOf({ plugins: new Map([[node1, ready([pluginOf('broker_retainer', true)], 200_000)]]) })),
    ).toMatch(/plugins of broker1: last read 3m/u);
  });

  test('requests only running nodes', async () => {
    const monitor = cluster();
    const rig = open(monitor);
    await rig.until(() => monitor.watching.length === 3);
    expect(watchedKeys(monitor.watching, plugins)).toEqual([node1, node2]);
  });
});

describe('opened from a node', () => {
  test('selects the node in Plugins and Metrics', async () => {
    const monitor = cluster();
    const node = createAskingRig(<NodeScreen {...propsOf(monitor, [120, 20])} node={node2} />, [120, 20]);
    node.type('n');
    node.type('m');
    await node.until(() => monitor.places.length === 2);
    const scope = { kind: 'node', node: node2 } as const;
    expect(monitor.places).toEqual([
      { screen: 'plugins', scope },
      { screen: 'metrics', scope },
    ]);
    const plugins = createAskingRig(<PluginsScreen {...propsOf(monitor, [120, 20])} scope={scope} />, [120, 20]);
    expect(plugins.lines()[0]).toContain('[broker2]');
    const metrics = createAskingRig(<MetricsScreen {...propsOf(monitor, [120, 20])} scope={scope} />, [120, 20]);
    expect(metrics.lines()[0]).toContain(node2);
  });
});

describe('the column that actions apply to', () => {
  const nodes = Array.from({ length: 6 }, (_, index) => `broker${index + 1}@127.0.0.1`);
  const large = (): FakeMonitor => {
    const monitor = createCluster(
      readingsOf({
        plugins: new Map(
          nodes.map((node) => [node, ready([pluginOf('broker_recon', false), pluginOf('broker_retainer', true)])]),
        ),
      }),
    );
    monitor.setResources({ nodeStats: ready(nodes.map((node) => figuresOf(node))) });
    return monitor;
  };
  const bracketed = (line = ''): readonly string[] =>
    [...line.matchAll(/\[([^\]]*)\]/gu)].map(([, text = '']) => text.trim());

  test('is in brackets in the header and at the cursor, and not in other rows', async () => {
    const rig = open(large(), [160, 10]);
    expect(rig.lines().slice(0, 3).map(bracketed)).toEqual([['ALL NODES'], ['0/6'], []]);
    rig.type(`${right}j`);
    await rig.until((text) => text.includes('▸broker_retainer'));
    expect(rig.lines().slice(0, 3).map(bracketed)).toEqual([['broker1'], [], ['● active']]);
    const columnOf = (line = '', text = ''): number => line.indexOf(text);
    expect(columnOf(rig.lines()[2], '● active')).toBe(columnOf(rig.lines()[0], 'broker1'));
    expect(columnOf(rig.lines()[1], '○ inactive')).toBe(columnOf(rig.lines()[0], 'broker1'));
  });

  test.each([
    [60, 10],
    [80, 24],
    [120, 12],
  ] as const)('scrolls into view at %i by %i, and behind the last node columns scroll on', async (width, height) => {
    const rig = open(large(), [width, height]);
    for (const node of nodes) {
      rig.type(right);
      await rig.until(() => bracketed(rig.lines()[0])[0] === node.split('@')[0]);
      expect(bracketed(rig.lines()[1])).toEqual(['○ inactive']);
    }
    for (let count = 0; count < 8; count += 1) rig.type(right);
    await rig.until(() => rig.lines()[0]?.includes('DESCRIPTION') === true);
    expect(rig.lines().at(-1)).toContain(nodeTableTexts.chosen(trusted(nodes.at(-1) ?? '')));
    // One step back to the chosen node where it is out of sight, then to those before it.
    if (bracketed(rig.lines()[0]).length === 0) rig.type(left);
    await rig.until(() => bracketed(rig.lines()[0])[0] === 'broker6');
    for (const node of nodes.toReversed().slice(1)) {
      rig.type(left);
      await rig.until(() => bracketed(rig.lines()[0])[0] === node.split('@')[0]);
    }
    rig.type(left);
    await rig.until(() => bracketed(rig.lines()[0])[0] === 'ALL NODES');
  });

  test('is in sight when opened from a node', async () => {
    const rig = createAskingRig(
      <PluginsScreen {...propsOf(large(), [80, 24])} scope={{ kind: 'node', node: nodes[4] ?? '' }} />,
      [80, 24],
    );
    await rig.until(() => bracketed(rig.lines()[0]).length > 0);
    expect(bracketed(rig.lines()[0])).toEqual(['broker5']);
  });

  test('is the one that was clicked', async () => {
    const targets = new ClickTargets();
    const monitor = large();
    const rig = createAskingRig(
      <ClickTargetsContext value={targets}>
        <PluginsScreen {...propsOf(monitor, [160, 10])} />
      </ClickTargetsContext>,
      [160, 10],
    );
    const clickAt = (row: number, text: string): void => {
      targets.click(row + 1, (rig.lines()[1] ?? '').indexOf(text) + 1);
    };
    clickAt(2, 'broker3');
    await rig.until((text) => text.includes('[broker3]') && text.includes('▸broker_retainer'));
    // Other columns are no choice.
    clickAt(1, 'DESCRIPTION');
    await rig.until((text) => text.includes('▸broker_recon'));
    expect(rig.lines()[1]).toContain('[broker3]');
    clickAt(1, 'ALL NODES');
    await rig.until((text) => text.includes('[ALL NODES]'));
  });

  test('has one hint for both keys, where there is something to choose', () => {
    const keymap = createKeymap({ isReadOnly: false });
    const hints = (screen: 'plugins' | 'settings', capabilities: typeof capabilitiesA): string =>
      stripVTControlCharacters(
        hintLine(
          plainTheme,
          120,
          keymap,
          hintsOf(screen, capabilities, { runs: (id) => id !== 'close' && id !== 'clearFilter' }),
        ),
      );
    expect(hints('plugins', capabilitiesB)).toContain(' K stop  a menu  ← → node  / filter ');
    expect(hints('settings', capabilitiesB)).toContain('  ← → node  ');
    expect(hints('plugins', capabilitiesA)).not.toContain('node');
    expect(hints('settings', capabilitiesA)).not.toContain('node');
  });
});

describe('starting and stopping', () => {
  const select = async (rig: AskingRig, name: string): Promise<void> => {
    rig.type(`/${name}\r`);
    await rig.until((text) => text.includes(`▸${name}`) && text.includes('Esc clears'));
  };

  test('applies to all nodes, or the selected one', async () => {
    const rig = open(cluster());
    await select(rig, 'broker_retainer');
    rig.type('S');
    await rig.until(() => rig.asked.length === 1);
    const all = confirmOf(rig.asked[0]);
    expect(all.question).toBe('Start this plugin on all nodes?');
    expect(all.target).toBe('broker_retainer');
    expect(all.details).toEqual([
      `${node1}: already active`,
      `${node2}: inactive → active`,
      askTexts.stopped(trusted(node3)),
      'Description: The broker_retainer',
    ]);
    expect(all.warning).toBeUndefined();
    // One of the two is active already.
    expect([all.mustType, all.button]).toEqual(['broker_retainer', 'start on 1 node']);
    expect(all.action.target).toMatchObject({
      plugin: 'broker_retainer',
      nodes: `${node1}, ${node2}`,
      namesNode: true,
    });
    rig.type(right);
    await rig.until((text) => text.includes('[broker1]'));
    rig.type('K');
    await rig.until(() => rig.asked.length === 2);
    const one = confirmOf(rig.asked[1]);
    expect(one.question).toBe(`Stop this plugin on ${node1}?`);
    expect(one.action.name).toBe('stop-plugin');
    expect([one.mustType, one.button, one.details]).toEqual([
      undefined,
      undefined,
      [`${node1}: active → inactive`, 'Description: The broker_retainer'],
    ]);
    expect(one.warning).toBe(
      'Messages are no longer retained on this node, and new subscribers there get no retained messages.',
    );
    expect(one.action.target).toMatchObject({ nodes: node1 });
    rig.type(left);
    await rig.until((text) => text.includes('[ALL NODES]') && text.includes('target: all nodes'));
  });

  test('treats a dashboard like other plugins', async () => {
    const rig = createAskingRig(
      <PluginsScreen {...propsOf(cluster(), [139, 12])} scope={{ kind: 'node', node: node1 }} />,
      [140, 12],
    );
    await select(rig, 'broker_dashboard');
    rig.type('K');
    await rig.until(() => rig.asked.length === 1);
    const { target, mustType, warning } = confirmOf(rig.asked[0]);
    expect({ target, mustType, warning }).toEqual({
      target: 'broker_dashboard',
      mustType: undefined,
      warning: 'It may serve the API that brokertop uses. If so, you cannot start it again from here.',
    });
  });

  test('keeps the name of a column when its node is selected', async () => {
    const rig = tableOf(
      createAskingRig(
        <PluginsScreen {...propsOf(cluster(), [160, 12])} scope={{ kind: 'node', node: node1 }} />,
        [160, 12],
      ),
      160,
    );
    expect(rig.lines()[0]).toContain('[broker1]');
    rig.type('/broker1:inactive\r');
    await rig.until((text) => text.includes('showing 1 of 4'));
    rig.type('>>');
    await rig.until((text) => text.includes('sorted by broker1'));
    rig.type('C');
    await rig.until((text) => text.includes('[x] broker1 '));
  });

  test('takes a refusal back when the cursor moves to another plugin or node', async () => {
    const said: (SafeText | undefined)[] = [];
    const rig = createAskingRig(
      <PluginsScreen
        {...propsOf(cluster(), [139, 12])}
        notify={(text) => {
          said.push(text);
        }}
      />,
      [140, 12],
    );
    const refusal = 'broker_dashboard is already active on all nodes';
    rig.type('S');
    await rig.until(() => said.length === 1);
    rig.type(right);
    await rig.until((text) => text.includes('[broker1]'));
    expect(said).toEqual([refusal, undefined]);
    rig.type(left);
    await rig.until((text) => text.includes('[ALL NODES]'));
    rig.type('S');
    await rig.until(() => said.length === 3);
    rig.type('j');
    await rig.until(() => said.length === 4);
    expect(said).toEqual([refusal, undefined, refusal, undefined]);
  });

  test('refuses where the plugin is missing or already in that state', async () => {
    const monitor = cluster();
    const rig = open(monitor);
    rig.type('S');
    await rig.until(() => monitor.notices.length === 1);
    expect(monitor.notices[0]).toBe('broker_dashboard is already active on all nodes');
    await select(rig, 'only_here');
    rig.type(right);
    await rig.until((text) => text.includes('[broker1]'));
    rig.type(right);
    await rig.until((text) => text.includes('[broker2]'));
    rig.type('S');
    await rig.until(() => monitor.notices.length === 2);
    expect(monitor.notices[1]).toContain('not listed on broker2');
    // The stopped node is named as such for every key.
    rig.type(right);
    await rig.until((text) => text.includes('[broker3]'));
    for (const key of ['S', '\r']) {
      const before = monitor.notices.length;
      rig.type(key);
      await rig.until(() => monitor.notices.length === before + 1);
      expect(monitor.notices.at(-1)).toContain('broker3@127.0.0.1 is ');
    }
    expect(rig.asked).toEqual([]);
  });

  test('always applies to all nodes if the API has no request for one, and says so', async () => {
    const monitor = cluster();
    monitor.set({ capabilities: capabilitiesA });
    const rig = open(monitor);
    expect(rig.lines().at(-1)).toContain('always all nodes');
    // No node can be selected, and there are no settings to open.
    rig.type(`${right}\r`);
    await select(rig, 'broker_retainer');
    expect(rig.lines()[0]).not.toContain('[broker1]');
    expect(monitor.places).toEqual([]);
    rig.type('K');
    await rig.until(() => rig.asked.length === 1);
    const { question, details, action } = confirmOf(rig.asked[0]);
    expect(question).toBe('Stop this plugin on all nodes?');
    expect(details).toContain("This broker's API starts and stops plugins on all nodes.");
    expect(action.target).toMatchObject({ namesNode: false, nodes: `${node1}, ${node2}` });
  });

  test('is unavailable in read-only mode and before the variant is known', async () => {
    for (const [monitor, isReadOnly] of [
      [cluster(), true],
      [
        createCluster({
          capabilities: undefined,
          ...readingsOf({ plugins: readings(cluster().store.getState(), pluginsPart) }),
        }),
        false,
      ],
    ] as const) {
      const rig = open(monitor, [160, 12], { isReadOnly });
      rig.type('K');
      rig.type('j');
      await rig.until((text) => text.includes('▸broker_retainer'));
      expect(rig.asked).toEqual([]);
    }
  });

  test('Enter opens the plugin settings on the selected node, if the broker has them', async () => {
    const monitor = cluster();
    const rig = open(monitor);
    rig.type(right);
    await rig.until((text) => text.includes('[broker1]'));
    rig.type(right);
    await rig.until((text) => text.includes('[broker2]'));
    rig.type('\r');
    await rig.until(() => monitor.places.length === 1);
    expect(monitor.places).toEqual([{ screen: 'plugin-settings', node: node2, plugin: 'broker_dashboard' }]);
    monitor.set({ capabilities: capabilitiesA });
    await rig.until((text) => text.includes('always all nodes'));
    rig.type('\ry');
    await rig.until(() => monitor.notices.length === 1);
    expect(monitor.places).toHaveLength(1);
  });
});

describe('the settings of a plugin', () => {
  const plugin = 'broker_auth_mysql';
  const settings = [
    { key: 'auth.mysql.server', value: '127.0.0.1:3306', description: 'Where it is', required: true },
    { key: 'auth.mysql.password', value: 'hunter2', description: '', required: false },
    { key: `auth.mysql.${hostile}`, value: hostile, description: hostile, required: false },
  ];
  const loaded = (): FakeMonitor =>
    createCluster(
      readingsOf({
        pluginSettings: new Map([[pluginSettings.textOf(node1, plugin), ready(settings)]]),
        plugins: new Map([[node1, ready([pluginOf(plugin, true)])]]),
      }),
    );
  const { openWhole: show } = openersOf(
    (props) => <PluginSettingsScreen {...props} node={node1} plugin={plugin} />,
    [139, 10],
  );

  test.each(sizes)('fill %i by %i', (width, height) => {
    const lines = show(loaded(), [width, height]).lines();
    expect(lines).toHaveLength(height);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(width);
    expect(lines[0]).toContain('Settings of broker_auth_mysql on broker1');
  });

  test('show key, value, required and description, but no password', () => {
    const rig = show(loaded());
    const lines = rig.lines();
    expect(lines[0]).toContain('● active');
    expect(cellsByHeader(lines[1], lines[2])).toMatchObject({
      KEY: 'auth.mysql.password',
      VALUE: '(hidden)',
      REQUIRED: 'no',
      DESCRIPTION: '–',
    });
    expect(cellsByHeader(lines[1], lines[3])).toMatchObject({
      KEY: 'auth.mysql.server',
      VALUE: '127.0.0.1:3306',
      REQUIRED: 'yes',
      DESCRIPTION: 'Where it is',
    });
    expect(lines[4]).toContain(String.raw`z\x1b[2J\u202e`);
    expect(rig.raw()).not.toContain('hunter2');
    expect(rig.raw()).not.toContain('\u001B[2J');
  });

  test('are shown in full by Enter, except passwords, also in read-only mode', async () => {
    const rig = show(loaded(), [60, 10], { isReadOnly: true });
    rig.type('\r');
    await rig.until(() => rig.asked.length === 1);
    rig.type('j');
    await rig.until((text) => text.includes('▸auth.mysql.server'));
    rig.type('\r');
    await rig.until(() => rig.asked.length === 2);
    expect(
      rig.asked.map((request) =>
        request.kind === 'text' ? request.parts.map(({ label, text }) => [label, text]) : [],
      ),
    ).toEqual([
      [
        ['key', 'auth.mysql.password'],
        ['value', '(hidden)'],
        ['required', 'no'],
        ['description', '–'],
      ],
      [
        ['key', 'auth.mysql.server'],
        ['value', '127.0.0.1:3306'],
        ['required', 'yes'],
        ['description', 'Where it is'],
      ],
    ]);
  });

  const openForm = async (rig: AskingRig): Promise<ReturnType<typeof formOf>> => {
    rig.type('e');
    await rig.until(() => rig.asked.length === 1);
    return formOf(rig.asked[0]);
  };

  test('are edited in one form, which starts at the setting under the cursor', async () => {
    const rig = show(loaded());
    rig.type('j');
    await rig.until((text) => text.includes('▸auth.mysql.server'));
    const form = await openForm(rig);
    expect(form.title).toBe('Settings of plugin broker_auth_mysql on broker1@127.0.0.1');
    expect(form.fields.map(({ label, initial, kind }) => [label, initial, kind])).toEqual([
      ['auth.mysql.server', '127.0.0.1:3306', undefined],
      ['auth.mysql.password', undefined, 'hidden'],
      ['Repeat', undefined, 'hidden'],
      ['Unset', undefined, 'choice'],
      [expect.stringContaining(String.raw`auth.mysql.z\x1b[2J`), hostile, undefined],
    ]);
    expect(form.focus).toBe(0);
    expect(fill(form, {})).toBe('Nothing to change.');
    expect(fill(form, { 'value 0': '""' })).toBe('auth.mysql.server must not be empty.');
    const question = fill(form, { 'value 0': 'db:3306', 'value 2': 'plain' });
    expect(question).toMatchObject({
      question: 'Change 2 settings of this plugin on broker1@127.0.0.1?',
      target: plugin,
      warning: 'The plugin is active and will restart with the new settings.',
    });
    expect(typeof question === 'string' ? [] : question.details).toEqual([
      'auth.mysql.server: 127.0.0.1:3306 → db:3306',
      expect.stringMatching(/^auth\.mysql\.z\\x1b\[2J.* → plain$/),
      'All settings are sent, except unset ones.',
    ]);
  });

  test('ask for a password hidden and twice; an empty one is left unchanged', async () => {
    const form = await openForm(show(loaded()));
    expect(form.focus).toBe(1);
    expect(form.fields[1]).toMatchObject({ kind: 'hidden', placeholder: '(hidden)' });
    expect(fill(form, { 'value 1': 'secret' })).toBe('The values do not match: auth.mysql.password');
    expect(confirmed(form, { 'value 0': 'db' }).details?.join()).not.toContain('password');
    const question = confirmed(form, { 'value 1': 'secret', 'again 1': 'secret' });
    expect(JSON.stringify([question, form])).not.toMatch(/hunter2|"secret"/);
    expect(question.details).toContain('auth.mysql.password: (hidden) → (hidden)');
  });

  const several = [
    { key: 'hook.url', value: 'http://a', description: '', required: true },
    { key: 'hook.rule', value: '', description: '', required: false },
    { key: 'hook.path', value: '', description: '', required: true },
    { key: 'hook.token', value: 'hunter2', description: '', required: false },
  ];
  const withUnset = (): FakeMonitor =>
    createCluster(
      readingsOf({
        pluginSettings: new Map([[pluginSettings.textOf(node1, plugin), ready(several)]]),
        plugins: new Map([[node1, ready([pluginOf(plugin, true)])]]),
      }),
    );

  test('mark unset values, unlike empty ones, also for filters', async () => {
    const rig = show(withUnset());
    const values = rig
      .lines()
      .slice(2, 6)
      .map((line) => cellsOf(line).slice(0, 2));
    expect(values).toEqual([
      ['▸hook.path', '(empty)'],
      ['hook.rule', '(unset)'],
      ['hook.token', '(hidden)'],
      ['hook.url', 'http://a'],
    ]);
    rig.type('/value:unset\r');
    await rig.until((text) => text.includes('showing 1 of 4'));
    expect((await openForm(rig)).fields.map(({ label, placeholder }) => [label, placeholder])).toEqual([
      ['hook.url', '(unset)'],
      ['hook.rule', '(unset)'],
      ['hook.path', '(empty)'],
      ['Unset', undefined],
      ['hook.token', '(hidden)'],
      ['Repeat', '(hidden)'],
      ['Unset', undefined],
    ]);
  });

  test('are unset by clearing them, or by a choice', async () => {
    const form = await openForm(show(withUnset()));
    const details = (values: Readonly<Record<string, string>>): readonly unknown[] =>
      (confirmed(form, values).details ?? []).slice(0, -1);
    expect(details({ 'value 0': '' })).toEqual(['hook.url: http://a → (unset)']);
    expect(confirmed(form, { 'value 0': '' }).warning).toBe(
      'The plugin is active and will restart with the new settings. Required: hook.url. The plugin may not start without it.',
    );
    expect(details({ 'value 1': '{}' })).toEqual(['hook.rule: (unset) → {}']);
    expect(details({ 'value 1': '""' })).toEqual(['hook.rule: (unset) → (empty)']);
    expect(details({ 'unset 2': 'yes', 'unset 3': 'yes' })).toEqual([
      'hook.path: (empty) → (unset)',
      'hook.token: (hidden) → (unset)',
    ]);
    expect(fill(form, { 'value 2': 'x', 'unset 2': 'yes' })).toBe('Both changed and unset: hook.path');
    expect(fill(form, {})).toBe('Nothing to change.');
  });

  test('are shown of the next and previous node by v and V', async () => {
    const monitor = loaded();
    const rig = show(monitor);
    rig.type('v');
    await rig.until(() => monitor.places.length === 1);
    // Its plugins have not been read yet.
    expect(monitor.places).toEqual([{ screen: 'plugin-settings', node: node2, plugin }]);
    rig.type('V');
    await rig.until(() => monitor.places.length === 2);
    expect(monitor.places[1]).toEqual(monitor.places[0]);
    monitor.set(
      readingsOf({
        plugins: new Map([
          [node1, ready([pluginOf(plugin, true)])],
          [node2, ready([])],
        ]),
      }),
    );
    rig.type('v');
    await rig.until(() => monitor.notices.length === 1);
    expect(monitor.notices[0]).toBe('No other running node has this plugin.');
    expect(monitor.places).toHaveLength(2);
  });

  test('show loading, none, failed and not available differently', () => {
    const of = (patch: Parameters<typeof createCluster>[0]): string => show(createCluster(patch)).lines().join('\n');
    const failing = (error: TimeoutError | NotAvailableError) =>
      readingsOf({
        pluginSettings: new Map([
          [
            pluginSettings.textOf(node1, plugin),
            { ...emptyResource<readonly never[]>(), error, nextAttemptAtMs: steadyNowMs() + 5_000 },
          ],
        ]),
      });
    expect(of({})).toContain('··· loading the settings');
    expect(of(readingsOf({ pluginSettings: new Map([[pluginSettings.textOf(node1, plugin), ready([])]]) }))).toContain(
      'This plugin has no settings.',
    );
    expect(of(failing(new TimeoutError(5_000)))).toMatch(/! Cannot load the settings, .*\. .*/u);
    expect(of(failing(new NotAvailableError('the settings')))).toContain(
      'Not available on this broker: plugin settings (404).',
    );
    expect(of(failing(new NotAvailableError('the settings', { hint: 'Or another variant.' })))).toContain(
      'Not available on this broker: plugin settings (404). Or another variant.',
    );
    expect(of({ capabilities: capabilitiesA })).toContain('Not available: API v2 A does not support plugin settings.');
  });

  test('cannot be edited in read-only mode', async () => {
    const rig = show(loaded(), [139, 10], { isReadOnly: true });
    rig.type('e');
    rig.type('j');
    await rig.until((text) => text.includes('▸auth.mysql.server'));
    expect(rig.asked).toEqual([]);
  });
});
