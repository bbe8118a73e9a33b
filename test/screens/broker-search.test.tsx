import { afterEach, describe, expect, test } from 'vitest';
import type { ActingState } from '../../src/actions/acting-monitor.ts';
import { TimeoutError } from '../../src/api/errors.ts';
import type { Capabilities } from '../../src/api/management-api.ts';
import type { Client } from '../../src/domain/client.ts';
import { asWatch, watchKey, watchOf } from '../../src/monitor/query/part.ts';
import { emptyResource, type ScanState } from '../../src/monitor/state.ts';
import { clientDetail } from '../../src/resources/clients/detail.ts';
import { ClientsScreen } from '../../src/resources/clients/screen.tsx';
import { clientSearch } from '../../src/resources/clients/search.ts';
import { searchesOf } from '../../src/resources/clients/view/broker-search.ts';
import { clientColumnsFor } from '../../src/resources/clients/view/columns.ts';
import { fullCapabilities } from '../support/full-broker.ts';
import { patched, readingsOf } from '../support/readings.ts';
import { createRig, endRigs, type Rig } from '../tui/support/rig.tsx';
import { clientOf, createFakeMonitor, type FakeMonitor, propsOf, readWhole, ready, scanOf } from './list-fixtures.ts';

afterEach(endRigs);

const capabilities: Capabilities = {
  unsubscribe: true,
  settings: true,
  nodeSubscriptionsOfClient: true,
  pluginPerNode: true,
  sessionTotals: true,
  metricsByNode: true,
  ...fullCapabilities,
  clientSearch: true,
};

const node = 'broker1@127.0.0.1';
const cutList = (rows: readonly Client[], patch: Partial<ScanState<Client>> = {}): ScanState<Client> =>
  scanOf(rows, {
    phase: 'partial',
    leftOut: new Map([[node, { ...readWhole(1), isComplete: false, expected: 9, cut: 'rows' }]]),
    ...patch,
  });

const plain = [{ clientId: 'pump' }, { username: 'pump' }];
const key = clientSearch.textOf(plain);
const answered = new Map([
  [
    key,
    ready({ items: [clientOf('pump-1'), clientOf('pump-2'), clientOf('far', { username: 'PUMPS' })], hasMore: false }),
  ],
]);
const listed = [clientOf('pump-1'), clientOf('sensor')];

const open = (
  patch: Parameters<typeof createFakeMonitor>[0],
  scope?: { readonly kind: 'node'; readonly node: string },
  columns = 120,
): { readonly monitor: FakeMonitor; readonly rig: Rig } => {
  const monitor = createFakeMonitor(
    patched<Partial<ActingState>>(
      { capabilities, ...readingsOf({ clientSearch: answered, clientScan: cutList(listed) }) },
      patch,
    ),
  );
  return {
    monitor,
    rig: createRig(<ClientsScreen {...propsOf(monitor, [columns, 20])} scope={scope} />, { columns, rows: 20 }),
  };
};

const filterBy = async (rig: Rig, filter: string): Promise<void> => {
  rig.type('/');
  await rig.until((text) => text.includes('~fuzzy'));
  rig.type(filter);
  await rig.until((text) => text.includes(`/ ${filter}`));
};

const searchesIn = ({ watching }: FakeMonitor): readonly unknown[] =>
  watching
    .map(asWatch)
    .filter(({ query }) => query === clientSearch)
    .map(({ key }) => key[0]);

describe('what is asked for a filter', () => {
  test.each([
    ['pump', plain],
    [' "Pump A" ', [{ clientId: 'Pump A' }, { username: 'Pump A' }]],
    ['id:Pump', [{ clientId: 'Pump' }]],
    ['client-id:Pump', [{ clientId: 'Pump' }]],
    ['user:"Pump A"', [{ username: 'Pump A' }]],
    ['address:10.0.0.1', [{ ipAddress: '10.0.0.1' }]],
    ['address:::1', [{ ipAddress: '::1' }]],
    ['address:10.0.', []],
    ['address:10.0.0.1:80', []],
    ['', []],
    ['!pump', []],
    ['/pump/', []],
    ['~pump', []],
    ['two words', []],
    ['node:broker1', []],
    ['id:!pump', []],
  ])('%s', (filter, searches) => {
    expect(searchesOf(filter, clientColumnsFor(120), undefined)).toEqual(searches);
    expect(searchesOf(filter, clientColumnsFor(120), node)).toEqual(searches.map((search) => ({ ...search, node })));
  });
});

