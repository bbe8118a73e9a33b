import { constants } from 'node:os';

/** Why the program ends, other than by its quit key. */
export type Ending =
  | { readonly kind: 'signal'; readonly signal: DeadlySignal }
  | { readonly kind: 'error'; readonly error: unknown }
  /** The terminal is gone. */
  | { readonly kind: 'gone' };

/** The reason that is recorded for actions which the end interrupts. */
export function describeEnding(ending: Ending | { readonly kind: 'quit' }): string {
  switch (ending.kind) {
    case 'signal': return `The program was ended by ${ending.signal}.`;
    case 'error': return 'The program was ended by an error of its own.';
    case 'gone': return 'The program ended because its terminal was gone.';
    default: return 'The program was quit.';
  }
}

/** The exit code that shells use for a signal. */
export function signalExitCode(signal: DeadlySignal): number {
  return 128 + constants.signals[signal];
}

/** Watches for signals, uncaught errors and a lost terminal, so that the terminal can be restored before the program ends. */
export function watchForEndings(stdout: NodeJS.WritableStream): { readonly ended: Promise<Ending>; readonly unwatch: () => void } {
  const undo: (() => void)[] = [];
  const ended = new Promise<Ending>((resolve) => {
    for (const signal of deadlySignals) {
      const onSignal = (): void => resolve({ kind: 'signal', signal });
      process.on(signal, onSignal);
      undo.push(() => process.off(signal, onSignal));
    }
    // Never removed: later writes fail too.
    stdout.on('error', () => resolve({ kind: 'gone' }));
    const onError = (error: unknown): void => resolve({ kind: 'error', error });
    process.on('uncaughtException', onError);
    process.on('unhandledRejection', onError);
    undo.push(
      () => process.off('uncaughtException', onError),
      () => process.off('unhandledRejection', onError),
    );
  });
  return {
    ended,
    unwatch: () => {
      for (const remove of undo) remove();
    },
  };
}

/** Signals that end a program and can be caught. */
export const deadlySignals = ['SIGTERM', 'SIGHUP', 'SIGINT', 'SIGQUIT'] as const;
export type DeadlySignal = (typeof deadlySignals)[number];

/** The last commands, for the crash report. */
export interface CommandTrail {
  /** @param name a command's name in the keymap, never typed text */
  readonly note: (name: string) => void;
  /** Oldest first; repeated commands are joined, as in `moveDown ×12`. */
  readonly names: () => readonly string[];
}

const maxEntries = 30;

export function createCommandTrail(): CommandTrail {
  const entries: { readonly name: string; count: number }[] = [];
  return {
    note: (name) => {
      const last = entries.at(-1);
      if (last?.name === name) {
        last.count += 1;
        return;
      }
      entries.push({ name, count: 1 });
      if (entries.length > maxEntries) entries.shift();
    },
    names: () => entries.map(({ name, count }) => (count === 1 ? name : `${name} ×${count}`)),
  };
}
