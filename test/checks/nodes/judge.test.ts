import { describe, expect, it } from 'vitest';
import { type ApiError, BrokerError, HttpStatusError, TimeoutError } from '../../../src/api/errors.ts';
import { nodeStats } from '../../monitor/fake-api.ts';
import { readingsOf } from '../../support/readings.ts';
import { nowMs, loaded, figures, type Scene, listener, check } from '../scene.ts';

describe('a node that does not answer', () => {
  const silent = { status: 'other', statusText: 'silent', isSilent: true, clients: undefined } as const;
  const scene = (error: ApiError): Scene => ({
    state: readingsOf({
      lastKnownNodes: new Map([
        [
          'b',
          {
            atMs: 1,
            info: undefined,
            stats: nodeStats('b', 'running', { ...figures, clients: 16 }),
            counts: undefined,
            listeners: undefined,
          },
        ],
      ]),
    }),
    resources: {
      nodeStats: loaded([nodeStats('a', 'running', { ...figures, clients: 50 }), nodeStats('b', 'other', silent)]),
      listeners: { ...loaded(new Map([['a', [listener(50)]]])), error, failingSinceMs: 90_000 },
    },
  });

  it('is one finding, with what waits for it', () => {
    for (const error of [new BrokerError('node-unreachable'), new TimeoutError(5_000)]) {
      expect(check(scene(error)).findings.map(({ code, severity, evidence }) => [code, severity, evidence])).toEqual([
        ['node-silent', 'critical', { node: 'b', clients: 16 }],
      ]);
    }
  });

  it('does not hide other failures', () => {
    expect(check(scene(new HttpStatusError(500))).findings.map(({ code }) => code)).toEqual([
      'read-failed',
      'node-silent',
    ]);
  });

  it('is waited for when a list times out', () => {
    const timedOut = (failingSinceMs: number) =>
      check({
        resources: {
          listeners: { ...loaded(new Map([['a', [listener(50)]]])), error: new TimeoutError(5_000), failingSinceMs },
        },
      }).findings.map(({ code }) => code);
    // The nodes were read 500 ms ago.
    expect([timedOut(nowMs - 100), timedOut(nowMs - 1_000)]).toEqual([[], ['read-failed']]);
  });
});
