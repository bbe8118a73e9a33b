import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

/** A process that answers one question at a time with one message. */
export interface Child<Ready, Question, Answer> {
  readonly pid: number;
  /** What it said first. */
  readonly ready: Ready;
  /** @throws Error when the process has ended, or ends before it answers */
  ask(question: Question): Promise<Answer>;
}

/**
 * Runs a file as a process of its own for as long as `use` takes. The process says first that it is ready, and ends by
 * itself when it is left alone (`disconnect`).
 * @param file in this folder, or with its whole path
 * @param options its one argument, as JSON
 */
export async function withChild<Ready, Question extends object | string, Answer, T>(
  file: string, options: unknown, use: (child: Child<Ready, Question, Answer>) => Promise<T>,
): Promise<T> {
  const child = fork(path.resolve(import.meta.dirname, file), [JSON.stringify(options)], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const exited = once(child, 'exit');
  const lost = exited.then((): never => { throw new Error(`${path.basename(file)} ended.`); });
  // Only those who ask are told.
  lost.catch(() => undefined);
  const message = async <M>(): Promise<M> => {
    const heard = new AbortController();
    try {
      const [said]: unknown[] = await Promise.race([once(child, 'message', { signal: heard.signal }), lost]);
      return said as M;
    } finally {
      // Who has ended says nothing any more.
      heard.abort();
    }
  };
  try {
    return await use({
      pid: child.pid ?? 0,
      ready: await message<Ready>(),
      ask(question) {
        const answer = message<Answer>();
        // That it could not be sent is known by the end of the process.
        child.send(question, () => undefined);
        return answer;
      },
    });
  } finally {
    if (child.connected) child.disconnect();
    await exited;
  }
}
