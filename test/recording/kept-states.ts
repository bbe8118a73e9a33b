import { BrokerError, SilentNodeError, TimeoutError } from '../../src/api/errors.ts';
import { bans } from '../../src/resources/bans/resource.ts';
import { clusterTotal } from '../../src/resources/metrics/resource.ts';

const rows = Array.from({ length: 5_000 }, (_, id) => ({
  id: `client-${id}`,
  node: id % 3 === 0 ? 'broker1' : 'broker2',
  queue: id % 11,
  ...(id % 5 === 0 && { user: `Jürgen ${id} 用户` }),
  load: id / 7,
  unparsed: {},
}));

/** Every kind of value and of difference of format 1. Never change them: the kept recording has them. */
export const keptStates: readonly object[] = [
  {
    readings: { rows: new Map([['', { rows, added: new Set(['a']), at: 1.5 }]]) },
    watched: [bans],
    history: new Map<unknown, unknown>([[clusterTotal, [1, 2, 3]]]),
    lone: '\ud800',
    none: undefined,
    nothing: null,
    big: 2n ** 70n,
    numbers: [0, -0, NaN, Infinity, -1e300, 2 ** 53],
    error: new TimeoutError(5_000, { request: { method: 'GET', path: '/api/v2/nodes' } }),
  },
  {
    readings: {
      rows: new Map([
        [
          '',
          {
            rows: [...rows.slice(10), { id: 'new', node: 'broker1', queue: 7, load: 0, unparsed: {} }],
            added: new Set(['a', 'b']),
            at: 2.5,
          },
        ],
        ['other', { rows: [], added: new Set(), at: 0 }],
      ]),
    },
    watched: [{ query: bans, key: [] }],
    history: new Map<unknown, unknown>([[clusterTotal, [2, 3, 4]]]),
    lone: 'x',
    none: 1,
    nothing: null,
    big: 0n,
    numbers: [1, 0, NaN, Infinity, -1e300, 2 ** 53],
    error: new SilentNodeError(['broker2']),
  },
  {
    readings: { rows: new Map([['other', { rows: [rows[3], rows[1], rows[2]], added: new Set(), at: 0 }]]) },
    watched: [],
    history: new Map<unknown, unknown>([
      ['broker1', [{ atMs: 1, count: 10 }]],
      [clusterTotal, [2, 3, 4]],
    ]),
    lone: 'x',
    added: true,
    error: new BrokerError('failed', 'no', { code: 7 }),
  },
];
