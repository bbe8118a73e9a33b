import { constants } from 'node:os';

/** Why the program has to end from outside the screen. */
export type Ending =
  | { readonly kind: 'signal'; readonly signal: DeadlySignal }
  | { readonly kind: 'error'; readonly error: unknown }
  /** Nothing can be written to the terminal any more. */
  | { readonly kind: 'gone' };

/** What ended the program, as a sentence: said of what it cut short. */
export function describeEnding(ending: Ending | { readonly kind: 'quit' }): string {
  switch (ending.kind) {
    case 'signal': return `The program was ended by ${ending.signal}.`;
    case 'error': return 'The program was ended by an error of its own.';
    case 'gone': return 'The program ended because its terminal was gone.';
    default: return 'The program was quit.';
  }
}

/** The exit code that shells give a program ended by a signal. */
export function signalExitCode(signal: DeadlySignal): number {
  return 128 + constants.signals[signal];
}

/**
 * Watches for everything that ends a full-screen program besides its own quit key, so that the
 * terminal can be given back first.
 *
 * @returns the first ending, and a function that stops watching.
 */
export function watchForEndings(stdout: NodeJS.WritableStream): { readonly ended: Promise<Ending>; readonly unwatch: () => void } {
  const undo: (() => void)[] = [];
  const ended = new Promise<Ending>((resolve) => {
    for (const signal of deadlySignals) {
      const onSignal = (): void => resolve({ kind: 'signal', signal });
      process.on(signal, onSignal);
      undo.push(() => process.off(signal, onSignal));
    }
    // Never taken off: what is written later fails as well.
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
      for (const step of undo) step();
    },
  };
}

/** The signals that end a program, as far as it can hear them. */
export const deadlySignals = ['SIGTERM', 'SIGHUP', 'SIGINT', 'SIGQUIT'] as const;
export type DeadlySignal = (typeof deadlySignals)[number];

/** The last things that were done, for whoever has to find out what came before an error. */
export interface CommandTrail {
  /** @param name of a command in the key table; what was typed is none */
  readonly note: (name: string) => void;
  /** Oldest first; what was done several times in a row is there once, as `moveDown ×12`. */
  readonly names: () => readonly string[];
}

const mostKept = 30;

export function createCommandTrail(): CommandTrail {
  const steps: { readonly name: string; count: number }[] = [];
  return {
    note: (name) => {
      const last = steps.at(-1);
      if (last?.name === name) {
        last.count += 1;
        return;
      }
      steps.push({ name, count: 1 });
      if (steps.length > mostKept) steps.shift();
    },
    names: () => steps.map(({ name, count }) => (count === 1 ? name : `${name} ×${count}`)),
  };
}
