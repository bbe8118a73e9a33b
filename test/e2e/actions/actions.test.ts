import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { connectAsync, type MqttClient } from 'mqtt';
import { afterAll, describe, expect, test } from 'vitest';
import { startBuiltCluster } from '../../support/built-cluster.ts';
import type { TerminalSession } from '../../support/terminal.ts';
import { closeTerminalsAtEnd, connectQuietClients, numberedIds, openReadyMonitor, showClients, waitForCursor, waitForFrame } from '../support.ts';
import { sayYes, showOutcome, showQuestion, typeName, untilTaken } from './dialogs.ts';

closeTerminalsAtEnd();

const folders: string[] = [];
afterAll(async () => {
  await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })));
});

/** A folder of its own for the audit file. */
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

/** All that a client receives, and what waits for a topic. */
function receive(client: MqttClient): (topic: string) => Promise<Message> {
  const received: Message[] = [];
  client.on('message', (topic, payload, { retain }) => { received.push({ topic, payload: payload.toString(), retain }); });
  return async (topic) => {
    for (;;) {
      const found = received.find((message) => message.topic === topic);
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => { client.once('message', () => { resolve(); }); });
    }
  };
}

/** From the menu of actions of a client that has two subscriptions. */
async function showUnsubscribing(terminal: TerminalSession): Promise<void> {
  terminal.press('down', 'down', 'enter');
  await terminal.waitFor((session) => session.text().includes('Unsubscribe c-listener from') && session.text().includes('▸ given/+'));
  terminal.press('enter');
  await showQuestion(terminal, 'Unsubscribe this client?');
  await terminal.waitFor('from given/+');
  await sayYes(terminal);
  await showOutcome(terminal, 'Done: unsubscribe client c-listener from given/+.');
}

async function showNoUnsubscribing(terminal: TerminalSession): Promise<void> {
  await terminal.waitFor('This variant of the interface cannot unsubscribe a client.');
  await terminal.waitFor((session) => !session.text().includes('unsubscribe on its behalf'));
  terminal.press('esc');
}

