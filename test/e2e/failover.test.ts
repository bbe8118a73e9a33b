import { expect, onTestFinished, test } from 'vitest';
import { password, startChain } from '../contract/support.ts';
import { builtProgram } from '../support/built-cluster.ts';
import { startFaultProxy } from '../support/fault-proxy.ts';
import { startTlsFront } from '../support/tls-front.ts';
import { openReadyMonitor, waitForFrame } from './support.ts';

test('when the node behind --url dies, the next URL takes over, and header, note and log say so', async () => {
  const chain = await startChain('b');
  const first = await startFaultProxy(chain.broker.server.url);
  const untrusted = await startTlsFront(Number(new URL(chain.broker.server.url).port));
  const second = await startFaultProxy(chain.broker.server.url);
  onTestFinished(async () => {
    await first.close();
    await untrusted.close();
    await second.close();
    await chain.close();
  });
  const target = {
    args: [builtProgram, '--url', first.url, '--url', untrusted.url, '--url', second.url],
    env: { BROKERTOP_PASSWORD: password },
  };
  const terminal = await openReadyMonitor(target, { cols: 120, rows: 30 });
  expect(terminal.lines()[0]).toContain(first.url);
  expect(second.connections.accepted).toBe(0);

  await first.set({ kind: 'refuse' });
  await waitForFrame(
    terminal,
    (session) =>
      session.lines()[0]?.includes(second.url) === true &&
      session
        .text()
        .includes(
          `! Switched to ${second.url}. ! Skipped ${untrusted.url}: certificate signed by an unknown authority`,
        ),
  );
  await waitForFrame(terminal, (session) => !session.text().includes('STALE') && session.text().includes('3/3 nodes'));
  terminal.press('L');
  await waitForFrame(terminal, (session) => session.text().includes(`Now using ${second.url}`));
  expect(terminal.text()).toContain(`Skipped ${untrusted.url}. Certificate signed by an unkno`);

  // It stays at the second URL, and goes back when that one dies too.
  await first.set({ kind: 'none' });
  terminal.press('1');
  await waitForFrame(terminal, (session) => session.text().includes('3/3 nodes'));
  expect(terminal.lines()[0]).toContain(second.url);
  await second.set({ kind: 'refuse' });
  await waitForFrame(
    terminal,
    (session) => session.lines()[0]?.includes(first.url) === true && session.text().includes('3/3 nodes'),
  );
});

test.each([
  ['emqx-5.8', 'v5'],
  ['emq-2.3', 'b'],
] as const)(
  'a login at %s outlives a freeze of all nodes, at whichever address it goes on',
  { timeout: 180_000 },
  async (profile, speaker) => {
    const chain = await startChain(speaker, { profile });
    const proxies = await Promise.all(chain.broker.servers.map(({ url }) => startFaultProxy(url)));
    onTestFinished(async () => {
      for (const proxy of proxies) await proxy.close();
      await chain.close();
    });
    const target = {
      args: [builtProgram, ...proxies.flatMap(({ url }) => ['--url', url]), '--user', 'admin', '--no-audit'],
      env: { BROKERTOP_PASSWORD: password },
    };
    const terminal = await openReadyMonitor(target, { cols: 120, rows: 30 });
    for (const proxy of proxies) await proxy.set({ kind: 'hold' });
    await waitForFrame(terminal, (session) => session.text().includes('STALE'));
    await expect
      .poll(() => proxies.filter(({ connections }) => connections.accepted === 0).length, { timeout: 90_000 })
      .toBe(0);
    for (const proxy of proxies) await proxy.set({ kind: 'none' });
    await waitForFrame(
      terminal,
      (session) => !session.text().includes('STALE') && session.text().includes('3/3 nodes'),
    );
    terminal.press('L');
    await waitForFrame(terminal, (session) => session.text().includes('Actions are not recorded'));
    expect(terminal.text()).not.toMatch(/reject|Password of/iu);
  },
);
