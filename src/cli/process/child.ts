import { fork } from 'node:child_process';

export interface ChildOptions<Report> {
  /** This program's entry file. */
  readonly entry: string;
  readonly args: readonly string[];
  readonly execArgv: readonly string[];
  /** Whether a message reports that the child is ready. */
  readonly isReport: (message: unknown) => message is Report;
}

/** How a child ended. */
export interface ChildExit {
  /** `code 1` or `signal SIGKILL`. */
  readonly how: string;
  /** Its error message on stderr, else the last line there; `undefined` when it wrote none. */
  readonly lastMessage: string | undefined;
}

/** A child process of this program. It ends when the channel to it closes, so also when this process is killed. */
export interface Child<Report> {
  /** Resolves with the child's report, or with its exit if that comes first. */
  readonly started: Promise<{ readonly report: Report } | { readonly exit: ChildExit }>;
  readonly exited: Promise<ChildExit>;
  /** Ends the child, after a grace period by SIGKILL, and resolves when it is gone. */
  stop(): Promise<void>;
}

/** How this program's messages on stderr begin. */
const messagePrefix = 'brokertop: ';
const graceMs = 3000;
const maxStderrLength = 4096;

/** Starts this program again. Its output does not reach the terminal, which shows the monitor. */
export function startChild<Report>({ entry, args, execArgv, isReport }: ChildOptions<Report>): Child<Report> {
  const child = fork(entry, args, { execArgv: [...execArgv], stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-maxStderrLength);
  });
  const exited = new Promise<ChildExit>((resolve) => {
    const end = (how: string): void => {
      const lines = stderr.trim().split('\n');
      const message = (lines.find((line) => line.startsWith(messagePrefix)) ?? lines.at(-1) ?? '').replace(messagePrefix, '');
      resolve({ how, lastMessage: message === '' ? undefined : message });
    };
    child.once('error', (error) => end(error.message));
    // `close` does not fire once this side has closed the channel.
    child.once('exit', (code, signal) => {
      const how = signal === null ? `code ${code}` : `signal ${signal}`;
      // The pipe may still hold its last message.
      if (child.stderr === null || child.stderr.closed) end(how);
      else child.stderr.once('close', () => end(how));
    });
  });
  const report = new Promise<{ report: Report }>((resolve) => {
    child.on('message', (message: unknown) => {
      if (isReport(message)) resolve({ report: message });
    });
  });
  return {
    started: Promise.race([report, exited.then((exit) => ({ exit }))]),
    exited,
    stop: async () => {
      if (child.connected) child.disconnect();
      const force = setTimeout(() => child.kill('SIGKILL'), graceMs);
      await exited;
      clearTimeout(force);
    },
  };
}

/** The parts of `process` that a command uses. */
export interface CommandProcess {
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
  /** Present when the process has a channel to its parent. */
  readonly send?: ((message: object) => boolean) | undefined;
  readonly connected?: boolean | undefined;
  on(event: StopEvent, listener: () => void): unknown;
  off(event: StopEvent, listener: () => void): unknown;
}

type StopEvent = 'SIGTERM' | 'SIGINT' | 'SIGHUP' | 'disconnect';

const stopEvents: readonly StopEvent[] = ['SIGTERM', 'SIGINT', 'SIGHUP', 'disconnect'];

/** Resolves on a signal or when the parent process is gone. Later signals are ignored while the command shuts down. */
export function waitForStop(process: CommandProcess): Promise<void> {
  return new Promise((resolve) => {
    const stop = (): void => resolve();
    for (const event of stopEvents) process.on(event, stop);
    // The parent may be gone already.
    if (process.send !== undefined && process.connected === false) resolve();
  });
}

/** Sends a message to the parent process, if it still listens. */
export function tellParent(process: CommandProcess, message: object): void {
  if (process.connected === true) process.send?.(message);
}
