import type { DialogRequest, Built, FormField, FormRequest } from '../../actions/requests.ts';
import { type ReactNode, useEffect, useMemo, useReducer, useRef, useState } from 'react';
import { glyphs } from '../../terminal/glyphs.ts';
import { composeEnds, composeLine, type Line, type Span, wrapWords } from '../../terminal/line.ts';
import { safe, type SafeText, spaces } from '../../terminal/safe-text.ts';
import {
  createTextField,
  createTextFieldReducer,
  maskText,
  nameLimits,
  pasteLoss,
  type TextField,
  type TextFieldAction,
  textLimits,
} from '../../terminal/text-field.ts';
import { fit, widthOf } from '../../terminal/text-width.ts';
import type { Theme } from '../../terminal/theme.ts';
import { titleLine } from '../components/blocks.ts';
import { type Button, buttonsLine, DialogBox, fitDialog } from '../components/dialog-box.tsx';
import { useTheme } from '../components/drawing.tsx';
import { promptLine } from '../components/text-prompt.tsx';
import { useKeys } from '../keys/use-keys.ts';
import { dialogTexts, formTexts } from './texts.ts';
import { escapeIndented } from '../../actions/asking.ts';

export interface FormDialogProps {
  readonly request: FormRequest;
  readonly before: Readonly<Record<string, string>> | undefined;
  readonly width: number;
  readonly height: number;
  readonly onNext: (values: Readonly<Record<string, string>>, next: DialogRequest) => void;
  readonly onCancel: () => void;
}

export const FormDialog = ({ request, before, width, height, onNext, onCancel }: FormDialogProps): ReactNode => {
  const theme = useTheme();
  const { fields, build } = request;
  const reduce = useMemo(() => reduceForm(fields), [fields]);
  const [form, dispatch] = useReducer(reduce, undefined, () =>
    createForm(fields, before, before === undefined ? request.focus : 0, request.isFilledIn),
  );
  const [wait, setWait] = useState<{ readonly error?: SafeText; readonly progress?: SafeText }>({});
  const isMounted = useRef(true);
  useEffect(() => {
    isMounted.current = true;
    return () => {
      isMounted.current = false;
    };
  }, []);

  const values = useMemo(() => formValues(fields, form), [fields, form]);
  const built = useMemo(() => build(values), [build, values]);
  const fieldError = 'error' in built && isDue(form, built.field) ? built.error : undefined;
  const error = 'error' in built ? fieldError : wait.error;

  const isWaiting = wait.progress !== undefined;
  const settle = (outcome: Built): void => {
    if (!isMounted.current) {
      return;
    }
    if ('error' in outcome) {
      setWait({ error: outcome.error });
      dispatch({ type: 'focusOn', id: outcome.field });
    } else if ('done' in outcome) {
      onCancel();
      outcome.done();
    } else {
      onNext(values, outcome.next);
    }
  };
  const submit = (): void => {
    if (isWaiting) {
      return;
    }
    dispatch({ type: 'tried' });
    if ('next' in built || 'done' in built) {
      settle(built);
    } else if ('error' in built) {
      dispatch({ type: 'focusOn', id: built.field });
    } else if ('later' in built) {
      setWait({ progress: dialogTexts.reading });
      const tell = (progress: SafeText): void => {
        if (isMounted.current) setWait({ progress });
      };
      void built.later(tell).then(settle, (thrown: unknown) => {
        settle({ error: theme.escape(thrown instanceof Error ? thrown.message : String(thrown)), field: built.field });
      });
    }
  };

  const edit =
    (action: TextFieldAction, isPasted = false) =>
    (): void => {
      if (!isWaiting) {
        setWait({});
        dispatch({ type: 'edit', edit: action, isPasted });
      }
    };
  const insert = (text: string): void => {
    edit({ type: 'insert', text })();
  };
  const paste = (text: string): void => {
    edit({ type: 'insert', text }, true)();
  };
  useKeys(
    'prompt',
    {
      promptLeft: edit({ type: 'left' }),
      promptRight: edit({ type: 'right' }),
      promptStart: edit({ type: 'start' }),
      promptEnd: edit({ type: 'end' }),
      promptErase: edit({ type: 'erase' }),
      promptEraseNext: edit({ type: 'eraseNext' }),
      promptEraseWord: edit({ type: 'eraseWord' }),
      promptClear: edit({ type: 'clear' }),
    },
    { onText: insert, onPaste: paste },
  );
  useKeys('form', {
    formNext: () => {
      dispatch({ type: 'focus', by: 1 });
    },
    formPrevious: () => {
      dispatch({ type: 'focus', by: -1 });
    },
    formDown: () => {
      dispatch({ type: 'line', by: 1 });
    },
    formUp: () => {
      dispatch({ type: 'line', by: -1 });
    },
    ...(fields[form.focus]?.kind === 'lines'
      ? {
          formNewLine: () => {
            insert('\n');
          },
        }
      : {}),
    formAccept: () => {
      const { id } = fields[form.focus] ?? {};
      const isWrong = 'error' in built && built.field === id && form.texts[form.focus]?.text !== '';
      if (!isLastField(fields, form.focus) && !isWaiting) {
        dispatch(isWrong ? { type: 'tried' } : { type: 'focus', by: 1 });
      } else {
        submit();
      }
    },
    formGoOn: submit,
    formCancel: onCancel,
  });
  const dialog = fitDialog({
    theme,
    title: request.title,
    width,
    height,
    draw: (inner, lines) => ({
      lines: formLines(theme, inner, lines, { request, form, error, progress: wait.progress }),
    }),
  });
  return <DialogBox dialog={dialog} buttons={formButtons(request, form.focus)} area={{ width, height }} />;
};

