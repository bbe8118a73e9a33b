import { StringDecoder } from 'node:string_decoder';
import type { ReadStream, WriteStream } from 'node:tty';
import { UsageError } from './usage-error.ts';

/**
 * Asks for a password on the terminal without showing it.
 *
 * Enter ends it, Backspace takes back a character, Ctrl-U all of them. Escape sequences (arrow keys,
 * bracketed paste marks) are not part of a password and are left out.
 *
 * @returns the password, or `undefined` when the user gave up (Ctrl-C, Ctrl-D on an empty line, end of input).
 * @throws UsageError when there is no terminal to ask on.
 */
export function promptPassword(question: string, stdin: ReadStream, output: WriteStream): Promise<string | undefined> {
  if (!stdin.isTTY || !output.isTTY) {
    return Promise.reject(new UsageError('There is no terminal to ask for the password; use --password-file, --password-command or BROKERTOP_PASSWORD.'));
  }
  output.write(question);
  const decoder = new StringDecoder('utf8');
  return new Promise((resolve) => {
    let typed: string[] = [];
    const finish = (answer: string | undefined): void => {
      stdin.off('data', onData);
      stdin.off('end', onEnd);
      process.off('exit', restore);
      restore();
      stdin.pause();
      output.write('\n');
      resolve(answer);
    };
    const restore = (): void => {
      stdin.setRawMode(false);
    };
    const onEnd = (): void => finish(undefined);
    const onData = (chunk: Buffer): void => {
      const text = decoder.write(chunk).replaceAll(/\u001B\[[0-9;]*[A-Za-z~]|\u001B./gu, '');
      for (const character of text) {
        if (character === '\r' || character === '\n') return finish(typed.join(''));
        if (character === '\u0003') return finish(undefined);
        if (character === '\u0004' && typed.length === 0) return finish(undefined);
        if (character === '\u0015') typed = [];
        else if (character === '\u007F' || character === '\b') typed.pop();
        else if (character >= ' ') typed.push(character);
      }
    };
    stdin.on('data', onData);
    stdin.on('end', onEnd);
    process.on('exit', restore);
    stdin.setRawMode(true);
    stdin.resume();
  });
}