describe.concurrent.each(['a', 'b'] as const)('in variant %s', (variant) => {
  test('clients are disconnected, messages arrive, subscriptions deliver, and all of it is recorded', async () => {
    const state = await stateFolder();
    const cluster = await startBuiltCluster({ variant, nodes: 2 });
    const [first, second] = cluster.mqttPorts;
    const clients = await Promise.all([connect(first, 'a-victim'), connect(second, 'b-returner'), connect(first, 'c-listener')]);
    const [victim, returner, listener] = clients;
    try {
      const messageOf = receive(listener);
      await listener.subscribeAsync('plant/#', { qos: 1 });
      const terminal = await openReadyMonitor(cluster.monitor, { env: { XDG_STATE_HOME: state } });
      await showClients(terminal, 3);
      await waitForCursor(terminal, 'a-victim');

      // Enter, however often, is no.
      terminal.press('K');
      await showQuestion(terminal, 'Disconnect this client?');
      terminal.type('\r\r');
      await waitForFrame(terminal);
      await waitForCursor(terminal, 'a-victim');
      expect(victim.connected).toBe(true);

      const closed = new Promise<void>((resolve) => { victim.once('close', () => { resolve(); }); });
      terminal.press('K');
      await showQuestion(terminal, 'Disconnect this client?');
      expect(terminal.text()).toContain('connected since ');
      await sayYes(terminal);
      await closed;
      await showOutcome(terminal, 'Done: disconnect client a-victim.');
      await waitForCursor(terminal, 'b-returner');

      // Another connection of the same id is not what was shown.
      terminal.press('K');
      await showQuestion(terminal, 'b-returner');
      await returner.endAsync();
      const anew = await connect(second, 'b-returner');
      clients.push(anew);
      await sayYes(terminal);
      await showOutcome(terminal, 'Changed since listed');
      expect(anew.connected).toBe(true);

      // From a list of another kind, whatever the cursor is on there.
      terminal.press('P');
      await terminal.waitFor('Publish a message');
      terminal.type('plant/+');
      terminal.press('ctrl-s');
      await terminal.waitFor('Nothing can be published to a topic with the wildcards');
      terminal.press('ctrl-u');
      terminal.type('plant/line');
      terminal.press('tab');
      await terminal.waitFor('2 of 6');
      terminal.type('hello');
      terminal.press('tab', 'tab', 'tab', 'tab');
      await terminal.waitFor('6 of 6');
      terminal.press('enter');
      await showQuestion(terminal, '| hello');
      await sayYes(terminal);
      expect(await messageOf('plant/line')).toEqual({ topic: 'plant/line', payload: 'hello', retain: false });
      await showOutcome(terminal, 'Accepted: publish to plant/line.');

      terminal.press('G');
      await waitForCursor(terminal, 'c-listener');
      terminal.press('S');
      await terminal.waitFor('Subscribe on behalf of c-listener');
      terminal.type('given/+');
      terminal.press('tab');
      await terminal.waitFor('2 of 2');
      terminal.press('right');
      await terminal.waitFor('« 1 »');
      terminal.press('enter');
      await showQuestion(terminal, 'Subscribe this client?');
      await sayYes(terminal);
      await showOutcome(terminal, 'Done: subscribe client c-listener to given/+ with QoS 1.');
      await anew.publishAsync('given/now', 'delivered', { qos: 1 });
      expect((await messageOf('given/now')).payload).toBe('delivered');

      terminal.press('a');
      await terminal.waitFor('subscribe on its behalf');
      await (variant === 'a' ? showNoUnsubscribing(terminal) : showUnsubscribing(terminal));
      await waitForFrame(terminal);

      terminal.press('L');
      await waitForFrame(terminal, (session) => ['disconnect client a-victim', 'it has connected anew', 'publish to plant/line', 'subscribe client c-listener'].every((text) => session.text().includes(text)));

      const file = path.join(state, 'brokertop', 'audit.log');
      expect((await stat(file)).mode & 0o777).toBe(0o600);
      const lines = (await readFile(file, 'ascii')).trim().split('\n').map((line): unknown => JSON.parse(line));
      expect(lines).toContainEqual(expect.objectContaining({ kind: 'outcome', action: 'disconnect-client', outcome: 'done', target: expect.objectContaining({ clientId: 'a-victim' }) }));
      expect(lines).toContainEqual(expect.objectContaining({ kind: 'outcome', action: 'publish', outcome: 'accepted', url: expect.stringContaining(cluster.url) }));
      expect(lines.every((line) => !JSON.stringify(line).includes(cluster.password))).toBe(true);
    } finally {
      await Promise.all(clients.map((client) => client.endAsync(true)));
      await cluster.stop();
    }
  }, 90_000);

  test('the marked ones go together, paced, until it is aborted; a program that ends then says so', async ({ expect: expectHere }) => {
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
      await terminal.waitFor('type 9 to disconnect them');
      expect(terminal.text()).toMatch(/by node: \S+ [45] · \S+ [45]/);
      await typeName(terminal, '8');
      terminal.press('enter');
      await terminal.waitFor('that is not the same; nothing was done');
      await typeName(terminal, '9');
      terminal.press('enter');
      await showOutcome(terminal, '9 done · 0 not done · 0 unknown · 0 skipped · 9 in all');
      // All that were marked, and no other.
      await expectHere.poll(() => quiet.connected()).toEqual(ids.slice(9));
      await terminal.waitFor((session) => session.text().includes('showing 0 of 51'));

      terminal.press('esc');
      await waitForFrame(terminal, (session) => session.text().includes('showing 51 of 51'));
      terminal.press('*');
      await terminal.waitFor('51 marked');
      terminal.press('K');
      await terminal.waitFor('type 51 to disconnect them');
      await typeName(terminal, '51');
      terminal.type('--');
      await terminal.waitFor('51 marked: 5 a second (+ - change it), at least 11 s');
      terminal.press('enter');
      // Left, it goes on, and the cluster can be looked at.
      await terminal.waitFor('Esc leave it running');
      await untilTaken(terminal, () => { terminal.press('esc'); }, (session) => !session.text().includes('leave it running'));
      terminal.press('5');
      await waitForFrame(terminal, (session) => session.text().includes('INFLIGHT') && /disconnecting \d+ of 51 \(B\)/.test(session.text()));
      terminal.press('B');
      await terminal.waitFor('x abort: begin no more');
      terminal.press('x');
      await terminal.waitFor('It was ended by hand.');
      await terminal.waitFor('Enter Esc close');
      const counts = /(\d+) done · (\d+) not done · (\d+) unknown · (\d+) skipped \((?:\d+ [a-z ]+, )*(\d+) not reached\) · 51 in all/.exec(terminal.text())?.slice(1).map(Number) ?? [];
      expect(counts.slice(0, 4).reduce((sum, count) => sum + count, 0)).toBe(51);
      expect(counts[4]).toBeGreaterThan(0);
      await expectHere.poll(() => quiet.connected().length).toBe(51 - (counts[0] ?? 0));
      expect(terminal.text()).toContain('Aborted: disconnect 51 marked clients');
      terminal.press('enter');
      await waitForFrame(terminal);
      // Those that were left are marked still. A signal does not ask, and it is said that it was one.
      terminal.press('4');
      await terminal.waitFor(`${counts[4]} marked`);
      terminal.press('K');
      await terminal.waitFor(`type ${counts[4]} to disconnect them`);
      await typeName(terminal, String(counts[4]));
      terminal.type('----');
      await terminal.waitFor(`${counts[4]} marked: 1 a second`);
      terminal.press('enter');
      await terminal.waitFor('x abort: begin no more');
      terminal.signal('SIGTERM');
      expect((await terminal.exited).code).toBe(143);
      await terminal.waitFor('The program was ended by SIGTERM.');
      expect(terminal.text()).toContain('It was ended by hand.');
      expect(terminal.text()).not.toContain('Not reached:');
      expect(await readFile(path.join(state, 'brokertop', 'audit.log'), 'utf8')).toMatch(/"kind":"bulk-end".*"why":"The program was ended by SIGTERM\."/u);
    } finally {
      await quiet.end();
      await cluster.stop();
    }
  }, 90_000);

  test('from the row under the cursor, and while the screen is frozen', async ({ expect: expectHere }) => {
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
      await terminal.waitFor(/▸ topic +quiet\/s-1/);
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
      await showQuestion(terminal, 'payload of 14 bytes: ');
      await sayYes(terminal);
      expect((await messageOf('quiet/s-1')).payload).toBe('one\ntwo\nthree\n');
      await showOutcome(terminal, 'Accepted: publish to quiet/s-1.');

      terminal.press('5');
      await waitForFrame(terminal, (session) => session.text().includes('INFLIGHT') && session.text().includes('showing 4 of 4'));
      await waitForCursor(terminal, 's-1');
      terminal.press('p');
      await terminal.waitFor('frozen: nothing is fetched');
      terminal.press('K');
      await showQuestion(terminal, 'Disconnect this client?');
      await sayYes(terminal);
      await showOutcome(terminal, 'Done: disconnect client s-1.');
      terminal.press('p');
      await terminal.waitFor('fetching again');
      terminal.type('/s-\r');
      await waitForFrame(terminal, (session) => session.text().includes('showing 2 of 3'));
      terminal.press('*');
      await terminal.waitFor('2 marked');
      terminal.press('K');
      await terminal.waitFor('type 2 to disconnect them');
      await terminal.waitFor('by user: – 2');
      await typeName(terminal, '2');
      terminal.press('enter');
      await showOutcome(terminal, '2 done · 0 not done · 0 unknown · 0 skipped · 2 in all');
      expect(receiver.connected).toBe(true);
      await expectHere.poll(() => quiet.connected()).toEqual([]);
    } finally {
      await receiver.endAsync(true);
      await quiet.end();
      await cluster.stop();
    }
  }, 90_000);

  test('one that only looks has no such keys', async () => {
    const cluster = await startBuiltCluster({ variant, nodes: 1 });
    const quiet = await connectQuietClients(cluster.mqttPorts, ['first', 'second']);
    try {
      const terminal = await openReadyMonitor(cluster.monitor, { args: ['--interval', '0.5', '--read-only'] });
      await showClients(terminal, 2);
      expect(terminal.text()).toContain('READ-ONLY');
      for (const key of ['K', 'a', 'S', 'P', 'space', '*']) terminal.press(key);
      // Heard after all of these: had one opened something, this would not move the list.
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
      await terminal.waitFor('no command has these words in its name');
    } finally {
      await quiet.end();
      await cluster.stop();
    }
  }, 60_000);
});
