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
