import { AbortedError } from '../errors.ts';
import type { CallOptions, UnusableRows } from '../management-api.ts';

interface Running<T> {
  readonly result: Promise<T>;
  readonly controller: AbortController;
  readonly listeners: Set<(rows: UnusableRows) => void>;
  waiting: number;
}

/** Shares one request among callers that want the same at the same time. It is aborted when all of them are. */
export class SharedReads<T> {
  readonly #running = new Map<string, Running<T>>();

  async read(key: string, options: CallOptions | undefined, start: (options: CallOptions) => Promise<T>): Promise<T> {
    const signal = options?.signal;
    if (signal?.aborted === true) throw new AbortedError();
    const running = this.#running.get(key) ?? this.#start(key, start);
    running.waiting += 1;
    if (options?.onUnusable !== undefined) running.listeners.add(options.onUnusable);
    const leave = Promise.withResolvers<never>();
    const onAbort = (): void => {
      running.waiting -= 1;
      if (running.waiting === 0) {
        this.#forget(key, running);
        running.controller.abort();
      }
      leave.reject(new AbortedError());
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      return await Promise.race([running.result, leave.promise]);
    } finally {
      signal?.removeEventListener('abort', onAbort);
    }
  }

  #start(key: string, start: (options: CallOptions) => Promise<T>): Running<T> {
    const controller = new AbortController();
    const listeners: Running<T>['listeners'] = new Set();
    const result = start({
      signal: controller.signal,
      onUnusable: (rows) => {
        for (const listener of listeners) listener(rows);
      },
    });
    const running: Running<T> = { result, controller, listeners, waiting: 0 };
    this.#running.set(key, running);
    const end = (): void => {
      this.#forget(key, running);
    };
    result.then(end, end);
    return running;
  }

  #forget(key: string, running: Running<T>): void {
    if (this.#running.get(key) === running) this.#running.delete(key);
  }
}
