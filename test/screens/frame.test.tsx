import { afterEach, expect, test } from 'vitest';
import type { createMonitor } from '../../src/resources/cluster.ts';
import { AbortedError } from '../../src/api/errors.ts';
import type { Page, PageRequest } from '../../src/api/management-api.ts';
import type { Session } from '../../src/domain/client.ts';
import { systemClock } from '../../src/monitor/clock.ts';
import { reading } from '../../src/monitor/query/part.ts';
import { clientScan } from '../../src/resources/clients/resource.ts';
import { formatCount } from '../../src/terminal/format.ts';
import { safe, type SafeText, trusted } from '../../src/terminal/safe-text.ts';
import { Frame } from '../../src/screens/frame.tsx';
import { paletteTexts } from '../../src/tui/frame/texts.ts';
import { ListMemoryProvider } from '../../src/tui/list/list-state.ts';
import { screens } from '../../src/screens/registry.ts';
import { client, createFakeApi, nodeStats } from '../monitor/fake-api.ts';
import { unboxed } from '../support/boxes.ts';
import { any, matching } from '../support/texts.ts';
import { capabilitiesB, pluginOf } from './administration-fixtures.tsx';
import { createRig, endRigs, type Rig } from '../tui/support/rig.tsx';
import { allBindings, createKeymap } from '../../src/screens/keys.ts';
import { menuActions } from '../../src/resources/actions.ts';
import { createTriagedMonitor } from '../../src/timeline/triaged-monitor.ts';
import { eventsIn } from '../support/events.ts';

const ending: (() => void)[] = [];
afterEach(() => {
  endRigs();
  for (const end of ending.splice(0)) end();
});

interface Shown {
  readonly rig: Rig;
  readonly monitor: ReturnType<typeof createMonitor>;
}

function show(isReadOnly = false, options: Partial<Parameters<typeof createMonitor>[0]> = {}, columns = 100): Shown {
  const monitor = createTriagedMonitor({
    api: createFakeApi({ listNodeStats: async () => [nodeStats('a')] }),
    intervalSeconds: 60,
    isReadOnly,
    ...options,
  });
  ending.push(() => {
    monitor.stop();
  });
  const session = {
    url: 'http://127.0.0.1:1',
    user: 'admin',
    isReadOnly,
    isInsecure: false,
    readPayload: async () => '',
    describeApi: () => '',
  };
  const signIn = { source: undefined, readAgain: async () => '', takePassword: () => {} };
  const rig = createRig(
    <ListMemoryProvider>
      <Frame monitor={monitor} session={session} signIn={signIn} />
    </ListMemoryProvider>,
    { columns, rows: 24, keymap: createKeymap({ isReadOnly }) },
  );
  return { rig, monitor };
}

test('text typed after / on a screen without a filter is not taken for keys', async () => {
  const { rig, monitor } = show();
  await rig.until((text) => text.includes('1/1 nodes'));
  rig.type('/');
  await rig.until((text) => text.includes('This screen cannot be filtered. Press Esc.'));
  rig.type('dev-3+q');
  await rig.until((text) => text.includes('dev-3+q'));
  rig.type('\r');
  await rig.until((text) => !text.includes('This screen cannot be filtered. Press Esc.'));
  expect(monitor.store.getState().intervalSeconds).toBe(60);
  rig.type('3');
  await rig.until((text) => text.includes('PROTOCOL'));
});

test('a message disappears with its screen', async () => {
  const { rig } = show();
  await rig.until((text) => text.includes('1/1 nodes'));
  rig.type('p');
  await rig.until((text) => text.includes('Paused. Press p to resume.'));
  rig.type('0');
  const lines = await rig.until((text) => text.includes('Settings'));
  // Gone at once, or with the next frame.
  await rig.until((text) => !text.includes('Paused. Press p to resume.'));
  expect(lines.join('\n')).toContain('PAUSED');
});

