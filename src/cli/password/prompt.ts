import { constants } from 'node:os';
import { StringDecoder } from 'node:string_decoder';
import type { ReadStream, WriteStream } from 'node:tty';
import { ReplyFilter } from '../../terminal/replies.ts';
import { UsageError } from '../errors.ts';
import { deadlySignals } from '../process/endings.ts';

const uncaughtEvents = ['uncaughtException', 'unhandledRejection'] as const;

/**
 * Prompts for a password without echo.
 *
 * Handles Enter, Backspace, Ctrl-U and Ctrl-Z (suspends; the input so far is kept). Ignores escape sequences and the
 * terminal's replies. A lost terminal ends the program like SIGHUP.
 *
 * @returns the password, or `undefined` after Ctrl-C or Ctrl-D on an empty line
 * @throws UsageError without a terminal; any uncaught error of the process, once the terminal is restored
 */
export function promptPassword(question: string, stdin: ReadStream, output: WriteStream): Promise<string | undefined> {
  if (!stdin.isTTY || !output.isTTY) {
    return Promise.reject(new UsageError('There is no terminal to ask for the password; use --password-file, --password-command or BROKERTOP_PASSWORD.'));
  }
  const decoder = new StringDecoder('utf8');
  const replies = new ReplyFilter();
  return new Promise((resolve, reject) => {
    let typed: string[] = [];
    const cleanUp = (): void => {
      stdin.off('data', onData);
      stdin.off('end', onGone);
      stdin.off('error', onGone);
      process.off('exit', restore);
      for (const signal of deadlySignals) process.off(signal, onSignal);
      process.off('SIGTSTP', onStop);
      process.off('SIGCONT', ask);
      for (const event of uncaughtEvents) process.off(event, onUncaught);
      restore();
      stdin.pause();
      output.write('\n');
    };
    const finish = (answer: string | undefined): void => {
      cleanUp();
      resolve(answer);
    };
    const onUncaught = (error: unknown): void => {
      cleanUp();
      reject(error);
    };
    const restore = (): void => {
      try {
        stdin.setRawMode(false);
      } catch {
        // The terminal is gone.
      }
    };
    // Ends by the signal itself, so that the shell sees it.
    const onSignal = (signal: NodeJS.Signals): void => {
      // Restoring a lost terminal fails again.
      stdin.off('end', onGone);
      stdin.off('error', onGone);
      restore();
      output.write('\n');
      for (const each of deadlySignals) process.off(each, onSignal);
      // A core dump would hold the input.
      if (signal === 'SIGQUIT') process.exit(128 + constants.signals.SIGQUIT);
      process.kill(process.pid, signal);
    };
    const stop = (pid: number): void => {
      restore();
      output.write('\n');
      // Without a listener the signal stops the program inside `kill`.
      process.off('SIGTSTP', onStop);
      process.kill(pid, 'SIGTSTP');
      process.on('SIGTSTP', onStop);
    };
    // Two turns of the event loop read pending input, which the shell would echo.
    const onStop = (): void => { setImmediate(() => setImmediate(stop, process.pid)); };
    const ask = (): void => {
      // Node skips a mode that it believes to be set, and the shell may have changed it.
      restore();
      stdin.setRawMode(true);
      // Only now, so that no answer is echoed.
      output.write(question);
    };
    const onGone = (): void => onSignal('SIGHUP');
    const onData = (chunk: Buffer): void => {
      const nowMs = performance.now();
      const keys = replies.expire(nowMs) + replies.push(chunk.toString('latin1'), nowMs);
      const text = decoder.write(Buffer.from(keys, 'latin1')).replaceAll(/\u001B\[[0-9;]*[A-Za-z~]|\u001B./gu, '');
      for (const character of text) {
        if (character === '\r' || character === '\n') return finish(typed.join(''));
        if (character === '\u0003') return finish(undefined);
        if (character === '\u0004' && typed.length === 0) return finish(undefined);
        // Ctrl-Z stops the process group, as the terminal would.
        if (character === '\u001A') stop(0);
        else if (character === '\u0015') typed = [];
        else if (character === '\u007F' || character === '\b') typed.pop();
        else if (character >= ' ') typed.push(character);
      }
    };
    stdin.on('data', onData);
    stdin.on('end', onGone);
    stdin.on('error', onGone);
    process.on('exit', restore);
    for (const signal of deadlySignals) process.on(signal, onSignal);
    for (const event of uncaughtEvents) process.on(event, onUncaught);
    process.on('SIGTSTP', onStop);
    process.on('SIGCONT', ask);
    ask();
    stdin.resume();
  });
}
