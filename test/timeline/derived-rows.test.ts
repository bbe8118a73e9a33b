import { expect, test } from 'vitest';
import { initialActingState } from '../../src/actions/acting-monitor.ts';
import { reading } from '../../src/monitor/query/part.ts';
import type { ScanState } from '../../src/monitor/state.ts';
import { clientTraffic, maxTrafficRows } from '../../src/resources/clients/traffic.ts';
import { sessionRows } from '../../src/resources/sessions/history.ts';
import { createTriageRun } from '../../src/timeline/triaged-monitor.ts';
import { capabilitiesB } from '../screens/administration-fixtures.tsx';
import { clientOf, readWhole, scanOf, sessionOf } from '../screens/list-fixtures.ts';
import { patched, readingsOf } from '../support/readings.ts';

const node = 'broker1@127.0.0.1';

/** A list as read to its end at a time. */
const readAt = <T>(rows: readonly T[], atMs: number): ScanState<T> =>
  scanOf(rows, {
    finishedAtMs: atMs,
    coverage: new Map([[node, { ...readWhole(rows.length), readAtMs: atMs }]]),
  });

test('the state has the rates of sessions, whichever screen is shown, and the same rows while nothing changes', () => {
  const { derive } = createTriageRun();
  const sessionsAt = (delivered: number, atMs: number) =>
    patched(
      { ...initialActingState(2), capabilities: capabilitiesB },
      readingsOf({ sessionScan: readAt([sessionOf('c1', { node, delivered })], atMs) }),
    );
  const first = derive(sessionsAt(100, 10_000), 10_000);
  expect(reading(first, sessionRows)).toMatchObject([{ rates: { deliveredPerSecond: undefined } }]);
  const second = derive(patched(first, sessionsAt(150, 20_000)), 20_000);
  expect(reading(second, sessionRows)).toMatchObject([{ rates: { deliveredPerSecond: 5 } }]);
  const third = derive({ ...second, intervalSeconds: 3 }, 21_000);
  expect(reading(third, sessionRows)).toBe(reading(second, sessionRows));
});

test('the state has the traffic of clients: of a long list only while a screen shows it', () => {
  const clients = Array.from({ length: maxTrafficRows + 1 }, (_, index) => clientOf(`c${index}`, { node }));
  const base = { ...initialActingState(2), capabilities: { ...capabilitiesB, clientTraffic: true } };
  const withClients = (count: number) =>
    patched(base, readingsOf({ clientScan: readAt(clients.slice(0, count), 10_000) }));
  const { derive } = createTriageRun();
  expect(reading(derive(withClients(3), 10_000), clientTraffic).rows).toHaveLength(3);
  const long = withClients(clients.length);
  expect(reading(createTriageRun().derive(long, 10_000), clientTraffic).rows).toHaveLength(0);
  const watched = { ...long, watched: [clientTraffic] };
  expect(reading(createTriageRun().derive(watched, 10_000), clientTraffic).rows).toHaveLength(clients.length);
});
