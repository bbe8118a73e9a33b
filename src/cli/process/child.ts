import { fork } from 'node:child_process';

export interface ChildOptions<Report> {
  /** The program's file; `undefined` in a single executable, which takes no file. */
  readonly entry: string | undefined;
  readonly args: readonly string[];
  readonly execArgv: readonly string[];
  readonly isReport: (message: unknown) => message is Report;
}

export interface ChildExit {
  readonly how: string;
  readonly lastMessage: string | undefined;
}

export interface Child<Report> {
  readonly started: Promise<{ readonly report: Report } | { readonly exit: ChildExit }>;
  readonly exited: Promise<ChildExit>;
  stop(): Promise<void>;
}

const messagePrefix = 'brokertop: ';
const graceMs = 3000;
const maxStderrLength = 4096;

export function startChild<Report>({ entry, args, execArgv, isReport }: ChildOptions<Report>): Child<Report> {
  const [first = '', ...rest] = entry === undefined ? args : [entry, ...args];
  const child = fork(first, rest, { execArgv: [...execArgv], stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-maxStderrLength);
  });
  const exited = new Promise<ChildExit>((resolve) => {
    const end = (how: string): void => {
      const lines = stderr.trim().split('\n');
      const message = (lines.find((line) => line.startsWith(messagePrefix)) ?? lines.at(-1) ?? '').replace(
        messagePrefix,
        '',
      );
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

export interface CommandProcess {
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
  readonly send?: ((message: object) => boolean) | undefined;
  readonly connected?: boolean | undefined;
  on(event: StopEvent, listener: () => void): unknown;
  off(event: StopEvent, listener: () => void): unknown;
}

type StopEvent = 'SIGTERM' | 'SIGINT' | 'SIGHUP' | 'disconnect';

const stopEvents: readonly StopEvent[] = ['SIGTERM', 'SIGINT', 'SIGHUP', 'disconnect'];

/** Resolves on a signal or when the parent is gone. Later signals are ignored. */
export function waitForStop(process: CommandProcess): Promise<void> {
  return new Promise((resolve) => {
    const stop = (): void => resolve();
    for (const event of stopEvents) process.on(event, stop);
    // The parent may be gone already.
    if (process.send !== undefined && process.connected === false) resolve();
  });
}

export function tellParent(process: CommandProcess, message: object): void {
  if (process.connected === true) process.send?.(message);
}
