import { safe, type SafeText } from '../terminal/safe-text.ts';
import type { EventAction } from '../domain/event.ts';
import type { Undo } from './action.ts';
import type { Theme } from '../terminal/theme.ts';
import type { ReadRequest } from './requests.ts';

export const undoDialogTexts = {
  title: safe`Undo`,
  question: safe`Undo this?`,
  verb: safe`undo`,
  /** @param author who did it, if it was somebody else, or in another run */
  done: (when: SafeText, author: SafeText | undefined, text: SafeText) =>
    author === undefined ? safe`Done ${when}: ${text}` : safe`Done ${when} by ${author}: ${text}`,
  inverse: (title: SafeText) => safe`Now: ${title}`,
  /** The word that the operator types to confirm. Undoing may end or remove something, or act on all nodes. */
  typed: 'undo',
};

/** The words of the dialog for an action that was done. */
export interface DoneAction {
  readonly action: EventAction;
  readonly undo: Undo;
  readonly text: string;
  readonly when: SafeText;
}

/** Asks to take back an action that was done: reads what it has left, then confirms the action that undoes it. */
export const undoRequest = (theme: Theme, { action: done, undo, text, when }: DoneAction): ReadRequest => ({
  kind: 'read',
  title: undoDialogTexts.title,
  async read({ monitor, signal }) {
    const undoing = await monitor.planUndo(done, undo, signal);
    if ('refused' in undoing) return { refused: theme.escape(undoing.refused) };
    const { action, notes = [] } = undoing;
    if (action.invalid !== undefined) return { refused: theme.escape(action.invalid) };
    return {
      request: {
        kind: 'confirm',
        question: undoDialogTexts.question,
        target: action.subject,
        details: [
          undoDialogTexts.done(when, done.by === undefined ? undefined : theme.escape(done.by, 60), theme.escape(text)),
          undoDialogTexts.inverse(theme.escape(action.title)),
          ...notes.map((note) => theme.escape(note)),
        ],
        verb: undoDialogTexts.verb,
        action,
        mustType: undoDialogTexts.typed,
      },
    };
  },
});
