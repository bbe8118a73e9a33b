import { describe, expect, test } from 'vitest';
import { compareStates, createComparer, type StateAt, type TableDifference } from '../../src/compare/compare.ts';
import { changeRows, summaryLines } from '../../src/compare/rows.ts';
import type { Ban, Plugin } from '../../src/domain/administration.ts';
import type { Client } from '../../src/domain/client.ts';
import { emptyScan, type MonitorState, type ScanState } from '../../src/monitor/state.ts';
import { initialState } from '../../src/monitor/store.ts';
import { clientOf, figuresOf, ready, readWhole } from '../screens/list-fixtures.ts';
import { type PartValues, readingsOf } from '../support/readings.ts';
import { history } from '../checks/scene.ts';
import { stats } from '../monitor/fake-api.ts';

const scanOf = (rows: readonly Client[], patch: Partial<ScanState<Client>> = {}): ScanState<Client> => ({
  ...emptyScan(),
  rows,
  phase: 'complete',
  coverage: new Map([['a', { ...readWhole(rows.length), isComplete: true, readAtMs: 1 }]]),
  ...patch,
});

const stateOf = (parts: PartValues): MonitorState => ({ ...initialState(2), ...readingsOf(parts) });

const at = (state: MonitorState, steadyMs = 0): StateAt => ({ at: { steadyMs }, state });

const tableOf = (before: PartValues, after: PartValues, id: string): TableDifference | undefined =>
  compareStates(at(stateOf(before)), at(stateOf(after))).tables.find(({ table }) => table.id === id);

/** What a comparison says of a list, by the names of its rows. */
const told = (difference: TableDifference | undefined) =>
  difference && {
    unknownAt: difference.unknownAt,
    came: difference.came?.map(difference.table.nameOf),
    gone: difference.gone?.map(difference.table.nameOf),
    changed: difference.changed.map(({ after, fields }) => [
      difference.table.nameOf(after),
      ...fields.map(({ field, before: was, after: is }) => `${field}: ${was} → ${is}`),
    ]),
  };

const ban = (value: string, reason: string): Ban => ({
  kind: 'username',
  value,
  reason,
  by: 'admin',
  since: 1_000,
  until: undefined,
});

