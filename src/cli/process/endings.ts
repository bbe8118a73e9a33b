import { constants } from 'node:os';
import { deadlySignals } from './deadly-signals.ts';
import type { DeadlySignal } from './deadly-signals.ts';

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
