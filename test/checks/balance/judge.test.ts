import { describe, expect, it } from 'vitest';
import { nodeStats } from '../../monitor/fake-api.ts';
import { loaded, figures, names, type Scene, resultOf, found, unchecked, verdict } from '../scene.ts';

describe('differences between nodes', () => {
  const uneven = (a: number, b: number, load = 0.5): Scene => ({
    resources: {
      nodeStats: loaded([
        nodeStats('a', 'running', { ...figures, clients: a, load1: load }),
        nodeStats('b', 'running', { ...figures, clients: b }),
      ]),
    },
  });

  it('of clients and load', () => {
    expect(found(resultOf('balance', uneven(95, 5)))).toEqual([
      ['uneven-clients', { node: 'a', clients: 95, total: 100, ratio: 1.9 }],
    ]);
    expect(found(resultOf('balance', uneven(50, 50, 9)))).toEqual([
      ['uneven-load', { node: 'a', load: 9, ratio: expect.closeTo(1.895, 3), nodes: 2 }],
    ]);
    expect(verdict('balance', uneven(60, 40))).toBe('ok');
    expect(verdict('balance', uneven(20, 0))).toBe('ok');
    expect(
      unchecked('balance', {
        resources: {
          nodeStats: loaded(
            names.map((name) => nodeStats(name, 'running', { ...figures, load1: undefined, clients: 5 })),
          ),
        },
      }),
    ).toEqual([{ code: 'figure-unknown', figure: 'load' }]);
  });
});
