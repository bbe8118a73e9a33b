import { constants } from 'node:os';
import { StringDecoder } from 'node:string_decoder';
import type { ReadStream, WriteStream } from 'node:tty';
import { ReplyFilter } from '../../terminal/replies.ts';
import { UsageError } from '../errors.ts';
import { deadlySignals } from '../process/endings.ts';

const uncaughtEvents = ['uncaughtException', 'unhandledRejection'] as const;

/**
 * Asks for a password on the terminal without showing it.
 *
 * Enter ends it, Backspace takes back a character, Ctrl-U all of them; Ctrl-Z stops the program, and what was
 * typed before counts when it goes on. Escape sequences (arrow keys,
 * bracketed paste marks) and what the terminal says by itself are not part of a password and are left out.
 *
 * A terminal that is gone ends the program as SIGHUP does.
 *
 * @returns the password, or `undefined` when the user gave up (Ctrl-C, Ctrl-D on an empty line).
 * @throws UsageError when there is no terminal to ask on; any error that nobody else caught meanwhile, after the terminal is as it was.
 */
export function promptPassword(question: string, stdin: ReadStream, output: WriteStream): Promise<string | undefined> {
  if (!stdin.isTTY || !output.isTTY) {
    return Promise.reject(new UsageError('There is no terminal to ask for the password; use --password-file, --password-command or BROKERTOP_PASSWORD.'));
  }
  const decoder = new StringDecoder('utf8');
  const replies = new ReplyFilter();
  return new Promise((resolve, reject) => {
    let typed: string[] = [];
    const giveBack = (): void => {
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
      giveBack();
      resolve(answer);
    };
    const onUncaught = (error: unknown): void => {
      giveBack();
      reject(error);
    };
    const restore = (): void => {
      try {
        stdin.setRawMode(false);
      } catch {
        // The terminal is gone: there is nothing to restore.
      }
    };
    // Ends as by the signal itself, where it can: its sender and the shell shall see that.
    const onSignal = (signal: NodeJS.Signals): void => {
      // A terminal that is gone fails again when it is restored.
      stdin.off('end', onGone);
      stdin.off('error', onGone);
      restore();
      output.write('\n');
      for (const each of deadlySignals) process.off(each, onSignal);
      // By itself it may leave an image of the memory, with what was typed in it.
      if (signal === 'SIGQUIT') process.exit(128 + constants.signals.SIGQUIT);
      process.kill(process.pid, signal);
    };
    const stop = (pid: number): void => {
      restore();
      output.write('\n');
      // Heard by nobody, the signal stops the program before `kill` is back.
      process.off('SIGTSTP', onStop);
      process.kill(pid, 'SIGTSTP');
      process.on('SIGTSTP', onStop);
    };
    // What was typed just before is read first, or the shell would show it: by the second turn the terminal was asked for it.
    const onStop = (): void => { setImmediate(() => setImmediate(stop, process.pid)); };
    const ask = (): void => {
      // Setting the mode that Node believes to be set does nothing, and the shell may have set another.
      restore();
      stdin.setRawMode(true);
      // After that, so that nothing typed in answer is ever shown.
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
        // Ctrl-Z: the whole process group, as a shell does it.
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