test('in read-only mode a key that acts explains why it does nothing', async () => {
  const { rig } = show(true);
  await rig.until((text) => text.includes('1/1 nodes'));
  for (const key of ['K', ' ', 'S', 'P']) {
    rig.type('p');
    await rig.until((text) =>
      ['Paused. Press p to resume.', 'Polling resumed'].some((notice) => text.includes(notice)),
    );
    rig.type(key);
    await rig.until((text) => text.includes('Read-only mode: actions are disabled'));
  }
  // What means nothing anywhere says nothing.
  rig.type('p');
  await rig.until((text) => ['Paused. Press p to resume.', 'Polling resumed'].some((notice) => text.includes(notice)));
  rig.type('Z');
  rig.type('4');
  await rig.until((text) => text.includes('CLIENT ID') || text.includes('clients'));
  expect(rig.lines().join('\n')).not.toContain('Read-only mode: actions are disabled');
});

test('K on Overview says that there is no client to disconnect, without one', async () => {
  const { rig } = show();
  await rig.until((text) => text.includes('1/1 nodes'));
  rig.type('K');
  expect(
    (await rig.until((text) => text.includes('Select the problem of a client to disconnect it'))).join('\n'),
  ).not.toContain('Disconnect');
});

test('a key of other screens says that it does nothing here, other text says nothing', async () => {
  const { rig } = show();
  await rig.until((text) => text.includes('1/1 nodes'));
  rig.type('é');
  rig.type('C');
  expect((await rig.until((text) => text.includes('C does nothing here. ? lists the keys.'))).join('\n')).not.toContain(
    'é does nothing here. ? lists the keys.',
  );
});

test('says that an answer was ignored that came together with other keys', async () => {
  const { rig } = show(false, {
    api: createFakeApi({ listNodeStats: async () => [nodeStats('a')], listClients: paged([client('dev-1', 'a')]) }),
  });
  rig.type('4');
  await rig.until((text) => text.includes('dev-1'));
  rig.type('K');
  await rig.until((text) => text.includes('Disconnect this client?'));
  rig.type('yy');
  expect(
    (await rig.until((text) => text.includes('Ignored: pasted, or typed too fast. Answer again.'))).join('\n'),
  ).toContain('Disconnect this client?');
  rig.type('n');
  await rig.until((text) => !text.includes('Ignored: pasted, or typed too fast. Answer again.'));
});

test('a dialog that acts names its cluster', async () => {
  const { rig } = show(false, {
    api: createFakeApi({ listNodeStats: async () => [nodeStats('a')], listClients: paged([client('dev-1', 'a')]) }),
  });
  rig.type('4');
  await rig.until((text) => text.includes('dev-1'));
  rig.type('K');
  await rig.until((text) => text.includes('Disconnect this client?'));
  expect(rig.lines().find((line) => line.includes('Disconnect this client?'))).toContain('http://127.0.0.1:1 ');
});

test('":15 min" sets the time window of Metrics, from there and from elsewhere', async () => {
  const { rig } = show();
  await rig.until((text) => text.includes('1/1 nodes'));
  const [short, long] = ['Metrics: time window of 3 min', 'Metrics: time window of 15 min'];
  expect(await firstChoice(rig, 'window')).toContain(short);
  rig.type('\u001B');
  await rig.until((text) => !text.includes('Commands'));
  expect(await firstChoice(rig, '15 min')).toContain(long);
  rig.type('\r');
  await rig.until((text) => text.includes('Cluster metrics') && !text.includes('Commands'));
  expect(await firstChoice(rig, '3 min')).toContain(short);
  rig.type('\r');
  await rig.until((text) => !text.includes('Commands'));
  expect(await firstChoice(rig, 'window')).toContain(short);
});

test('a key of another screen leads there too', async () => {
  const { rig } = show();
  await rig.until((text) => text.includes('1/1 nodes'));
  expect(await firstChoice(rig, 'tree')).toMatch(new RegExp(`^▸ ${helpOf('toggleTree')} +on Routes: t`, 'u'));
});

