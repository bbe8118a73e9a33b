import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { StringDecoder } from 'node:string_decoder';
import type { ReadStream, WriteStream } from 'node:tty';
import { stopReading } from '../../terminal/input.ts';
import { ReplyFilter } from '../../terminal/replies.ts';
import { UsageError } from '../errors.ts';
import { decodeText, readPrivateFile } from '../files/text-files.ts';
import { deadlySignals } from '../process/endings.ts';
import { ownSession, signalGroup } from '../process/process-group.ts';
import { fileTexts, passwordTexts } from '../texts.ts';
import type { PasswordSource } from './config.ts';

const maxBytes = 4096;
const deadlineMs = 30_000;
/** The rest of the output is read for so long after the command exited. */
const drainMs = 200;

export interface PasswordCommandOptions {
  readonly timeoutMs?: number | undefined;
  /** `false` while the screen is shown: the command can neither prompt nor print. */
  readonly hasTerminal?: boolean | undefined;
}

/**
 * Runs a command and reads the password from its output. Kills it after `timeoutMs`, but not its background processes.
 * @throws UsageError that never quotes the output
 */
export async function readPasswordCommand(
  command: string,
  { timeoutMs = deadlineMs, hasTerminal = true }: PasswordCommandOptions = {},
): Promise<string> {
  const rest = hasTerminal ? 'inherit' : 'ignore';
  let pid: number | undefined;
  // The detached command does not get the terminal's Ctrl-C.
  const onSignal = (signal: NodeJS.Signals): void => {
    killTree(pid);
    for (const each of deadlySignals) process.off(each, onSignal);
    process.kill(process.pid, signal);
  };
  // The operator may quit while it runs.
  const onExit = (): void => killTree(pid);
  // Before the command starts: a signal right after that would end the program, but not the command.
  for (const signal of deadlySignals) process.on(signal, onSignal);
  process.on('exit', onExit);
  const child = spawn(command, { shell: true, stdio: [rest, 'pipe', rest], ...ownSession });
  ({ pid } = child);
  const chunks: Buffer[] = [];
  let size = 0;
  let why: string | undefined;
  const end = (reason: string): void => {
    why = reason;
    killTree(pid);
    child.stdout.destroy();
  };
  const timer = setTimeout(() => end(passwordTexts.didNotFinish(timeoutMs / 1000)), timeoutMs);
  let hasEnded = false;
  let drainTimer: NodeJS.Timeout | undefined;
  // A background process of the command may keep its output open.
  const closeWhenDrained = (): void => {
    clearTimeout(drainTimer);
    if (hasEnded && size > 0) drainTimer = setTimeout(() => child.stdout.destroy(), drainMs);
  };
  child.once('exit', (code) => {
    hasEnded = true;
    if (code === 0) closeWhenDrained();
    else child.stdout.destroy();
  });
  child.stdout.on('data', (chunk: Buffer) => {
    size += chunk.length;
    closeWhenDrained();
    if (size > maxBytes) end(passwordTexts.printedTooMuch);
    else chunks.push(chunk);
  });
  try {
    const outcome = await new Promise<string | undefined>((resolve) => {
      child.once('error', () => resolve(passwordTexts.couldNotBeStarted));
      child.once('close', (code, signal) =>
        resolve(
          code === 0 ? undefined : signal === null ? passwordTexts.failed(code) : passwordTexts.endedBySignal(signal),
        ),
      );
    });
    why ??= outcome;
  } finally {
    process.off('exit', onExit);
    clearTimeout(timer);
    clearTimeout(drainTimer);
    for (const signal of deadlySignals) process.off(signal, onSignal);
  }
  if (why !== undefined) throw new UsageError(passwordTexts.command(why));
  return onePasswordLine(decodeText(Buffer.concat(chunks), passwordTexts.commandOutput), passwordTexts.commandOutput);
}

/** Kills a command with its children: one that hangs would keep the pipe open. */
function killTree(pid: number | undefined): void {
  signalGroup(pid, 'SIGKILL');
}

/**
 * Removes the line end. @throws UsageError for anything but one line; it begins with `source` and never quotes the text
 */
