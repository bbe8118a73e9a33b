import { afterEach, describe, expect, test, vi } from 'vitest';
import { createStore } from 'zustand/vanilla';
import type { ActingState } from '../../../src/actions/state.ts';
import { TimeoutError, UnauthorizedError } from '../../../src/api/errors.ts';
import { literal, untrusted } from '../../../src/domain/text.ts';
import { selectRateSeries } from '../../../src/monitor/select/rates.ts';
import type { Watched } from '../../../src/monitor/state.ts';
import { safe } from '../../../src/terminal/safe-text.ts';
import type { Theme } from '../../../src/terminal/theme.ts';
import type { Finding } from '../../../src/triage/check.ts';
import { createTriage } from '../../../src/triage/triage.ts';
import type { Place } from '../../../src/ui/navigation.ts';
import { graphHeights, rateTitle } from '../../../src/ui/screens/metrics/rate-rows.ts';
import { layOutOverview, overviewLines, OverviewScreen } from '../../../src/ui/screens/overview/overview.tsx';
import { asciiTheme, colorTheme, createRig, endRigs, plainTheme } from '../support/rig.tsx';
import { byNodeState, emptyState, failing, healthyState, listener, names, nodeInfo, nodeStats, nowMs, statsOf, stoppedState, stoppedStats } from './cluster-state.ts';
import { plainFrame, sizes } from './frames.ts';
import { createFakeMonitor } from './list-fixtures.ts';

afterEach(endRigs);

/** What Triage says of a state that it saw twelve seconds ago as well. */
const reportOf = (state: ActingState) => {
  const triage = createTriage();
  triage.update(state, nowMs - 12_000);
  return triage.update(state, nowMs);
};

const frame = (state: ActingState, width = 80, height = 18, theme: Theme = plainTheme): readonly string[] =>
  plainFrame(overviewLines(theme, width, height, state, nowMs, reportOf(state)), width, height);

const hostile = '\u001B]0;owned\u0007\u001B[2J\u202Eevil@host';
const hostileState = (): ActingState => healthyState({
  nodes: [nodeInfo(hostile)], nodeStats: [nodeStats(hostile, { status: 'other', statusText: '\u001B[31mBad\u009B2J', memoryUsedBytes: 126_000_000 })],
  listeners: new Map([[hostile, [listener({ protocol: '\u001B[?25l', listen: '\u0007', currentClients: 102_400 })]]]),
  stats: new Map([[hostile, statsOf(1)]]),
});

const failedState = (): ActingState => {
  const state = healthyState();
  const old = { ...state.resources.nodeStats, updatedAtMs: nowMs - 65_000 };
  return { ...state, resources: { ...state.resources, nodeStats: failing(new TimeoutError(5_000), old), metrics: failing(new TimeoutError(5_000)) } };
};

const unknownState = (): ActingState => healthyState({
  nodes: [nodeInfo(names[0], { uptimeSeconds: undefined })],
  nodeStats: [nodeStats(names[0], { memoryTotalBytes: undefined, processesUsed: undefined, maxFileDescriptors: undefined, load1: undefined, clients: undefined })],
  stats: new Map(), listeners: new Map([[names[0], [listener({ maxClients: undefined, currentClients: undefined })]]]),
});

const states: readonly (readonly [string, () => ActingState])[] = [
  ['nothing yet', emptyState], ['healthy', healthyState], ['by node', byNodeState], ['a node stopped', stoppedState],
  ['failing', failedState], ['unknown figures', unknownState], ['hostile names', hostileState],
];