test('the palette says what the API does not have, instead of an action that only mentions it', async () => {
  const { rig } = show(false, {
    api: createFakeApi({ capabilities: capabilitiesB, listNodeStats: async () => [nodeStats('a')] }),
  });
  await rig.until((text) => text.includes('1/1 nodes'));
  expect(await firstChoice(rig, 'ban')).toContain('Bans: not available with this broker');
  expect(rig.lines().join('\n')).not.toContain(helpOf('rowActions'));
  rig.type('\r');
  await rig.until((text) => text.includes('bans') && !text.includes('Commands'));
});

test('a command that works elsewhere leads to its screen', async () => {
  const { rig } = show();
  await rig.until((text) => text.includes('1/1 nodes'));
  expect(await firstChoice(rig, 'kick')).toMatch(
    new RegExp(`^▸ ${helpOf('disconnect')} \\(kick\\) +on Clients: K`, 'u'),
  );
  rig.type('\r');
  await rig.until(
    (text) =>
      text.includes('Choose a row, then press K (disconnect).') &&
      (text.includes('CLIENT ID') || text.includes('clients,')),
  );
});

test('a on a screen without clients opens a menu of what its keys do', async () => {
  const { rig } = show(false, { api: createFakeApi({ listUsers: async () => [{ username: 'op1', tags: 'viewer' }] }) });
  rig.type('@');
  await rig.until((text) => text.includes('op1'));
  rig.type('a');
  const menu = await rig.until((text) => text.includes('Users: actions'));
  for (const line of [
    /▸ Add a user +n/u,
    /Change the tags, role or description of the user +e/u,
    /Delete the user +D/u,
  ])
    expect(menu.join('\n')).toMatch(line);
  rig.type('\r');
  await rig.until((text) => text.includes('New user') && !text.includes('Users: actions'));
});

test('a on Plugins names the plugin and the node that its keys act on', async () => {
  const { rig } = show(false, {
    api: createFakeApi({
      capabilities: capabilitiesB,
      listNodeStats: async () => [nodeStats('a')],
      listPlugins: async () => [pluginOf('broker_retainer', true)],
    }),
  });
  rig.type('8');
  await rig.until((text) => text.includes('broker_retainer'));
  rig.type('a');
  await rig.until((text) => text.includes('Plugins: broker_retainer on all nodes'));
  rig.type('\u001B');
  await rig.until((text) => !text.includes('Plugins: '));
  rig.type('\u001B[C');
  await rig.until((text) => text.includes('target: a'));
  rig.type('a');
  const lines = await rig.until((text) => text.includes('Plugins:'));
  expect(lines.join('\n')).toContain('Plugins: broker_retainer on a');
});

test('a says so where a screen has nothing to act on', async () => {
  const { rig } = show();
  rig.type('8');
  await rig.until((text) => text.includes('PLUGIN'));
  rig.type('a');
  expect(
    (await rig.until((text) => text.includes('No actions here: no row is selected, or this broker has none'))).join(
      '\n',
    ),
  ).not.toContain('Plugins: actions');
});

const helpOf = (command: string): SafeText => trusted(allBindings.find(({ id }) => id === command)?.help ?? '');
const menuActionOf = (action: string): SafeText =>
  menuActions(undefined).find(({ id }) => id === action)?.name ?? safe``;