/** The state of a form, which changes purely, so that tests can send any keys. */
export interface FormState {
  readonly texts: readonly TextField[];
  readonly focus: number;
  readonly touched: ReadonlySet<string>;
  readonly left: ReadonlySet<string>;
  readonly hasTried: boolean;
  readonly refused?: Refused | undefined;
}

/** The reason why typed text was refused. `field`: its index. `choice`: the field takes no text. */
export type Refused =
  | { readonly because: 'length' | 'lines'; readonly field: number; readonly length: number; readonly max: number }
  | { readonly because: 'choice'; readonly field: number };

export type FormAction =
  | { readonly type: 'focus'; readonly by: number }
  /** Moves to the next (1) or previous (-1) line. */
  | { readonly type: 'line'; readonly by: 1 | -1 }
  | { readonly type: 'focusOn'; readonly id: string | undefined }
  /** `isPasted`: a pasted space is not a key press. */
  | { readonly type: 'edit'; readonly edit: TextFieldAction; readonly isPasted?: boolean | undefined }
  | { readonly type: 'tried' };

/** Hidden fields start empty. `isFilledIn`: the initial values are validated at once. */
export const createForm = (
  fields: readonly FormField[],
  before: Readonly<Record<string, string>> = {},
  focus = 0,
  isFilledIn = false,
): FormState => ({
  texts: fields.map(({ id, kind, initial, choices }) =>
    createTextField(
      (kind === 'hidden' ? undefined : before[id]) ?? initial ?? (kind === 'choice' ? choices?.[0] : undefined) ?? '',
    ),
  ),
  focus: Math.max(
    focus,
    fields.findIndex((field, index) => index >= focus && !isFixed(field)),
  ),
  touched: new Set(),
  left: new Set(isFilledIn ? fields.flatMap(({ id, initial = '' }) => (initial === '' ? [] : [id])) : []),
  hasTried: false,
});

/** Whether a field has one choice, so that it only informs. */
const isFixed = ({ kind, choices = [] }: FormField): boolean => kind === 'choice' && choices.length < 2;

/** Whether what is typed replaces the initial text: until the field is edited. */
const isSelected = (
  { touched }: FormState,
  { id, kind = 'text', initial = '' }: FormField,
  { text }: TextField,
): boolean => kind === 'text' && text !== '' && text === initial && !touched.has(id);

