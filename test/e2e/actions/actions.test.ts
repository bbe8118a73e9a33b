import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { connectAsync, type MqttClient } from 'mqtt';
import { afterAll, describe, expect, test } from 'vitest';
import { startBuiltCluster } from '../../support/built-cluster.ts';
import type { TerminalSession } from '../../support/terminal.ts';
import {
  closeTerminalsAtEnd,
  connectQuietClients,
  numberedIds,
  openReadyMonitor,
  showClients,
  waitForCursor,
  waitForFrame,
} from '../support.ts';
import { cancelButton } from '../../support/texts.ts';
import { dialogText, answerYes, showOutcome, showQuestion, typeName, repeatUntil } from './dialogs.ts';

closeTerminalsAtEnd();

const folders: string[] = [];
afterAll(async () => {
  await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })));
});

async function stateFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'brokertop-actions-'));
  folders.push(folder);
  return folder;
}

const connect = (port: number | undefined, clientId: string): Promise<MqttClient> =>
  connectAsync({ host: '127.0.0.1', port: port ?? 0, clientId, reconnectPeriod: 0 });

interface Message {
  readonly topic: string;
  readonly payload: string;
  readonly retain: boolean;
}

/** All topics that a client receives, and waits for one of them. */
function receive(client: MqttClient): (topic: string) => Promise<Message> {
  const received: Message[] = [];
  client.on('message', (topic, payload, { retain }) => {
    received.push({ topic, payload: payload.toString(), retain });
  });
  return async (topic) => {
    for (;;) {
      const found = received.find((message) => message.topic === topic);
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => {
        client.once('message', () => {
          resolve();
        });
      });
    }
  };
}

/** Goes on from the actions menu of a client with two subscriptions. */
async function showUnsubscribing(terminal: TerminalSession): Promise<void> {
  terminal.press('down', 'down', 'enter');
  await terminal.waitFor(
    (session) => session.text().includes('Unsubscribe c-listener from') && session.text().includes('▸ given/+'),
  );
  terminal.press('enter');
  await showQuestion(terminal, 'Unsubscribe this client?');
  await terminal.waitFor('from given/+');
  await answerYes(terminal);
  await showOutcome(terminal, 'Unsubscribed client c-listener from given/+.');
}

async function showNoUnsubscribing(terminal: TerminalSession): Promise<void> {
  await terminal.waitFor("This broker's API cannot unsubscribe clients.");
  await terminal.waitFor((session) => !session.text().includes('Unsubscribe'));
  terminal.press('esc');
}

