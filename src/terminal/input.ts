import { EventEmitter } from 'node:events';
import { StringDecoder } from 'node:string_decoder';
import { ReplyFilter } from './replies.ts';
import { parseReport, type Report } from './reports.ts';

/**
 * Stops reading `stdin` and resolves when it has stopped, so that another reader can start. Node stops after the
 * current turn, and would stop a reader that started before.
 */
export async function stopReading(stdin: { pause(): unknown }): Promise<void> {
  stdin.pause();
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/**
 * Wraps `stdin` for Ink so that only keys are read, no replies of the terminal. `onReport` gets those that are
 * understood, after the keys before them. Everything else (raw mode, `ref`, `isTTY`) is passed through. `stdin` is read
 * only while `readable` has a listener; input held back is dropped when the last listener is removed.
 */
export function withoutReplies<Stdin extends NodeJS.ReadableStream>(
  stdin: Stdin,
  onReport?: (report: Report) => void,
): Stdin {
  const replies = new ReplyFilter(
    onReport === undefined
      ? undefined
      : (reply, keysBefore) => {
          pass(keysBefore);
          const report = isListening() ? parseReport(reply) : undefined;
          if (report !== undefined) onReport(report);
        },
  );
  const events = new EventEmitter();
  let decoder = new StringDecoder('utf8');
  let read: string[] = [];
  let timer: NodeJS.Timeout | undefined;

  const emit = (typed: string): void => {
    clearTimeout(timer);
    // A key before a reply may have removed the last listener.
    if (!isListening()) {
      replies.reset();
      return;
    }
    const { dueMs } = replies;
    if (dueMs !== undefined) timer = setTimeout(expire, Math.max(0, dueMs - performance.now()));
    pass(typed);
  };
  const pass = (typed: string): void => {
    const text = decoder.write(Buffer.from(typed, 'latin1'));
    if (text === '') return;
    read.push(text);
    events.emit('readable');
  };
  // After the next poll for input, which may have arrived before the timer while the program was busy.
  const expire = (): void => {
    setImmediate(() => {
      if (isListening()) emit(replies.expire(performance.now()));
    });
  };
  const onReadable = (): void => {
    // A key may hand the terminal to another program, which reads what follows.
    while (isListening()) {
      const chunk: unknown = stdin.read();
      if (chunk === null) return;
      emit(
        replies.push(
          Buffer.isBuffer(chunk) ? chunk.toString('latin1') : Buffer.from(String(chunk)).toString('latin1'),
          performance.now(),
        ),
      );
    }
  };
  const isListening = (): boolean => events.listenerCount('readable') > 0;

  const addListener = (event: string, listener: () => void): Stdin => {
    if (event !== 'readable') {
      stdin.addListener(event, listener);
      return keyboard;
    }
    if (!isListening()) stdin.addListener('readable', onReadable);
    events.addListener('readable', listener);
    return keyboard;
  };
  const removeListener = (event: string, listener: () => void): Stdin => {
    if (event !== 'readable') {
      stdin.removeListener(event, listener);
      return keyboard;
    }
    events.removeListener('readable', listener);
    if (isListening()) return keyboard;
    stdin.removeListener('readable', onReadable);
    clearTimeout(timer);
    replies.reset();
    decoder = new StringDecoder('utf8');
    read = [];
    return keyboard;
  };
  const overrides: Readonly<Record<string, unknown>> = {
    read: () => read.shift() ?? null,
    // `stdin` has to deliver bytes; `read` returns text anyway.
    setEncoding: () => keyboard,
    addListener,
    on: addListener,
    removeListener,
    off: removeListener,
  };
  const keyboard: Stdin = new Proxy(stdin, {
    get: (target, key): unknown => {
      if (typeof key === 'string' && Object.hasOwn(overrides, key)) return overrides[key];
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  return keyboard;
}
