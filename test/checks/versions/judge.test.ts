import { describe, expect, it } from 'vitest';
import { nodeInfo } from '../../monitor/fake-api.ts';
import { loaded, resultOf, found, unchecked } from '../scene.ts';

describe('differences between nodes', () => {
  it('of versions', () => {
    expect(
      found(resultOf('versions', { resources: { nodes: loaded([nodeInfo('a'), nodeInfo('b', { version: '2.4' })]) } })),
    ).toEqual([
      [
        'mixed-versions',
        {
          versions: [
            { version: '2.3', nodes: 1 },
            { version: '2.4', nodes: 1 },
          ],
        },
      ],
    ]);
    expect(
      unchecked('versions', { resources: { nodes: loaded([nodeInfo('a'), nodeInfo('b', { version: undefined })]) } }),
    ).toEqual([{ code: 'version-unknown', node: 'b' }]);
  });
});
