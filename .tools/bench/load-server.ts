import { withChild } from './child.ts';

/** The cluster that the server simulates. */
export interface Load {
  readonly clients: number;
  /** Default: one per client. */
  readonly sessions?: number;
  /** Default: none. */
  readonly subscriptions?: number;
  readonly routes?: number;
  /** Queues of clients: their lengths change with each answer (default), never change, or are 0. */
  readonly queues?: 'moving' | 'still' | 'none';
  /** Share of the clients and of the counters that differ from one answer to the next, 0 to 1. */
  readonly changing: number;
}

/** The server's load since the last question. */
export interface ServerLoad {
  readonly requests: number;
  /** Requests by path, without the query. */
  readonly byPath: Readonly<Record<string, number>>;
  /** Bytes of answers with headers. */
  readonly sentBytes: number;
  /** Total time from request headers to the end of the answer, in milliseconds. */
  readonly busyMs: number;
  readonly openConnections: number;
  /** Maximum open at a time. */
  readonly maxConnections: number;
  /** Newly accepted. */
  readonly newConnections: number;
}

export interface LoadServer {
  readonly url: string;
  /** The load since the last call. */
  takeLoad(): Promise<ServerLoad>;
}

/** Runs a synthetic management API (variant B) in its own process while `use` runs. */
export function withLoadServer<T>(load: Load, use: (server: LoadServer) => Promise<T>): Promise<T> {
  return withChild<string, string, ServerLoad, T>('load-server-process.ts', load, ({ ready, ask }) =>
    use({ url: ready, takeLoad: () => ask('load') }),
  );
}