export const formValues = (fields: readonly FormField[], { texts }: FormState): Readonly<Record<string, string>> =>
  Object.fromEntries(fields.map(({ id }, index) => [id, texts[index]?.text ?? '']));

/** Whether an error is shown now; `undefined` stands for one of the whole form. */
export const isDue = ({ hasTried, left }: FormState, field: string | undefined): boolean =>
  hasTried || (field === undefined ? left.size > 0 : left.has(field));

const stepChoice = (text: string, choices: readonly string[], by: number): string =>
  choices[(choices.indexOf(text) + by + choices.length) % Math.max(1, choices.length)] ?? text;

/** Edits a choice. One of a single character is also chosen by typing it. */
const editChoice = (text: string, choices: readonly string[], edit: TextFieldAction): string => {
  switch (edit.type) {
    case 'left':
      return stepChoice(text, choices, -1);
    case 'right':
      return stepChoice(text, choices, 1);
    case 'start':
      return choices[0] ?? text;
    case 'end':
      return choices.at(-1) ?? text;
    case 'insert':
      return edit.text === ' ' ? stepChoice(text, choices, 1) : edit.text;
    default:
      return text;
  }
};

/** Whether a choice is chosen by a single key press, not part of typed or pasted text. */
const isChosen = (
  { refused, focus }: FormState,
  { choices = [] }: FormField,
  typed: string,
  isPasted: boolean,
): boolean =>
  (typed === ' ' || (typed.length === 1 && choices.includes(typed))) &&
  !isPasted &&
  !(refused?.because === 'choice' && refused.field === focus);

const reduceLines = createTextFieldReducer(textLimits);
const reduceName = createTextFieldReducer(nameLimits);

/** Drops the line end that was copied along. */
const withoutLastEnd = (text: string): string => text.replace(/[\r\n]+$/u, '');

const changeText = (state: FormState, { id }: FormField, text: TextField): FormState => ({
  ...state,
  refused: undefined,
  touched: new Set([...state.touched, id]),
  texts: state.texts.with(state.focus, text),
});

/** Inserts all of the text or nothing. */
const insertWhole = (state: FormState, field: FormField, text: TextField, typed: string): FormState => {
  const limits = field.kind === 'lines' ? textLimits : nameLimits;
  const whole = limits.isMultiline ? typed : withoutLastEnd(typed);
  const loss = pasteLoss(text, whole, limits);
  if (loss !== undefined) {
    return {
      ...state,
      refused: { because: loss, field: state.focus, length: text.text.length + whole.length, max: limits.maxLength },
    };
  }
  const reduce = field.kind === 'lines' ? reduceLines : reduceName;
  return changeText(state, field, reduce(text, { type: 'insert', text: whole }));
};

const focusAt = (fields: readonly FormField[], state: FormState, focus: number): FormState => {
  const id = fields[state.focus]?.id ?? '';
  return focus !== state.focus && state.touched.has(id)
    ? { ...state, focus, left: new Set([...state.left, id]) }
    : { ...state, focus };
};

/** Passes over fields that cannot be changed. */
const moveFocus = (fields: readonly FormField[], state: FormState, by: number): FormState => {
  const step = Math.sign(by);
  for (let index = state.focus + by; index >= 0 && index < fields.length; index += step) {
    const field = fields[index];
    if (field !== undefined && !isFixed(field)) return focusAt(fields, state, index);
  }
  return state;
};

export const reduceForm =
  (fields: readonly FormField[]) =>
  (state: FormState, action: FormAction): FormState => {
    switch (action.type) {
      case 'focus':
        return moveFocus(fields, state, action.by);
      case 'focusOn': {
        const index = fields.findIndex(({ id }) => id === action.id);
        return index === -1 ? state : focusAt(fields, state, index);
      }
      case 'line': {
        const text = state.texts[state.focus];
        const moved = text === undefined ? text : reduceLines(text, { type: action.by === 1 ? 'down' : 'up' });
        return moved === undefined || moved === text
          ? moveFocus(fields, state, action.by)
          : { ...state, texts: state.texts.with(state.focus, moved) };
      }
      case 'tried':
        return { ...state, hasTried: true, refused: undefined };
      case 'edit': {
        const field = fields[state.focus];
        const text = state.texts[state.focus];
        if (field === undefined || text === undefined) {
          return state;
        }
        if (action.edit.type === 'insert' && field.kind !== 'choice') {
          return insertWhole(state, field, isSelected(state, field, text) ? createTextField() : text, action.edit.text);
        }
        if (action.edit.type === 'insert' && !isChosen(state, field, action.edit.text, action.isPasted === true)) {
          return { ...state, refused: { because: 'choice', field: state.focus } };
        }
        const next =
          field.kind === 'choice'
            ? createTextField(editChoice(text.text, field.choices ?? [], action.edit))
            : (field.kind === 'lines' ? reduceLines : reduceName)(text, action.edit);
        return changeText(state, field, next);
      }
    }
  };