describe.concurrent.each(['a', 'b'] as const)('in variant %s', (variant) => {
  test('clients are disconnected, messages arrive, subscriptions deliver, and everything is logged', async () => {
    const state = await stateFolder();
    const cluster = await startBuiltCluster({ variant, nodes: 2 });
    const [first, second] = cluster.mqttPorts;
    const clients = await Promise.all([
      connect(first, 'a-victim'),
      connect(second, 'b-returner'),
      connect(first, 'c-listener'),
    ]);
    const [victim, returner, listener] = clients;
    try {
      const messageOf = receive(listener);
      await listener.subscribeAsync('plant/#', { qos: 1 });
      const terminal = await openReadyMonitor(cluster.monitor, { env: { XDG_STATE_HOME: state } });
      await showClients(terminal, 3);
      await waitForCursor(terminal, 'a-victim');

      // Enter cancels.
      terminal.press('K');
      await showQuestion(terminal, 'Disconnect this client?');
      terminal.type('\r\r');
      await waitForFrame(terminal, (session) => !session.text().includes(cancelButton));
      await waitForCursor(terminal, 'a-victim');
      expect(victim.connected).toBe(true);

      const closed = new Promise<void>((resolve) => {
        victim.once('close', () => {
          resolve();
        });
      });
      terminal.press('K');
      await showQuestion(terminal, 'Disconnect this client?');
      expect(terminal.text()).toContain('connected since ');
      await answerYes(terminal);
      await closed;
      await showOutcome(terminal, 'Disconnected client a-victim.');
      await waitForCursor(terminal, 'b-returner');

      // The client has reconnected since it was shown.
      terminal.press('K');
      await showQuestion(terminal, 'b-returner');
      await returner.endAsync();
      const anew = await connect(second, 'b-returner');
      clients.push(anew);
      // The list shows the new connection, which this dialog is not about.
      await terminal.waitFor('It has reconnected since');
      expect(terminal.text()).not.toContain('y Disconnect');
      terminal.press('n');
      await waitForFrame(terminal, (session) => !session.text().includes(cancelButton));
      expect(anew.connected).toBe(true);

      // From another list, wherever its cursor is.
      terminal.press('P');
      await terminal.waitFor('Publish a message');
      terminal.type('plant/+');
      terminal.press('ctrl-s');
      await terminal.waitFor('The topic must not contain + or #.');
      terminal.press('ctrl-u');
      terminal.type('plant/line');
      terminal.press('tab');
      await terminal.waitFor('2 of 6');
      terminal.type('hello');
      terminal.press('tab', 'tab', 'tab', 'tab');
      await terminal.waitFor('6 of 6');
      terminal.press('enter');
      await showQuestion(terminal, '| hello');
      await answerYes(terminal);
      expect(await messageOf('plant/line')).toEqual({ topic: 'plant/line', payload: 'hello', retain: false });
      await showOutcome(terminal, "Published to plant/line. The API doesn't report delivery.");

      terminal.press('G');
      await waitForCursor(terminal, 'c-listener');
      terminal.press('S');
      await terminal.waitFor('Subscribe on behalf of c-listener');
      terminal.type('given/+');
      terminal.press('tab');
      await terminal.waitFor('2 of 2');
      terminal.press('right');
      await terminal.waitFor('‹ 1 ›');
      terminal.press('enter');
      await showQuestion(terminal, 'Subscribe this client?');
      await answerYes(terminal);
      await showOutcome(terminal, 'Subscribed client c-listener to given/+ with QoS 1.');
      await anew.publishAsync('given/now', 'delivered', { qos: 1 });
      expect((await messageOf('given/now')).payload).toBe('delivered');

      terminal.press('a');
      await terminal.waitFor('Clear ACL cache');
      await (variant === 'a' ? showNoUnsubscribing(terminal) : showUnsubscribing(terminal));
      await waitForFrame(terminal, (session) => !session.text().includes('Enter Choose'));

      terminal.press('L');
      await waitForFrame(terminal, (session) =>
        ['Disconnected client a-victim.', 'Published to plant/line.', 'Subscribed client c-listener'].every((text) =>
          session.text().includes(text),
        ),
      );

      const file = path.join(state, 'brokertop', 'audit.log');
      expect((await stat(file)).mode & 0o777).toBe(0o600);
      const lines = (await readFile(file, 'ascii'))
        .trim()
        .split('\n')
        .map((line): unknown => JSON.parse(line));
      expect(lines).toContainEqual(
        expect.objectContaining({
          kind: 'outcome',
          action: 'disconnect-client',
          outcome: 'done',
          target: expect.objectContaining({ clientId: 'a-victim' }),
        }),
      );
      expect(lines).toContainEqual(
        expect.objectContaining({
          kind: 'outcome',
          action: 'publish',
          outcome: 'accepted',
          url: expect.stringContaining(cluster.url),
        }),
      );
      expect(lines.every((line) => !JSON.stringify(line).includes(cluster.password))).toBe(true);
    } finally {
      await Promise.all(clients.map((client) => client.endAsync(true)));
      await cluster.stop();
    }
  }, 180_000);

  test('marked clients are disconnected one by one until stopped; quitting then reports it', async ({
    expect: expectHere,
  }) => {
    const state = await stateFolder();
    const cluster = await startBuiltCluster({ variant, nodes: 2 });
    const ids = numberedIds('pump', 60);
    const quiet = await connectQuietClients(cluster.mqttPorts, ids);
    try {
      const terminal = await openReadyMonitor(cluster.monitor, { env: { XDG_STATE_HOME: state } });
      await showClients(terminal, 60);
      terminal.type('/pump-0\r');
      await terminal.waitFor('Esc clears');
      terminal.press('*');
      await terminal.waitFor('9 marked');
      terminal.press('K');
      await terminal.waitFor('Type 9 to disconnect');
      expect(dialogText(terminal)).toMatch(/by node: \S+ [45] · \S+ [45]/);
      await typeName(terminal, '8');
      terminal.press('enter');
      await terminal.waitFor('! That does not match. Nothing was sent.');
      await typeName(terminal, '9');
      terminal.press('enter');
      await showOutcome(terminal, '9 of 9 disconnected');
      // All that were marked, and no other.
      await expectHere.poll(() => quiet.connected()).toEqual(ids.slice(9));
      await terminal.waitFor((session) => session.text().includes('showing 0 of 51'));

      terminal.press('esc');
      await waitForFrame(terminal, (session) => session.text().includes('showing 51 of 51'));
      terminal.press('*');
      await terminal.waitFor('51 marked');
      terminal.press('K');
      await terminal.waitFor('Type 51 to disconnect');
      await typeName(terminal, '51');
      terminal.type('--');
      await terminal.waitFor('5 per second (+ -), about 10 s. Clients may reconnect right away.');
      terminal.press('enter');
      // It continues in the background.
      await terminal.waitFor('Esc Run in background');
      await repeatUntil(
        terminal,
        () => {
          terminal.press('esc');
        },
        (session) => !session.text().includes('Run in background'),
      );
      terminal.press('5');
      await waitForFrame(
        terminal,
        (session) =>
          session.text().includes('INFLIGHT') && /disconnecting \d+ of 51 \(B progress\)/.test(session.text()),
      );
      terminal.press('B');
      await terminal.waitFor(`x Stop sending`);
      terminal.press('x');
      await terminal.waitFor('Enter/Esc Close');
      const counts =
        /(\d+) of 51 disconnected, (?:(\d+) not done, )?(?:(\d+) unknown, )?(?:(\d+) skipped \([^)]*\), )?(\d+) left/
          .exec(dialogText(terminal))
          ?.slice(1)
          .map((count?: string) => Number(count ?? 0)) ?? [];
      expect(counts.reduce((sum, count) => sum + count, 0)).toBe(51);
      expect(counts[4]).toBeGreaterThan(0);
      await expectHere.poll(() => quiet.connected().length).toBe(51 - (counts[0] ?? 0));
      expect(terminal.text()).toContain('Disconnect 51 marked clients: stopped');
      terminal.press('enter');
      await waitForFrame(terminal);
      // Clients that were not reached stay marked. A signal asks no confirmation, and the report names it.
      terminal.press('4');
      await terminal.waitFor(`${counts[4]} marked`);
      terminal.press('K');
      await terminal.waitFor(`Type ${counts[4]} to disconnect`);
      await typeName(terminal, String(counts[4]));
      terminal.type('----');
      await terminal.waitFor(' 1 per second');
      terminal.press('enter');
      await terminal.waitFor(`x Stop sending`);
      terminal.signal('SIGTERM');
      expect((await terminal.exited).code).toBe(143);
      // The terminal wraps the lines of the report.
      const unwrapped = (session: TerminalSession): string => session.lines().join('');
      await terminal.waitFor((session) => unwrapped(session).includes('brokertop was stopped by SIGTERM.'));
      expect(unwrapped(terminal)).toContain('Stopped by the operator.');
      expect(terminal.text()).not.toContain('Not reached:');
      expect(await readFile(path.join(state, 'brokertop', 'audit.log'), 'utf8')).toMatch(
        /"kind":"bulk-end".*"why":"brokertop was stopped by SIGTERM\."/u,
      );
    } finally {
      await quiet.end();
      await cluster.stop();
    }
  }, 180_000);

  test('on the row under the cursor, and while the screen is frozen', async ({ expect: expectHere }) => {
    const state = await stateFolder();
    const cluster = await startBuiltCluster({ variant, nodes: 2 });
    const receiver = await connect(cluster.mqttPorts[0], 'z-receiver');
    const quiet = await connectQuietClients(cluster.mqttPorts, ['s-1', 's-2', 's-3']);
    try {
      const messageOf = receive(receiver);
      await receiver.subscribeAsync('quiet/s-1', { qos: 1 });
      const terminal = await openReadyMonitor(cluster.monitor, { env: { XDG_STATE_HOME: state } });
      terminal.press('6');
      await waitForFrame(terminal, (session) => session.text().includes('showing 4 of 4'));
      await waitForCursor(terminal, 's-1');
      terminal.press('P');
      await terminal.waitFor(/▸ Topic +quiet\/s-1/);
      terminal.press('tab');
      await terminal.waitFor('2 of 6');
      terminal.type('one');
      terminal.press('ctrl-j');
      await terminal.waitFor('line 2 of 2');
      terminal.paste('two\r\nthree\r\n');
      await terminal.waitFor('line 4 of 4');
      terminal.press('tab', 'tab', 'tab', 'tab');
      await terminal.waitFor('6 of 6');
      terminal.press('enter');
      await showQuestion(terminal, 'payload (14 bytes): ');
      await answerYes(terminal);
      expect((await messageOf('quiet/s-1')).payload).toBe('one\ntwo\nthree\n');
      await showOutcome(terminal, "Published to quiet/s-1. The API doesn't report delivery.");

      terminal.press('5');
      await waitForFrame(
        terminal,
        (session) => session.text().includes('INFLIGHT') && session.text().includes('showing 4 of 4'),
      );
      await waitForCursor(terminal, 's-1');
      terminal.press('p');
      await terminal.waitFor('Paused. Press p to resume.');
      terminal.press('K');
      await showQuestion(terminal, 'Disconnect this client?');
      await answerYes(terminal);
      await showOutcome(terminal, 'Disconnected client s-1.');
      terminal.press('p');
      await terminal.waitFor('Polling resumed');
      terminal.type('/s-\r');
      await waitForFrame(terminal, (session) => session.text().includes('showing 2 of 3'));
      terminal.press('*');
      await terminal.waitFor('2 marked');
      terminal.press('K');
      await terminal.waitFor('Type 2 to disconnect');
      await terminal.waitFor('without a username');
      await typeName(terminal, '2');
      terminal.press('enter');
      await showOutcome(terminal, '2 of 2 disconnected');
      expect(receiver.connected).toBe(true);
      await expectHere.poll(() => quiet.connected()).toEqual([]);
    } finally {
      await receiver.endAsync(true);
      await quiet.end();
      await cluster.stop();
    }
  }, 180_000);

  test('read-only mode has none of these keys', async () => {
    const cluster = await startBuiltCluster({ variant, nodes: 1 });
    const quiet = await connectQuietClients(cluster.mqttPorts, ['first', 'second']);
    try {
      const terminal = await openReadyMonitor(cluster.monitor, { args: ['--interval', '0.5', '--read-only'] });
      await showClients(terminal, 2);
      expect(terminal.text()).toContain('READ-ONLY');
      for (const key of ['K', 'a', 'S', 'P', 'space', '*']) terminal.press(key);
      // If one of the keys had opened something, this would not move the list.
      terminal.press('down');
      await waitForCursor(terminal, 'second');
      expect(terminal.text()).not.toContain('marked');
      terminal.press('?');
      await terminal.waitFor('Esc close');
      expect(terminal.text()).not.toContain('isconnect');
      terminal.press('esc');
      await waitForFrame(terminal, (session) => session.text().includes('showing 2 of 2'));
      terminal.press(':');
      terminal.type('publish');
      await terminal.waitFor('No command matches');
    } finally {
      await quiet.end();
      await cluster.stop();
    }
  }, 180_000);
});
