import { connect, type MqttClient } from 'mqtt';
import { describe, expect, test } from 'vitest';
import { startBuiltCluster } from '../support/built-cluster.ts';
import { startRawServer, success } from '../support/raw-http-server.ts';
import type { TerminalSession } from '../support/terminal.ts';
import {
  activeTab,
  bodyOf,
  closeTerminalsAtEnd,
  cursorLine,
  openMonitor,
  openReadyMonitor,
  targetOf,
  waitForCursor,
  waitForFrame,
} from './support.ts';

closeTerminalsAtEnd();

const connectTo = async (port: number | undefined, clientId: string, isPersistent = false): Promise<MqttClient> =>
  new Promise((resolve, reject) => {
    const client = connect({ host: '127.0.0.1', port: port ?? 0, clientId, clean: !isPersistent, reconnectPeriod: 0 });
    client.once('connect', () => {
      resolve(client);
    });
    client.once('error', reject);
  });

/** Returns the first line with a text, except for the title of the panel beside the list. */
const lineOf = (terminal: TerminalSession, text: string): string =>
  bodyOf(terminal).find((line) => line.includes(text) && !line.includes('╭')) ?? '';

describe.concurrent.each(['a', 'b'] as const)('a broker of variant %s', (variant) => {
  test('shows sessions, subscriptions and routes, and the links between them', async () => {
    const cluster = await startBuiltCluster({ variant, nodes: 2 });
    const clients: MqttClient[] = [];
    try {
      const [port1, port2] = cluster.mqttPorts;
      const sleeper = await connectTo(port1, 'sleeper', true);
      await sleeper.subscribeAsync('plant/line-1/flow', { qos: 1 });
      await sleeper.endAsync();
      const reader = await connectTo(port2, 'reader');
      clients.push(reader);
      await reader.subscribeAsync('plant/line-1/flow', { qos: 2 });
      await reader.subscribeAsync('plant/+/state', { qos: 0 });
      const writer = await connectTo(port1, 'writer');
      clients.push(writer);
      // It is queued in the session of the offline client.
      for (let message = 0; message < 3; message += 1) await writer.publishAsync('plant/line-1/flow', 'x', { qos: 1 });

      const terminal = await openReadyMonitor(cluster.monitor, { cols: 310, rows: 30 });
      terminal.press('5');
      await waitForFrame(
        terminal,
        (session) => activeTab(session) === '5 Sessions' && session.text().includes('showing 3 of 3'),
      );
      // Whether it is connected shows with the next list of clients, which may be 30 s away.
      await waitForFrame(
        terminal,
        (session) => /sleeper .* no .* 3 \? +– .*stopped ≥\d+ s/.test(lineOf(session, 'sleeper')),
        { timeoutMs: 60_000 },
      );
      expect(terminal.text().includes('DELIVER/S')).toBe(variant === 'b');
      expect(terminal.text().includes('AWAIT PUBACK')).toBe(variant === 'a');
      terminal.resize(139, 30);
      // The longest queue comes first.
      await waitForCursor(terminal, 'sleeper');
      terminal.press('enter');
      await waitForFrame(terminal, (session) => bodyOf(session)[0]?.includes('not connected, session stored') === true);

      terminal.press('u');
      await waitForFrame(
        terminal,
        (session) =>
          bodyOf(session)[0]?.startsWith(' Sessions › sleeper › Subscriptions ') === true &&
          session.text().includes('showing 1 of 1'),
      );
      terminal.press('enter');
      await waitForFrame(
        terminal,
        (session) =>
          /topic plant\/line-1\/flow +routed to broker1, broker2 /.test(bodyOf(session)[0] ?? '') &&
          session.text().includes('showing 2 of 2'),
      );
      expect(lineOf(terminal, 'reader')).toMatch(/plant\/line-1\/flow +2 +broker2/);
      for (const back of [' Sessions › sleeper › Subscriptions ', ' Client sleeper ']) {
        terminal.press('esc');
        await waitForFrame(terminal, (session) => bodyOf(session)[0]?.startsWith(back) === true);
      }
      terminal.press('esc');
      await waitForCursor(terminal, 'sleeper');

      terminal.press('6');
      await waitForFrame(
        terminal,
        (session) => session.text().includes('showing 3 of 3') && session.text().includes('plant/+/state'),
      );
      terminal.press('/');
      await terminal.waitFor('text  /regex/  !not');
      terminal.type('plant/nowhere');
      await terminal.waitFor('Press Enter twice to show the subscribers of "plant/nowhere"');
      terminal.press('enter');
      await terminal.waitFor('Press Enter to show the subscribers of "plant/nowhere"');
      terminal.press('enter');
      await waitForFrame(terminal, (session) => bodyOf(session)[0]?.includes('no routes') === true);

      terminal.press('7');
      await waitForFrame(terminal, (session) => session.text().includes('showing 2 of 2'));
      expect(lineOf(terminal, 'plant/+/state')).toMatch(/\+ +1 +broker2$/);
      expect(lineOf(terminal, 'plant/line-1/flow')).toMatch(/no +2 +broker1, broker2$/);
      terminal.press('t');
      await waitForCursor(terminal, '[+] plant/');
      expect(cursorLine(terminal)).toMatch(/ 2$/);
      terminal.press('right', 'right', 'enter');
      await waitForFrame(
        terminal,
        (session) => session.text().includes('[-] +/') && session.text().includes('[+] line-1/'),
      );
      terminal.press('left', 'left', 'left');
      await waitForCursor(terminal, '[+] plant/');
    } finally {
      await Promise.all(clients.map((client) => client.endAsync(true)));
      await cluster.stop();
    }
  }, 180_000);

  test('shows the lists of one node', async () => {
    const cluster = await startBuiltCluster({ variant, nodes: 2 });
    const clients: MqttClient[] = [];
    try {
      for (const [index, port] of cluster.mqttPorts.entries()) {
        const client = await connectTo(port, `on-${index + 1}`);
        clients.push(client);
        await client.subscribeAsync(`topic/${index + 1}`);
      }
      const terminal = await openReadyMonitor(cluster.monitor, { cols: 120, rows: 30 });
      terminal.press('2');
      await waitForFrame(terminal, (session) => session.text().includes('showing 2 of 2'));
      terminal.press('j');
      await terminal.waitFor((session) => cursorLine(session)?.startsWith('broker2 ') === true);
      terminal.press('enter');
      await waitForFrame(terminal, (session) => session.text().includes('Node broker2@'));
      const isNodeOpen = (session: TerminalSession): boolean => session.text().includes('Node broker2@127.0.0.1');
      for (const [key, title, mine] of [
        ['c', 'Clients', 'on-2'],
        ['i', 'Sessions', 'on-2'],
        ['u', 'Subscriptions', 'topic/2'],
      ] as const) {
        terminal.press(key);
        await waitForFrame(
          terminal,
          (session) =>
            bodyOf(session)[0]?.startsWith(` Nodes › broker2@127.0.0.1 › ${title} `) === true &&
            session.text().includes('showing 1 of 1') &&
            lineOf(session, mine) !== '',
        );
        expect(terminal.text()).not.toMatch(/on-1|topic\/1/);
        terminal.press('esc');
        await waitForFrame(terminal, isNodeOpen);
      }
      terminal.press('l');
      await waitForFrame(
        terminal,
        (session) =>
          bodyOf(session)[0]?.startsWith(' Nodes › broker2@127.0.0.1 › Listeners ') === true &&
          session.text().includes('mqtt:tcp'),
      );
      expect(bodyOf(terminal).slice(1).join('\n')).not.toContain('broker1 ');
    } finally {
      await Promise.all(clients.map((client) => client.endAsync(true)));
      await cluster.stop();
    }
  }, 180_000);
});

