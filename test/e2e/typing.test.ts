import { hint } from '../support/texts.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type BuiltCluster, builtProgram, startBuiltCluster } from '../support/built-cluster.ts';
import type { TerminalSession } from '../support/terminal.ts';
import { beginForm, dialogIs, showQuestion, repeatUntil } from './actions/dialogs.ts';
import {
  activeTab,
  closeTerminalsAtEnd,
  connectQuietClients,
  hintsOf,
  numberedIds,
  open,
  openReadyMonitor,
  type QuietClients,
  showClients,
  waitForCursor,
  waitForFrame,
} from './support.ts';

closeTerminalsAtEnd();

let cluster: BuiltCluster;
let quiet: QuietClients;

beforeAll(async () => {
  cluster = await startBuiltCluster({ nodes: 1 });
  quiet = await connectQuietClients(cluster.mqttPorts, numberedIds('pump', 9));
}, 180_000);

afterAll(async () => {
  await quiet?.end();
  await cluster?.stop();
});

/** Replies of a terminal that contain keys of actions. */
const answers: readonly string[] = [
  '\u001B]52;c;Kyq\u0007',
  '\u001B]11;rgb:3030/3434/4646\u001B\\',
  '\u001BP1$rKyq\u001B\\',
  '\u001B_GKyq\u001B\\',
  '\u001B^Kyq\u001B\\',
  '\u001BXKyq\u001B\\',
  '\u001B[I',
  '\u001B[O',
  '\u001B[24;80R',
  '\u001B[?62;4c',
  '\u001B[<0;20;5M',
  '\u001B[M qK',
  '\u001B[201~',
];

const openClients = async (): Promise<TerminalSession> => {
  // The answers include mouse reports.
  const terminal = await openReadyMonitor(cluster.monitor, { args: ['--no-mouse'] });
  await showClients(terminal, 9);
  await waitForCursor(terminal, 'pump-01');
  return terminal;
};

/** Sends it in small pieces, which the program may read separately. */
const drip = async (terminal: TerminalSession, text: string): Promise<void> => {
  for (let at = 0; at < text.length; at += 3) {
    terminal.type(text.slice(at, at + 3));
    await new Promise(setImmediate);
  }
};

const sayNo = async (terminal: TerminalSession): Promise<void> =>
  repeatUntil(
    terminal,
    () => {
      terminal.press('n');
    },
    (session) => !dialogIs('Disconnect this client?')(session),
  );

test.concurrent('text pasted into a list does nothing', async () => {
  const terminal = await openClients();
  terminal.paste('Kyq');
  terminal.paste('K\ry\r\u0003:quit\r');
  terminal.press('j');
  await waitForCursor(terminal, 'pump-02');
  expect(terminal.text()).toContain('showing 9 of 9');
  terminal.press('K');
  await showQuestion(terminal, 'Disconnect this client?');
  terminal.paste('y');
  terminal.paste('yyy\r');
  // The next key answers.
  await sayNo(terminal);
  await waitForFrame(terminal, (session) => session.text().includes('showing 9 of 9'));
  // A text field takes it as it is.
  terminal.press('/');
  terminal.paste('pump-07');
  terminal.press('enter');
  await waitForFrame(terminal, (session) => session.text().includes('showing 1 of 9'));
  await waitForCursor(terminal, 'pump-07');
});

test.concurrent('the cursor of the terminal stands where text is typed, so that input methods open there', async () => {
  const terminal = await openClients();
  const caretBehind =
    (text: string) =>
    (session: TerminalSession): boolean => {
      const { x, y } = session.screen.cursor();
      return session.modes().isCursorVisible && session.lines()[y]?.padEnd(x).slice(0, x).endsWith(text) === true;
    };
  expect(terminal.modes().isCursorVisible).toBe(false);
  terminal.press('/');
  terminal.type('pump');
  await terminal.waitFor(caretBehind('/ pump'));
  terminal.press('left', 'left');
  await terminal.waitFor(caretBehind('/ pu'));
  terminal.press('enter');
  await terminal.waitFor((session) => !session.modes().isCursorVisible);
  terminal.press(':');
  terminal.type('qu');
  await terminal.waitFor(caretBehind(':qu'));
  terminal.press('esc');
  await terminal.waitFor((session) => !session.modes().isCursorVisible);
  terminal.press('P');
  await beginForm(terminal, 'Publish a message');
  terminal.type('plant/1');
  await terminal.waitFor(caretBehind('xplant/1'));
});

test.concurrent('during a paste without an end, Esc and Ctrl-C still work', async () => {
  const terminal = await openClients();
  terminal.press('/');
  await waitForFrame(terminal, (session) => hintsOf(session).includes(hint('promptAccept')));
  terminal.type('\u001B[200~pump-03');
  terminal.press('esc');
  await waitForFrame(terminal, (session) => session.text().includes('/ pump-03'));
  terminal.press('enter');
  await waitForCursor(terminal, 'pump-03');
  terminal.type('\u001B[200~Ky');
  await drip(terminal, 'jjj');
  terminal.press('ctrl-c');
  expect(await terminal.exited).toMatchObject({ code: 0 });
});

test.concurrent('replies of the terminal are not keys, in a list, a confirmation and a form', async () => {
  const terminal = await openClients();
  for (const answer of answers) {
    terminal.type(answer);
    await drip(terminal, answer);
  }
  terminal.press('j');
  await waitForCursor(terminal, 'pump-02');
  expect(activeTab(terminal)).toBe('4 Clients');
  terminal.press('K');
  await showQuestion(terminal, 'Disconnect this client?');
  await drip(terminal, answers.join('').replaceAll('K', 'y'));
  await sayNo(terminal);
  await waitForFrame(terminal, (session) => session.text().includes('showing 9 of 9'));
  terminal.press('P');
  await beginForm(terminal, 'Publish a message');
  terminal.press('ctrl-u');
  await drip(terminal, `a${answers.join('b')}c`);
  await terminal.waitFor((session) => /▸ Topic +a[b]{12}c *│/.test(session.text()));
  terminal.press('esc');
  await waitForFrame(
    terminal,
    (session) => activeTab(session) === '4 Clients' && session.text().includes('showing 9 of 9'),
  );
});

test.concurrent('keys typed ahead do not answer a confirmation', async () => {
  const terminal = await openClients();
  for (const [client, keys] of [
    ['pump-01', ['Ky']],
    ['pump-02', ['Kyyyy']],
    ['pump-03', ['K', 'y']],
  ] as const) {
    await waitForCursor(terminal, client);
    for (const key of keys) terminal.type(key);
    await showQuestion(terminal, 'Disconnect this client?');
    await sayNo(terminal);
    terminal.press('j');
  }
  await waitForFrame(terminal, (session) => session.text().includes('showing 9 of 9'));
});

test.concurrent('replies of the terminal do not get into the password', async () => {
  const terminal = open({ command: process.execPath, args: [builtProgram, '--url', cluster.url] });
  await terminal.waitFor('Password for admin');
  const half = Math.floor(cluster.password.length / 2);
  await drip(terminal, answers[1] ?? '');
  terminal.type(cluster.password.slice(0, half));
  await drip(terminal, answers.join(''));
  terminal.type(cluster.password.slice(half));
  terminal.press('enter');
  await waitForFrame(terminal, (session) => session.text().includes('1/1 nodes'));
});
