import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { builtProgram } from '../support/built-cluster.ts';
import type { TerminalSession } from '../support/terminal.ts';
import { startV5Replay, v5Key } from '../support/v5-replay.ts';
import { open } from './support.ts';

const caches = mkdtempSync(path.join(tmpdir(), 'kept-code-'));
afterAll(() => rmSync(caches, { recursive: true, force: true }));

const codeFile = path.join(caches, 'brokertop', `monitor-${process.version}-${process.arch}.code`);

test(
  'the monitor keeps its compiled code once its figures are shown, and not before',
  { timeout: 60_000 },
  async () => {
    let isAnswering = false;
    const server = await startV5Replay(() => (isAnswering ? undefined : 'stall'));
    try {
      const start = (): TerminalSession =>
        open({
          command: process.execPath,
          args: [builtProgram, '--url', server.url, '--user', v5Key.user, '--interval', '1', '--no-audit'],
          cols: 140,
          rows: 40,
          env: { BROKERTOP_PASSWORD: v5Key.password, XDG_CACHE_HOME: caches },
        });
      const unanswered = start();
      await unanswered.waitFor('Overview');
      unanswered.press('q');
      await unanswered.exited;
      expect(existsSync(codeFile)).toBe(false);

      isAnswering = true;
      const answered = start();
      await answered.waitFor('2/2 nodes');
      await expect.poll(() => existsSync(codeFile), { timeout: 30_000 }).toBe(true);
      const program = path.join(path.dirname(builtProgram), 'brokertop-program.cjs');
      // What a start calls is a third of the program at least.
      expect(statSync(codeFile).size).toBeGreaterThan(statSync(program).size / 3);
    } finally {
      await server.close();
    }
  },
);
