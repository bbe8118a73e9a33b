import { safe, type SafeText } from '../terminal/safe-text.ts';
import type { Theme } from '../terminal/theme.ts';
import type { ActionRecord } from './acting-monitor.ts';
import type { ReadRequest } from './requests.ts';

export const undoDialogTexts = {
  title: safe`Undo`,
  question: safe`Undo this?`,
  verb: safe`undo`,
  done: (title: SafeText) => safe`Done: ${title}`,
  inverse: (title: SafeText) => safe`Now: ${title}`,
  /** The word that the operator types to confirm. Undoing may end or remove something, or act on all nodes. */
  typed: 'undo',
};

/** Asks to take back an action that was done: reads what it has left, then confirms the action that undoes it. */
export const undoRequest = (theme: Theme, { key, title }: Pick<ActionRecord, 'key' | 'title'>): ReadRequest => ({
  kind: 'read',
  title: undoDialogTexts.title,
  async read({ monitor, signal }) {
    const undoing = await monitor.planUndo(key, signal);
    if ('refused' in undoing) return { refused: theme.escape(undoing.refused) };
    const { action, notes = [] } = undoing;
    if (action.invalid !== undefined) return { refused: theme.escape(action.invalid) };
    return {
      request: {
        kind: 'confirm',
        question: undoDialogTexts.question,
        target: action.subject,
        details: [
          undoDialogTexts.done(theme.escape(title)),
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
