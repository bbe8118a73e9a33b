import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createHttpApi, type HttpApi } from '../../src/api/dialects/index.ts';
import { type BuiltCluster, startBuiltCluster } from '../support/built-cluster.ts';
import type { TerminalSession } from '../support/terminal.ts';
import {
  activeTab,
  bodyOf,
  clientCount as clientCountOf,
  closeTerminalsAtEnd,
  connectQuietClients,
  hintsOf,
  numberedIds,
  openMonitor,
  openReadyMonitor,
  type QuietClients,
  showClients,
  targetOf,
  waitForFrame,
} from './support.ts';

// In a fleet this small no client comes and goes: the number of clients is known.
const fleetSize = 12;
const quietIds = numberedIds('quiet', 28);
const clientCount = fleetSize + quietIds.length;

closeTerminalsAtEnd();

let cluster: BuiltCluster;
let quiet: QuietClients;
let api: HttpApi;

beforeAll(async () => {
  cluster = await startBuiltCluster({ clients: fleetSize });
  quiet = await connectQuietClients(cluster.mqttPorts, quietIds);
  api = createHttpApi({ url: cluster.url, user: cluster.user, password: cluster.password, variant: 'b' });
}, 180_000);

afterAll(async () => {
  await api?.close();
  await quiet?.end();
  await cluster?.stop();
});

interface Screen {
  readonly key: string;
  readonly tab: RegExp;
  /** Whether the screen shows its data. */
  readonly isRead: (terminal: TerminalSession) => boolean;
}

const nodeNames = ['broker1', 'broker2', 'broker3'];
const showsNodes = (terminal: TerminalSession): boolean =>
  nodeNames.every((name) => bodyOf(terminal).some((line) => line.includes(name)));

const screens: readonly Screen[] = [
  { key: '1', tab: /^1 Overview$/, isRead: showsNodes },
  {
    key: '2',
    tab: /^2 Nodes$/,
    isRead: (terminal) => showsNodes(terminal) && terminal.text().includes('showing 3 of 3'),
  },
  {
    key: '3',
    tab: /^3 Listen(ers)?$/,
    isRead: (terminal) => showsNodes(terminal) && terminal.text().includes('showing 7 of 7'),
  },
  {
    key: '4',
    tab: /^4 Clients$/,
    isRead: (terminal) => terminal.text().includes(`showing ${clientCount} of ${clientCount}`),
  },
  {
    key: '5',
    tab: /^5 Sess(ions)?$/,
    isRead: (terminal) => terminal.text().includes(`showing ${clientCount} of ${clientCount}`),
  },
  { key: '6', tab: /^6 Sub(s|scriptions)$/, isRead: (terminal) => /read \d+ s ago/u.test(terminal.text()) },
  { key: '7', tab: /^7 Routes$/, isRead: (terminal) => /read \d+ s ago/u.test(terminal.text()) },
  { key: '8', tab: /^8 Plug(ins)?$/, isRead: (terminal) => /broker_modules +3\/3/.test(terminal.text()) },
  { key: '9', tab: /^9 Metrics$/, isRead: (terminal) => /bytes\.received +[\d,]+/.test(terminal.text()) },
  { key: '0', tab: /^0 More…?$/, isRead: (terminal) => terminal.text().includes('Settings') },
];

const waitForScreen = (terminal: TerminalSession, { tab, isRead }: Screen): Promise<void> =>
  waitForFrame(terminal, (session) => tab.test(activeTab(session)) && isRead(session));

describe.concurrent.each([
  [80, 24],
  [120, 40],
  [200, 60],
])('at %i×%i', (cols, rows) => {
  test('the first frame shows placeholders and no numbers', async () => {
    // Without an answer the first frame stays long enough to be read.
    const silent = createServer();
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    try {
      const address = silent.address();
      const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
      const terminal = openMonitor(targetOf(url, 'unused'), { cols, rows });
      await waitForFrame(terminal);
      expect(terminal.modes()).toMatchObject({ isAlternateScreen: true, isCursorVisible: false });
      expect(terminal.lines()[0]).toContain(`${url}  ··· nodes`);
      expect(clientCountOf(terminal)).toBeUndefined();
      expect(bodyOf(terminal).join('\n')).not.toMatch(/\d %|broker|\d checks/);
    } finally {
      silent.close();
    }
  });

  test('all screens open by their keys and by Tab, and fit the terminal', async () => {
    const terminal = await openReadyMonitor(cluster.monitor, { cols, rows });
    for (const screen of screens) {
      terminal.press(screen.key);
      await waitForScreen(terminal, screen);
    }
    for (const screen of screens) {
      terminal.press('tab');
      await waitForScreen(terminal, screen);
    }
    for (const screen of screens.toReversed().slice(1)) {
      terminal.press('shift-tab');
      await waitForScreen(terminal, screen);
    }
    expect(hintsOf(terminal)).toMatch(/^ T triage .* q quit  \? help$/);
  });

  test('the numbers are those of the API', async () => {
    const terminal = await openReadyMonitor(cluster.monitor, { cols, rows });
    const stats = await api.listNodeStats();
    const clients = stats.reduce((sum, node) => sum + (node.clients ?? 0), 0);
    const sessions = [...(await api.listStats()).values()].reduce(
      (sum, figures) => sum + (figures.sessions.count ?? Number.NaN),
      0,
    );
    expect(clients).toBe(clientCount);
    await waitForFrame(terminal, (session) => clientCountOf(session) === clientCount);
    expect(terminal.lines()[0]).toMatch(/● 3\/3 nodes/);
    terminal.press('5');
    await waitForFrame(terminal, (session) => session.text().includes(`showing ${sessions} of ${sessions}`));

    terminal.press('2');
    await terminal.waitFor((session) => session.text().includes('showing 3 of 3'));
    const column =
      terminal
        .lines()
        .find((line) => line.includes('CLIENTS'))
        ?.indexOf('CLIENTS') ?? -1;
    for (const { name, clients: onNode } of stats) {
      const row =
        terminal.lines().find((line) =>
          line
            .replace(/^│/u, '')
            .slice(1)
            .startsWith(`${name.split('@')[0] ?? name} `),
        ) ?? '';
      expect(row.slice(column, column + 'CLIENTS'.length + 1).trim()).toBe(String(onNode));
    }
    await showClients(terminal, clientCount);
    expect(terminal.text()).toMatch(/read \d+ s ago/u);
  });
});

test('a key before the first answer is not lost', async () => {
  const terminal = openMonitor(cluster.monitor);
  await terminal.waitFor('Overview');
  terminal.press('4');
  await waitForFrame(terminal, (session) => session.text().includes(`showing ${clientCount} of ${clientCount}`));
});
