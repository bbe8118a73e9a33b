import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

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
  /** Of the answers without their heads. */
  readonly sentBytes: number;
  /** From the head of a request to the end of its answer, of all together. */
  readonly busyMs: number;
  readonly openConnections: number;
  readonly mostConnections: number;
}

export interface LoadServer {
  readonly url: string;
  /** What has been asked since the last call. */
  asked(): Promise<Asked>;
}

/** A management interface (variant B) with lists as long as one likes, in a process of its own, for as long as `use` takes. */
export async function withLoadServer<T>(load: Load, use: (server: LoadServer) => Promise<T>): Promise<T> {
  const child = fork(path.join(import.meta.dirname, 'load-server-process.ts'), [JSON.stringify(load)], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const [url] = await once(child, 'message') as [string];
  const exited = once(child, 'exit');
  try {
    return await use({
      url,
      async asked() {
        const answer = once(child, 'message');
        child.send('asked?');
        const [asked] = await answer as [Asked];
        return asked;
      },
    });
  } finally {
    child.disconnect();
    await exited;
  }
}
