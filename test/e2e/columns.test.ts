import { afterAll, beforeAll, expect, test } from 'vitest';
import { type BuiltCluster, startBuiltCluster } from '../support/built-cluster.ts';
import type { TerminalSession } from '../support/terminal.ts';
import {
  activeTab,
  bodyOf,
  connectQuietClients,
  hintsOf,
  numberedIds,
  openReadyMonitor,
  paletteOf,
  type QuietClients,
  showClients,
  waitForFrame,
} from './support.ts';

let cluster: BuiltCluster;
let quiet: QuietClients;

beforeAll(async () => {
  cluster = await startBuiltCluster();
  quiet = await connectQuietClients(cluster.mqttPorts, numberedIds('pump', 20));
}, 180_000);

afterAll(async () => {
  await quiet?.end();
  await cluster?.stop();
});

const header = (terminal: TerminalSession): string => bodyOf(terminal)[0] ?? '';

test('columns are chosen in the palette, stay chosen, and are reset with W', async () => {
  const terminal = await openReadyMonitor(cluster.monitor);
  await showClients(terminal, 20);
  terminal.press(':');
  await waitForFrame(terminal, (session) => paletteOf(session)[0]?.startsWith(':') === true);
  terminal.type('choose col\r');
  await waitForFrame(
    terminal,
    (session) => session.text().includes('▸[x] CLIENT ID') && hintsOf(session).includes('Space show or hide'),
  );
  terminal.press('j', ' ');
  await waitForFrame(
    terminal,
    (session) => /▸\[ \] NODE .*hidden/.test(session.text()) && !header(session).includes('NODE'),
  );
  terminal.press('esc');
  await waitForFrame(terminal, (session) => !session.text().includes('── Columns'));

  terminal.press('5');
  await waitForFrame(terminal, (session) => activeTab(session) === '5 Sess' && header(session).includes('QUEUE'));
  terminal.press('4');
  await waitForFrame(
    terminal,
    (session) => activeTab(session) === '4 Clients' && /CLIENT ID ▲ +USERNAME/.test(header(session)),
  );

  terminal.press('W');
  await waitForFrame(
    terminal,
    (session) =>
      /CLIENT ID ▲ +NODE +USERNAME/.test(header(session)) && session.text().includes('WIDE · showing 20 of 20'),
  );
  terminal.press('right');
  await waitForFrame(terminal, (session) => /CLIENT ID ▲ +← USERNAME/.test(header(session)));
  terminal.press('ctrl-w');
  await waitForFrame(
    terminal,
    (session) => !session.text().includes('WIDE') && /CLIENT ID ▲ +USERNAME/.test(header(session)),
  );
});

test('Ctrl-W erases a word while typing', async () => {
  const terminal = await openReadyMonitor(cluster.monitor);
  await showClients(terminal, 20);
  terminal.press('/');
  terminal.type('pump-01 nothing');
  await terminal.waitFor('0 of 20');
  terminal.press('ctrl-w');
  await terminal.waitFor('1 of 20');
  expect(terminal.text()).not.toContain('WIDE');
});
