import { expect, test } from 'vitest';
import { keepWatched } from '../../src/checks/keep-watched.ts';
import { asWatch } from '../../src/monitor/query/part.ts';
import { maxBackgroundRows } from '../../src/triage/needs.ts';
import { capabilitiesB } from '../screens/administration-fixtures.tsx';
import { statsOf } from '../screens/cluster-state.ts';
import { createFakeMonitor, figuresOf, ready } from '../screens/list-fixtures.ts';

const always = ['alarms', 'listeners', 'metrics', 'nodeMetrics', 'nodeStats', 'nodes', 'plugins', 'settings', 'stats'];

test.each([
  [maxBackgroundRows, [...always, 'clientScan', 'sessionScan']],
  [maxBackgroundRows + 1, always],
] as const)(
  'everything that the checks need is read without a screen, except for lists that are too long (%i)',
  (count, kinds) => {
    const monitor = createFakeMonitor({ capabilities: capabilitiesB });
    const end = keepWatched(monitor);
    monitor.setResources({ nodeStats: ready([figuresOf('a')]), stats: ready(new Map([['a', statsOf(count)]])) });
    const read = new Set(monitor.watching.map((watched) => asWatch(watched).query.name));
    expect([...read].toSorted()).toEqual(kinds.toSorted());
    end();
    expect(monitor.watching).toEqual([]);
  },
);
