import { withChild } from './child.ts';

/** What the server is to pretend. */
export interface Load {
  readonly clients: number;
  /** One of each client unless said. */
  readonly sessions?: number;
  /** None unless said, as of the routes. */
  readonly subscriptions?: number;
  readonly routes?: number;
  /** Share of the clients and of the counters that differ from one answer to the next, 0 to 1. */
  readonly changing: number;
}

/** What the server was asked since the last question. */
export interface Asked {
  readonly requests: number;
  /** By path without the query. */
  readonly byPath: Readonly<Record<string, number>>;
  /** Of the answers with their heads. */
  readonly sentBytes: number;
  /** From the head of a request to the end of its answer, of all together: the time of this server, not of a real broker. */
  readonly busyMs: number;
  readonly openConnections: number;
  /** Most open at a time. */
  readonly mostConnections: number;
  /** Accepted anew. */
  readonly newConnections: number;
}

export interface LoadServer {
  readonly url: string;
  /** What has been asked since the last call. */
  asked(): Promise<Asked>;
}

/** A management interface (variant B) with lists as long as one likes, in a process of its own, for as long as `use` takes. */
export function withLoadServer<T>(load: Load, use: (server: LoadServer) => Promise<T>): Promise<T> {
  return withChild<string, string, Asked, T>('load-server-process.ts', load, ({ ready, ask }) => use({ url: ready, asked: () => ask('asked?') }));
}
