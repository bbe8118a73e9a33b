import { useState } from 'react';
import type { ListState } from './list-state.ts';
import type { ListControl } from './use-list-state.ts';
import { useTextField } from '../hooks/use-text-field.ts';
import type { TextField } from '../../terminal/text-field.ts';

export interface FilterPrompt {
  readonly isTyping: boolean;
  readonly field: TextField;
  /** The filter that applies now: what is typed so far, else what is set. */
  readonly text: string;
  /** Begins to type; Esc goes back to the list as it is in this state. */
  readonly open: (state: ListState) => void;
}

/** The filter of a list, which applies while it is typed. */
export const useFilterPrompt = ({ state, dispatch }: ListControl): FilterPrompt => {
  // The list as it was when the prompt opened.
  const [before, setBefore] = useState<ListState | undefined>(undefined);
  const isTyping = before !== undefined;
  const [field, dispatchField] = useTextField({
    isActive: isTyping,
    onAccept: (filter) => {
      dispatch({ type: 'filter', filter: filter.trim() });
      setBefore(undefined);
    },
    onCancel: () => {
      if (before !== undefined) {
        dispatch({ type: 'restore', state: before });
      }
      setBefore(undefined);
    },
  });
  return {
    isTyping,
    field,
    text: isTyping ? field.text : state.filter,
    open: (now) => {
      setBefore(now);
      dispatchField({ type: 'set', text: now.filter });
    },
  };
};
