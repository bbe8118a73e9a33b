import { afterEach, describe, expect, test } from 'vitest';
import { shownMoment, shownWallMs } from '../../src/monitor/shown-time.ts';
import { createReplayMonitor } from '../../src/replay/replay-monitor.ts';
import { disconnectClient } from '../../src/resources/clients/actions.ts';
import { clientScan } from '../../src/resources/clients/resource.ts';
import { bans } from '../../src/resources/bans/resource.ts';
import { createTriagedMonitor } from '../../src/timeline/triaged-monitor.ts';
import { client, createFakeApi, nodeStats } from '../monitor/fake-api.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { momentAt, sourceOf } from './sources.ts';

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

const second = 1_000;
const samples = [10, 12, 14, 700, 702].map((at) => [at * second, { intervalSeconds: at }] as const);

/** Replays a recording, with a live monitor of one node that counts requests if `isLive`. */
function setUp(isLive: boolean, events: Parameters<typeof sourceOf>[1] = []) {
  const clock = createFakeClock();
  const asked: string[] = [];
  const ask = <T>(name: string, value: T): Promise<T> => {
    asked.push(name);
    return Promise.resolve(value);
  };
  const clients = [client('c1', 'a', 1)];
  const live = createTriagedMonitor({
    api: createFakeApi({
      listNodeStats: () => ask('nodes', [nodeStats('a')]),
      listClients: (_, page) => ask('clients', { ...page, items: clients, totalItems: 1, totalPages: 1 }),
      listBans: (page) => ask('bans', { ...page, items: [], totalItems: 0, totalPages: 1 }),
      getClient: () => ask('client', clients),
      disconnectClient: () => ask('disconnect', undefined),
    }),
    clock,
    intervalSeconds: 1,
    random: () => 0,
  });
  const monitor = createReplayMonitor(sourceOf(samples, events), isLive ? live : undefined, clock);
  ends.push(() => {
    monitor.stop();
    live.stop();
  });
  return { monitor, live, clock, asked, travel: monitor.travel, shown: () => monitor.store.getState().intervalSeconds };
}