describe('Overview', () => {
  describe.each(sizes)('at %i×%i', (width, height) => {
    test.each(states)('fills its place exactly: %s', (_, state) => {
      for (const theme of [plainTheme, colorTheme, asciiTheme]) expect(frame(state(), width, height, theme)).toHaveLength(height);
    });

    test('moves no line when figures change', () => {
      const places = (state: ActingState): readonly number[] => {
        const lines = frame(state, width, height);
        return ['NODE', 'messages in'].map((word) => lines.findIndex((line) => line.includes(word)));
      };
      expect(places(stoppedState())).toEqual(places(healthyState()));
      expect(places(failedState())).toEqual(places(healthyState()));
      expect(places(emptyState())).toEqual(places(healthyState()));
    });
  });

  test('says what was checked when nothing is wrong, and only then', () => {
    const calm = frame(healthyState());
    expect(calm[1]).toMatch(/^ \? not judged: sessions, alarms, plugins, settings not read: T/);
    expect(calm.join('\n')).toMatch(/^ ● \d+ of 14 checks fine: readings, nodes/m);
    expect(frame(emptyState())[1]).toMatch(/^ \? not judged: sessions, alarms, plugins, settings not read: T; /);
    expect(frame(emptyState(), 200, 54).join('\n')).toContain('node list not read yet');
    const lines = frame(unknownState(), 200, 54).join('\n');
    expect(lines).toContain('memory of broker1@127.0.0.1 not known; processes of broker1@127.0.0.1 not known');
    expect(lines).not.toContain('nothing wrong');
  });

  test('puts the problem first, in words, with how long it has been so', () => {
    const lines = frame(stoppedState());
    expect(lines[0]).toMatch(/What is wrong .* 1 error/);
    expect(lines[1]).toMatch(/^ ! Node broker3@127\.0\.0\.1 is stopped\. +for 2m 05s $/);
    expect(lines.find((line) => line.includes('○'))).toMatch(/broker3.* stopped for 2m 05s, no figures/);
  });

  test('counts what a line stands for, also in what has no room', () => {
    const report = reportOf(healthyState());
    const found = Array.from({ length: 9 }, (_, at): Finding => ({
      check: 'slow', key: `slow ${at}`, severity: at === 8 ? 'warning' : 'error', count: at === 8 ? 30 : undefined, sinceMs: undefined, jump: { screen: 'sessions' }, parts: [literal(`Slow ${at}.`)],
    }));
    const lines = plainFrame(overviewLines(plainTheme, 80, 18, healthyState(), nowMs, { ...report, findings: found }, 'slow 0'), 80, 18);
    expect(lines[0]).toContain('8 errors, 30 warnings');
    const listed = lines.filter((line) => /Slow \d\./u.test(line)).length;
    expect(lines.join('\n')).toContain(`+${8 - listed + 30} more`);
  });

  test('counts no further than to the last reading that showed it', () => {
    const state = stoppedState();
    const frozen = { ...state, isFrozen: true, resources: { ...state.resources, nodeStats: { ...state.resources.nodeStats, updatedAtMs: nowMs - 60_000 } } };
    const lines = frame(frozen);
    expect(lines[1]).toMatch(/^ ! Node broker3@127\.0\.0\.1 is stopped\. +for 1m 05s, seen 1m 00s ago $/);
    expect(lines.find((line) => line.includes('○'))).toMatch(/broker3.* stopped for 1m 05s, seen 1m 00s ago, no figures/);
  });

  test('keeps what Triage found with its age, wraps it where there is room, and never calls that fine', () => {
    const report = reportOf(healthyState());
    const lost = {
      check: 'slow', key: 'slow x', severity: 'error', sinceMs: undefined, foundMs: nowMs - 400_000, seenMs: nowMs - 180_000, jump: { screen: 'sessions', clientId: 'x' },
      parts: [literal('Slow consumer '), untrusted('x'), literal(': 1,000 waiting of 1,000, loses 68/s, inflight stuck at 32/32.')],
    } as const satisfies Finding;
    const lines = plainFrame(overviewLines(plainTheme, 80, 18, healthyState(), nowMs, { ...report, findings: [lost] }, 'slow x'), 80, 18);
    expect(lines[1]).toMatch(/^▸! Slow consumer x: 1,000 waiting of 1,000, +for >=3m 40s, seen 3m 00s ago $/);
    expect(lines[2]).toMatch(/^ {3}loses 68\/s/);
    expect(lines.join('\n')).not.toContain('nothing wrong');
  });

  test('says the point of what it has no room for, at any width', () => {
    const report = reportOf(healthyState());
    const lost = (id: string): Finding => ({
      check: 'slow', key: `slow ${id}`, severity: 'error', sinceMs: undefined, foundMs: nowMs - 400_000, seenMs: nowMs - 32_000, jump: { screen: 'sessions', clientId: id },
      parts: [literal('Slow consumer '), untrusted(id), literal(': loses 74/s, 1,000 waiting of 1,000, inflight stuck at 32/32.')],
      brief: [untrusted(id), literal(' loses 74/s, queue full, inflight stuck')],
    });
    const findings = Array.from({ length: 9 }, (_, index) => lost(`worker-00000${index}`));
    const lines = plainFrame(overviewLines(plainTheme, 80, 18, healthyState(), nowMs, { ...report, findings }), 80, 18);
    expect(lines[1]).toMatch(/^ ! worker-000000 loses 74\/s, queue full, inflight stuck +seen 32 s ago $/);
    expect(plainFrame(overviewLines(plainTheme, 60, 9, healthyState(), nowMs, { ...report, findings }), 60, 9).join('\n')).toContain('! worker-000000 loses 74/s, queue full');
    expect(plainFrame(overviewLines(plainTheme, 200, 18, healthyState(), nowMs, { ...report, findings }), 200, 18).join('\n')).toContain('Slow consumer worker-000000: loses 74/s, 1,000 waiting');
  });

  test('goes to the rows behind the finding that is chosen', async () => {
    const monitor = createFakeMonitor(stoppedState());
    const places: Place[] = [];
    const rig = createRig(<OverviewScreen monitor={monitor} width={80} height={18} go={(place) => { places.push(place); }} notify={() => {}} />, { columns: 80, rows: 18 });
    await rig.until((text) => text.includes('▸! Node broker3'));
    rig.type('\r');
    await expect.poll(() => places).toEqual([{ screen: 'node', node: names[2] }]);
  });

  test('gives a least duration where nobody knows since when', () => {
    const state = healthyState({ nodeStats: names.map((name) => nodeStats(name, { memoryUsedBytes: 125_900_000 })) });
    expect(frame(state)[1]).toMatch(/^ ! Node broker1@127\.0\.0\.1 uses 99 % of its memory\. +for >=12 s $/);
  });

  test('shows no more problems than fit and counts the rest', () => {
    const many = Array.from({ length: 9 }, (_, index) => stoppedStats(`node${index}@h`));
    const lines = frame(healthyState({ nodes: [], nodeStats: many, listeners: new Map(), stats: new Map() }));
    expect(lines[0]).toContain('9 errors');
    expect(lines[2]).toMatch(/^ {3}\+8 more/);
    expect(lines.join('\n')).toMatch(/\+3 more nodes, the worst are shown/);
  });

  test('shows the worst nodes first when not all fit, and by name when they do', () => {
    const nodes = Array.from({ length: 8 }, (_, index) => nodeStats(`node${index}@h`, index === 6 ? { memoryUsedBytes: 120_000_000 } : {}));
    const state = healthyState({ nodes: [], nodeStats: [...nodes, stoppedStats('node9@h')] });
    const shown = (lines: readonly string[]): readonly (string | undefined)[] => lines.flatMap((line) => /^ [●○] (node\d)/.exec(line)?.[1] ?? []);
    expect(shown(frame(state)).slice(0, 2)).toEqual(['node9', 'node6']);
    expect(shown(frame(state, 200, 54))).toEqual([...nodes.map(({ name }) => name.slice(0, 5)), 'node9']);
  });

  test('tells loading, unknown, failed and zero apart', () => {
    const loading = frame(emptyState()).join('\n');
    expect(loading).toMatch(/now +··· +···/);
    expect(loading).toContain('reading node statistics');
    expect(loading).not.toMatch(/ 0(?:\/s| )/);
    const failed = frame(failedState()).join('\n');
    expect(failed).toMatch(/^ ! Node statistics, metrics: .* for 1m 05s $/m);
    expect(frame(healthyState({ stats: new Map() })).join('\n')).toMatch(/now .*–/);
    expect(frame(healthyState({ stats: new Map(names.map((name) => [name, statsOf(0)])) })).join('\n')).toMatch(/now +0 +0/);
  });

  test('gives descriptors as a lower bound', () => {
    expect(frame(healthyState(), 120, 34).join('\n')).toMatch(/FDS [^]*>=39 %/);
  });

  test('marks what rises and what is lost by a sign', () => {
    const losing = healthyState({ nodeStats: names.map((name) => nodeStats(name, { load1: 4, load5: 1 })) }, (_step, name) => (name === 'messages.dropped' ? 6 : 10));
    const lines = frame(losing).join('\n');
    expect(lines).toContain('↑4.00');
    expect(lines).toMatch(/^!no subscr\. +3\/s/m);
    expect(frame(healthyState()).join('\n')).not.toMatch(/!no subscr|↑/);
  });

  test('counts a lower bound when a node is missing', () => {
    const state = healthyState({ stats: new Map([[names[0], statsOf(10)]]), nodeStats: names.map((name) => nodeStats(name, { clients: undefined })) });
    expect(frame(state).join('\n')).toMatch(/now +>=10/);
  });

  test('dims what is old', () => {
    const line = overviewLines(colorTheme, 80, 18, failedState(), nowMs, reportOf(failedState())).find((candidate) => candidate.includes('broker1@'));
    expect(line).toContain('\u001B[2m');
    expect(line).not.toContain('\u001B[32m');
  });

  test('says how old the rates are and shows the silence as a gap', () => {
    const state = healthyState();
    const stale = { ...state, resources: { ...state.resources, metrics: failing(new TimeoutError(5_000), { ...state.resources.metrics, updatedAtMs: nowMs - 40_000 }) } };
    const lines = frame(stale, 120, 34).join('\n');
    expect(lines).toMatch(/Rates of the cluster .* 40 s old: now/);
    expect(lines).toMatch(/packets in .*[▁-█]·{15,25} /);
  });

  test('says that access is refused', () => {
    const state = emptyState();
    const refused: ActingState = { ...state, isUnauthorized: true, resources: { ...state.resources, nodeStats: failing(new UnauthorizedError()) } };
    expect(frame(refused)[1]).toMatch(/^ ! The broker rejected the user name or password/);
  });

  test('uses the room of a large terminal', () => {
    const lines = frame(healthyState(), 200, 54).join('\n');
    expect(lines).toContain('QoS 2 lost');
    expect(lines).toContain('── Listeners');
    expect(lines).toContain('mqtt:ws');
    expect(lines).toMatch(/clients +1,206 +\(max <=1,506\)/);
  });

  test('draws higher graphs where there is more room than rates need, with nothing where no sample is', () => {
    const lines = frame(healthyState(), 120, 30);
    const at = lines.findIndex((line) => line.includes('messages in'));
    expect(lines[at + 1]).toMatch(/^ {23}/);
    expect(lines[at + 1]).toContain('█');
    expect(lines[at + 3]).toMatch(/^ messages out/);
    expect(graphHeights(9, 14)).toEqual([3, 3, 2, 1, 1, 1, 1, 1, 1]);
    expect(graphHeights(9, 17)).toEqual([4, 4, 1, 2, 2, 1, 1, 1, 1]);
    expect(graphHeights(9, 9)).toEqual(Array.from({ length: 9 }, () => 1));
    expect(graphHeights(16, 39)).toEqual([4, 4, 4, 4, 4, 4, 4, ...Array.from({ length: 9 }, () => 1)]);
    expect(rateTitle(120, false, safe`Rates`, { series: (name) => selectRateSeries(healthyState(), name), intervalSeconds: 2, silentSeconds: 0, isLoading: false }).map(({ text }) => text).join('')).toMatch(/last 2m 54s, peak|last \d.* of 2m 54s, peak/);
  });

  test('shows six nodes on the smallest usual terminal', () => {
    expect(layOutOverview(80, 18, 6)).toMatchObject({ nodes: 6, problems: 3 });
    expect(layOutOverview(80, 18, 3)).toMatchObject({ nodes: 3, gap: 1 });
  });

  test('leaves every part something at any size', () => {
    for (let height = 9; height <= 60; height += 1) {
      for (const nodes of [0, 1, 3, 5, 40]) {
        const layout = layOutOverview(80, height, nodes);
        expect(Math.min(layout.problems, layout.nodes, layout.totals, layout.rates)).toBeGreaterThan(0);
        expect((layout.hasTitles ? 1 : 0) + layout.problems + 1 + layout.nodes + layout.gap + layout.totals + layout.rates).toBe(height);
      }
    }
  });

  test('watches what it shows and lets go of it', async () => {
    const watched: Watched[] = [];
    const release = vi.fn<() => void>();
    const monitor = {
      store: createStore<ActingState>(() => healthyState()), watch: (what: Watched) => { watched.push(what); return release; },
      refresh: () => {}, abortScan: () => false, setFrozen: () => {}, setIntervalSeconds: () => {}, stop: () => {},
    };
    const rig = createRig(<OverviewScreen monitor={monitor} width={80} height={18} go={() => {}} notify={() => {}} />, { columns: 80, rows: 18 });
    await rig.until((text) => text.includes('broker3'));
    expect(watched.map((what) => what.kind === 'resource' && what.name).toSorted()).toEqual(['listeners', 'metrics', 'nodeStats', 'nodes', 'stats']);
    rig.unmount();
    expect(release).toHaveBeenCalledTimes(5);
  });
});