test('also lists what the broker finds, once each, while the list is cut', async () => {
  const { monitor, rig } = open({});
  await filterBy(rig, 'pump');
  const lines = await rig.until((text) => text.includes('found by the broker: 3 connected'));
  expect(lines.filter((line) => /pump-|far/u.test(line)).map((line) => line.slice(1).split(/\s/u)[0])).toEqual([
    'far',
    'pump-1',
    'pump-2',
  ]);
  await expect.poll(() => searchesIn(monitor)).toEqual([plain]);
  monitor.set(readingsOf({ clientScan: scanOf(listed) }));
  await rig.until((text) => !text.includes('pump-2') && !text.includes('found by the broker: 3 connected'));
  await expect.poll(() => searchesIn(monitor)).toEqual([]);
});

test('a found client is not shown as gone or old, and opens like others', async () => {
  const failed = { ...readWhole(1), isComplete: false, error: new TimeoutError(5_000) };
  const { monitor, rig } = open(
    readingsOf({ clientScan: cutList([], { gone: [clientOf('pump-2')], coverage: new Map([[node, failed]]) }) }),
  );
  await filterBy(rig, 'pump-2');
  monitor.set(
    readingsOf({
      clientSearch: new Map([
        [
          clientSearch.textOf([{ clientId: 'pump-2' }, { username: 'pump-2' }]),
          ready({ items: [clientOf('pump-2')], hasMore: false }),
        ],
      ]),
    }),
  );
  const lines = await rig.until((text) => text.includes('found by the broker: 1 connected'));
  expect(lines.filter((line) => line.includes('▸'))).toEqual([expect.not.stringMatching(/GONE|OLD/u)]);
  rig.type('\r\r');
  await expect.poll(() => monitor.places).toEqual([{ screen: 'client', clientId: 'pump-2' }]);
});

test('a found client stays marked when the filter is cleared', async () => {
  const { monitor, rig } = open(readingsOf({ clientScan: scanOf(listed, { phase: 'aborted' }) }), undefined, 120);
  await filterBy(rig, 'pump');
  await rig.until((text) => text.includes('pump-2'));
  rig.type('\r');
  await rig.until((text) => text.includes('Esc clears'));
  rig.type('*');
  await rig.until((text) => text.includes('3 marked'));
  rig.type('\u001B');
  await rig.until((text) => !text.includes('pump-2') && text.includes('3 marked'));
  expect(rig.lines().join('\n')).not.toContain('! 2 of 3 marked rows changed and will be skipped');
  monitor.set(readingsOf({ clientScan: scanOf(listed) }));
  await rig.until((text) => text.includes('! 2 of 3 marked rows changed and will be skipped'));
});

test('asks only on the node whose clients are listed', async () => {
  const { monitor, rig } = open({}, { kind: 'node', node });
  await filterBy(rig, 'id:pump');
  await expect.poll(() => searchesIn(monitor)).toEqual([[{ clientId: 'pump', node }]]);
});

test('says that it asks, fails, or found only the first', async () => {
  const { monitor, rig } = open(
    readingsOf({
      clientSearch: new Map(),
      clientScan: scanOf<Client>(listed, { phase: 'running', finishedAtMs: undefined }),
    }),
  );
  await filterBy(rig, 'pump');
  await rig.until((text) => text.includes('asking the broker'));
  monitor.set(readingsOf({ clientSearch: new Map([[key, { ...emptyResource(), error: new TimeoutError(5_000) }]]) }));
  await rig.until((text) => text.includes('! the broker cannot search (L: log)'));
  monitor.set(readingsOf({ clientSearch: new Map([[key, ready({ items: [clientOf('pump-2')], hasMore: true })]]) }));
  expect(
    (await rig.until((text) => text.includes('found by the broker: 1+ connected'))).some((line) =>
      line.includes('pump-2'),
    ),
  ).toBe(true);
});

test.each([
  ['while the whole list is read', readingsOf({ clientScan: scanOf(listed) })],
  ['by a broker that cannot', { capabilities: { ...capabilities, clientSearch: undefined } }],
])('nothing is asked %s', async (_, patch) => {
  const { monitor, rig } = open(patch, undefined, 200);
  await filterBy(rig, 'sensor');
  // The row is read as late as the broker would be asked.
  await expect.poll(() => monitor.watching.map(watchKey)).toContainEqual(watchKey(watchOf(clientDetail, 'sensor')));
  expect(searchesIn(monitor)).toEqual([]);
});

test('a whole list that is read again stays whole', async () => {
  const { monitor, rig } = open(readingsOf({ clientScan: scanOf(listed) }));
  await filterBy(rig, 'pump');
  monitor.set(readingsOf({ clientScan: scanOf(listed, { phase: 'running' }) }));
  await rig.until((text) => text.includes('scanning'));
  expect(searchesIn(monitor)).toEqual([]);
  monitor.set(readingsOf({ clientScan: scanOf(listed, { phase: 'aborted' }) }));
  await rig.until((text) => text.includes('found by the broker: 3 connected'));
});
