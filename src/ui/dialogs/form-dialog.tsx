import { type ReactNode, useEffect, useMemo, useReducer, useRef, useState } from 'react';
import type { SafeText } from '../../terminal/safe-text.ts';
import type { TextFieldAction } from '../../terminal/text-field.ts';
import { Rows } from '../components/painted.tsx';
import { useTheme } from '../components/theme-context.ts';
import { useKeys } from '../keys/use-keys.ts';
import type { AskRequest, Built, FormRequest } from './ask.ts';
import { createForm, formLines, formValues, isDue, reduceForm } from './form.ts';

export interface FormDialogProps {
  readonly request: FormRequest;
  /** What was typed before, when the form is come back to. */
  readonly before: Readonly<Record<string, string>> | undefined;
  readonly width: number;
  /** Lines at most. */
  readonly height: number;
  readonly onNext: (values: Readonly<Record<string, string>>, next: AskRequest) => void;
  readonly onCancel: () => void;
}

/** A form; it does nothing by itself, what it comes to is asked next. */
export const FormDialog = ({ request, before, width, height, onNext, onCancel }: FormDialogProps): ReactNode => {
  const theme = useTheme();
  const { fields, build } = request;
  const reduce = useMemo(() => reduceForm(fields), [fields]);
  const [form, dispatch] = useReducer(reduce, undefined, () => createForm(fields, before, before === undefined ? request.focus : 0, request.isFilledIn));
  const [wait, setWait] = useState<'idle' | 'waiting' | { readonly error: SafeText }>('idle');
  const isThere = useRef(true);
  useEffect(() => {
    isThere.current = true;
    return () => { isThere.current = false; };
  }, []);

  const values = useMemo(() => formValues(fields, form), [fields, form]);
  const built = useMemo(() => build(values), [build, values]);
  const laterError = typeof wait === 'string' ? undefined : wait.error;
  const ownError = 'error' in built && isDue(form, built.field) ? built.error : undefined;
  const error = 'error' in built ? ownError : laterError;

  const isWaiting = wait === 'waiting';
  const settle = (outcome: Built): void => {
    if (!isThere.current) {
      return;
    }
    if ('error' in outcome) {
      setWait({ error: outcome.error });
      dispatch({ type: 'focusOn', id: outcome.field });
    } else {
      onNext(values, outcome.next);
    }
  };
  const goOn = (): void => {
    if (isWaiting) {
      return;
    }
    dispatch({ type: 'tried' });
    if ('next' in built) {
      onNext(values, built.next);
    } else if ('error' in built) {
      dispatch({ type: 'focusOn', id: built.field });
    } else if ('later' in built) {
      setWait('waiting');
      void built.later().then(settle, (thrown: unknown) => {
        settle({ error: theme.escape(thrown instanceof Error ? thrown.message : String(thrown)), field: built.field });
      });
    }
  };

  const edit = (action: TextFieldAction, isPasted = false) => (): void => {
    if (!isWaiting) {
      setWait('idle');
      dispatch({ type: 'edit', edit: action, isPasted });
    }
  };
  const insert = (text: string): void => { edit({ type: 'insert', text })(); };
  const paste = (text: string): void => { edit({ type: 'insert', text }, true)(); };
  useKeys('prompt', {
    promptLeft: edit({ type: 'left' }),
    promptRight: edit({ type: 'right' }),
    promptStart: edit({ type: 'start' }),
    promptEnd: edit({ type: 'end' }),
    promptErase: edit({ type: 'erase' }),
    promptEraseNext: edit({ type: 'eraseNext' }),
    promptEraseWord: edit({ type: 'eraseWord' }),
    promptClear: edit({ type: 'clear' }),
  }, { onText: insert, onPaste: paste });
  useKeys('form', {
    formNext: () => { dispatch({ type: 'focus', by: 1 }); },
    formPrevious: () => { dispatch({ type: 'focus', by: -1 }); },
    formDown: () => { dispatch({ type: 'line', by: 1 }); },
    formUp: () => { dispatch({ type: 'line', by: -1 }); },
    ...(fields[form.focus]?.kind === 'lines' ? { formNewLine: () => { insert('\n'); } } : {}),
    formAccept: () => {
      if (form.focus < fields.length - 1 && !isWaiting) {
        dispatch({ type: 'focus', by: 1 });
      } else {
        goOn();
      }
    },
    formGoOn: goOn,
    formCancel: onCancel,
  });
  return <Rows lines={formLines(theme, width, height, { request, form, error, isWaiting })} />;
};
