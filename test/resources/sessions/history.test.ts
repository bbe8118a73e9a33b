import { describe, expect, it } from 'vitest';
import type { Session } from '../../../src/domain/client.ts';
import type { NodeName } from '../../../src/domain/node.ts';
import { createSessionRateTracker, ratesBetween, unknownRates } from '../../../src/resources/sessions/history.ts';
import { emptyScan, type ScanCoverage, type ScanState } from '../../../src/monitor/state.ts';

const sessionOf = (clientId: string, patch: Partial<Session> = {}): Session => ({
  clientId,
  cleanSession: false,
  createdAt: 1_000,
  node: 'a',
  maxInflight: 32,
  inflight: 0,
  queueLength: 10,
  dropped: 0,
  awaitingRel: 0,
  awaitingAck: undefined,
  awaitingComp: undefined,
  subscriptions: 1,
  delivered: 100,
  enqueued: 20,
  unparsed: {},
  ...patch,
});

const read = (readAtMs: number | undefined): ScanCoverage => ({
  read: 1,
  expected: 1,
  isComplete: readAtMs !== undefined,
  error: undefined,
  readAtMs,
});

const scanOf = (
  rows: readonly Session[],
  readAtMs: Readonly<Record<NodeName, number | undefined>>,
): ScanState<Session> => ({
  ...emptyScan<Session>(),
  rows,
  coverage: new Map(Object.entries(readAtMs).map(([node, atMs]) => [node, read(atMs)])),
});

describe('rates of a session', () => {
  it('are growth over the elapsed time; a queue may shrink', () => {
    const after = sessionOf('x', { delivered: 110, enqueued: 20, queueLength: 5 });
    expect(ratesBetween(sessionOf('x'), after, 2_500)).toEqual({
      deliveredPerSecond: 4,
      acknowledgedPerSecond: 4,
      enqueuedPerSecond: 0,
      queuePerSecond: -2,
      droppedPerSecond: 0,
      queueBefore: 10,
    });
  });

  it.each([
    ['that only fills the inflight window', { delivered: 116, inflight: 16 }, 0],
    ['of which half is acknowledged', { delivered: 132, inflight: 16 }, 8],
    ['before acknowledgements that empty the window', { delivered: 100, inflight: 0 }, 4],
    ['of a broker without inflight counts', { delivered: 110, inflight: undefined }, 5],
    ['that is not counted', { delivered: undefined, inflight: 16 }, undefined],
  ])('tell acknowledgements from a delivery %s', (_, patch, rate) => {
    const before = sessionOf('x', { inflight: patch.inflight === 0 ? 8 : 0 });
    expect(ratesBetween(before, sessionOf('x', patch), 2_000).acknowledgedPerSecond).toBe(rate);
  });

  // Nobody acknowledges QoS 0, of which a hung client can get a lot.
  it.each([
    [100, 0],
    [120, 10],
  ])('count no QoS 0 as acknowledged where it is told apart', (deliveredAboveQos0, rate) => {
    const before = sessionOf('x', { inflight: 32, deliveredAboveQos0: 100 });
    expect(
      ratesBetween(before, sessionOf('x', { inflight: 32, delivered: 132, deliveredAboveQos0 }), 2_000)
        .acknowledgedPerSecond,
    ).toBe(rate);
  });

  it('are unknown for a counter that fell, a missing counter, or no elapsed time', () => {
    expect(ratesBetween(sessionOf('x'), sessionOf('x', { delivered: 3, enqueued: undefined }), 1_000)).toEqual({
      ...unknownRates,
      queuePerSecond: 0,
      droppedPerSecond: 0,
      queueBefore: 10,
    });
    expect(ratesBetween(sessionOf('x'), sessionOf('x', { delivered: 200 }), 0)).toEqual(unknownRates);
  });

  it('are unknown for a session that was recreated or moved', () => {
    expect(ratesBetween(sessionOf('x'), sessionOf('x', { delivered: 200, createdAt: 1_001 }), 1_000)).toEqual(
      unknownRates,
    );
    expect(ratesBetween(sessionOf('x'), sessionOf('x', { delivered: 200, node: 'b' }), 1_000)).toEqual(unknownRates);
  });
});