const node = 'n1@127.0.0.1';

/** Starts a broker of one node that reports one more page after every page of clients. */
function startEndless() {
  return startRawServer(({ path }) => {
    const [, page, size] = /curr_page=(\d+)&page_size=(\d+)/u.exec(path)?.map(Number) ?? [];
    if (page !== undefined && size !== undefined) {
      const objects = Array.from({ length: size }, (_, index) =>
        index === 7 ? { client_id: index } : { client_id: `c${page}-${index}`, connected_at: '2018-03-01 10:00:00' },
      );
      return success({ current_page: page, page_size: size, total_num: 9_000_000, total_page: page + 1, objects });
    }
    if (path.endsWith('monitoring/nodes')) return success([{ name: node, node_status: 'Running', clients: 9_000_000 }]);
    if (path.endsWith('management/nodes')) return success([{ name: node, node_status: 'Running', version: '2.3' }]);
    return success({ [node]: {} });
  });
}

test('an endless list stops at --max-rows and says so, with the rows it could not read; keys still work', async ({
  onTestFinished,
}) => {
  const server = await startEndless();
  onTestFinished(() => server.close());
  const terminal = openMonitor(targetOf(server.url, 'only for tests'), {
    args: ['--variant', 'b', '--max-rows', '12000'],
    cols: 160,
    rows: 30,
  });
  terminal.press('4');
  await terminal.waitFor(
    () => terminal.text().includes('! clients of n1: only 12,000 of 9,000,000 rows read (limit: --max-rows)'),
    { timeoutMs: 60_000 },
  );
  // Rows are sorted before they are shown.
  await terminal.waitFor(() => terminal.text().includes('showing 12,000 of 12,000'), { timeoutMs: 60_000 });
  expect(terminal.text()).toMatch(/stopped at \S+ % · 3 invalid/u);
  terminal.press('L');
  await terminal.waitFor(() => terminal.text().includes('client_id: number'), { timeoutMs: 60_000 });
  expect(terminal.text()).toContain(`clients of ${node}: 3 of 12,003 rows invalid`);
});
