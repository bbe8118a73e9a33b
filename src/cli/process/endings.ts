import { constants } from 'node:os';
import { endingTexts } from '../texts.ts';

export type Ending =
  | { readonly kind: 'signal'; readonly signal: DeadlySignal }
  | { readonly kind: 'error'; readonly error: unknown }
  | { readonly kind: 'gone' };

export function describeEnding(ending: Ending | { readonly kind: 'quit' }): string {
  switch (ending.kind) {
    case 'signal':
      return endingTexts.signal(ending.signal);
    case 'error':
      return endingTexts.error;
    case 'gone':
      return endingTexts.gone;
    default:
      return endingTexts.quit;
  }
}

export function signalExitCode(signal: DeadlySignal): number {
  return 128 + constants.signals[signal];
}

/** Resolves on a signal, an uncaught error or a lost terminal, so that the terminal can be restored. */
export function watchForEndings(stdout: NodeJS.WritableStream): {
  readonly ended: Promise<Ending>;
  readonly unwatch: () => void;
} {
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

export const deadlySignals = ['SIGTERM', 'SIGHUP', 'SIGINT', 'SIGQUIT'] as const;
export type DeadlySignal = (typeof deadlySignals)[number];

export interface CommandTrail {
  /** Notes a command by its name in the keymap, never typed text. */
  readonly note: (name: string) => void;
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