describe('two moments', () => {
  test('tell which clients came, went, moved and reconnected', () => {
    const stays = clientOf('stays', { connectedAt: 100, node: 'a' });
    const before = scanOf([
      stays,
      clientOf('goes'),
      clientOf('moves', { connectedAt: 100, node: 'a' }),
      clientOf('returns', { connectedAt: 100, node: 'a' }),
    ]);
    const after = scanOf([
      // Figures are no change, neither is what one of the moments does not know.
      { ...stays, username: undefined },
      clientOf('moves', { connectedAt: 170, node: 'b' }),
      clientOf('returns', { connectedAt: 160, node: 'a' }),
      clientOf('comes'),
    ]);
    expect(told(tableOf({ clientScan: before }, { clientScan: after }, 'clients'))).toEqual({
      unknownAt: undefined,
      came: ['comes'],
      gone: ['goes'],
      changed: [
        ['moves', 'node: a → b', 'since: 100 → 170'],
        ['returns', 'since: 100 → 160'],
      ],
    });
  });

  test('claim nothing about what was not read', () => {
    const whole = scanOf([clientOf('x')]);
    const partial = scanOf([clientOf('y')], { phase: 'partial' });
    expect(told(tableOf({ clientScan: whole }, { clientScan: partial }, 'clients'))).toMatchObject({
      came: ['y'],
      gone: undefined,
    });
    expect(told(tableOf({ clientScan: partial }, { clientScan: whole }, 'clients'))).toMatchObject({
      came: undefined,
      gone: ['y'],
    });
    expect(tableOf({}, { clientScan: whole }, 'clients')).toMatchObject({ unknownAt: 'before', changed: [] });
    expect(tableOf({ clientScan: whole }, {}, 'clients')).toMatchObject({ unknownAt: 'after' });
    expect(tableOf({}, {}, 'bans')).toMatchObject({ unknownAt: 'both', came: undefined, gone: undefined });
  });

  test('tell what was configured in between', () => {
    const plugin = (active: boolean): Plugin => ({ name: 'hook', version: '2', description: undefined, active });
    const nodeStats = ready([figuresOf('a')]);
    const before: PartValues = {
      nodeStats,
      bans: ready([ban('eve', 'noisy'), ban('bob', 'old')]),
      plugins: new Map([['a', ready([plugin(true)])]]),
      users: ready([{ username: 'ann', tags: 'viewer' }]),
    };
    const after: PartValues = {
      nodeStats,
      bans: ready([ban('eve', 'loud'), ban('new', '')]),
      plugins: new Map([['a', ready([plugin(false)])]]),
      users: ready([{ username: 'ann', tags: 'administrator' }]),
    };
    expect(told(tableOf(before, after, 'bans'))).toMatchObject({
      came: ['username new'],
      gone: ['username bob'],
      changed: [['username eve', 'reason: noisy → loud']],
    });
    expect(told(tableOf(before, after, 'plugins'))).toMatchObject({
      changed: [['hook on a', 'active: true → false']],
    });
    expect(told(tableOf(before, after, 'users'))).toMatchObject({ changed: [['ann', 'tags: viewer → administrator']] });
  });

  test('have totals, which are unknown while a node is missing', () => {
    const [before, after] = [
      stateOf({
        nodeStats: ready([figuresOf('a')]),
        stats: ready(new Map([['a', stats({ sessions: 120 })]])),
      }),
      stateOf({
        nodeStats: ready([figuresOf('a'), figuresOf('b')]),
        stats: ready(new Map([['a', stats({ sessions: 90 })]])),
      }),
    ];
    const figure = (first: MonitorState, second: MonitorState) =>
      compareStates(at(first), at(second)).figures.find(({ id }) => id === 'sessions');
    expect(figure(before, before)).toMatchObject({ before: 120, after: 120 });
    expect(figure(before, after)).toMatchObject({ before: 120, after: undefined });
  });
});

test('a list that was read before its moment says how long', () => {
  const minute = 60_000;
  const scan = (id: string, finishedAtMs: number) => stateOf({ clientScan: scanOf([clientOf(id)], { finishedAtMs }) });
  const comparison = compareStates(
    at(scan('x', minute), 60 * minute),
    at(scan('y', 60 * minute), 60 * minute + 42_000),
  );
  const texts = changeRows(comparison).flatMap(({ list, kind, name }) =>
    list === 'clients' ? [`${kind} ${name}`] : [],
  );
  expect(texts).toEqual([
    'unknown read 59 min before the first moment',
    'unknown read 40 s before the second moment',
    'came y',
    'gone x',
  ]);
  expect(summaryLines(comparison)).toEqual(
    expect.arrayContaining(['Clients: 1 came, 1 went', 'Read 59 min before the first moment: clients']),
  );
  const now = compareStates(at(scan('x', 0)), at(scan('x', 0), 5 * minute));
  expect(summaryLines(now, 'now')).toContain('Read 5 min ago: clients');
});

test('figures that were read before their moment say so', () => {
  const minute = 60_000;
  const figures = (updatedAtMs: number, sessions: number) =>
    stateOf({
      nodeStats: { ...ready([figuresOf('a')]), updatedAtMs },
      stats: { ...ready(new Map([['a', stats({ sessions })]])), updatedAtMs },
      metrics: { ...ready({ kind: 'by-node', nodes: new Map() }), updatedAtMs },
    });
  const comparison = compareStates(
    at(figures(10 * minute, 120), 10 * minute + 20_000),
    at(figures(10 * minute, 90), 15 * minute),
  );
  const rows = changeRows(comparison).flatMap(({ list, kind, name }) =>
    ['totals', 'rates'].includes(list) ? [`${list} ${kind} ${name}`] : [],
  );
  expect(rows).toEqual([
    'totals unknown read 5 min before the second moment',
    'rates unknown read 5 min before the second moment',
    'totals figure sessions',
  ]);
  expect(summaryLines(comparison)).toContain('Read 5 min before the second moment: nodes, totals, rates');
  expect(summaryLines(comparison, 'now')).toContain('Read 5 min ago: nodes, totals, rates');
});

