import { spawn } from 'node:child_process';
import { UsageError } from '../errors.ts';
import { decodeText, readPrivateFile } from '../files/private-file.ts';
import type { PasswordSource } from '../options/config.ts';
import { deadlySignals } from '../process/endings.ts';
import { promptPassword } from './prompt.ts';

const maxBytes = 4096;
const deadlineMs = 30_000;
/** Time to read the rest of the output after the command has exited. */
const drainMs = 200;

export interface PasswordCommandOptions {
  readonly timeoutMs?: number | undefined;
  /** `false` while the screen is shown: the command can then neither prompt nor print. */
  readonly hasTerminal?: boolean | undefined;
}

/**
 * Reads the password from the output of a shell command, which may prompt on the terminal. Kills it after `timeoutMs`, but not
 * processes that it leaves in the background, such as an agent.
 *
 * @throws UsageError when it fails, hangs, or prints anything but one line; never quotes its output
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
  // The detached command does not get the terminal's Ctrl-C.
  const onSignal = (signal: NodeJS.Signals): void => {
    killTree(child.pid);
    for (const each of deadlySignals) process.off(each, onSignal);
    process.kill(process.pid, signal);
  };
  for (const signal of deadlySignals) process.on(signal, onSignal);
  // The operator may quit while it runs.
  const onExit = (): void => killTree(child.pid);
  process.on('exit', onExit);
  const timer = setTimeout(() => end(`did not finish within ${timeoutMs / 1000} s`), timeoutMs);
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
    clearTimeout(drainTimer);
    for (const signal of deadlySignals) process.off(signal, onSignal);
  }
  if (why !== undefined) throw new UsageError(`The password command ${why}.`);
  const source = 'The output of the password command';
  return onePasswordLine(decodeText(Buffer.concat(chunks), source), source);
}

/** Kills the process group: a hanging child of the shell would keep the pipe open. */
function killTree(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL');
  } catch {
    // Already exited.
  }
}

/**
 * Checks that a text is one line without NUL, and removes the line end.
 *
 * @throws UsageError that begins with `source`; never quotes the text
 */
export function onePasswordLine(text: string, source: string): string {
  const password = text.replace(/\r?\n$/u, '');
  if (password === '') throw new UsageError(`${source} is empty.`);
  if (/[\r\n]/u.test(password)) throw new UsageError(`${source} has more than one line; it must hold the password alone.`);
  if (password.includes('\0')) throw new UsageError(`${source} holds a NUL character.`);
  return password;
}

export const passwordVariable = 'BROKERTOP_PASSWORD';

/**
 * Removes the password from the environment, so that child processes do not inherit it.
 *
 * @returns `undefined` when it is unset or empty
 */
export function takePasswordVariable(environment: NodeJS.ProcessEnv): string | undefined {
  const password = environment[passwordVariable];
  delete environment[passwordVariable];
  return password === '' ? undefined : password;
}

export interface PasswordContext {
  readonly user: string;
  readonly url: string;
  readonly fromEnvironment: string | undefined;
  /** Warnings for the prompt about who could read the password. */
  readonly exposure: readonly string[];
}

/**
 * Reads the password from its configured source.
 *
 * @throws UsageError when it cannot be read or the user cancels the prompt
 */
export async function readPassword(source: PasswordSource, context: PasswordContext): Promise<string> {
  if (source.kind === 'file') return readPasswordFile(source.path);
  if (source.kind === 'command') return readPasswordCommand(source.command);
  if (source.kind === 'environment' && context.fromEnvironment !== undefined) return onePasswordLine(context.fromEnvironment, passwordVariable);
  const warnings = context.exposure.map((text) => `${text}  `).join('');
  const password = await promptPassword(`${warnings}Password of ${context.user} at ${context.url}: `, process.stdin, process.stderr);
  if (password === undefined || password === '') throw new UsageError('No password was given.');
  return password;
}

/** Reads the password again while the screen is shown. `undefined` for sources that cannot change: the operator types it. */
export function rereadPassword(source: PasswordSource): { readonly source: 'file' | 'command'; readonly read: () => Promise<string> } | undefined {
  if (source.kind === 'file') return { source: 'file', read: () => readPasswordFile(source.path) };
  if (source.kind === 'command') return { source: 'command', read: () => readPasswordCommand(source.command, { hasTerminal: false }) };
  return undefined;
}

/**
 * Reads a password file.
 *
 * @throws UsageError as `readPrivateFile`, and when the file is not exactly one line
 */
export async function readPasswordFile(path: string): Promise<string> {
  const text = await readPrivateFile({ path, name: 'The password file', maxBytes: 4096, content: 'a password' });
  return onePasswordLine(text, `The password file ${JSON.stringify(path)}`);
}