test.each([
  ['unsub', matching(`▸ ${menuActionOf('unsubscribe')} ${any}on Clients: a`)],
  ['acl cache', matching(`▸ ${menuActionOf('clear-acl-cache')} ${any}on Clients: a`)],
  ['disc', matching(`▸ ${helpOf('disconnect')} ${any}on Clients: K`)],
  ['stop the plugin', matching(`${helpOf('stopPlugin')} ${any}on Plugins: K`)],
  ['audit', matching(`▸ ${helpOf('screenLog')} (audit) ${any}L`)],
])('the palette finds "%s" from any screen', async (typed, line) => {
  const { rig } = show();
  await rig.until((text) => text.includes('1/1 nodes'));
  rig.type(':');
  await rig.until((text) => text.includes('Command palette') || /\d+ of \d+/u.test(text));
  rig.type(typed);
  const lines = await rig.until((text) => line.test(text));
  expect(lines.filter((each) => line.test(each))).toHaveLength(1);
});

/** Opens the palette with a text typed; resolves with its first choice. */
async function firstChoice(rig: Rig, typed: string): Promise<string> {
  rig.type(':');
  await rig.until((text) => /\d+ of \d+/u.test(text));
  rig.type(typed);
  const lines = await rig.until((text) => text.includes(`:${typed}`));
  return unboxed(lines).find((line) => line.startsWith('▸')) ?? '';
}

const paged =
  <T,>(items: readonly T[]) =>
  (_node: string, request: PageRequest): Promise<Page<T>> =>
    Promise.resolve({ ...request, items, totalItems: items.length, totalPages: 1 });

test('in the palette the whole title of a screen comes before all else', async () => {
  const { rig } = show();
  await rig.until((text) => text.includes('1/1 nodes'));
  rig.type('2');
  await rig.until((text) => text.includes('worst first'));
  // The keys of the screen, which come first in the help, match too.
  expect(await firstChoice(rig, 'Clients')).toMatch(/^▸ Clients +4 *$/u);
  expect(rig.lines().join('\n')).toContain(helpOf('openClients'));
  rig.type('\r');
  await rig.until((text) => text.includes('CLIENT ID') || text.includes('clients,'));
});

test.each([
  ...['lag', 'queue', 'queues', 'backlog'].map(
    (alias) => [alias, 'Sessions by queue, longest first', 'QUEUE ▼'] as const,
  ),
  ...['subscribers', 'fan-out'].map(
    (alias) => [alias, 'Topic filters by subscribers, most first', 'TOPIC FILTER'] as const,
  ),
  ...['network', 'subnet'].map((alias) => [alias, 'Clients grouped by network', 'NETWORK'] as const),
  ...['username'].map((alias) => [alias, 'Clients grouped by username', 'USERNAME'] as const),
  ...['fewest'].map((alias) => [alias, 'Nodes by clients, fewest first', 'CLIENTS ▲'] as const),
  ...['most', 'deliver'].map(
    (alias) => [alias, 'Sessions by deliveries per second, most first', 'DELIVER/S ▼'] as const,
  ),
  ...['drops', 'dropped', 'losing'].map(
    (alias) => [alias, 'Sessions by drops per second, most first', 'DROP/S ▼'] as const,
  ),
])('":%s" opens %s', async (alias, name, header) => {
  const { rig } = show(false, {
    api: createFakeApi({ listNodeStats: async () => [nodeStats('a')], listSessions: paged<Session>([]) }),
  });
  await rig.until((text) => text.includes('1/1 nodes'));
  expect(await firstChoice(rig, alias)).toContain(`▸ ${name}`);
  rig.type('\r');
  await rig.until((text) => text.includes(header));
});

