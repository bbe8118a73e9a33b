import { hint } from '../support/texts.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type BuiltCluster, startBuiltCluster } from '../support/built-cluster.ts';
import {
  activeTab,
  bodyOf,
  closeTerminalsAtEnd,
  connectQuietClients,
  hintsOf,
  numberedIds,
  openMonitor,
  openReadyMonitor,
  type QuietClients,
  rowsOf,
  showClients,
  waitForCursor,
  waitForFrame,
} from './support.ts';

closeTerminalsAtEnd();

/** Drawn by the painter, and by Ink only. */
const renderers = [
  ['painted', []],
  ['plain', ['--plain-render']],
] as const;

let cluster: BuiltCluster;
let quiet: QuietClients;

beforeAll(async () => {
  cluster = await startBuiltCluster();
  quiet = await connectQuietClients(cluster.mqttPorts, numberedIds('pump', 40));
}, 180_000);

afterAll(async () => {
  await quiet?.end();
  await cluster?.stop();
});

describe.concurrent.each(renderers)('%s', (_, flags) => {
  const args = ['--interval', '0.5', ...flags];

  test('every screen is correct after each resize, including the smallest and the largest', async () => {
    const terminal = await openReadyMonitor(cluster.monitor, { args });
    for (const key of ['1', '2', '3', '9', '?']) {
      terminal.press(key);
      for (const [cols, rows] of [
        [60, 15],
        [200, 60],
        [60, 40],
        [120, 15],
        [80, 24],
      ] as const) {
        terminal.resize(cols, rows);
        await waitForFrame(terminal, (session) =>
          key === '?' ? session.text().includes('Esc close help') : activeTab(session).startsWith(key),
        );
      }
    }
  });

  test('a dragged window is correct when it stops', async () => {
    const terminal = await openReadyMonitor(cluster.monitor, { args, cols: 200, rows: 60 });
    await showClients(terminal, 40);
    for (let step = 0; step < 30; step += 1) terminal.resize(200 - 4 * step, 60 - step);
    terminal.resize(90, 30);
    await waitForFrame(terminal, (session) => bodyOf(session).filter((line) => /^[ ▸]pump-/.test(line)).length === 24);
    for (let step = 0; step < 30; step += 1) terminal.resize(60 + 2 * step, 15 + step);
    terminal.resize(150, 50);
    await waitForFrame(
      terminal,
      (session) => bodyOf(session).filter((line) => /^│[ ▸]pump-.*│/u.test(line)).length === 40,
    );
  });

  test('a list keeps its cursor visible', async () => {
    const terminal = await openReadyMonitor(cluster.monitor, { args, cols: 120, rows: 40 });
    await showClients(terminal, 40);
    terminal.type('j'.repeat(29));
    await waitForCursor(terminal, 'pump-30');
    terminal.resize(60, 15);
    await waitForFrame(terminal, (session) => bodyOf(session).length === 11);
    await waitForCursor(terminal, 'pump-30');
    terminal.resize(200, 60);
    await waitForFrame(terminal, (session) => session.text().includes('pump-40'));
    await waitForCursor(terminal, 'pump-30');
  });

  test('a terminal that is too small shows a message, down to one cell, and nothing is lost', async () => {
    const terminal = await openReadyMonitor(cluster.monitor, { args });
    await showClients(terminal, 40);
    terminal.press('j');
    await waitForCursor(terminal, 'pump-02');
    for (const [cols, rows] of [
      [59, 14],
      [60, 14],
      [59, 15],
      [20, 3],
    ] as const) {
      terminal.resize(cols, rows);
      await terminal.waitFor(
        (session) => rowsOf(session)[0] === 'too small' && rowsOf(session)[1] === `${cols}x${rows}`,
      );
      expect(rowsOf(terminal)[2]).toBe('needs 60x15');
      expect(rowsOf(terminal).slice(4).join('')).toBe('');
    }
    terminal.resize(1, 1);
    await terminal.waitFor((session) => session.text().length <= 1 && !session.modes().isSynchronizedOutput);
    terminal.resize(60, 15);
    await waitForFrame(terminal, (session) => session.text().includes('40 of 40'));
    await waitForCursor(terminal, 'pump-02');
    terminal.resize(80, 24);
    await waitForFrame(terminal);
    await waitForCursor(terminal, 'pump-02');
    terminal.resize(40, 10);
    await terminal.waitFor('40x10');
    terminal.press('q');
    expect(await terminal.exited).toMatchObject({ code: 0 });
  });

  test('typed text survives a terminal that is too small, and no key acts unseen', async () => {
    const terminal = await openReadyMonitor(cluster.monitor, { args });
    await showClients(terminal, 40);
    terminal.press('/');
    await waitForFrame(terminal, (session) => hintsOf(session).includes(hint('promptAccept')));
    terminal.type('pump-1');
    await waitForFrame(terminal, (session) => session.text().includes('/ pump-1'));
    terminal.resize(50, 12);
    await terminal.waitFor('needs 60x15');
    terminal.type('r9?');
    // The keys are read by the time this size is shown; a change of size could overtake them.
    terminal.resize(51, 12);
    await terminal.waitFor('51x12');
    terminal.resize(80, 24);
    await waitForFrame(
      terminal,
      (session) => session.text().includes('/ pump-1') && session.text().includes('10 of 40'),
    );
    expect(activeTab(terminal)).toBe('4 Clients');
  });

  test('starts in a terminal that is too small, and draws when it grows', async () => {
    const terminal = openMonitor(cluster.monitor, { args, cols: 40, rows: 10 });
    await terminal.waitFor('needs 60x15');
    terminal.resize(80, 24);
    await waitForFrame(terminal, (session) => session.text().includes('3/3 nodes'));
  });
});