describe('the tracker', () => {
  it('knows the rates after two readings', () => {
    const tracker = createSessionRateTracker();
    expect(tracker.update(scanOf([sessionOf('x')], { a: 1_000 }))).toEqual([
      { session: sessionOf('x'), rates: unknownRates },
    ]);
    const [row] = tracker.update(scanOf([sessionOf('x', { delivered: 103 })], { a: 3_000 }));
    expect(row?.rates).toEqual({
      deliveredPerSecond: 1.5,
      acknowledgedPerSecond: 1.5,
      enqueuedPerSecond: 0,
      queuePerSecond: 0,
      droppedPerSecond: 0,
      queueBefore: 10,
    });
  });

  it('distinguishes zero from unknown when the same row was read again', () => {
    const tracker = createSessionRateTracker();
    const same = sessionOf('x', { enqueued: undefined });
    tracker.update(scanOf([same], { a: 1_000 }));
    const [row] = tracker.update(scanOf([same], { a: 3_000 }));
    expect(row?.rates).toEqual({
      deliveredPerSecond: 0,
      acknowledgedPerSecond: 0,
      enqueuedPerSecond: undefined,
      queuePerSecond: 0,
      droppedPerSecond: 0,
      queueBefore: 10,
    });
  });

  it('measures each node between its own complete readings', () => {
    const tracker = createSessionRateTracker();
    const other = sessionOf('y', { node: 'b' });
    tracker.update(scanOf([sessionOf('x'), other], { a: 1_000, b: 1_500 }));
    // Node a is being read: its row has new figures, but its rate is still to come.
    const half = sessionOf('x', { delivered: 150 });
    expect(tracker.update(scanOf([half, other], { a: undefined, b: 1_500 })).map(({ rates }) => rates)).toEqual([
      unknownRates,
      unknownRates,
    ]);
    expect(
      tracker.update(scanOf([half, other], { a: 2_000, b: 1_500 })).map(({ rates }) => rates.deliveredPerSecond),
    ).toEqual([50, undefined]);
    const later = sessionOf('y', { node: 'b', delivered: 104 });
    expect(
      tracker.update(scanOf([half, later], { a: 2_000, b: 3_500 })).map(({ rates }) => rates.deliveredPerSecond),
    ).toEqual([50, 2]);
  });

  it('finds its sessions after earlier rows were removed', () => {
    const tracker = createSessionRateTracker();
    const rows = ['p', 'q', 'r', 's'].map((id) => sessionOf(id));
    tracker.update(scanOf(rows, { a: 1_000 }));
    const later = ['q', 's', 'new'].map((id) => sessionOf(id, { delivered: 104 }));
    expect(
      tracker
        .update(scanOf(later, { a: 3_000 }))
        .map(({ session, rates }) => [session.clientId, rates.deliveredPerSecond]),
    ).toEqual([
      ['q', 2],
      ['s', 2],
      ['new', undefined],
    ]);
  });

  it('starts over for a session that was gone in between', () => {
    const tracker = createSessionRateTracker();
    tracker.update(scanOf([sessionOf('x')], { a: 1_000 }));
    tracker.update(scanOf([], { a: 2_000 }));
    const [row] = tracker.update(scanOf([sessionOf('x', { delivered: 900 })], { a: 3_000 }));
    expect(row?.rates).toEqual(unknownRates);
  });

  it('returns the same rows while nothing changed', () => {
    const tracker = createSessionRateTracker();
    const rows = [sessionOf('x'), sessionOf('y')];
    tracker.update(scanOf(rows, { a: 1_000 }));
    const second = tracker.update(scanOf(rows, { a: 3_000 }));
    expect(tracker.update(scanOf(rows, { a: 5_000 }))).toBe(second);
    const third = tracker.update(scanOf([sessionOf('x', { inflight: 1 }), rows[1] ?? sessionOf('y')], { a: 7_000 }));
    expect(third[0]).not.toBe(second[0]);
    expect(third[1]).toBe(second[1]);
  });
});
