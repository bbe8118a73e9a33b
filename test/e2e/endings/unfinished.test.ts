import { clientWords } from '../../../src/resources/clients/texts.ts';
import { existsSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { outcomeTexts } from '../../../src/actions/texts.ts';
import { createManagementServer } from '../../../src/api/dialects/emq-v2/server/server.ts';
import { startCluster } from '../../../src/broker/cluster.ts';
import { createBrokerApi } from '../../../src/broker/management/broker-api.ts';
import { createAdminUsers } from '../../../src/broker/management/users.ts';
import type { TerminalSession } from '../../support/terminal.ts';
import { dialogIs, answerYes } from '../actions/dialogs.ts';
import {
  closeTerminalsAtEnd,
  connectQuietClients,
  expectRestored,
  openReadyMonitor,
  showClients,
  targetOf,
  waitForFrame,
} from '../support.ts';

const password = 'only for tests';
const host = '127.0.0.1';

closeTerminalsAtEnd();

/** Opens a monitor of a broker that receives a disconnect and does not answer, and counts these requests. */
async function startSilent(
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly terminal: TerminalSession; readonly asked: () => number }> {
  const cluster = await startCluster({ version: '1.2.3', nodes: 1, host, mqttPort: 0, wsPort: 0 });
  const { authenticate, ...users } = await createAdminUsers({ username: 'admin', password, tags: 'administrator' });
  const over = Promise.withResolvers<void>();
  let asked = 0;
  const disconnectClient = (): Promise<void> => {
    asked += 1;
    return over.promise;
  };
  const server = await createManagementServer({
    api: { ...createBrokerApi(cluster), ...users, disconnectClient },
    variant: 'b',
    host,
    port: 0,
    authenticate,
  });
  const quiet = await connectQuietClients(
    cluster.nodes.map(({ ports }) => ports.tcp),
    ['one'],
  );
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

const one = clientWords.disconnect('one');
const unknown = `brokertop: ${outcomeTexts.unknown(one)} The request was canceled before the broker responded. The effect could not be verified.`;

test.each(['left with Esc', 'ended in the middle'])(
  'an action without an answer when the program ends is reported, with code 3: %s',
  async (how) => {
    const { terminal, asked } = await startSilent();
    await answerYes(terminal);
    await terminal.waitFor('sent, waiting for the response');
    // It is shown before the request arrives.
    await expect.poll(asked, { timeout: 30_000 }).toBe(1);
    if (how === 'left with Esc') {
      terminal.press('esc');
      await waitForFrame(terminal, (session) => !session.text().includes('sent, waiting for the response'));
      terminal.press('q');
    } else {
      terminal.press('ctrl-c');
    }
    await terminal.waitFor(dialogIs('Quit now?'));
    expect(terminal.text().replaceAll(/\s+/gu, ' ')).toContain(
      'disconnect client one: already sent, its outcome would be unknown.',
    );
    if (how === 'left with Esc') {
      await answerYes(terminal);
    } else {
      terminal.press('ctrl-c');
    }
    expect((await terminal.exited).code).toBe(3);
    // The terminal wraps the line.
    await terminal.waitFor((session) => session.text().replaceAll('\n', '').includes(unknown));
    expect(asked()).toBe(1);
    expectRestored(terminal);
  },
  180_000,
);

test.runIf(existsSync('/proc/self'))(
  'an audit log that cannot be created refuses the action at once, and the program still ends normally',
  async () => {
    const { terminal, asked } = await startSilent({ XDG_STATE_HOME: '/proc/nix' });
    await answerYes(terminal);
    await terminal.waitFor((session) =>
      session
        .text()
        .replaceAll(/\s+/gu, ' ')
        .includes(`${outcomeTexts.notSent(one)} Cannot write the audit log: `),
    );
    expect(asked()).toBe(0);
    terminal.press('enter');
    await waitForFrame(terminal, (session) => !session.text().includes(outcomeTexts.notSent(one)));
    terminal.press('q');
    expect((await terminal.exited).code).toBe(0);
    expectRestored(terminal);
  },
  180_000,
);
