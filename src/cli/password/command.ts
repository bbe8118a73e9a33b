import { spawn } from 'node:child_process';
import { decodeText } from '../files/private-file.ts';
import { UsageError } from '../options/usage-error.ts';
import { deadlySignals } from '../process/endings.ts';

const maxBytes = 4096;
const deadlineMs = 30_000;
/** What the command had printed when it ended has been read by then. */
const restMs = 200;

export interface PasswordCommandOptions {
  readonly timeoutMs?: number | undefined;
  /** `false`: a screen is drawn on the terminal, so the command can neither ask nor say anything there. */
  readonly hasTerminal?: boolean | undefined;
}

/**
 * The password from the output of a command, run by the shell. Its standard error goes to ours, so
 * that it may ask for a passphrase; it has until `timeoutMs`, then it is ended. What it leaves behind, such as
 * an agent, is neither waited for nor ended.
 *
 * @throws UsageError when it fails, hangs, or prints anything but one line. The message never holds its output.
 */
export async function readPasswordCommand(command: string, { timeoutMs = deadlineMs, hasTerminal = true }: PasswordCommandOptions = {}): Promise<string> {
  const rest = hasTerminal ? 'inherit' : 'ignore';
  const child = spawn(command, { shell: true, stdio: [rest, 'pipe', rest], detached: process.platform !== 'win32' });
  const chunks: Buffer[] = [];
  let size = 0;
  let why: string | undefined;
  const end = (reason: string): void => {
    why = reason;
    killTree(child.pid);
    child.stdout.destroy();
  };
  // It is no process of the terminal's foreground, so that Ctrl-C alone would leave it behind.
  const onSignal = (signal: NodeJS.Signals): void => {
    killTree(child.pid);
    for (const each of deadlySignals) process.off(each, onSignal);
    process.kill(process.pid, signal);
  };
  for (const signal of deadlySignals) process.on(signal, onSignal);
  // Run again from the screen, it may still run when the operator quits.
  const onExit = (): void => killTree(child.pid);
  process.on('exit', onExit);
  const timer = setTimeout(() => end(`did not finish within ${timeoutMs / 1000} s`), timeoutMs);
  let hasEnded = false;
  let untilRead: NodeJS.Timeout | undefined;
  // Its output stays open for as long as something that it started in the background has it.
  const takeWhatIsThere = (): void => {
    clearTimeout(untilRead);
    if (hasEnded && size > 0) untilRead = setTimeout(() => child.stdout.destroy(), restMs);
  };
  child.once('exit', (code) => {
    hasEnded = true;
    if (code === 0) takeWhatIsThere();
    else child.stdout.destroy();
  });
  child.stdout.on('data', (chunk: Buffer) => {
    size += chunk.length;
    takeWhatIsThere();
    if (size > maxBytes) end('printed too much to be a password');
    else chunks.push(chunk);
  });
  try {
    const outcome = await new Promise<string | undefined>((resolve) => {
      child.once('error', () => resolve('could not be started'));
      child.once('close', (code, signal) => resolve(code === 0 ? undefined : signal === null ? `failed with exit code ${code}` : `was ended by ${signal}`));
    });
    why ??= outcome;
  } finally {
    process.off('exit', onExit);
    clearTimeout(timer);
    clearTimeout(untilRead);
    for (const signal of deadlySignals) process.off(signal, onSignal);
  }
  if (why !== undefined) throw new UsageError(`The password command ${why}.`);
  const source = 'The output of the password command';
  return onePasswordLine(decodeText(Buffer.concat(chunks), source), source);
}

/** The shell and what it started: a hanging child of the shell would keep the pipe open. */
function killTree(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL');
  } catch {
    // It has ended by itself in the meantime.
  }
}

/**
 * The only line of a text that somebody else made, without its line end; it holds no NUL.
 *
 * @throws UsageError that begins with `source`, which names where the text is from, and never holds what is in it.
 */
export function onePasswordLine(text: string, source: string): string {
  const password = text.replace(/\r?\n$/u, '');
  if (password === '') throw new UsageError(`${source} is empty.`);
  if (/[\r\n]/u.test(password)) throw new UsageError(`${source} has more than one line; it must hold the password alone.`);
  if (password.includes('\0')) throw new UsageError(`${source} holds a NUL character.`);
  return password;
}
