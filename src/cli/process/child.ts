import { fork } from 'node:child_process';

export interface ChildOptions<Report> {
  /** This program's entry file. */
  readonly entry: string;
  readonly args: readonly string[];
  readonly execArgv: readonly string[];
  /** Whether a message is the report that the child is ready. */
  readonly isReport: (message: unknown) => message is Report;
}

/** How a child ended. */
export interface ChildExit {
  /** `code 1` or `signal SIGKILL`. */
  readonly how: string;
  /** Its own sentence on stderr, else the last line there; `undefined` when it wrote none. */
  readonly lastWords: string | undefined;
}

/** This program started once more, with a channel to it. It ends when the channel closes, so also when we are killed. */
export interface Child<Report> {
  /** Resolves with the child's report, or with how it ended before it could make one. */
  readonly started: Promise<{ readonly report: Report } | { readonly exit: ChildExit }>;
  readonly exited: Promise<ChildExit>;
  /** Ends it, by force if it takes long, and resolves when it is gone. */
  stop(): Promise<void>;
}

/** How this program begins what it says on stderr. */
const ownWords = 'brokertop: ';
const graceMs = 3000;
const mostStderr = 4096;

/** Its output is kept from the terminal: the monitor's screen is there. */
export function startChild<Report>({ entry, args, execArgv, isReport }: ChildOptions<Report>): Child<Report> {
  const child = fork(entry, args, { execArgv: [...execArgv], stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-mostStderr);
  });
  const exited = new Promise<ChildExit>((resolve) => {
    const end = (how: string): void => {
      const lines = stderr.trim().split('\n');
      const words = (lines.find((line) => line.startsWith(ownWords)) ?? lines.at(-1) ?? '').replace(ownWords, '');
      resolve({ how, lastWords: words === '' ? undefined : words });
    };
    child.once('error', (error) => end(error.message));
    // Not `close`: that never comes once this side has closed the channel.
    child.once('exit', (code, signal) => {
      const how = signal === null ? `code ${code}` : `signal ${signal}`;
      // What it said last may still be in the pipe.
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

/** What a command needs of the process that it runs in; `process` is one. */
export interface CommandProcess {
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
  /** There is one when the process was started with a channel to its parent. */
  readonly send?: ((message: object) => boolean) | undefined;
  readonly connected?: boolean | undefined;
  on(event: StopEvent, listener: () => void): unknown;
  off(event: StopEvent, listener: () => void): unknown;
}

type StopEvent = 'SIGTERM' | 'SIGINT' | 'SIGHUP' | 'disconnect';

const stopEvents: readonly StopEvent[] = ['SIGTERM', 'SIGINT', 'SIGHUP', 'disconnect'];

/**
 * Resolves when the command has to end: a signal, or its parent gone (so that a parent that was
 * killed leaves nothing behind). A second signal while it shuts down changes nothing.
 */
export function waitForStop(process: CommandProcess): Promise<void> {
  return new Promise((resolve) => {
    const stop = (): void => resolve();
    for (const event of stopEvents) process.on(event, stop);
    // The parent may have gone before anybody listened.
    if (process.send !== undefined && process.connected === false) resolve();
  });
}

/** Tells the parent, if there is one that still listens. */
export function tellParent(process: CommandProcess, message: object): void {
  if (process.connected === true) process.send?.(message);
}