export interface FormView {
  readonly request: FormRequest;
  readonly form: FormState;
  readonly error: SafeText | undefined;
  /** How far it is with what it waits for. */
  readonly progress: SafeText | undefined;
}

const fieldLine = (
  theme: Theme,
  width: number,
  label: SafeText,
  field: FormField,
  text: TextField,
  form: FormState,
  isFocused: boolean,
): Line => {
  if (isFixed(field)) return composeLine(theme, width, [{ text: label }, { text: theme.escape(text.text, width) }]);
  if (field.kind === 'choice') {
    const shown = theme.escape(text.text, width);
    return composeLine(theme, width, [
      { text: label, role: isFocused ? 'key' : 'normal' },
      { text: safe`${glyphs.less} ${shown} ${glyphs.more}`, role: isFocused ? 'cursor' : 'normal' },
      ...(isFocused ? [{ text: safe`  ${formTexts.choose}`, role: 'dim' } as const] : []),
    ]);
  }
  const shown = field.kind === 'hidden' ? maskText(text) : text;
  if (isFocused) {
    return promptLine(theme, width, label, shown, undefined, isSelected(form, field, text));
  }
  if (shown.text === '') {
    return composeLine(theme, width, [{ text: label }, { text: field.placeholder ?? safe``, role: 'dim' }]);
  }
  const [first = '', ...others] = field.kind === 'lines' ? shown.text.split('\n') : [shown.text];
  const count =
    others.length === 0 ? [] : [{ text: safe`  ${formTexts.lines(others.length + 1)}`, role: 'dim' } as const];
  return composeEnds(theme, width, [{ text: label }, { text: escapeIndented(theme, first, width) }], count);
};

/** Draws at most `maxLines` lines, never wrapped. */
const textLines = (
  theme: Theme,
  width: number,
  label: SafeText,
  { text, cursor }: TextField,
  maxLines: number,
): readonly Line[] => {
  const lines = text.split('\n');
  const before = text.slice(0, cursor).split('\n');
  const at = before.length - 1;
  const first = Math.max(0, Math.min(at - Math.floor(maxLines / 2), lines.length - maxLines));
  const indent = spaces(widthOf(label));
  return lines.slice(first, first + maxLines).map((line, offset) => {
    const lead = offset === 0 ? label : indent;
    if (first + offset !== at) {
      return composeLine(theme, width, [
        { text: lead, role: offset === 0 ? 'key' : 'normal' },
        { text: escapeIndented(theme, line, width) },
      ]);
    }
    const place: Span | undefined =
      lines.length < 2 ? undefined : { text: formTexts.line(at + 1, lines.length), role: 'dim' };
    return promptLine(theme, width, lead, { text: line, cursor: before[at]?.length ?? 0 }, place);
  });
};

const maxHelpLines = 4;

const maxTextLines = 8;

const refusedText = (fields: readonly FormField[], focus: number, refused: Refused): SafeText => {
  const label = fields[refused.field]?.label;
  const where = formTexts.rejected(refused.field === focus ? undefined : label);
  switch (refused.because) {
    case 'choice':
      return formTexts.isChoice(refused.field === focus ? undefined : label);
    case 'lines':
      return safe`${where}: ${formTexts.hasLines}`;
    case 'length':
      return safe`${where}: ${formTexts.tooLong(refused.length, refused.max)}`;
  }
};

