import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isObject } from '../../src/api/json.ts';
import { NotAvailableError } from '../../src/api/errors.ts';
import { watchKey } from '../../src/monitor/query/part.ts';
import type { MonitorState } from '../../src/monitor/state.ts';
import { initialState } from '../../src/monitor/store.ts';
import { listNames } from '../../src/resources/lists.ts';
import { allNouns } from '../../src/resources/nouns.ts';
import { recordedReads } from '../../src/resources/recorded-reads.ts';
import { loaded } from '../checks/scene.ts';
import { nodeStats } from '../monitor/fake-api.ts';
import { type PartValues, readingsOf } from '../support/readings.ts';

const folder = join(import.meta.dirname, '../../src/resources');
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });

const exportedBy = async (file: string): Promise<readonly unknown[]> =>
  Object.values((await import(join(folder, file))) as object);

const twoNodes = loaded([nodeStats('a'), nodeStats('b')]);

const stateOf = (values: PartValues): MonitorState => ({
  ...initialState(2),
  ...readingsOf({ nodeStats: twoNodes, metrics: loaded({ kind: 'total', total: {} } as const), ...values }),
});

/** An API that lists the settings of all nodes at once, and one that lists them by node. */
const states = [
  stateOf({}),
  stateOf({ settings: { ...loaded(new Map()), data: undefined, error: new NotAvailableError('settings') } }),
];

test('every folder of a resource defines nouns, and every one of them is registered', async () => {
  const registered = new Set<unknown>(allNouns.map(([, noun]) => noun));
  const definitions = files.filter((file) => file.endsWith('/noun.ts'));
  for (const file of files.filter((each) => each.endsWith('/resource.ts')))
    expect(definitions).toContain(file.replace('resource.ts', 'noun.ts'));
  for (const file of definitions)
    expect((await exportedBy(file)).map((noun) => [file, registered.has(noun)])).toEqual(
      (await exportedBy(file)).map(() => [file, true]),
    );
});

test('every query is one that its noun watches, or one on demand: nothing is left out of recordings by oversight', async () => {
  const queries = new Set<string>();
  for (const file of files.filter((each) => each.endsWith('.ts')))
    for (const value of await exportedBy(file))
      if (isObject(value) && (value['kind'] === 'resource' || value['kind'] === 'scan'))
        queries.add(String(value['name']));
  const onDemand = allNouns.flatMap(([, noun]) => noun.onDemand.map(({ name }) => name));
  const recorded = new Set(
    states.flatMap((state) => recordedReads(state)).map(({ watched }) => watchKey(watched).split(' ')[0] ?? ''),
  );
  expect([...recorded, ...onDemand].toSorted()).toEqual([...queries].toSorted());
});

test('a list that the configuration arranges has its name on the screen, too', () => {
  const tables = files
    .filter((file) => file.endsWith('.tsx'))
    .flatMap((file) => readFileSync(join(folder, file), 'utf8').match(/^ +table: .*$/gmu) ?? [])
    .flatMap((line) => [...line.matchAll(/'([^']+)'/gu)].map(([, name]) => name));
  expect(listNames.filter((name) => !tables.includes(name))).toEqual([]);
});

test('what is recorded is read as often as its noun says, where the API has it', () => {
  const reads = (state: MonitorState) =>
    new Map(recordedReads(state).map(({ watched, everySeconds }) => [watchKey(watched), everySeconds]));
  const [atOnce, byNode] = states.map(reads);
  expect(atOnce).toEqual(
    new Map([
      ['nodes', undefined],
      ['nodeStats', undefined],
      ['listeners', undefined],
      ['clientScan', 60],
      ['sessionScan', 60],
      ['subscriptionScan', 60],
      ['routeScan', 60],
      ['plugins a', 60],
      ['plugins b', 60],
      ['settings', 60],
      ['bans', 60],
      ['users', 60],
      ['apiKeys', 60],
      ['alarms', 60],
      ['endedAlarms', 60],
      ['retained', 60],
      ['slowSubscriptions', 60],
      ['integrations', 60],
      ['accessBackends', 60],
      ['traces', 60],
      ['clusterViews', 60],
      ['stats', undefined],
      ['metrics', undefined],
      ['nodeMetrics a', 60],
      ['nodeMetrics b', 60],
    ]),
  );
  expect(byNode?.has('settings')).toBe(false);
  expect(byNode?.get('nodeSettings a')).toBe(60);
});
