import { clientWords } from '../../src/resources/clients/texts.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { screenTitle } from '../../src/screens/registry.ts';
import { safe, trusted } from '../../src/terminal/safe-text.ts';
import { type BuiltCluster, startBuiltCluster } from '../support/built-cluster.ts';
import type { TerminalSession } from '../support/terminal.ts';
import { repeatUntil } from './actions/dialogs.ts';
import { closeTerminalsAtEnd, openMonitor } from './support.ts';

closeTerminalsAtEnd();

let cluster: BuiltCluster;

beforeAll(async () => {
  cluster = await startBuiltCluster({ nodes: 2, clients: 30 });
}, 180_000);
afterAll(async () => {
  await cluster?.stop();
});

/** All that the program wrote, as lines. */
interface Listener {
  readonly terminal: TerminalSession;
  readonly raw: () => string;
  /** Waits for a line behind those that were waited for before. */
  readonly hear: (line: string | RegExp) => Promise<string>;
}

function listen(...args: readonly string[]): Listener {
  let raw = '';
  let from = 0;
  const terminal = openMonitor(cluster.monitor, {
    args: ['--screen-reader', '--interval', '0.5', ...args],
    cols: 80,
    rows: 24,
    onOutput: (data) => {
      raw += data.toString().replaceAll('\r', '');
    },
  });
  const find = (wanted: string | RegExp): string | undefined => {
    const text = raw.slice(from);
    // Only whole lines.
    const lines = text.slice(0, text.lastIndexOf('\n') + 1).split('\n');
    const index = lines.findIndex((line) => (typeof wanted === 'string' ? line.includes(wanted) : wanted.test(line)));
    if (index === -1) return undefined;
    from += lines.slice(0, index + 1).join('\n').length + 1;
    return lines[index];
  };
  return {
    terminal,
    raw: () => raw,
    hear: async (wanted) => {
      let line: string | undefined;
      await terminal
        .waitFor(() => (line ??= find(wanted)) !== undefined, { timeoutMs: 30_000 })
        .catch((error: unknown) => {
          throw new Error(
            `${String(wanted)} was not said after: ${raw.slice(0, from).trimEnd().split('\n').at(-1) ?? ''}`,
            { cause: error },
          );
        });
      return line ?? '';
    },
  };
}

/** Matches what shows nothing: bracketed paste, and the cursor as Ink leaves it at the end. */
const silentCodes = /\u001B\[\?(?:2004[hl]|25h)/gu;

test('an operator finds a client and disconnects it by hearing alone', async () => {
  const { terminal, hear, raw } = listen();
  await hear('brokertop in screen reader mode. ? opens help, Ctrl-L reads the whole screen.');
  await hear(screenTitle('overview'));
  terminal.press('4');
  await hear(screenTitle('clients'));
  const first = await hear(/^\S+-\d{6}, node \S+, /u);
  terminal.press('j');
  const second = await hear(/^\S+-\d{6}, node \S+, /u);
  expect(second).not.toBe(first);
  const [name = ''] = second.split(',');
  terminal.press('K');
  await hear('Disconnect this client?');
  await hear(name);
  await hear('y Disconnect');
  const done = clientWords.disconnect(safe`${trusted(name)}`).past;
  // A new dialog ignores keys for a moment.
  await repeatUntil(
    terminal,
    () => {
      terminal.press('y');
    },
    () => raw().includes(done),
  );
  await hear(done);
  terminal.press('enter');
  // Back in the list.
  await hear(/^\S+-\d{6}, node \S+, /u);
  terminal.press('ctrl-c');
  expect(await terminal.exited).toMatchObject({ code: 0 });
  expect(raw().replace(silentCodes, '')).not.toMatch(/\u001B.{0,12}/u);
});

test('the palette, the filter and the whole screen are said', async () => {
  const { terminal, hear, raw } = listen();
  await hear(screenTitle('overview'));
  terminal.press(':');
  await hear('Commands');
  terminal.type('sessions');
  await hear(/^:sessions/u);
  terminal.press('enter');
  await hear(new RegExp(`^${screenTitle('sessions')}$`, 'u'));
  await hear(/^showing \d+ of \d+, sorted/u);
  terminal.press('/');
  terminal.type('sensor');
  await hear(/sensor, \d+ of \d+/u);
  terminal.press('enter');
  await hear(/^showing \d+ of \d+, sorted/u);
  terminal.press('ctrl-l');
  await hear(/^1 Overview/u);
  await hear(/^sensor-\d{6}, /u);
  terminal.press('ctrl-c');
  await terminal.exited;
  expect(raw().replace(silentCodes, '')).not.toMatch(/\u001B.{0,12}/u);
});
