import type { Preferences, TablePreferences } from '../../ui/list/list-state.ts';

/**
 * Columns of the lists that the configuration can arrange, by their ids. They are data, so that reading a configuration
 * loads no screen.
 */
export const listColumns = {
  clients: ['id', 'node', 'username', 'address', 'proto', 'keepalive', 'clean', 'connected', 'since'],
  sessions: [
    'id',
    'node',
    'connected',
    'problem',
    'inflight',
    'queue',
    'growth',
    'dropped',
    'drop',
    'deliver',
    'enqueue',
    'delivered',
    'enqueued',
    'subscriptions',
    'rel',
    'ack',
    'comp',
    'counters',
    'clean',
    'created',
    'since',
  ],
  subscriptions: ['id', 'topic', 'qos', 'node'],
  routes: ['topic', 'wildcard', 'nodes', 'node'],
  nodes: [
    'node',
    'status',
    'version',
    'uptime',
    'clients',
    'memory-share',
    'process-share',
    'memory',
    'total',
    'processes',
    'limit',
    'fds',
    'load1',
    'load5',
    'load15',
    'otp',
    'clock',
    'description',
  ],
  listeners: ['node', 'protocol', 'listen', 'running', 'used', 'current', 'max', 'acceptors', 'shutdown'],
  users: ['name', 'tags', 'own'],
} as const;

export type ArrangedList = keyof typeof listColumns;

export const arrangedLists = Object.keys(listColumns) as readonly ArrangedList[];

type ArrangedLists = {
  readonly [Name in ArrangedList]?:
    | { readonly columns?: readonly string[] | undefined; readonly sort?: string | undefined }
    | undefined;
};

/** Returns the columns in the order given, without the others, and the sort of each list. */
export function listPreferences(lists: ArrangedLists = {}): Preferences['tables'] {
  return Object.fromEntries(
    Object.entries(lists).flatMap(([name, settings]): [string, TablePreferences][] => {
      if (settings === undefined) return [];
      const { columns, sort } = settings;
      const hidden = listColumns[name as ArrangedList].filter((id) => columns?.includes(id) === false);
      return [
        [
          name,
          {
            sort:
              sort === undefined ? undefined : { columnId: sort.replace(/^-/u, ''), isReversed: sort.startsWith('-') },
            columns:
              columns === undefined
                ? undefined
                : {
                    isWide: false,
                    choice: {
                      order: [...columns, ...hidden],
                      hidden: new Set(hidden),
                      wanted: new Set(columns),
                      widths: new Map(),
                    },
                  },
          },
        ],
      ];
    }),
  );
}
