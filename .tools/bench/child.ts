import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

/** A child process that answers one question at a time. */
export interface Child<Ready, Question, Answer> {
  readonly pid: number;
  /** The first message of the process. */
  readonly ready: Ready;
  /** @throws Error when the process has ended, or ends before it answers */
  ask(question: Question): Promise<Answer>;
}

/**
 * Runs a file as a child process while `use` runs. The child first reports that it is ready, and exits on `disconnect`.
 *
 * @param file name in this folder, or an absolute path
 * @param options passed as JSON
 */
export async function withChild<Ready, Question extends object | string, Answer, T>(
  file: string,
  options: unknown,
  use: (child: Child<Ready, Question, Answer>) => Promise<T>,
): Promise<T> {
  const child = fork(path.resolve(import.meta.dirname, file), [JSON.stringify(options)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const exited = once(child, 'exit');
  const lost = exited.then((): never => {
    throw new Error(`${path.basename(file)} exited early.`);
  });
  // Avoids an unhandled rejection without requests.
  lost.catch(() => undefined);
  const message = async <M>(): Promise<M> => {
    const received = new AbortController();
    try {
      const [answer]: unknown[] = await Promise.race([once(child, 'message', { signal: received.signal }), lost]);
      return answer as M;
    } finally {
      received.abort();
    }
  };
  try {
    return await use({
      pid: child.pid ?? 0,
      ready: await message<Ready>(),
      ask(question) {
        const answer = message<Answer>();
        // A failed send is noticed when the process exits.
        child.send(question, () => undefined);
        return answer;
      },
    });
  } finally {
    if (child.connected) child.disconnect();
    await exited;
  }
}
