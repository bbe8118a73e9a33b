import { EventEmitter } from 'node:events';
import { StringDecoder } from 'node:string_decoder';
import { TerminalReplies } from './replies.ts';

/**
 * The keyboard for Ink: `stdin` without what the terminal says by itself. All else (raw mode, `ref`,
 * `isTTY`) is that of `stdin`. What is typed is read while `on` or `addListener` has somebody listen for
 * `readable`; nothing of before is left over for who listens later.
 */
export function withoutReplies<Stdin extends NodeJS.ReadableStream>(stdin: Stdin): Stdin {
  const replies = new TerminalReplies();
  const events = new EventEmitter();
  let decoder = new StringDecoder('utf8');
  let read: string[] = [];
  let timer: NodeJS.Timeout | undefined;

  const tell = (typed: string): void => {
    clearTimeout(timer);
    const { dueMs } = replies;
    if (dueMs !== undefined) timer = setTimeout(wait, Math.max(0, dueMs - performance.now()));
    const text = decoder.write(Buffer.from(typed, 'latin1'));
    if (text === '') return;
    read.push(text);
    events.emit('readable');
  };
  // After the next look for input: what came while the program was busy is earlier than its timers.
  const wait = (): void => {
    setImmediate(() => { if (isListening()) tell(replies.expire(performance.now())); });
  };
  const onReadable = (): void => {
    // A key may give the terminal away: what follows it is read when it is ours again.
    while (isListening()) {
      const chunk: unknown = stdin.read();
      if (chunk === null) return;
      tell(replies.push(Buffer.isBuffer(chunk) ? chunk.toString('latin1') : Buffer.from(String(chunk)).toString('latin1'), performance.now()));
    }
  };
  const isListening = (): boolean => events.listenerCount('readable') > 0;

  const listen = (event: string, listener: () => void): Stdin => {
    if (event !== 'readable') {
      stdin.addListener(event, listener);
      return keyboard;
    }
    if (!isListening()) stdin.addListener('readable', onReadable);
    events.addListener('readable', listener);
    return keyboard;
  };
  const ignore = (event: string, listener: () => void): Stdin => {
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
  const own: Readonly<Record<string, unknown>> = {
    read: () => read.shift() ?? null,
    // Bytes are needed here; text comes out.
    setEncoding: () => keyboard,
    addListener: listen,
    on: listen,
    removeListener: ignore,
    off: ignore,
  };
  const keyboard: Stdin = new Proxy(stdin, {
    get: (target, key): unknown => {
      if (typeof key === 'string' && Object.hasOwn(own, key)) return own[key];
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  return keyboard;
}
