import { subscribeClient, unsubscribeClient } from '../../src/resources/subscriptions/actions.ts';
import { clearAclCache, disconnectClient } from '../../src/resources/clients/actions.ts';
import { afterEach, describe, expect, test } from 'vitest';
import type { Session } from '../../src/domain/client.ts';
import { steadyNowMs } from '../../src/monitor/clock.ts';
import type { ScanState } from '../../src/monitor/state.ts';
import { OverviewScreen } from '../../src/screens/overview/overview.tsx';
import { AcknowledgeContext } from '../../src/resources/problems/view/acknowledge.ts';
import { TriageScreen } from '../../src/screens/triage/triage.tsx';
import { selectReport } from '../../src/triage/view.ts';
import { endRigs } from '../tui/support/rig.tsx';
import { createAskingRig, createCluster, formOf } from './administration-fixtures.tsx';
import { propsOf, readWhole, scanOf, sessionOf } from './list-fixtures.ts';
import { readingsOf } from '../support/readings.ts';
import type { ScreenProps } from '../../src/tui/screen.ts';

afterEach(endRigs);

describe.each<[string, (props: ScreenProps) => React.ReactNode]>([
  ['Overview', OverviewScreen],
  ['Triage', TriageScreen],
])('on %s', (_, Screen) => {
  test('K asks about the client of the problem under the cursor, and nothing without one', async () => {
    const full = sessionOf('slow-1', {
      node: 'a',
      queueLength: 1_000,
      maxQueueLength: 1_000,
      inflight: 32,
      maxInflight: 32,
      dropped: 5,
    });
    const monitor = createCluster(
      readingsOf({ sessionScan: { ...scanOf([full]), phase: 'complete', finishedAtMs: steadyNowMs() } }),
    );
    const rig = createAskingRig(
      <AcknowledgeContext value={monitor.acknowledge}>
        <Screen {...propsOf(monitor, [120, 30])} />
      </AcknowledgeContext>,
      [120, 30],
    );
    await rig.until((text) => text.includes(' is stopped'));
    rig.type('K');
    rig.type('\u001B[B');
    await rig.until(() => rig.lines().some((line) => line.includes('slow-1') && /^.{0,2}[▌█]/u.test(line)));
    expect(rig.asked).toEqual([]);
    rig.type('K');
    await rig.until(() => rig.asked.length === 1);
    expect(rig.asked[0]).toMatchObject({ kind: 'read', title: 'Disconnect slow-1' });
  });

  test('a offers to open or acknowledge a problem, and the actions on its client, with the advised one selected', async () => {
    const full = sessionOf('slow-1', {
      node: 'a',
      queueLength: 1_000,
      maxQueueLength: 1_000,
      inflight: 3,
      maxInflight: 32,
      dropped: 5,
      delivered: 7,
    });
    const readingOf = (session: Session, readAtMs: number): ScanState<Session> =>
      scanOf([session], {
        phase: 'complete',
        finishedAtMs: readAtMs,
        coverage: new Map([['a', { ...readWhole(1), readAtMs }]]),
      });
    const monitor = createCluster(readingsOf({ sessionScan: readingOf(full, steadyNowMs() - 5_000) }));
    const rig = createAskingRig(
      <AcknowledgeContext value={monitor.acknowledge}>
        <Screen {...propsOf(monitor, [120, 30])} />
      </AcknowledgeContext>,
      [120, 30],
    );
    await rig.until((text) => text.includes(' is stopped'));
    // The second reading shows how fast it is.
    monitor.set(readingsOf({ sessionScan: readingOf({ ...full, delivered: 12 }, steadyNowMs()) }));
    rig.type('a');
    await rig.until(() => rig.asked.length === 1);
    rig.type('\u001B[B');
    await rig.until(() => rig.lines().some((line) => line.includes('slow-1') && /^.{0,2}[▌█]/u.test(line)));
    rig.type('a');
    await rig.until(() => rig.asked.length === 2);
    const menus = rig.asked.map((request) =>
      request?.kind === 'menu'
        ? {
            selectedId: request.selectedId,
            ids: request.choices.map(({ id }) => id),
            notes: request.choices.flatMap(({ note }) => (note?.startsWith('suggested') === true ? [note] : [])),
          }
        : undefined,
    );
    expect(menus).toEqual([
      { selectedId: undefined, ids: ['open', 'acknowledge'], notes: [] },
      {
        selectedId: unsubscribeClient.id,
        ids: [disconnectClient.id, subscribeClient.id, unsubscribeClient.id, clearAclCache.id, 'open', 'acknowledge'],
        notes: ['suggested'],
      },
    ]);
  });

  test('z acknowledges the problem under the cursor with a note, and takes it back', async () => {
    const monitor = createCluster();
    const rig = createAskingRig(
      <AcknowledgeContext value={monitor.acknowledge}>
        <Screen {...propsOf(monitor, [120, 30])} />
      </AcknowledgeContext>,
      [120, 30],
    );
    const lineOf = (): string => rig.lines().find((line) => line.includes(' is stopped')) ?? '';
    await rig.until((text) => text.includes(' is stopped'));
    expect(lineOf()).toContain('CRITICAL');
    rig.type('z');
    await rig.until(() => rig.asked.length === 1);
    const form = formOf(rig.asked[0]);
    expect(form).toMatchObject({ isLocal: true, title: 'Acknowledge this problem?' });
    const built = form.build({ note: ' Ann is on it ' });
    if (!('done' in built)) throw new Error('The form goes on.');
    built.done();
    monitor.set({});
    await rig.until(() => lineOf().includes('is stopped (acknowledged)'));
    expect(lineOf()).not.toContain('CRITICAL');
    expect(rig.lines().join('\n')).toContain('0 s ago (z: undo): Ann is on it');
    // What to do is still said.
    expect(rig.lines().some((line) => line.includes('Next '))).toBe(true);
    expect(selectReport(monitor.store.getState()).findings.at(-1)).toMatchObject({
      acknowledged: { note: 'Ann is on it', severity: 'critical' },
    });
    rig.type('z');
    monitor.set({});
    await rig.until(() => lineOf().includes('CRITICAL'));
    rig.type('z');
    await rig.until(() => rig.asked.length === 2);
    const again = formOf(rig.asked[1]).build({ note: ' ' });
    if ('done' in again) again.done();
    expect(monitor.notices.at(-1)).toBe('Acknowledged');
  });
});