describe('a moment and now', () => {
  test('a list that is being read again counts as it last was', () => {
    const compare = createComparer(at(stateOf({ clientScan: scanOf([clientOf('x'), clientOf('y')]) })));
    const clientsOf = (clientScan: ScanState<Client>) => {
      const { tables } = compare(at(stateOf({ clientScan })));
      return tables.find(({ table }) => table.id === 'clients');
    };
    const read = clientsOf(scanOf([clientOf('y')]));
    expect(told(read)).toMatchObject({ gone: ['x'] });
    const again = scanOf([clientOf('y'), clientOf('z')], { phase: 'running' });
    expect(clientsOf(again)).toBe(read);
    expect(told(clientsOf(scanOf([clientOf('y'), clientOf('z')])))).toMatchObject({ came: ['z'], gone: ['x'] });
    // Cut short, it is not whole, and does not count as it was.
    expect(told(clientsOf(scanOf([clientOf('y')], { phase: 'aborted' })))).toMatchObject({ gone: undefined });
  });

  test('lists that the API does not have are left out', () => {
    const capabilities = { ...initialState(2).capabilities, bans: true } as MonitorState['capabilities'];
    const names = (state: MonitorState) => compareStates(at(state), at(state)).tables.map(({ table }) => table.id);
    expect(names(stateOf({}))).toContain('settings');
    expect(names({ ...stateOf({}), capabilities })).toEqual([
      'nodes',
      'listeners',
      'clients',
      'subscriptions',
      'plugins',
      'bans',
      'users',
      'alarms',
    ]);
  });

  test('what is not read yet is not what was not recorded', () => {
    const first = stateOf({ clientScan: scanOf([clientOf('x')]), users: ready([{ username: 'ann', tags: '' }]) });
    const second = stateOf({ clientScan: scanOf([], { phase: 'running', coverage: new Map() }) });
    const texts = (when: 'now' | 'recorded') =>
      changeRows(compareStates(at(first), at(second)), when).flatMap(({ list, kind, name }) =>
        kind === 'unknown' && ['clients', 'users', 'bans'].includes(list) ? [`${list}: ${name}`] : [],
      );
    expect(texts('now')).toEqual([
      'clients: not read yet',
      'bans: not recorded at the first moment, not read yet',
      'users: not read yet',
    ]);
    expect(texts('recorded')).toEqual([
      'clients: not recorded at the second moment',
      'bans: not recorded',
      'users: not recorded at the second moment',
    ]);
  });

  test('rates are averages, not the last step', () => {
    /** Nothing is received in the last of ten steps. */
    const counted = (perSecond: number): PartValues['metricHistory'] =>
      new Map(
        [...history({ 'messages.received': perSecond })].map(([source, samples]) => [
          source,
          samples.map((sample, index) => ({ ...sample, metrics: samples[Math.min(index, 9)]?.metrics ?? {} })),
        ]),
      );
    const rateOf = (before: PartValues, after: PartValues) =>
      compareStates(at(stateOf(before)), at(stateOf(after))).figures.find(({ id }) => id === 'messages.received');
    const found = rateOf({ metricHistory: counted(30) }, { metricHistory: counted(60) });
    expect(found?.before).toBeCloseTo((30 * 8) / 9);
    expect(found?.after).toBeCloseTo((60 * 8) / 9);
    expect(rateOf({}, { metricHistory: counted(60) })?.before).toBeUndefined();
  });
});
