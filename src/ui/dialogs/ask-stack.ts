import type { Action } from '../../actions/action.ts';
import type { AskRequest } from './ask.ts';

/** One dialog: something that is asked, or what was begun. */
export interface AskEntry {
  /** That no other entry has: what was typed in one dialog never shows up in another. */
  readonly key: number;
  readonly shown:
    | AskRequest
    | { readonly kind: 'running'; readonly action: Action; readonly afterKey: string | undefined }
    /** The bulk that runs, or the last one. */
    | { readonly kind: 'bulk-running' }
    /** Whether the program ends in the middle of something. */
    | { readonly kind: 'quit' };
  /** What was typed into a form that was gone on from. */
  readonly values?: Readonly<Record<string, string>> | undefined;
}

/** Dialogs that led to each other, the last one on the screen. */
export interface AskState {
  readonly entries: readonly AskEntry[];
  readonly nextKey: number;
}

export type AskAction =
  /** A dialog instead of whatever is there. */
  | { readonly type: 'open'; readonly shown: AskEntry['shown'] }
  /** A dialog over whatever is there, which is come back to by cancelling. */
  | { readonly type: 'over'; readonly shown: AskEntry['shown'] }
  /** What a form came to; the form is come back to by cancelling. */
  | { readonly type: 'next'; readonly from: number; readonly shown: AskRequest; readonly values: Readonly<Record<string, string>> }
  /** Takes the place of a dialog that only led here. */
  | { readonly type: 'replace'; readonly from: number; readonly shown: AskRequest }
  | { readonly type: 'cancel' }
  | { readonly type: 'close' };

export const noDialog: AskState = { entries: [], nextKey: 1 };

/** The next state of the dialogs. What comes from a dialog that is not on top any more changes nothing. */
export const reduceAsk = (state: AskState, action: AskAction): AskState => {
  const { entries, nextKey } = state;
  const top = entries.at(-1);
  switch (action.type) {
    case 'open':
      return { entries: [{ key: nextKey, shown: action.shown }], nextKey: nextKey + 1 };
    case 'over':
      return { entries: [...entries, { key: nextKey, shown: action.shown }], nextKey: nextKey + 1 };
    case 'next':
      return top?.key !== action.from
        ? state
        : { entries: [...entries.slice(0, -1), { ...top, values: action.values }, { key: nextKey, shown: action.shown }], nextKey: nextKey + 1 };
    case 'replace':
      return top?.key !== action.from ? state : { entries: [...entries.slice(0, -1), { key: nextKey, shown: action.shown }], nextKey: nextKey + 1 };
    case 'cancel': {
      // A form come back to is a new dialog: it takes what was typed from its entry.
      const below = entries.at(-2);
      return below === undefined ? { ...state, entries: [] } : { entries: [...entries.slice(0, -2), { ...below, key: nextKey }], nextKey: nextKey + 1 };
    }
    case 'close':
      return { ...state, entries: [] };
  }
};
