import { describe, expect, it } from 'vitest';
import { problemText } from '../../../src/checks/words.ts';
import { plainText } from '../../../src/domain/sentence.ts';
import type { Client } from '../../../src/domain/client.ts';
import { emptyScan } from '../../../src/monitor/state.ts';
import type { AddressMove } from '../../../src/triage/address-moves.ts';
import { clientOf } from '../../screens/list-fixtures.ts';
import { readingsOf } from '../../support/readings.ts';
import { check, found, nowMs, resultOf, type Scene, unchecked } from '../scene.ts';

/** Moves through these addresses, ten seconds each, until now. */
const path = (addresses: readonly string[], endMs = nowMs): readonly AddressMove[] =>
  addresses.slice(1).map((to, index) => ({
    atMs: endMs - (addresses.length - 2 - index) * 10_000,
    from: addresses[index] ?? '',
    to,
  }));

const scene = (moves: Readonly<Record<string, readonly AddressMove[]>>, rows: readonly Client[] = []): Scene => ({
  state: readingsOf({ clientScan: { ...emptyScan(), rows, phase: 'complete', finishedAtMs: nowMs } }),
  history: {
    addressMoves: new Map(Object.entries(moves)),
    clientReadings: { complete: 9, last: 'complete', completeMs: nowMs },
  },
});

const [one, two, three] = ['10.0.0.1', '10.0.0.2', '10.0.0.3'] as const;
const fight = [one, two, one, two, one];
const codesOf = (given: Scene): readonly string[] => found(resultOf('sharedIds', given)).map(([code]) => code);

describe('a client ID', () => {
  it('that comes from two addresses in turn is fought for, by the devices at both', () => {
    const result = resultOf('sharedIds', scene({ pump: path(fight) }));
    expect(found(result)).toEqual([
      ['shared-id', { clientId: 'pump', addresses: [one, two], moves: 4, seconds: 30, takeoversPerSecond: undefined }],
    ]);
    const [problem] = result.findings;
    expect(problem && plainText(problemText(problem))).toBe(
      'Two devices fight for client ID pump: at 10.0.0.1, 10.0.0.2; 4 changes of address in 30 s',
    );
  });

  it.each([
    ['roams once', [one, two]],
    ['roams and comes back', [one, two, one]],
    ['comes back once more, which is less than four changes', [one, two, one, two]],
    ['roams through many networks', [one, two, three, '10.0.0.4', '10.0.0.5', '10.0.0.6']],
    ['returns to one of many networks', [one, two, one, three, one, '10.0.0.4', one]],
  ])('that %s is not', (_, addresses) => {
    expect(codesOf(scene({ phone: path(addresses) }))).toEqual([]);
  });

  it('that is not fought for any more is over after two minutes', () => {
    expect(codesOf(scene({ pump: path(fight, nowMs - 119_000) }))).toEqual(['shared-id']);
    expect(codesOf(scene({ pump: path(fight, nowMs - 121_000) }))).toEqual([]);
  });

  it('that comes through proxies, which many share, is not named: each connection may take another one', () => {
    const rows = [one, two].flatMap((ipAddress) =>
      Array.from({ length: 11 }, (_, index) => clientOf(`${ipAddress} ${index}`, { ipAddress })),
    );
    expect(codesOf(scene({ pump: path(fight) }, rows))).toEqual([]);
    expect(codesOf(scene({ pump: path(fight) }, rows.slice(1)))).toEqual(['shared-id']);
  });

  it('of many is one row of its own for three, and one for the rest together', () => {
    const moves = Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map((id) => [id, path(fight)]));
    expect(check(scene(moves)).findings.map(({ code, evidence }) => [code, evidence])).toEqual([
      ...['a', 'b', 'c'].map((clientId) => ['shared-id', expect.objectContaining({ clientId }) as unknown]),
      ['more-shared-ids', { clientIds: ['d', 'e'] }],
    ]);
  });
});

it('clients that were not read twice, or in part only, prove nothing', () => {
  expect(unchecked('sharedIds', { history: { clientReadings: { complete: 1, last: 'complete' } } })).toEqual([
    { code: 'addresses-unread' },
  ]);
  expect(unchecked('sharedIds', { history: { clientReadings: { complete: 5, last: 'partial' } } })).toEqual([
    { code: 'addresses-partly-read' },
  ]);
});
