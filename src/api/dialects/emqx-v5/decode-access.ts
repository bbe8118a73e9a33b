import type { AccessBackend, AccessBackendOnNode } from '../../../domain/access.ts';
import { decodeRows, Fields } from '../fields.ts';
import type { UnusableTally } from '../records.ts';

interface Kind {
  readonly purpose: AccessBackend['purpose'];
  /** The list in the answer, which is also how names in it begin. */
  readonly list: string;
  readonly id: string;
  readonly accepted: string;
  readonly refused: string;
}

const kinds: readonly Kind[] = [
  { purpose: 'authentication', list: 'emqx_authn', id: 'id', accepted: 'success', refused: 'failed' },
  { purpose: 'authorization', list: 'emqx_authz', id: 'type', accepted: 'allow', refused: 'deny' },
];

const flagOf = (value: number | undefined): boolean | undefined => (value === undefined ? undefined : value > 0);

/** Alarms of a backend have a number of their own on each node: `emqx_authn_http:78`. */
export const backendCauseOf = (alarm: string): string | undefined => /^(emqx_auth[nz]_[a-z_]+):\d+$/u.exec(alarm)?.[1];

/** Returns the cause of the alarms about `password_based:http`. */
const causeOf = (list: string, id: string): string => `${list}_${id.split(':').at(-1) ?? id}`;

/** Decodes what decides about access, node by node. @throws ShapeError */
export function decodeAccessBackends(body: unknown, tally: UnusableTally): readonly AccessBackend[] {
  const fields = Fields.of(body, 'metrics of access control');
  return kinds.flatMap(({ purpose, list, id: idName, accepted, refused }) => {
    const rows = decodeRows(
      fields.raw[list] ?? [],
      purpose,
      (row) => {
        const [id, node] = [row.id(idName), row.text('node')];
        if (id === undefined || node === undefined) return undefined;
        const of = (name: string): number | undefined => row.number(`${list}_${name}`);
        const state: AccessBackendOnNode = {
          isEnabled: flagOf(of('enable')),
          isConnected: flagOf(of('status')),
          counters: {
            asked: of('total'),
            accepted: of(accepted),
            refused: of(refused),
            undecided: of('nomatch'),
          },
        };
        return { id, node, state };
      },
      tally,
    );
    return [...Map.groupBy(rows, ({ id }) => id)].map(([id, own]): AccessBackend => ({
      purpose,
      id,
      nodes: new Map(own.map(({ node, state }) => [node, state])),
      alarmCause: causeOf(list, id),
    }));
  });
}
