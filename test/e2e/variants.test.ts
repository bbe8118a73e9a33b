import { describe, expect, test } from 'vitest';
import { startBuiltCluster } from '../support/built-cluster.ts';
import { activeTab, bodyOf, closeTerminalsAtEnd, connectQuietClients, openMonitor, openReadyMonitor, showClients, waitForFrame } from './support.ts';

closeTerminalsAtEnd();

describe.concurrent.each(['a', 'b'] as const)('a broker of variant %s', (variant) => {
  test('is found out, and every screen has its figures', async () => {
    const cluster = await startBuiltCluster({ variant, nodes: 2 });
    const quiet = await connectQuietClients(cluster.mqttPorts, ['first', 'second', 'third']);
    try {
      const terminal = await openReadyMonitor(cluster.monitor, { cols: 120, rows: 40 });
      await waitForFrame(terminal, ({ screen }) => screen.lines()[0]?.includes(`variant ${variant.toUpperCase()}`) === true);
      expect(terminal.lines()[0]).toContain('nodes 2/2 ●');
      expect(terminal.lines()[1]).toContain('clients 3 ');
      await waitForFrame(terminal, (session) => session.text().includes(' fine: readings, nodes, listeners, limits'));
      terminal.press('2');
      await waitForFrame(terminal, (session) => session.text().includes('showing 2 of 2'));
      terminal.press('3');
      await waitForFrame(terminal, (session) => session.text().includes('mqtt:tcp') && session.text().includes('showing 5 of 5'));
      await showClients(terminal, 3);
      terminal.press('enter');
      await waitForFrame(terminal, (session) => bodyOf(session)[0]?.startsWith(' CLIENT first ') === true && session.text().includes('QoS 1  quiet/first'));
      terminal.press('9');
      await waitForFrame(terminal, (session) => activeTab(session) === '9 Metrics' && /bytes\/received +[1-9][\d,]*/.test(session.text()));
      expect(bodyOf(terminal)[0]).toContain('Metrics of the cluster');
      // What was forced is believed.
      const forced = openMonitor(cluster.monitor, { cols: 120, rows: 40, args: ['--variant', variant] });
      await waitForFrame(forced, ({ screen }) => screen.lines()[0]?.includes(`variant ${variant.toUpperCase()}`) === true);
    } finally {
      await quiet.end();
      await cluster.stop();
    }
  }, 60_000);
});
