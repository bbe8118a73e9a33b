import { readPrivateFile } from '../files/private-file.ts';
import type { PasswordSource } from '../options/config.ts';
import { UsageError } from '../options/usage-error.ts';
import { onePasswordLine, type PasswordCommandOptions } from './command.ts';
import { promptPassword } from './prompt.ts';

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
  if (source.kind === 'file') return readFromFile(source.path);
  if (source.kind === 'command') return readFromCommand(source.command);
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
  if (source.kind === 'file') return { source: 'file', read: () => readFromFile(source.path) };
  if (source.kind === 'command') return { source: 'command', read: () => readFromCommand(source.command, { hasTerminal: false }) };
  return undefined;
}

// Loaded where they are asked for: what they need of Node would be loaded before the first frame of everybody.
async function readFromFile(path: string): Promise<string> {
  const { readPasswordFile } = await import('./password.ts');
  return readPasswordFile(path);
}

async function readFromCommand(command: string, options?: PasswordCommandOptions): Promise<string> {
  const { readPasswordCommand } = await import('./command.ts');
  return readPasswordCommand(command, options);
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
