import { clientWords, reconnectTexts } from '../../../src/resources/clients/texts.ts';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { outcomeTexts } from '../../../src/actions/texts.ts';
import { type Chain, password, startChain } from '../../contract/support.ts';
import type { TerminalSession } from '../../support/terminal.ts';
import { closeTerminalsAtEnd, openReadyMonitor, showClients, targetOf, waitForFrame } from '../support.ts';
import { answerYes, findRow, showQuestion } from './dialogs.ts';

closeTerminalsAtEnd();

let chain: Chain;
let terminal: TerminalSession;
let folder: string;

/** Returns the text on one line, whatever the dialog wraps. */
const textOf = (session: TerminalSession): string => session.text().replaceAll(/[\s│]+/gu, ' ');

const escaped = (text: string): string => text.replaceAll('.', String.raw`\.`);

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'brokertop-follow-up-'));
  chain = await startChain('b', { nodes: 3 });
  await chain.connect('kept-away', 0, { clean: false }).then((client) => client.subscribeAsync('kept/#', { qos: 1 }));
  await chain.connect('kept-back', 1, { clean: false, reconnectPeriod: 300 });
  await chain.connect('clean-away', 2);
  await chain.connect('clean-back', 1, { reconnectPeriod: 300 });
  terminal = await openReadyMonitor(targetOf(chain.broker.server.url, password), { env: { XDG_STATE_HOME: folder } });
  await showClients(terminal, 4);
}, 180_000);

afterAll(async () => {
  await chain.close();
  await rm(folder, { recursive: true });
});

async function disconnect(clientId: string): Promise<void> {
  await findRow(terminal, clientId);
  terminal.press('K');
  await showQuestion(terminal, 'Disconnect this client?');
  await answerYes(terminal);
  await terminal.waitFor((session) => textOf(session).includes(outcomeTexts.done(clientWords.disconnect(clientId))));
}

async function close(): Promise<void> {
  terminal.press('enter');
  await waitForFrame(terminal);
}

const backOn = (node: string, session: string): RegExp =>
  new RegExp(
    `Reconnected within \\d+\\.\\d s on ${escaped(node)} from 127\\.0\\.0\\.1:\\d+; ${escaped(session)}\\.`,
    'u',
  );

test('a client that stays away with its session, and what is queued for it', async () => {
  await disconnect('kept-away');
  for (let count = 0; count < 3; count += 1) await chain.api.publish({ topic: 'kept/x', payload: 'm', qos: 1 });
  // Every 5 s it says so again: on a slow machine the messages are queued later.
  await terminal.waitFor(
    (session) => {
      const seconds = Number(/watched for (\d+) s/u.exec(textOf(session))?.[1]);
      return textOf(session).includes(reconnectTexts.notReconnected(seconds * 1_000, 'session kept, 3 queued'));
    },
    { timeoutMs: 60_000 },
  );
  await close();
}, 180_000);

test('a client that comes back to its session', async () => {
  await disconnect('kept-back');
  await terminal.waitFor(
    (session) => backOn('broker2@127.0.0.1', 'session kept, its queue is empty').test(textOf(session)),
    {
      timeoutMs: 60_000,
    },
  );
  await close();
}, 180_000);

test('a client that comes back to a new session', async () => {
  await disconnect('clean-back');
  await terminal.waitFor((session) => backOn('broker2@127.0.0.1', 'session ended').test(textOf(session)), {
    timeoutMs: 60_000,
  });
  await close();
}, 180_000);

test('the log and the audit have it when the dialog is closed early; nothing is sent twice', async () => {
  await disconnect('clean-away');
  await close();
  terminal.press('L');
  const text = 'Client clean-away: it has not reconnected (watched for 5 s); session ended.';
  await terminal.waitFor((session) => textOf(session).includes(text), { timeoutMs: 60_000 });
  const audit = (await readFile(path.join(folder, 'brokertop', 'audit.log'), 'ascii'))
    .trim()
    .split('\n')
    .map((line): unknown => JSON.parse(line));
  for (const kind of ['intent', 'outcome', 'follow-up'])
    expect(audit.filter((line) => (line as { kind: string }).kind === kind)).toHaveLength(4);
  expect(audit.at(-1)).toMatchObject({
    kind: 'follow-up',
    target: { clientId: 'clean-away' },
    text: 'It has not reconnected (watched for 5 s); session ended.',
  });
}, 180_000);
