import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { type BuiltCluster, startBuiltCluster } from '../../support/built-cluster.ts';
import { startFaultProxy } from '../../support/fault-proxy.ts';
import type { TerminalSession } from '../../support/terminal.ts';
import { dialogIs, findRow, answerYes, showQuestion, repeatUntil } from '../actions/dialogs.ts';
import {
  closeTerminalsAtEnd,
  connectQuietClients,
  hintsOf,
  openReadyMonitor,
  type QuietClients,
  targetOf,
  waitForFrame,
  signalEndings,
} from '../support.ts';

closeTerminalsAtEnd();

const fault = fileURLToPath(new URL('fault.mjs', import.meta.url));

/**
 * Ways in which the program ends during an action, the exit code (default: 3, outcome unknown), and the injected fault.
 */
const endings: readonly (readonly [
  name: string,
  end: (terminal: TerminalSession) => unknown,
  code: number | undefined,
  kind?: string,
])[] = [
  [
    'q, and yes',
    async (terminal) => {
      terminal.press('esc');
      await terminal.waitFor((session) => !dialogIs('Disconnecting')(session) && hintsOf(session).includes(': find'));
      terminal.press('q');
      await terminal.waitFor('Quit now?');
      await repeatUntil(
        terminal,
        () => {
          terminal.press('y');
        },
        (session) => !session.modes().isAlternateScreen,
      );
    },
    undefined,
  ],
  [
    'Ctrl-C, twice',
    async (terminal) => {
      terminal.press('ctrl-c');
      await terminal.waitFor('Quit now?');
      terminal.press('ctrl-c');
    },
    undefined,
  ],
  ...signalEndings,
  [
    'a closed window',
    (terminal) => {
      terminal.hangUp();
    },
    129,
  ],
  [
    'EPIPE',
    (terminal) => {
      terminal.signal('SIGUSR2');
    },
    129,
    'epipe',
  ],
  [
    'an exception',
    (terminal) => {
      terminal.signal('SIGUSR2');
    },
    1,
    'exception',
  ],
  [
    'a rejection',
    (terminal) => {
      terminal.signal('SIGUSR2');
    },
    1,
    'rejection',
  ],
];
const victimAt = (index: number): string => `victim-${index}`;

let cluster: BuiltCluster;
let quiet: QuietClients;
let state: string;

beforeAll(async () => {
  state = mkdtempSync(path.join(tmpdir(), 'brokertop-state-'));
  cluster = await startBuiltCluster({ nodes: 1 });
  quiet = await connectQuietClients(
    cluster.mqttPorts,
    endings.map((_, index) => victimAt(index)),
  );
}, 180_000);

afterAll(async () => {
  await quiet?.end();
  await cluster?.stop();
  rmSync(state, { recursive: true, force: true });
});

describe.concurrent('the outcome of an action under way is written to the audit log', () => {
  test.for(endings.map(([name, end, code, kind], index) => [name, victimAt(index), end, code, kind] as const))(
    'after %s',
    async ([, victim, end, code, kind], { expect }) => {
      const own = mkdtempSync(path.join(state, 'own-'));
      const file = path.join(own, 'brokertop', 'audit.log');
      const audit = (): string => (existsSync(file) ? readFileSync(file, 'utf8') : '');
      const proxy = await startFaultProxy(cluster.url);
      try {
        const terminal = await openReadyMonitor(targetOf(proxy.url, cluster.password), {
          env: { XDG_STATE_HOME: own, ...(kind !== undefined && { NODE_OPTIONS: `--import=${fault}`, FAULT: kind }) },
        });
        terminal.press('4');
        await waitForFrame(terminal, (session) => session.text().includes(victim));
        await findRow(terminal, victim);
        terminal.press('K');
        await showQuestion(terminal, 'Disconnect this client?');
        // Longer than a busy machine takes to end the program.
        await proxy.set({ kind: 'delay', ms: 2_500 });
        await answerYes(terminal);
        await expect.poll(audit, { timeout: 30_000 }).toContain(victim);
        expect(audit()).not.toContain('"outcome"');
        await end(terminal);
        const exit = await terminal.exited;
        await expect.poll(() => terminal.processes(), { timeout: 30_000 }).toEqual([]);
        expect(audit()).toMatch(/"outcome":"(done|not-done|unknown)"/u);
        // On a slow machine the end may come before the request is sent.
        expect(exit).toMatchObject({ code: code ?? (/"outcome":"unknown"|"reason":"aborted"/u.test(audit()) ? 3 : 0) });
      } finally {
        await proxy.close();
      }
    },
  );
});
