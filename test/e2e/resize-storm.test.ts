import { setInterval } from 'node:timers/promises';
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
  openMonitor,
  type QuietClients,
  showClients,
  waitForCursor,
  waitForFrame,
} from './support.ts';

closeTerminalsAtEnd();

const clients = 40;

let cluster: BuiltCluster;
let quiet: QuietClients;

beforeAll(async () => {
  cluster = await startBuiltCluster({ nodes: 1 });
  quiet = await connectQuietClients(cluster.mqttPorts, numberedIds('pump', clients));
}, 180_000);

afterAll(async () => {
  await quiet?.end();
  await cluster?.stop();
});

/** Sizes from one cell to 300×100, in a fixed irregular order. */
function sizeAt(step: number): readonly [cols: number, rows: number] {
  if (step % 20 === 0) return [1, 1];
  if (step % 20 === 10) return [300, 100];
  return [1 + ((step * 7919) % 300), 1 + ((step * 104_729) % 100)];
}

/** Resizes every 10 ms for a second. */
async function storm(terminal: TerminalSession): Promise<void> {
  let step = 0;
  for await (const _ of setInterval(10)) {
    terminal.resize(...sizeAt(step));
    step += 1;
    if (step === 100) return;
  }
}

/** The text of a frozen screen without what still changes: ages, notes, and the load of the last minute. */
const frameOf = (terminal: TerminalSession): string[] =>
  terminal.lines().map((line, row, lines) =>
    (row === lines.length - 2 ? 'note' : line)
      .trimEnd()
      .replace(/ +(?:[\d,]+ connections? ·)?(?: ?\S+ [kM]?B in .* ·)?(?: ?[\d,]+ requests?\/min)?$/u, '')
      .replaceAll(/ *(?:\d+ ?[dhms] ?)+ago/gu, ' ago')
      // Ages change their width, and the space before what stands right of them.
      .replaceAll(row === 0 ? / {2,}/gu : / +(?=ago|read ago)/gu, ' '),
  );

interface Place {
  readonly name: string;
  readonly enter: (terminal: TerminalSession) => Promise<void>;
  /** Does something that only works if nothing has changed. */
  readonly leave: (terminal: TerminalSession) => Promise<void>;
  readonly env?: Readonly<Record<string, string>>;
  /** Whether the other renderer, which draws all of them alike, is tried here as well. */
  readonly isPlainToo?: boolean;
}

const showFrozen = async (terminal: TerminalSession): Promise<void> => {
  // The first frame comes before raw mode.
  await terminal.waitFor('1/1 nodes');
  await showClients(terminal, clients);
  await waitForCursor(terminal, 'pump-01');
  await terminal.waitFor(/read \d+ s ago/u);
  terminal.press('p');
  await waitForFrame(terminal, (session) => session.text().includes('PAUSED') && !session.text().includes('checking…'));
};

const places: readonly Place[] = [
  {
    name: 'a list',
    isPlainToo: true,
    enter: showFrozen,
    leave: async (terminal) => {
      terminal.press('j');
      await waitForCursor(terminal, 'pump-02');
    },
  },
  {
    name: 'a question',
    enter: async (terminal) => {
      await showFrozen(terminal);
      terminal.press('K');
      await showQuestion(terminal, 'Disconnect this client?');
      await terminal.waitFor((session) => !hintsOf(session).includes('/ filter'));
    },
    leave: async (terminal) =>
      repeatUntil(
        terminal,
        () => {
          terminal.press('n');
        },
        (session) => !dialogIs('Disconnect this client?')(session),
      ),
  },
  {
    name: 'a form',
    isPlainToo: true,
    enter: async (terminal) => {
      await showFrozen(terminal);
      terminal.press('P');
      await beginForm(terminal, 'Publish a message');
      terminal.press('ctrl-u');
      terminal.type('half a topic');
      await terminal.waitFor('half a topic');
    },
    leave: async (terminal) => {
      terminal.type('+x');
      await terminal.waitFor('half a topic+x');
    },
  },
  {
    name: 'the form for a password in place of a rejected one',
    env: { BROKERTOP_PASSWORD: 'wrong' },
    enter: async (terminal) => {
      await terminal.waitFor('Password of admin:');
      // Not in one write: a terminal sends the same for Alt-4.
      terminal.press('esc');
      await terminal.waitFor((session) => !session.text().includes('Password of admin:'));
      terminal.press('4');
      await terminal.waitFor((session) => activeTab(session) === '4 Clients');
      terminal.press('A');
      await terminal.waitFor('Password of admin:');
      terminal.type(cluster.password);
      await terminal.waitFor('Password of admin: ********');
    },
    leave: async (terminal) => {
      terminal.press('enter');
      await terminal.waitFor('1/1 nodes');
    },
  },
];

const flagsAt = (place: Place): readonly (readonly string[])[] =>
  place.isPlainToo === true ? [[], ['--plain-render']] : [[]];

test.concurrent.for(places.flatMap((place) => flagsAt(place).map((flags) => [place.name, flags, place] as const)))(
  '%s survives a hundred sizes a second %j',
  async ([, flags, { env, enter, leave }], { expect }) => {
    const terminal = openMonitor(cluster.monitor, { cols: 100, rows: 30, args: ['--interval', '60', ...flags], env });
    await waitForFrame(terminal);
    await enter(terminal);
    const before = frameOf(terminal);
    await storm(terminal);
    terminal.resize(100, 30);
    await expect.poll(() => frameOf(terminal), { timeout: 30_000 }).toEqual(before);
    await leave(terminal);
    terminal.press('ctrl-c');
    expect(await terminal.exited).toMatchObject({ code: 0 });
  },
);

test.concurrent('the password prompt survives a hundred sizes a second', async () => {
  const output: Uint8Array[] = [];
  const terminal = open({
    command: process.execPath,
    args: [builtProgram, '--url', cluster.url],
    cols: 100,
    rows: 30,
    onOutput: (bytes) => output.push(bytes),
  });
  await terminal.waitFor('Password for admin');
  const half = Math.floor(cluster.password.length / 2);
  terminal.type(cluster.password.slice(0, half));
  await storm(terminal);
  terminal.resize(100, 30);
  terminal.type(`${cluster.password.slice(half)}\r`);
  await waitForFrame(terminal, (session) => session.text().includes('1/1 nodes'));
  const shown = Buffer.concat(output).toString('latin1');
  for (const secret of [cluster.password.slice(0, half), cluster.password.slice(half)])
    expect(shown).not.toContain(secret);
  terminal.press('q');
  expect(await terminal.exited).toMatchObject({ code: 0 });
});
