import { type ActionDispatch, useMemo, useReducer } from 'react';
import { createTextField, createTextFieldReducer, lineLimits, type TextField, type TextFieldAction, type TextFieldLimits } from '../../terminal/text-field.ts';
import { useKeys } from '../keys/use-keys.ts';

export interface TextFieldOptions {
  readonly initialText?: string | undefined;
  /** One line unless given. Must be the same object at every rendering. */
  readonly limits?: TextFieldLimits | undefined;
  readonly isActive?: boolean | undefined;
  readonly onAccept?: ((text: string) => void) | undefined;
  readonly onCancel?: (() => void) | undefined;
}

/** A text field with the keys of the scope `prompt`. Pasted text is inserted whole and never taken for keys. */
export const useTextField = (options: TextFieldOptions = {}): readonly [TextField, ActionDispatch<[TextFieldAction]>] => {
  const { initialText, limits = lineLimits, isActive, onAccept, onCancel } = options;
  const reduce = useMemo(() => createTextFieldReducer(limits), [limits]);
  const [field, dispatch] = useReducer(reduce, initialText, createTextField);
  const insert = (text: string): void => { dispatch({ type: 'insert', text }); };
  useKeys(
    'prompt',
    {
      promptAccept: () => { onAccept?.(field.text); },
      promptCancel: () => { onCancel?.(); },
      promptLeft: () => { dispatch({ type: 'left' }); },
      promptRight: () => { dispatch({ type: 'right' }); },
      promptStart: () => { dispatch({ type: 'start' }); },
      promptEnd: () => { dispatch({ type: 'end' }); },
      promptErase: () => { dispatch({ type: 'erase' }); },
      promptEraseNext: () => { dispatch({ type: 'eraseNext' }); },
      promptEraseWord: () => { dispatch({ type: 'eraseWord' }); },
      promptClear: () => { dispatch({ type: 'clear' }); },
    },
    { isActive, onText: insert, onPaste: insert },
  );
  return [field, dispatch];
};
