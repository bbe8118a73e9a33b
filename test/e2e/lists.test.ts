import { connect, type MqttClient } from 'mqtt';
import { describe, expect, test } from 'vitest';
import { startBuiltCluster } from '../support/built-cluster.ts';
import type { TerminalSession } from '../support/terminal.ts';
import { activeTab, bodyOf, closeTerminalsAtEnd, cursorLine, openReadyMonitor, waitForCursor, waitForFrame } from './support.ts';

closeTerminalsAtEnd();

const connectTo = async (port: number | undefined, clientId: string, isPersistent = false): Promise<MqttClient> =>
  new Promise((resolve, reject) => {
    const client = connect({ host: '127.0.0.1', port: port ?? 0, clientId, clean: !isPersistent, reconnectPeriod: 0 });
    client.once('connect', () => { resolve(client); });
    client.once('error', reject);
  });

const lineOf = (terminal: TerminalSession, text: string): string => bodyOf(terminal).find((line) => line.includes(text)) ?? '';

describe.concurrent.each(['a', 'b'] as const)('a broker of variant %s', (variant) => {
  test('shows sessions, subscriptions and routes, and the ways between them', async () => {
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
      // Nobody reads it: it waits in the session of the one who left.
      for (let message = 0; message < 3; message += 1) await writer.publishAsync('plant/line-1/flow', 'x', { qos: 1 });

      const terminal = await openReadyMonitor(cluster.monitor, { cols: 200, rows: 30 });
      terminal.press('5');
      await waitForFrame(terminal, (session) => activeTab(session) === '5 Sessions' && session.text().includes('showing 3 of 3'));
      await waitForFrame(terminal, (session) => /sleeper .* absent .* 3 \? +– .*disconnect >=\d+ s/.test(lineOf(session, 'sleeper')));
      expect(terminal.text().includes('DELIVER/S')).toBe(variant === 'b');
      expect(terminal.text().includes('AWAIT ACK')).toBe(variant === 'a');
      await waitForCursor(terminal, 'reader');
      terminal.press('j');
      await waitForCursor(terminal, 'sleeper');
      terminal.press('enter');
      await waitForFrame(terminal, (session) => /CLIENT sleeper .*not connected, session kept/.test(bodyOf(session)[0] ?? ''));

      terminal.press('u');
      await waitForFrame(terminal, (session) => bodyOf(session)[0]?.startsWith(' Sessions › sleeper › Subscriptions ') === true && session.text().includes('showing 1 of 1'));
      terminal.press('enter');
      await waitForFrame(terminal, (session) => /topic plant\/line-1\/flow +routed to broker1@127\.0\.0\.1, broker2@127\.0\.0\.1 /.test(bodyOf(session)[0] ?? '')
        && session.text().includes('showing 2 of 2'));
      expect(lineOf(terminal, 'reader')).toMatch(/plant\/line-1\/flow +2 +broker2/);
      for (const back of [' Sessions › sleeper › Subscriptions ', ' CLIENT sleeper ']) {
        terminal.press('esc');
        await waitForFrame(terminal, (session) => bodyOf(session)[0]?.startsWith(back) === true);
      }
      terminal.press('esc');
      await waitForCursor(terminal, 'sleeper');

      terminal.press('6');
      await waitForFrame(terminal, (session) => session.text().includes('showing 3 of 3') && session.text().includes('plant/+/state'));
      terminal.press('/');
      await terminal.waitFor('text  /regex/  !not');
      terminal.type('plant/nowhere');
      await terminal.waitFor('Enter twice asks the broker for topic "plant/nowhere"');
      terminal.press('enter');
      await terminal.waitFor('Enter asks the broker for topic "plant/nowhere"');
      terminal.press('enter');
      await waitForFrame(terminal, (session) => bodyOf(session)[0]?.includes('routed nowhere') === true);

      terminal.press('7');
      await waitForFrame(terminal, (session) => session.text().includes('showing 2 of 2'));
      expect(lineOf(terminal, 'plant/+/state')).toMatch(/\+ +1 +broker2@127\.0\.0\.1$/);
      expect(lineOf(terminal, 'plant/line-1/flow')).toMatch(/no +2 +broker1@127\.0\.0\.1, broker2@127\.0\.0\.1$/);
      terminal.press('t');
      await waitForCursor(terminal, '[+] plant/');
      expect(cursorLine(terminal)).toMatch(/ 2$/);
      terminal.press('right', 'right', 'enter');
      await waitForFrame(terminal, (session) => session.text().includes('[-] +/') && session.text().includes('[+] line-1/'));
      terminal.press('left', 'left', 'left');
      await waitForCursor(terminal, '[+] plant/');
    } finally {
      await Promise.all(clients.map((client) => client.endAsync(true)));
      await cluster.stop();
    }
  }, 60_000);

  test('shows what one node has', async () => {
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
      await terminal.waitFor((session) => cursorLine(session)?.startsWith('broker2@') === true);
      terminal.press('enter');
      await waitForFrame(terminal, (session) => session.text().includes('Node broker2@'));
      const isNodeOpen = (session: TerminalSession): boolean => session.text().includes('Node broker2@127.0.0.1');
      for (const [key, title, mine] of [['c', 'Clients', 'on-2'], ['i', 'Sessions', 'on-2'], ['u', 'Subscriptions', 'topic/2']] as const) {
        terminal.press(key);
        await waitForFrame(terminal, (session) => bodyOf(session)[0]?.startsWith(` Nodes › broker2@127.0.0.1 › ${title} `) === true
          && session.text().includes('showing 1 of 1') && lineOf(session, mine) !== '');
        expect(terminal.text()).not.toMatch(/on-1|topic\/1/);
        terminal.press('esc');
        await waitForFrame(terminal, isNodeOpen);
      }
      terminal.press('l');
      await waitForFrame(terminal, (session) => bodyOf(session)[0]?.startsWith(' Nodes › broker2@127.0.0.1 › Listeners ') === true && session.text().includes('mqtt:tcp'));
      expect(bodyOf(terminal).slice(1).join('\n')).not.toContain('broker1@');
    } finally {
      await Promise.all(clients.map((client) => client.endAsync(true)));
      await cluster.stop();
    }
  }, 60_000);
});