test.each([
  // Titles of screens, also in part and in any case.
  ['overview', 'screenOverview'],
  ['Nodes', 'screenNodes'],
  ['clients', 'screenClients'],
  ['client', 'screenClients'],
  ['sessions', 'screenSessions'],
  ['sess', 'screenSessions'],
  ['subscriptions', 'screenSubscriptions'],
  ['routes', 'screenRoutes'],
  ['plugins', 'screenPlugins'],
  ['metrics', 'screenMetrics'],
  ['more', 'screenMore'],
  ['triage', 'screenTriage'],
  ['settings', 'screenSettings'],
  ['users', 'screenUsers'],
  ['log', 'screenLog'],
  // Aliases.
  ['problems', 'screenTriage'],
  ['q', 'quit'],
  ['brokers', 'screenNodes'],
  ['connections', 'screenClients'],
  ['subs', 'screenSubscriptions'],
  ['topics', 'screenRoutes'],
  ['counters', 'screenMetrics'],
  ['config', 'screenSettings'],
  ['compare', 'screenCompare'],
  ['differ', 'screenSettings'],
  ['logins', 'screenUsers'],
  ['errors', 'screenLog'],
  ['home', 'screenOverview'],
  ['mem', 'screenNodes'],
  ['load', 'screenNodes'],
  ['cluster', 'screenNodes'],
  ['ports', 'screenListeners'],
  ['devices', 'screenClients'],
  ['conn', 'screenClients'],
  ['inflight', 'screenSessions'],
  ['offline', 'screenSessions'],
  ['retained', 'screenRetained'],
  ['slow', 'screenSlowSubscriptions'],
  ['top', 'screenTopTalkers'],
  ['throughput', 'screenMetrics'],
  ['unrouted', 'screenMetrics'],
  ['stats', 'screenMetrics'],
  ['warnings', 'screenTriage'],
  ['issues', 'screenTriage'],
  ['reconnects', 'screenTriage'],
  ['events', 'screenLog'],
  ['exit', 'quit'],
  ['resume', 'freeze'],
  ['interval', 'intervalDown'],
  ['reload', 'refresh'],
  ['redraw', 'repaint'],
  ['keys', 'help'],
  ['send', 'publish'],
  // Names of commands.
  ['quit', 'quit'],
  ['help', 'help'],
  ['pause', 'freeze'],
  ['freeze', 'freeze'],
  ['publish', 'publish'],
  ['refresh', 'refresh'],
  // Words of the help.
  ['poll more', 'intervalDown'],
  ['repaint the', 'repaint'],
  ['fg', 'suspend'],
])('":%s" chooses %s', async (alias, command) => {
  const { rig } = show();
  await rig.until((text) => text.includes('1/1 nodes'));
  expect(await firstChoice(rig, alias)).toContain(`▸ ${helpOf(command)}`);
});

test('":kick" chooses the disconnect of a row', async () => {
  const { rig } = show(false, {
    api: createFakeApi({ listNodeStats: async () => [nodeStats('a')], listClients: paged([client('dev-1', 'a')]) }),
  });
  await rig.until((text) => text.includes('1/1 nodes'));
  rig.type('4');
  await rig.until((text) => text.includes('dev-1'));
  expect(await firstChoice(rig, 'kick')).toMatch(new RegExp(`^▸ ${helpOf('disconnect')} \\(kick\\) +K`, 'u'));
});

test('an action of a client is still found where the menu is about a problem without one', async () => {
  const { rig } = show(false, {
    api: createFakeApi({ listNodeStats: async () => [{ ...nodeStats('a'), status: 'stopped' }] }),
  });
  await rig.until((text) => text.includes(' is stopped'));
  expect(await firstChoice(rig, 'unsub')).toContain('on Clients: a');
});

test('an action of a row is chosen by name where a client is selected', async () => {
  const { rig } = show(false, {
    api: createFakeApi({ listNodeStats: async () => [nodeStats('a')], listClients: paged([client('dev-1', 'a')]) }),
  });
  await rig.until((text) => text.includes('1/1 nodes'));
  rig.type('4');
  await rig.until((text) => text.includes('dev-1'));
  expect(await firstChoice(rig, 'disc')).toMatch(new RegExp(`^▸ ${helpOf('disconnect')} +K`, 'u'));
  rig.type('\u0015acl');
  expect(unboxed(await rig.until((text) => text.includes(':acl'))).find((line) => line.startsWith('▸'))).toContain(
    menuActionOf('clear-acl-cache'),
  );
  rig.type('\r');
  await rig.until((text) => text.includes('Clear the ACL cache of dev-1'));
});

