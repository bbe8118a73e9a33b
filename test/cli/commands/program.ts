import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The program's entry, as Node runs it from its sources. */
export const entry = fileURLToPath(new URL('../../../src/main.ts', import.meta.url));

export interface Program {
  readonly child: ChildProcess;
  /** What the program has printed so far. */
  readonly output: { stdout: string; stderr: string };
  /** Resolves when stdout holds `text`; rejects when the program ends before. */
  printed(text: string): Promise<void>;
  readonly exited: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
}

/** Starts the program with a channel to it. */
export function startProgram(...args: readonly string[]): Program {
  const child = fork(entry, args, { execArgv: [], stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
  const output = { stdout: '', stderr: '' };
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text;
  });
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output.stdout += text;
  });
  const ended = [child.stdout, child.stderr].map(
    (stream) =>
      new Promise<void>((resolve) => {
        stream?.once('close', () => resolve());
      }),
  );
  // Not `close`: that never comes once this side has closed the channel.
  const exited = new Promise<Awaited<Program['exited']>>((resolve) => {
    child.once('exit', (code, signal) => void Promise.all(ended).then(() => resolve({ code, signal })));
  });
  const printed = (text: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        if (output.stdout.includes(text)) resolve();
      };
      child.stdout?.on('data', look);
      look();
      void exited.then(() => reject(new Error(`ended without printing ${JSON.stringify(text)}: ${output.stderr}`)));
    });
  return { child, output, printed, exited };
}

/** The first message of the program that `is` recognises. */
export function message<T>(child: ChildProcess, is: (value: unknown) => value is T): Promise<T> {
  return new Promise((resolve, reject) => {
    child.on('message', (value: unknown) => {
      if (is(value)) resolve(value);
    });
    child.once('exit', () => reject(new Error('ended without a report')));
  });
}
