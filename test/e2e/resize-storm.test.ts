import { setInterval } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startBuiltCluster } from '../support/built-cluster.ts';
import type { BuiltCluster } from '../support/built-cluster.ts';
import type { TerminalSession } from '../support/terminal.ts';
import { beginForm, dialogIs, showQuestion, untilTaken } from './dialogs.ts';
import { closeTerminalsAtEnd, connectQuietClients, numberedIds, openReadyMonitor, showClients, waitForCursor, waitForFrame } from './support.ts';
import type { QuietClients } from './support.ts';

closeTerminalsAtEnd();

const clients = 40;

let cluster: BuiltCluster;
let quiet: QuietClients;

beforeAll(async () => {
  cluster = await startBuiltCluster({ nodes: 1 });
  quiet = await connectQuietClients(cluster.mqttPorts, numberedIds('pump', clients));
}, 60_000);

afterAll(async () => {
  await quiet?.end();
  await cluster?.stop();
});

/** Sizes from one cell to 300×100, without an order, the same ones each time. */
function sizeAt(step: number): readonly [cols: number, rows: number] {
  if (step % 20 === 0) return [1, 1];
  if (step % 20 === 10) return [300, 100];
  return [1 + ((step * 7919) % 300), 1 + ((step * 104_729) % 100)];
}

/** A size a hundredth of a second, for two seconds. */
async function storm(terminal: TerminalSession): Promise<void> {
  let step = 0;
  for await (const _ of setInterval(10)) {
    terminal.resize(...sizeAt(step));
    step += 1;
    if (step === 200) return;
  }
}

/** What stands on the screen but for what changes by itself: ages, the load, ports. */
const frameOf = (terminal: TerminalSession): string[] => terminal.lines().map((line) => line.replace(/\S+ [kM]?B in \S+ m?s · /u, '').replaceAll(/\d+/gu, '0').replaceAll(/\s+/gu, ' ').replaceAll(/[▁-█ ]+/gu, ' ').trim());

const open = async (): Promise<TerminalSession> => {
  const terminal = await openReadyMonitor(cluster.monitor, { cols: 100, rows: 30, args: ['--interval', '60'] });
  await showClients(terminal, clients);
  await waitForCursor(terminal, 'pump-01');
  return terminal;
};

const places: readonly (readonly [name: string, enter: (terminal: TerminalSession) => Promise<void>, leave: (terminal: TerminalSession) => Promise<void>])[] = [
  ['a list', async (terminal) => waitForFrame(terminal), async (terminal) => {
    terminal.press('j');
    await waitForCursor(terminal, 'pump-02');
  }],
  ['a question', async (terminal) => {
    terminal.press('K');
    await showQuestion(terminal, 'Disconnect this client?');
  }, async (terminal) => untilTaken(terminal, () => { terminal.press('n'); }, (session) => !dialogIs('Disconnect this client?')(session))],
  ['a form', async (terminal) => {
    terminal.press('P');
    await beginForm(terminal, 'Publish a message');
    terminal.press('ctrl-u');
    terminal.type('half a topic');
    await terminal.waitFor('half a topic');
  }, async (terminal) => {
    terminal.type('+x');
    await terminal.waitFor('half a topic+x');
  }],
];

test.concurrent.each(places)('a hundred sizes a second do no harm to %s', async (_name, enter, leave) => {
  const [stormy, fresh] = await Promise.all([open(), open()]);
  await Promise.all([enter(stormy), enter(fresh)]);
  await storm(stormy);
  stormy.resize(100, 30);
  await stormy.waitFor((session) => JSON.stringify(frameOf(session)) === JSON.stringify(frameOf(fresh)));
  await leave(stormy);
  stormy.press('ctrl-c');
  expect(await stormy.exited).toMatchObject({ code: 0 });
});
