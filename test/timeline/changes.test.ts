import { describe, expect, test } from 'vitest';
import { type ActingState, initialActingState } from '../../src/actions/acting-monitor.ts';
import type { Ban, Listener } from '../../src/domain/administration.ts';
import { emptyResource, type ResourceState } from '../../src/monitor/state.ts';
import { wallMs } from '../../src/monitor/clock.ts';
import { createChangeWatch } from '../../src/timeline/changes.ts';
import { nodeInfo, nodeStats } from '../monitor/fake-api.ts';
import { patched, type PartValues, readingsOf } from '../support/readings.ts';

const startMs = 1_000_000_000_000;

const read = <T>(data: T, atMs: number): ResourceState<T> => ({ ...emptyResource<T>(), data, updatedAtMs: atMs });

const ban = (value: string, patch: Partial<Ban> = {}): Ban => ({
  kind: 'client-id',
  value,
  by: 'ann',
  reason: undefined,
  since: 1_000,
  until: undefined,
  ...patch,
});

const listener = (protocol: string, patch: Partial<Listener> = {}): Listener => ({
  id: `${protocol}:default`,
  protocol,
  listen: '0.0.0.0:1883',
  address: '0.0.0.0',
  port: 1_883,
  acceptors: 16,
  maxClients: 1_000,
  currentClients: 1,
  shutdownCount: {},
  shutdownCountRaw: undefined,
  running: 'yes',
  ...patch,
});

const clock = /\d\d:\d\d:\d\d/gu;
const between = '(between HH:MM:SS and HH:MM:SS)';

/** Follows readings that come one after the other, 60 s apart. */
function createStory() {
  const { changesIn } = createChangeWatch();
  let state: ActingState = initialActingState(2);
  let atMs = startMs;
  const show = (patch: Partial<ActingState>): readonly string[] => {
    state = patched(state, patch);
    return changesIn(state, atMs).map(({ text, about }) => `${about?.kind} ${text}`.replaceAll(clock, 'HH:MM:SS'));
  };
  const nodes = (stopped: readonly string[] = []): PartValues => ({
    nodes: read(
      ['a', 'b'].filter((name) => !stopped.includes(name)).map((name) => nodeInfo(name)),
      atMs,
    ),
    nodeStats: read(
      ['a', 'b'].map((name) => nodeStats(name, stopped.includes(name) ? 'stopped' : 'running')),
      atMs,
    ),
  });
  return {
    next(
      values: (atMs: number) => PartValues,
      { stopped, laterMs = 60_000 }: Partial<Options> = {},
    ): readonly string[] {
      atMs += laterMs;
      return show(readingsOf({ ...nodes(stopped), ...values(atMs) }));
    },
    show,
    now: () => atMs,
  };
}

interface Options {
  readonly stopped: readonly string[];
  readonly laterMs: number;
}

