import { expect, test } from 'vitest';
import { plainText } from '../../src/domain/sentence.ts';
import { problemParts } from '../../src/checks/words.ts';
import { builtProgram } from '../support/built-cluster.ts';
import { startV5Replay, v5Key } from '../support/v5-replay.ts';
import { closeTerminalsAtEnd, open } from './support.ts';

closeTerminalsAtEnd();

const [node1, node2] = ['emqx1@127.0.0.1', 'emqx2@127.0.0.1'] as const;

/** Whether a request waits for a frozen node, by the recordings 501 to 533. */
const isBlocked = (line: string): boolean =>
  /^GET \/(?:nodes|stats|metrics|listeners|alarms|plugins|slow_subscriptions)(?:\?|$)/u.test(line) ||
  line.includes(`/nodes/${node2}`) ||
  line.includes(`node=${node2}`);

test(
  'a frozen node is named on the first screen, once, while the other one stays live',
  { timeout: 180_000 },
  async () => {
    let isFrozen = false;
    const server = await startV5Replay((line) =>
      isFrozen && isBlocked(decodeURIComponent(line)) ? 'stall' : undefined,
    );
    try {
      const terminal = open({
        command: process.execPath,
        args: [builtProgram, '--url', server.url, '--user', v5Key.user, '--interval', '1', '--no-audit'],
        cols: 140,
        rows: 40,
        env: { BROKERTOP_PASSWORD: v5Key.password },
      });
      await terminal.waitFor('2/2 nodes');
      isFrozen = true;
      const title = plainText(
        problemParts({ code: 'node-silent', evidence: { node: node2, clients: 16 } }).title,
      ).replace(/@[\d.]+/u, '');
      await terminal.waitFor((session) => session.text().includes(title), { timeoutMs: 60_000 });
      await terminal.waitFor('1/2 nodes');
      const problems = terminal.lines().filter((line) => line.includes(` CRITICAL `));
      expect(problems).toHaveLength(1);
      expect(problems[0]).toMatch(/had \d+ client/u);
      // The living node is read on.
      const seen = server.requests.length;
      await expect
        .poll(() => server.requests.slice(seen).filter((line) => decodeURIComponent(line).includes(node1)).length, {
          timeout: 30_000,
        })
        .toBeGreaterThan(2);
      isFrozen = false;
      await terminal.waitFor((session) => session.text().includes('2/2 nodes') && !session.text().includes(title), {
        timeoutMs: 60_000,
      });
    } finally {
      await server.close();
    }
  },
);