test('the palette counts all matches, and says which are on other screens', async () => {
  const { rig } = show();
  await rig.until((text) => text.includes('1/1 nodes'));
  rig.type(':');
  await rig.until((text) => /\d+ of \d+/u.test(text));
  rig.type('plugin');
  const lines = unboxed(await rig.until((text) => text.includes('On other screens:')));
  const heading = lines.findIndex((line) => line.includes('On other screens:'));
  const [first = 0, last = 0] = [
    lines.findIndex((line) => line.startsWith('▸')),
    lines.findIndex((line, at) => at > heading && line.trim() === ''),
  ];
  expect(lines[heading - 1]).not.toContain('on Plugins');
  expect(lines.slice(heading + 1, last).every((line) => / on (?:Plugins|Nodes)/u.test(line))).toBe(true);
  expect(lines[first - 1]).toContain(paletteTexts.count(formatCount(last - first - 1), false));
});

test('an alias is not the title of a screen, and stands for one command', () => {
  const aliases = allBindings.flatMap((binding) => binding.aliases ?? []);
  expect(aliases.length).toBeGreaterThan(2);
  expect(
    aliases.filter(
      (alias, at) => aliases.indexOf(alias) !== at || screens.some(({ title }) => title.toLowerCase() === alias),
    ),
  ).toEqual([]);
});

test('the palette reports when no command matches', async () => {
  const { rig } = show(true);
  await rig.until((text) => text.includes('1/1 nodes'));
  rig.type(':');
  await rig.until((text) => /\d+ of \d+/u.test(text));
  rig.type('unsubscribe');
  const lines = await rig.until((text) => text.includes('Find "unsubscribe" in Clients'));
  expect(lines.join('\n')).not.toContain(helpOf('rowActions'));
});

test('what is no command can be found among the clients', async () => {
  const { rig } = show(false, {
    api: createFakeApi({
      listNodeStats: async () => [nodeStats('a')],
      listClients: paged([client('meter-7', 'a'), client('pump-1', 'a')]),
    }),
  });
  await rig.until((text) => text.includes('1/1 nodes'));
  rig.type(':meter-7');
  await rig.until((text) => text.includes('Find "meter-7" in Clients'));
  rig.type('\r');
  const lines = await rig.until((text) => text.includes('▸meter-7') && text.includes('Esc clears'));
  expect(lines.join('\n')).not.toContain('pump-1');
});

test('the palette begins with the screens, and Home, End and the page keys move in it', async () => {
  const { rig } = show();
  await rig.until((text) => text.includes('1/1 nodes'));
  rig.type(':');
  const first = async (line: RegExp): Promise<string> =>
    unboxed(await rig.until((text) => line.test(text))).find((each) => each.startsWith('▸')) ?? '';
  expect(await first(/▸ Overview +screen +1/u)).toContain('Overview');
  rig.type('\u001B[6~');
  expect(await first(/▸ Triage/u)).toContain('Triage');
  rig.type('\u001B[5~');
  expect(await first(/▸ Overview/u)).toContain('Overview');
  rig.type('\u001B[F');
  expect(await first(/▸ .* program /u)).not.toContain('Overview');
  const groups = unboxed(rig.lines()).flatMap(
    (line) => /^[▸ ] \S.* (screen|action|here|list|program) /u.exec(line)?.[1] ?? [],
  );
  expect(groups.length).toBeGreaterThan(5);
  expect(groups.filter((group, index) => group !== groups[index - 1])).toHaveLength(new Set(groups).size);
  rig.type('\u001B[H');
  expect(await first(/▸ Overview/u)).toContain('Overview');
});

/** Esc as a terminal sends it that tells it from the beginning of a code, so that a key may follow at once. */
const escape = '\u001B[27u';

