import { expect, onTestFinished, test } from 'vitest';
import { password, startChain } from '../contract/support.ts';
import { builtProgram } from '../support/built-cluster.ts';
import { startFaultProxy } from '../support/fault-proxy.ts';
import { startTlsFront } from '../support/tls-front.ts';
import { openReadyMonitor, waitForFrame } from './support.ts';

test('when the asked node dies the next address serves, which the header, a note and the log say', async () => {
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
  const target = { args: [builtProgram, '--url', first.url, '--url', untrusted.url, '--url', second.url], env: { BROKERTOP_PASSWORD: password } };
  const terminal = await openReadyMonitor(target, { cols: 120, rows: 30 });
  expect(terminal.lines()[0]).toContain(first.url);
  expect(second.connections.accepted).toBe(0);

  await first.set({ kind: 'refuse' });
  await waitForFrame(terminal, (session) => session.lines()[0]?.includes(second.url) === true && session.text().includes(`! now ${second.url}, because ${first.url} is gone`));
  await waitForFrame(terminal, (session) => !session.text().includes('STALE') && session.text().includes('nodes 3/3'));
  terminal.press('L');
  await waitForFrame(terminal, (session) => session.text().includes(`${second.url} answers now.`));
  expect(terminal.text()).toContain(`Skipped ${untrusted.url}. Certificate of an unknown authority`);

  // It stays where it is, and goes back when that one dies too.
  await first.set({ kind: 'none' });
  terminal.press('1');
  await waitForFrame(terminal, (session) => session.text().includes('nodes 3/3'));
  expect(terminal.lines()[0]).toContain(second.url);
  await second.set({ kind: 'refuse' });
  await waitForFrame(terminal, (session) => session.lines()[0]?.includes(first.url) === true && session.text().includes('nodes 3/3'));
});
