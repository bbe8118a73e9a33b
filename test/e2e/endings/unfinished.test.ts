import { existsSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { createManagementServer } from '../../../src/api/dialects/emq-v2/server/server.ts';
import { startCluster } from '../../../src/broker/cluster.ts';
import { createBrokerApi } from '../../../src/broker/management/broker-api.ts';
import { createAdminUsers } from '../../../src/broker/management/users.ts';
import type { TerminalSession } from '../../support/terminal.ts';
import { dialogIs, sayYes } from '../actions/dialogs.ts';
import { closeTerminalsAtEnd, connectQuietClients, expectRestored, openReadyMonitor, showClients, targetOf, waitForFrame } from '../support.ts';

const password = 'only for tests';
const host = '127.0.0.1';

closeTerminalsAtEnd();

/** A monitor on the clients of a broker that takes a disconnection and does not answer it; how often it was asked. */
async function startSilent(env: Readonly<Record<string, string>> = {}): Promise<{ readonly terminal: TerminalSession; readonly asked: () => number }> {
  const cluster = await startCluster({ version: '1.2.3', nodes: 1, host, mqttPort: 0, wsPort: 0 });
  const { authenticate, ...users } = await createAdminUsers({ username: 'admin', password, tags: 'administrator' });
  const over = Promise.withResolvers<void>();
  let asked = 0;
  const disconnectClient = (): Promise<void> => {
    asked += 1;
    return over.promise;
  };
  const server = await createManagementServer({ api: { ...createBrokerApi(cluster), ...users, disconnectClient }, variant: 'b', host, port: 0, authenticate });
  const quiet = await connectQuietClients(cluster.nodes.map(({ ports }) => ports.tcp), ['one']);
  onTestFinished(async () => {
    over.resolve();
    await quiet.end();
    await server.close();
    await cluster.close();
  });
  const terminal = await openReadyMonitor(targetOf(server.url, password), { env });
  await showClients(terminal, 1);
  terminal.press('K');
  await terminal.waitFor(dialogIs('Disconnect this client?'));
  return { terminal, asked: () => asked };
}

const unknown = 'brokertop: Unknown: disconnect client one. The request was ended before its answer came. It could not be read whether it happened.';

test.each(['left with Esc', 'ended in the middle'])('an action whose answer had not come when the program ended is said, with code 3: %s', async (how) => {
  const { terminal, asked } = await startSilent();
  await sayYes(terminal);
  await terminal.waitFor('sent; waiting for the answer');
  if (how === 'left with Esc') {
    terminal.press('esc');
    await waitForFrame(terminal, (session) => !session.text().includes('waiting for the answer'));
    terminal.press('q');
  } else {
    terminal.press('ctrl-c');
  }
  await terminal.waitFor(dialogIs('Quit now?'));
  expect(terminal.text().replaceAll(/\s+/gu, ' ')).toContain('disconnect client one: it is sent, its outcome would not be known.');
  if (how === 'left with Esc') {
    await sayYes(terminal);
  } else {
    terminal.press('ctrl-c');
  }
  expect((await terminal.exited).code).toBe(3);
  // The terminal breaks the line where it ends.
  await terminal.waitFor((session) => session.text().replaceAll('\n', '').includes(unknown));
  expect(asked()).toBe(1);
  expectRestored(terminal);
}, 60_000);

test.runIf(existsSync('/proc/self'))('an audit that cannot be made where it should be refuses at once, and the program ends as always', async () => {
  const { terminal, asked } = await startSilent({ XDG_STATE_HOME: '/proc/nix' });
  await sayYes(terminal);
  await terminal.waitFor(/Nothing was sent: disconnect client one\. It could not be recorded,\s+so\s+nothing\s+was\s+sent/u);
  expect(asked()).toBe(0);
  terminal.press('enter');
  await waitForFrame(terminal, (session) => !session.text().includes('Nothing was sent'));
  terminal.press('q');
  expect((await terminal.exited).code).toBe(0);
  expectRestored(terminal);
}, 60_000);