test('Esc closes the opened screen, and does nothing where nothing is open', async () => {
  const { rig } = show();
  await rig.until((text) => text.includes('1/1 nodes'));
  const hints = (): string => rig.lines().at(-1) ?? '';
  for (const [key, header] of [
    ['2', 'NODE, worst first'],
    ['8', 'PLUGIN'],
    ['2', 'NODE, worst first'],
  ] as const) {
    rig.type(key);
    await rig.until((text) => text.includes(header));
  }
  expect(hints()).not.toContain('Esc');
  rig.type(escape);
  // A key that says something, pressed after it: what Esc did would stand on the screen by then.
  rig.type('p');
  await rig.until((text) => text.includes('Paused. Press p to resume.'));
  expect(rig.lines().join('\n')).toContain('NODE, worst first');
  rig.type('\r');
  await rig.until((text) => text.includes(' q back  ') && !text.includes('NODE, worst first'));
  rig.type(escape);
  await rig.until((text) => text.includes('NODE, worst first'));
  rig.type('[');
  await rig.until((text) => text.includes('PLUGIN'));
});

/** A list that is never read to its end; a scan of it seems to have begun so long ago. */
const endless = (agoMs: number): Parameters<typeof show>[1] => ({
  api: createFakeApi({
    listNodeStats: async () => [nodeStats('a')],
    listClients: (_, __, options) =>
      new Promise((__, reject) => {
        options?.signal?.addEventListener('abort', () => {
          reject(new AbortedError());
        });
      }),
  }),
  clock: { ...systemClock, nowMs: () => systemClock.nowMs() - agoMs },
});

test('Esc stops a long scan where there is nothing to close; the hints show x during it', async () => {
  const { rig, monitor } = show(false, endless(5_000));
  await rig.until((text) => text.includes('1/1 nodes'));
  rig.type('2');
  await rig.until((text) => text.includes('▸a '));
  rig.type('c');
  // What was opened is closed first.
  await rig.until((text) => text.includes(' q back  x stop scan  / filter'));
  rig.type(escape);
  await rig.until((text) => text.includes('NODE, worst first'));
  rig.type('4');
  await rig.until((text) => text.includes('··· loading the clients') && text.includes(' x stop scan  / filter'));
  rig.type('/');
  await rig.until((text) => text.includes('/regex/'));
  rig.type('z\r');
  await rig.until((text) => text.includes('Esc clears'));
  rig.type(escape);
  await rig.until((text) => !text.includes('Esc clears'));
  expect(reading(monitor.store.getState(), clientScan).phase).toBe('running');
  // On a screen that does not show it, a list is read for the checks.
  rig.type('1');
  await rig.until((text) => text.includes('Problems'));
  rig.type(escape);
  rig.type('4');
  await rig.until((text) => text.includes(' x stop scan  / filter'));
  expect(reading(monitor.store.getState(), clientScan).phase).toBe('running');
  rig.type(escape);
  await rig.until(
    (text) => text.includes('Scan stopped. Rows already read stay listed.') && !text.includes(' x stop scan  / filter'),
  );
  expect(reading(monitor.store.getState(), clientScan).phase).toBe('aborted');
});

test('q closes one thing after the other; the hints say whether it closes or quits', async () => {
  const { rig } = show();
  await rig.until((text) => text.includes('1/1 nodes') && text.includes('q quit'));
  rig.type('2');
  await rig.until((text) => text.includes('▸a '));
  rig.type('m');
  await rig.until((text) => text.includes(' q back  ') && !text.includes('q quit'));
  rig.type('\r');
  // The large graph has no list.
  await rig.until((text) => !text.includes('COUNTER'));
  rig.type('?');
  await rig.until((text) => text.includes('Esc close help'));
  rig.type('q');
  await rig.until((text) => !text.includes('Esc close help') && !text.includes('COUNTER'));
  rig.type('q');
  await rig.until((text) => text.includes('COUNTER'));
  rig.type('q');
  const lines = await rig.until((text) => text.includes('▸a ') && text.includes('q quit'));
  expect(lines.at(-1)).not.toContain('q back');
});