export function onePasswordLine(text: string, source: string): string {
  const password = text.replace(/\r?\n$/u, '');
  if (password === '') throw new UsageError(passwordTexts.isEmpty(source));
  if (/[\r\n]/u.test(password)) throw new UsageError(passwordTexts.severalLines(source));
  if (password.includes('\0')) throw new UsageError(passwordTexts.hasNul(source));
  return password;
}

export const passwordVariable = 'BROKERTOP_PASSWORD';

/** Removes the password from the environment, so that child processes do not inherit it. */
export function takePasswordVariable(environment: NodeJS.ProcessEnv): string | undefined {
  const password = environment[passwordVariable];
  delete environment[passwordVariable];
  return password === '' ? undefined : password;
}

export interface PasswordContext {
  readonly user: string;
  readonly url: string;
  readonly fromEnvironment: string | undefined;
  readonly exposure: readonly string[];
}

/** @throws UsageError if it cannot be read or the prompt is cancelled */
export async function readPassword(source: PasswordSource, context: PasswordContext): Promise<string> {
  if (source.kind === 'file') return readPasswordFile(source.path);
  if (source.kind === 'command') return readPasswordCommand(source.command);
  if (source.kind === 'environment' && context.fromEnvironment !== undefined)
    return onePasswordLine(context.fromEnvironment, passwordVariable);
  const warnings = context.exposure.map((text) => `${text}  `).join('');
  const password = await promptPassword(
    warnings + passwordTexts.prompt(context.user, context.url),
    process.stdin,
    process.stderr,
  );
  if (password === undefined || password === '') throw new UsageError(passwordTexts.noneGiven);
  return password;
}

/**
 * Returns a function that reads the password again while the screen is shown; `undefined` for sources that cannot
 * change.
 */
export function rereadPassword(
  source: PasswordSource,
): { readonly source: 'file' | 'command'; readonly read: () => Promise<string> } | undefined {
  if (source.kind === 'file') return { source: 'file', read: () => readPasswordFile(source.path) };
  if (source.kind === 'command')
    return { source: 'command', read: () => readPasswordCommand(source.command, { hasTerminal: false }) };
  return undefined;
}

/** @throws UsageError as `readPrivateFile` does, and unless the file is one line */
export async function readPasswordFile(path: string): Promise<string> {
  const text = await readPrivateFile({ path, name: fileTexts.passwordFile, maxBytes, content: fileTexts.password });
  return onePasswordLine(text, fileTexts.source(fileTexts.passwordFile, path));
}

const uncaughtEvents = ['uncaughtException', 'unhandledRejection'] as const;

/** Asks for a password. Returns `undefined` after Ctrl-C or Ctrl-D. @throws UsageError without a terminal */
export function promptPassword(question: string, stdin: ReadStream, output: WriteStream): Promise<string | undefined> {
  if (!stdin.isTTY || !output.isTTY) {
    return Promise.reject(new UsageError(passwordTexts.noTerminal));
  }
  const decoder = new StringDecoder('utf8');
  const replies = new ReplyFilter();
  return new Promise((resolve, reject) => {
    let typed: string[] = [];
    const end = (settle: () => void): void => {
      stdin.off('data', onData);
      stdin.off('end', onGone);
      stdin.off('error', onGone);
      process.off('exit', restore);
      for (const signal of deadlySignals) process.off(signal, onSignal);
      process.off('SIGTSTP', onStop);
      process.off('SIGCONT', ask);
      for (const event of uncaughtEvents) process.off(event, onUncaught);
      restore();
      output.write('\n');
      void stopReading(stdin).then(settle);
    };
    const finish = (answer: string | undefined): void => {
      end(() => {
        resolve(answer);
      });
    };
    const onUncaught = (error: unknown): void => {
      end(() => {
        reject(error);
      });
    };
    const restore = (): void => {
      try {
        stdin.setRawMode(false);
      } catch {}
    };
    // The signal itself ends the program, so that the shell sees it.
    const onSignal = (signal: NodeJS.Signals): void => {
      // Restoring a lost terminal fails again.
      stdin.off('end', onGone);
      stdin.off('error', onGone);
      restore();
      output.write('\n');
      for (const each of deadlySignals) process.off(each, onSignal);
      // A core dump would contain the input.
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
    const onStop = (): void => {
      setImmediate(() => setImmediate(stop, process.pid));
    };
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
