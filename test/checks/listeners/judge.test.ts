import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { decodeListeners } from '../../../src/api/dialects/emqx-v5/decode-nodes.ts';
import { problemText } from '../../../src/checks/words.ts';
import type { Listener } from '../../../src/domain/administration.ts';
import { plainText } from '../../../src/domain/sentence.ts';
import type { ListenerRow } from '../../../src/resources/listeners/select.ts';
import { listenerTrouble } from '../../../src/resources/listeners/trouble.ts';
import type { Finding } from '../../../src/triage/problem.ts';
import { loaded, listener, resultOf, found } from '../scene.ts';

describe('a listener that does not run', () => {
  const listeners = (byNode: ReadonlyMap<string, readonly Listener[]>) =>
    resultOf('listeners', { resources: { listeners: loaded(byNode) } });
  const on = (running: Listener['running'], isEnabled?: boolean): readonly Listener[] => [
    { ...listener(1), id: 'tcp:default', running, isEnabled },
  ];

  it('on one node of a real cluster is found, with the node', () => {
    const recording = readFileSync(
      new URL('../../fixtures/recordings/v5-live/listeners-inconsistent.http', import.meta.url),
      'utf8',
    );
    const result = listeners(decodeListeners(JSON.parse(recording.slice(recording.indexOf('\n[')))));
    expect(found(result)).toEqual(
      ['ssl:default', 'tcp:default', 'ws:default', 'wss:default'].map((id) => [
        'listener-down',
        { listener: id, on: ['emqx2@127.0.0.1'], nodes: 2 },
      ]),
    );
    expect(plainText(problemText(result.findings[0] as Finding))).toBe(
      'Listener ssl:default is down on emqx2@127.0.0.1: running on 1 of 2 nodes',
    );
    expect(result.findings[0]).toMatchObject({
      severity: 'warning',
      jump: { screen: 'listeners', node: 'emqx2@127.0.0.1' },
    });
  });

  it('on any node is critical if it should, and on purpose if it is disabled', () => {
    expect(
      listeners(
        new Map([
          ['a', on('no', true)],
          ['b', on('no', true)],
        ]),
      ).findings,
    ).toMatchObject([{ severity: 'critical', evidence: { on: ['a', 'b'], nodes: 2 } }]);
    expect(
      found(
        listeners(
          new Map([
            ['a', on('no', false)],
            ['b', on('no', false)],
          ]),
        ),
      ),
    ).toEqual([]);
    expect(
      found(
        listeners(
          new Map([
            ['a', on('no')],
            ['b', on('no')],
          ]),
        ),
      ),
    ).toEqual([]);
    expect(
      found(
        listeners(
          new Map([
            ['a', on('yes', true)],
            ['b', on('yes', true)],
          ]),
        ),
      ),
    ).toEqual([]);
    expect(found(listeners(new Map([['a', on('partly')]])))).toHaveLength(1);
  });

  it('comes first in the list, those that should run before those that are disabled', () => {
    const row = (running: Listener['running'], isEnabled: boolean, share: number): ListenerRow => ({
      key: '',
      node: 'a',
      listener: { ...listener(1), running, isEnabled },
      clients: { used: 1, limit: 1, share },
    });
    const rows = [row('yes', true, 0.99), row('no', false, 0), row('partly', true, 0), row('no', true, 0)];
    expect(rows.toSorted((a, b) => (listenerTrouble(b) ?? 0) - (listenerTrouble(a) ?? 0))).toEqual([
      rows[3],
      rows[2],
      rows[1],
      rows[0],
    ]);
  });
});