test('q leads back from a screen without a tab', async () => {
  const { rig } = show(false, {}, 140);
  await rig.until((text) => text.includes('1/1 nodes'));
  rig.type('4');
  await rig.until((text) => text.includes('CLIENT ID'));
  rig.type('T');
  await rig.until((text) => text.includes('0 More') && text.includes('T Triage'));
  rig.type('q');
  await rig.until((text) => !text.includes('T Triage'));
  expect(rig.lines().join()).toContain('CLIENT ID');
});

test('/ in the help shows only what matches; Esc clears it, then closes', async () => {
  const { rig } = show();
  await rig.until((text) => text.includes('1/1 nodes'));
  rig.type('?');
  await rig.until((text) => text.includes('Esc close help'));
  rig.type('/');
  await rig.until((text) => text.includes('Enter accept'));
  rig.type('kickq');
  await rig.until((text) => text.includes('Nothing in the help matches'));
  rig.type('\u007F');
  const lines = await rig.until((text) => text.includes(helpOf('disconnect').slice(0, 40)));
  expect(lines.join('\n')).not.toContain(helpOf('freeze'));
  rig.type('\r');
  await rig.until((text) => text.includes('(Esc clears)'));
  rig.type(escape);
  await rig.until((text) => text.includes('Esc close help') && text.includes('This screen: Overview'));
  rig.type(escape);
  await rig.until((text) => !text.includes('Esc close help'));
});

test('a hint is shown only while its key does that: t in the routes', async () => {
  const routes = [
    { topic: 'plant/a', node: 'a' },
    { topic: 'plant/b', node: 'a' },
  ];
  const { rig } = show(
    false,
    {
      api: createFakeApi({
        listNodeStats: async () => [nodeStats('a')],
        listRoutes: async (request) => ({ ...request, items: routes, totalItems: 2, totalPages: 1 }),
      }),
    },
    200,
  );
  await rig.until((text) => text.includes('1/1 nodes'));
  rig.type('7');
  const hints = (): string => rig.lines().at(-1) ?? '';
  await rig.until((text) => text.includes('plant/a') && text.includes(' t tree '));
  expect(hints()).not.toContain('t list');
  rig.type('t');
  await rig.until((text) => text.includes('t list'));
  expect(hints()).not.toContain('t tree');
  rig.type('t');
  await rig.until((text) => text.includes('t tree'));
});

test('Esc does not stop a scan that has just started', async () => {
  const { rig, monitor } = show(false, endless(-60_000));
  await rig.until((text) => text.includes('1/1 nodes'));
  rig.type('4');
  await rig.until((text) => text.includes('··· loading the clients'));
  rig.type(escape);
  // Said after Esc was heard.
  rig.type('p');
  await rig.until((text) => text.includes('Paused. Press p to resume.'));
  expect(eventsIn(monitor.store.getState()).filter(({ text }) => text.includes('Stopped reading clientScan'))).toEqual(
    [],
  );
});

test('while a dialog is open, the header is in one faint colour, and the load is hidden', async () => {
  const { rig } = show();
  await rig.until((text) => text.includes('1/1 nodes') && text.includes('/min'));
  const faint = /^\u001B\[2m[^\u001B]+\u001B\[0m$/u;
  const header = (): readonly string[] => rig.raw().split('\n').slice(0, 2);
  expect(header().some((line) => faint.test(line.trimEnd()))).toBe(false);
  rig.type(':');
  await rig.until((text) => text.includes('Commands') && !text.includes('/min'));
  expect(header().every((line) => faint.test(line.trimEnd()))).toBe(true);
  rig.type(escape);
  await rig.until((text) => !text.includes('Commands') && text.includes('/min'));
  expect(header().some((line) => faint.test(line.trimEnd()))).toBe(false);
});
