import { spawn } from 'node:child_process';
import { UsageError } from '../errors.ts';
import { decodeText, readPrivateFile } from '../files/private-file.ts';
import type { PasswordSource } from '../options/config.ts';
import { deadlySignals } from '../process/endings.ts';
import { promptPassword } from './prompt.ts';

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

export const passwordVariable = 'BROKERTOP_PASSWORD';

/**
 * Takes the password out of the environment, so that no child process inherits it.
 *
 * @returns `undefined` when it is not set or empty.
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
  /** Who besides the broker may learn the password, in a few words each, for the prompt. */
  readonly exposure: readonly string[];
}

/**
 * The password from where the configuration says.
 *
 * @throws UsageError as one sentence; also when the user gives up at the prompt.
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

/**
 * How to read the password once more while the program has the terminal: a file or a command may give
 * another one by now. `undefined` where the operator has to type it.
 */
export function passwordAgain(source: PasswordSource): { readonly source: 'file' | 'command'; readonly read: () => Promise<string> } | undefined {
  if (source.kind === 'file') return { source: 'file', read: () => readPasswordFile(source.path) };
  if (source.kind === 'command') return { source: 'command', read: () => readPasswordCommand(source.command, { hasTerminal: false }) };
  return undefined;
}

/**
 * The password in the one line of a file, without its line end.
 *
 * @throws UsageError when the file cannot be read, belongs to somebody else, may be read by others,
 * is not a plain file, or holds no or more than one line. The message never holds what is in it.
 */
export async function readPasswordFile(path: string): Promise<string> {
  const text = await readPrivateFile({ path, name: 'The password file', maxBytes: 4096, content: 'a password' });
  return onePasswordLine(text, `The password file ${JSON.stringify(path)}`);
}
