import { describe, expect, it } from 'vitest';
import { readingsOf } from '../../support/readings.ts';
import { loaded, plugin, unusable, type Scene, resultOf, found, unchecked } from '../scene.ts';

describe('differences between nodes', () => {
  it('of plugins', () => {
    const plugins = (b: ReturnType<typeof plugin>[]): Scene => ({
      state: readingsOf({
        plugins: new Map([
          ['a', loaded([plugin(true)])],
          ['b', loaded(b)],
        ]),
      }),
    });
    expect(found(resultOf('plugins', plugins([plugin(false)])))).toEqual([
      ['plugin-differs', { plugin: 'p', difference: 'inactive', count: 1, nodes: 2, on: ['b'] }],
    ]);
    expect(resultOf('plugins', plugins([plugin(false)])).findings[0]?.jump).toMatchObject({
      screen: 'plugins',
      row: 'p',
    });
    expect(found(resultOf('plugins', plugins([plugin(true, '2')])))).toEqual([
      ['plugin-differs', { plugin: 'p', difference: 'versions', count: 2 }],
    ]);
    expect(found(resultOf('plugins', plugins([])))).toEqual([
      ['plugin-differs', { plugin: 'p', difference: 'missing', count: 1, nodes: 2, on: ['b'] }],
    ]);
    const unclear = new Map([
      ['a', loaded([plugin(true)])],
      ['b', { ...loaded([]), unusable }],
    ]);
    expect(resultOf('plugins', { state: readingsOf({ plugins: unclear }) })).toMatchObject({
      findings: [],
      unchecked: [{ code: 'rows-unusable', what: 'plugins' }],
    });
    expect(unchecked('plugins', { state: readingsOf({ plugins: new Map([['a', loaded([plugin(true)])]]) }) })).toEqual([
      { code: 'node-unread', what: 'plugins', node: 'b' },
    ]);
  });
});