const isLastField = (fields: readonly FormField[], focus: number): boolean => fields.slice(focus + 1).every(isFixed);

const formButtons = ({ fields, verb }: FormRequest, focus: number): readonly Button[] => {
  const isLast = isLastField(fields, focus);
  return [
    { id: 'formAccept', keys: safe`Enter`, label: isLast ? verb : formTexts.next },
    ...(isLast ? [] : [{ id: 'formGoOn', keys: safe`Ctrl-S`, label: verb } as const]),
    { id: 'formCancel', keys: safe`Esc`, label: dialogTexts.cancel },
    ...(isLast && !fields.slice(0, focus).every(isFixed)
      ? [{ id: 'formPrevious', keys: safe`Shift-Tab`, label: formTexts.previous } as const]
      : []),
  ];
};

export const formLines = (
  theme: Theme,
  width: number,
  height: number,
  { request, form, error, progress }: FormView,
): readonly Line[] => {
  const { fields } = request;
  const editable = fields.filter((field) => !isFixed(field));
  const labelWidth = Math.min(Math.floor(width / 3), Math.max(0, ...fields.map(({ label }) => widthOf(label))));
  const fieldHelp = fields[form.focus]?.help ?? safe``;
  const help = wrapWords(
    typeof fieldHelp === 'function' ? fieldHelp(formValues(fields, form)) : fieldHelp,
    Math.max(2, width - 4),
  );
  const foot = [
    ...help
      .slice(0, Math.max(1, Math.min(maxHelpLines, height - 4 - Math.min(fields.length, 6))))
      .map((text) => composeLine(theme, width, [{ text: safe`  ` }, { text, role: 'dim' }])),
    composeLine(theme, width, [
      { text: safe`  ` },
      ...(progress === undefined ? [] : [{ text: progress, role: 'dim' } as const]),
      ...(progress === undefined && form.refused !== undefined
        ? [{ text: safe`! ${refusedText(fields, form.focus, form.refused)}`, role: 'error' } as const]
        : []),
      ...(progress === undefined && form.refused === undefined && error !== undefined
        ? [{ text: safe`! ${error}`, role: form.hasTried ? 'error' : 'dim' } as const]
        : []),
    ]),
    buttonsLine(
      theme,
      width,
      formButtons(request, form.focus),
      editable.length < 2
        ? undefined
        : formTexts.position(
            fields.slice(0, form.focus + 1).filter((field) => !isFixed(field)).length,
            editable.length,
          ),
    ),
  ];
  const allNotes = (request.notes ?? []).flatMap((note) => wrapWords(note, Math.max(2, width - 4)));
  const notes = allNotes.slice(0, Math.max(0, height - 1 - foot.length - Math.min(fields.length, 6)));
  const allRoom = Math.max(1, height - 1 - foot.length - notes.length);
  const focused = form.texts[form.focus];
  const lineCount = fields[form.focus]?.kind === 'lines' && focused !== undefined ? focused.text.split('\n').length : 1;
  const textRoom = Math.min(lineCount, maxTextLines, Math.max(allRoom - fields.length + 1, Math.min(3, allRoom)));
  const room = Math.max(1, allRoom - textRoom + 1);
  const first = Math.max(0, Math.min(form.focus - Math.floor(room / 2), fields.length - room));
  const shown = fields.slice(first, first + room).flatMap((field, offset) => {
    const index = first + offset;
    const isFocused = index === form.focus;
    const label = safe`${isFocused ? glyphs.cursor : safe` `} ${fit(field.label, labelWidth)}  `;
    const text = form.texts[index] ?? { text: '', cursor: 0 };
    return isFocused && field.kind === 'lines'
      ? textLines(theme, width, label, text, textRoom)
      : [fieldLine(theme, width, label, field, text, form, isFocused)];
  });
  return [
    titleLine(theme, width, request.title),
    ...notes.map((text) => composeLine(theme, width, [{ text: safe`  ` }, { text, role: 'dim' }])),
    ...shown,
    ...foot,
  ].slice(0, Math.max(1, height));
};