describe('what others change', () => {
  test('is told by comparing what was read, and the first reading tells nothing', () => {
    const { next, show } = createStory();
    const bans =
      (...rows: readonly Ban[]) =>
      (atMs: number) => ({ bans: read(rows, atMs) });
    expect(next(bans(ban('x'), ban('y')))).toEqual([]);
    expect(next(bans(ban('x', { reason: 'noisy' }), ban('z')))).toEqual([
      `change New: ban client-id z ${between}`,
      `change Gone: ban client-id y ${between}`,
    ]);
    expect(next(bans(ban('x', { reason: 'loud', until: 2_000_000_000 }), ban('z')))).toEqual([
      `change Changed: ban client-id x: reason noisy → loud ${between}`,
    ]);
    // Nothing was read in between.
    expect(show({ intervalSeconds: 5 })).toEqual([]);
    expect(next(bans(ban('x', { reason: 'loud', until: 2_000_000_000 })), { laterMs: 2_000 })).toEqual([
      'change Gone: ban client-id z',
    ]);
  });

  test('has the time of the broker, unless the readings contradict it', () => {
    const { changesIn } = createChangeWatch();
    const noted = (rows: readonly Ban[], atMs: number) =>
      changesIn(patched(initialActingState(2), readingsOf({ bans: read(rows, atMs) })), atMs).map((note) => [
        note.text.replaceAll(clock, 'HH:MM:SS'),
        Math.round(wallMs(note.atMs)),
      ]);
    const second = Math.floor(wallMs(startMs) / 1_000);
    const later = startMs + 60_000;
    const added = ban('x', { since: second + 20 });
    const old = ban('old', { since: second - 600 });
    const early = ban('early', { since: second + 120 });
    noted([], startMs);
    expect(noted([added, old, early], later)).toEqual([
      ['New: ban client-id x', (second + 20) * 1_000],
      [`New: ban client-id old ${between}`, Math.round(wallMs(later))],
      [`New: ban client-id early ${between}`, Math.round(wallMs(later))],
    ]);
    // That it was added is no time of its end.
    expect(noted([old, early], later + 60_000)).toEqual([
      [`Gone: ban client-id x ${between}`, Math.round(wallMs(later + 60_000))],
    ]);
  });

  test('leads to its row', () => {
    const { changesIn } = createChangeWatch();
    const state = (rows: readonly Ban[], atMs: number): ActingState =>
      patched(initialActingState(2), readingsOf({ bans: read(rows, atMs) }));
    changesIn(state([], startMs), startMs);
    expect(changesIn(state([ban('x')], startMs + 1_000), startMs + 2_000)).toEqual([
      {
        atMs: startMs + 1_000,
        severity: 'info',
        text: 'New: ban client-id x',
        about: { kind: 'change', node: undefined, jump: { screen: 'bans', row: 'client-id x' } },
      },
    ]);
  });

  test('is not told of what an action from here was about, but of the rest', () => {
    const { next, show, now } = createStory();
    const users =
      (...names: readonly string[]) =>
      (atMs: number) => ({
        users: read(
          names.map((username) => ({ username, tags: 'viewer' })),
          atMs,
        ),
      });
    next(users('ann'));
    const action = { key: '1', name: 'add-user', title: 'add user bob', result: undefined } as const;
    show({
      actions: [
        { ...action, target: { username: 'bob', tags: 'viewer' }, startedAtMs: now() + 1_000, phase: 'finished' },
      ],
    });
    expect(next(users('ann', 'bob', 'eve'))).toEqual([`change New: user eve ${between}`]);
    expect(next(users('ann', 'eve'))).toEqual([]);
    expect(next(users('eve'), { laterMs: 100_000 })).toEqual([`change Gone: user ann ${between}`]);
  });

  test('is not that a node stops, and comes back', () => {
    const { next } = createStory();
    const on = (byNode: Readonly<Record<string, readonly Listener[]>>) => (atMs: number) => ({
      listeners: read(new Map(Object.entries(byNode)), atMs),
    });
    const both = { a: [listener('mqtt')], b: [listener('mqtt')] };
    expect(next(on(both))).toEqual([]);
    expect(next(on({ a: [listener('mqtt')] }), { stopped: ['b'] })).toEqual([]);
    expect(next(on(both))).toEqual([]);
    expect(next(on({ a: [listener('mqtt', { running: 'no' })], b: [listener('mqtt')] }))).toEqual([
      `change Changed: listener mqtt 0.0.0.0:1883 on a: running → stopped ${between}`,
    ]);
  });

  test('while the program did not run is told to the next run, which knows how it was', () => {
    const first = createChangeWatch();
    const state = (rows: readonly Ban[], atMs: number): ActingState =>
      patched(initialActingState(2), readingsOf({ bans: read(rows, atMs) }));
    first.changesIn(state([ban('x'), ban('y', { reason: 'noisy' })], startMs), startMs);
    const known = JSON.parse(JSON.stringify(first.known()));
    const laterMs = startMs + 600_000;
    const now = state(
      [ban('y', { reason: 'loud' }), ban('z', { since: Math.ceil(wallMs(startMs) / 1_000) + 9 })],
      laterMs,
    );
    const second = createChangeWatch();
    // The list was read before the file.
    expect(second.changesIn(now, laterMs)).toEqual([]);
    second.takeOn(known);
    const texts = second.changesIn(now, laterMs).map(({ text }) => text.replaceAll(clock, 'HH:MM:SS'));
    expect(texts).toEqual([
      `Changed: ban client-id y: reason noisy → loud while brokertop was not running ${between}`,
      'New: ban client-id z while brokertop was not running',
      `Gone: ban client-id x while brokertop was not running ${between}`,
    ]);
    expect(second.changesIn(now, laterMs)).toEqual([]);
  });

  test('is not told of another address, whose users are others', () => {
    const { next, show, now } = createStory();
    const users = (name: string) => (atMs: number) => ({ users: read([{ username: name, tags: '' }], atMs) });
    next(users('ann'));
    show({ failover: { url: 'http://b', insteadOf: 'http://a', because: 'down', atMs: now() } });
    expect(next(users('bob'))).toEqual([]);
    expect(next(users('eve'))).toEqual([`change New: user eve ${between}`, `change Gone: user bob ${between}`]);
  });

  test('of many is counted, and of a list that was cut nothing is known', () => {
    const { next } = createStory();
    const bans =
      (count: number, unusable = false) =>
      (atMs: number) => ({
        bans: {
          ...read(
            Array.from({ length: count }, (_, index) => ban(`c${index}`)),
            atMs,
          ),
          ...(unusable && { unusable: { count: 1, example: 'x' } }),
        },
      });
    next(bans(0));
    const many = next(bans(30));
    expect(many).toHaveLength(21);
    expect(many.at(-1)).toBe(`change 10 more changes of bans ${between}`);
    expect(next(bans(3, true))).toEqual([]);
    expect(next(bans(29))).toEqual([`change Gone: ban client-id c29 ${between}`]);
  });
});