describe('moves through a recording', () => {
  test('by samples, up to the first and the last', async () => {
    const { monitor, travel, shown } = setUp(false);
    expect(await travel.open()).toBe('moved');
    expect(shown()).toBe(702);
    expect(monitor.store.getState().past).toMatchObject({
      at: momentAt(702_000),
      range: { fromMs: 10_000, toMs: 702_000 },
      program: '0.1.0',
      hasNow: false,
    });
    expect(await travel.step(1)).toBe('last');
    expect(await travel.step(-1)).toBe('moved');
    expect(await travel.step(-1)).toBe('moved');
    expect(shown()).toBe(14);
    await travel.goTo(0);
    expect(await travel.step(-1)).toBe('first');
    expect(shown()).toBe(10);
  });

  test('and what is done then sees what they led to, not what came later', async () => {
    const { travel, shown } = setUp(true);
    const seen: number[] = [];
    const see = (): void => {
      seen.push(shown());
    };
    travel.whenMoved(see);
    expect(seen).toEqual([1]);
    const opened = travel.open();
    travel.whenMoved(see);
    const stepped = travel.step(-1);
    travel.whenMoved(see);
    await Promise.all([opened, stepped]);
    travel.whenMoved(see);
    expect(seen).toEqual([1, 702, 700, 700]);
  });

  test('and nothing is done where they led nowhere, or were given up', async () => {
    const { travel, shown } = setUp(true);
    const seen: number[] = [];
    const opened = travel.open();
    travel.whenMoved(() => seen.push(shown()));
    travel.leave();
    expect(await opened).toBe('not-moved');
    await travel.open();
    expect(seen).toEqual([]);
    const empty = createReplayMonitor({ ...sourceOf([]), range: () => undefined });
    const nowhere = empty.travel.open();
    empty.travel.whenMoved(() => seen.push(0));
    expect(await nowhere).toBe('nothing-recorded');
    expect(await empty.travel.open()).toBe('nothing-recorded');
    expect(seen).toEqual([]);
  });

  test('by time: over a gap in the recording to its other side', async () => {
    const { travel, shown } = setUp(false);
    await travel.goTo(14_000);
    await travel.skip(600 * second);
    expect(shown()).toBe(700);
    await travel.skip(600 * second);
    expect(shown()).toBe(702);
    await travel.skip(-600 * second);
    expect(shown()).toBe(14);
    await travel.skip(-600 * second);
    expect(shown()).toBe(10);
    expect(await travel.skip(-600 * second)).toBe('first');
  });

  test.each([
    [11_200, 12],
    [10_900, 10],
    [356_999, 14],
    [357_001, 700],
    [0, 10],
    [9_999_999, 702],
  ])('to the sample nearest to %d ms', async (wallMs, sample) => {
    const { travel, shown } = setUp(false);
    await travel.goTo(wallMs);
    expect(shown()).toBe(sample);
  });

  test('to the sample of a second that is typed as the header shows it', async () => {
    const monitor = createReplayMonitor(sourceOf([10_800, 11_700, 12_600].map((atMs) => [atMs, {}] as const)));
    ends.push(monitor.stop);
    await monitor.travel.goTo(11_000);
    expect(monitor.store.getState().past?.at.wallMs).toBe(11_700);
    await monitor.travel.goTo(12_600);
    expect(monitor.store.getState().past?.at.wallMs).toBe(12_600);
  });

  test('to the first sample that has the next event', async () => {
    const { travel, shown } = setUp(false, [
      { atMs: 650_000, severity: 'warning' },
      { atMs: 12_000, severity: 'critical' },
      { atMs: 11_000, severity: 'info' },
    ]);
    await travel.goTo(0);
    await travel.nextEvent();
    expect(shown()).toBe(12);
    await travel.nextEvent();
    expect(shown()).toBe(700);
    expect(await travel.nextEvent()).toBe('no-event');
    expect(shown()).toBe(700);
  });

  test('one after the other, but only a few: a held key stops when it is released', async () => {
    const { travel, shown } = setUp(false);
    await travel.open();
    await Promise.all([travel.step(-1), travel.step(-1), travel.step(-1)]);
    expect(shown()).toBe(12);
    const moves = await Promise.all(Array.from({ length: 20 }, () => travel.step(1)));
    expect(moves.filter((moved) => moved === 'not-moved')).toHaveLength(12);
  });

  test('are nothing where nothing is recorded', async () => {
    const monitor = createReplayMonitor(sourceOf([]));
    expect(await monitor.travel.open()).toBe('nothing-recorded');
    expect(await monitor.travel.step(-1)).toBe('nothing-recorded');
    expect(await monitor.travel.goTo(5)).toBe('nothing-recorded');
    expect(monitor.store.getState().past).toBeUndefined();
  });
});

