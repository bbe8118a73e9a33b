import { describe, expect, it } from 'vitest';
import { emptyResource } from '../../../src/monitor/state.ts';
import { nodeInfo, nodeStats } from '../../monitor/fake-api.ts';
import { readingsOf } from '../../support/readings.ts';
import { loaded, setting, names, unusable, check, resultOf, found, unchecked } from '../scene.ts';

describe('differences between nodes', () => {
  it('of settings', () => {
    expect(
      found(
        resultOf('settings', {
          state: readingsOf({
            settings: loaded(
              new Map([
                ['a', [setting('1')]],
                ['b', [setting('2')]],
              ]),
            ),
          }),
        }),
      ),
    ).toEqual([
      [
        'setting-differs',
        { id: '["mqtt","mqtt.mqueue.max_length"]', key: 'mqtt.mqueue.max_length', values: 2, nodes: 2, on: [] },
      ],
    ]);
    const three = new Map([
      ['a', [setting('1')]],
      ['b', [setting('1')]],
      ['c', [setting('2')]],
    ]);
    expect(
      resultOf('settings', {
        resources: {
          nodes: loaded(['a', 'b', 'c'].map((name) => nodeInfo(name))),
          nodeStats: loaded(['a', 'b', 'c'].map((name) => nodeStats(name))),
        },
        state: readingsOf({ settings: loaded(three) }),
      }).findings[0]?.evidence,
    ).toMatchObject({ values: 2, nodes: 3, on: ['c'] });
    const unclear = {
      ...loaded(
        new Map([
          ['a', [setting('1')]],
          ['b', []],
        ]),
      ),
      unusable,
    };
    expect(resultOf('settings', { state: readingsOf({ settings: unclear }) })).toMatchObject({
      findings: [],
      unchecked: [{ code: 'rows-unusable', what: 'settings' }],
    });
    expect(unchecked('settings', { state: readingsOf({ settings: emptyResource() }) })).toEqual(
      names.map((node) => ({ code: 'node-unread', what: 'settings', node })),
    );
    const { state } = check();
    if (state.capabilities === undefined) throw new Error('no capabilities');
    expect(
      unchecked('settings', {
        state: { capabilities: { ...state.capabilities, settings: false, apiName: 'API of old' } },
      }),
    ).toEqual([{ code: 'settings-unavailable', apiName: 'API of old' }]);
  });
});