describe('the past', () => {
  test('is shown by the clocks of the process that recorded it, and now by our own', async () => {
    const { travel } = setUp(true);
    await travel.goTo(12_000);
    expect(shownMoment()).toEqual(momentAt(12_000));
    expect(shownWallMs(momentAt(12_000).steadyMs - 500)).toBe(11_500);
    travel.leave();
    expect(shownMoment()).toBeUndefined();
  });

  test('stays while the cluster goes on, and reads nothing for its screens until now is shown again', async () => {
    const { monitor, live, clock, asked, travel, shown } = setUp(true);
    const end = monitor.watch(clientScan);
    live.watch(bans);
    await clock.advance(1_500);
    expect(asked).toContain('clients');
    const seen: (number | undefined)[] = [];
    monitor.store.subscribe((state) => seen.push(state.past?.at.wallMs));
    await travel.goTo(12_000);
    const [before, changes] = [asked.filter((name) => name === 'clients').length, seen.length];
    monitor.watch(clientScan);
    end();
    await clock.advance(20_000);
    expect(asked.filter((name) => name === 'clients')).toHaveLength(before);
    expect(asked.filter((name) => name === 'bans').length).toBeGreaterThan(1);
    expect(seen).toHaveLength(changes);
    expect(shown()).toBe(12);
    monitor.refresh();
    monitor.setFrozen(true);
    monitor.setIntervalSeconds(5);
    expect(live.store.getState()).toMatchObject({ isFrozen: false, intervalSeconds: 1 });
    travel.leave();
    expect(monitor.store.getState()).toBe(live.store.getState());
    await clock.advance(1_500);
    expect(asked.filter((name) => name === 'clients').length).toBeGreaterThan(before);
  });

  test.each([[true], [false]])('sends no request and no action, with a live monitor: %s', async (isLive) => {
    const { monitor, asked, travel } = setUp(isLive);
    await travel.goTo(12_000);
    const before = asked.length;
    const action = disconnectClient.create({ kind: 'client', client: client('c1', 'a', 1) });
    expect(await monitor.runAction(action)).toMatchObject({
      outcome: 'not-done',
      wasSent: false,
      why: expect.stringMatching(/^This is the past, .*: nothing can be changed there\.$/u),
    });
    expect(monitor.startBulk([action], { title: 'all' })).toBeUndefined();
    await expect(monitor.request((api) => api.getClient('c1', {}))).rejects.toThrow('This was not recorded.');
    expect(monitor.store.getState().isReadOnly).toBe(true);
    expect(asked).toHaveLength(before);
  });

  test('is left at once, also by moves that were not done yet', async () => {
    const { monitor, travel } = setUp(true);
    await travel.open();
    const moves = [travel.step(-1), travel.step(-1)];
    travel.leave();
    expect(await Promise.all(moves)).toEqual(['not-moved', 'not-moved']);
    expect(monitor.store.getState().past).toBeUndefined();
    expect(shownMoment()).toBeUndefined();
  });
});

describe('time passes', () => {
  test('as it did, over a gap at once, until the end', async () => {
    const { monitor, clock, travel, shown } = setUp(false);
    await travel.goTo(10_000);
    const visit = monitor.store.getState().past?.visit;
    let end: string | undefined;
    void travel.play(1).then((found) => {
      end = found;
    });
    expect(monitor.store.getState().past?.speed).toBe(1);
    await clock.advance(1_750);
    expect(shown()).toBe(10);
    await clock.advance(500);
    expect(shown()).toBe(12);
    expect(monitor.store.getState().past?.speed).toBe(1);
    await clock.advance(1_750);
    expect(shown()).toBe(14);
    // Nothing was recorded for eleven minutes.
    await clock.advance(250);
    expect(shown()).toBe(700);
    await clock.advance(1_500);
    expect(shown()).toBe(700);
    expect(end).toBeUndefined();
    await clock.advance(1_000);
    expect(shown()).toBe(702);
    await clock.advance(250);
    expect(end).toBe('last');
    expect(monitor.store.getState().past).toMatchObject({ speed: undefined, visit });
  });

  test('faster, and stands still after stop and after any move', async () => {
    const { monitor, clock, travel, shown } = setUp(false);
    await travel.goTo(10_000);
    const played = travel.play(10);
    await clock.advance(250);
    expect(shown()).toBe(12);
    travel.stop();
    expect(await played).toBe('not-moved');
    await clock.advance(5_000);
    expect(shown()).toBe(12);
    void travel.play(60);
    await clock.advance(250);
    expect(shown()).toBe(14);
    await travel.step(-1);
    expect(monitor.store.getState().past?.speed).toBeUndefined();
    await clock.advance(5_000);
    expect(shown()).toBe(12);
  });

  test('until now, where there is one', async () => {
    const { monitor, live, clock, travel } = setUp(true);
    expect(await travel.play(10)).toBe('not-moved');
    await travel.goTo(700_000);
    void travel.play(60);
    await clock.advance(250);
    expect(monitor.store.getState().past?.at.wallMs).toBe(702_000);
    await clock.advance(250);
    expect(monitor.store.getState()).toBe(live.store.getState());
    expect(shownMoment()).toBeUndefined();
  });
});
