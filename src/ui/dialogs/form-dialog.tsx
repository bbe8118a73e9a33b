import { type ReactNode, useEffect, useMemo, useReducer, useRef, useState } from 'react';
import { formatCount } from '../../terminal/format.ts';
import { glyphs } from '../../terminal/glyphs.ts';
import { composeEnds, composeLine, type Line, type Span, wrapWords } from '../../terminal/line.ts';
import { safe, type SafeText, spaces, trusted } from '../../terminal/safe-text.ts';
import { createTextField, createTextFieldReducer, maskText, nameLimits, pasteLoss, type TextField, type TextFieldAction, textLimits } from '../../terminal/text-field.ts';
import { fit, widthOf } from '../../terminal/text-width.ts';
import type { Theme } from '../../terminal/theme.ts';
import { Rows } from '../components/painted.tsx';
import { promptLine } from '../components/text-prompt.tsx';
import { useTheme } from '../components/theme-context.ts';
import { titleLine } from '../components/title-line.ts';
import { useKeys } from '../keys/use-keys.ts';
import type { AskRequest, Built, FormField, FormRequest } from './ask.ts';

export interface FormDialogProps {
  readonly request: FormRequest;
  /** The values to restore after returning to the form. */
  readonly before: Readonly<Record<string, string>> | undefined;
  readonly width: number;
  readonly height: number;
  readonly onNext: (values: Readonly<Record<string, string>>, next: AskRequest) => void;
  readonly onCancel: () => void;
}

/** A form; its result is the next dialog. */
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
  const submit = (): void => {
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
        submit();
      }
    },
    formGoOn: submit,
    formCancel: onCancel,
  });
  return <Rows lines={formLines(theme, width, height, { request, form, error, isWaiting })} />;
};

/** A form being filled in. Pure, so that tests can send any keys. */
export interface FormState {
  readonly texts: readonly TextField[];
  /** Index of the focused field. */
  readonly focus: number;
  /** Ids of the fields that were edited. */
  readonly touched: ReadonlySet<string>;
  /** Those of them that were left since; their errors are shown. */
  readonly left: ReadonlySet<string>;
  /** Submitting was tried, so errors are highlighted. */
  readonly hasTried: boolean;
  /** The last input that did not fit or was not a choice. */
  readonly refused?: Refused | undefined;
}

/** `field`: its index. `choice`: the field takes no text. */
export type Refused =
  | { readonly because: 'length' | 'lines'; readonly field: number; readonly length: number; readonly most: number }
  | { readonly because: 'choice'; readonly field: number };

export type FormAction =
  | { readonly type: 'focus'; readonly by: number }
  /** To the next (1) or previous (-1) line, then field. */
  | { readonly type: 'line'; readonly by: 1 | -1 }
  /** To the field of this id, if there is one. */
  | { readonly type: 'focusOn'; readonly id: string | undefined }
  /** `isPasted`: a pasted space is not a key press. */
  | { readonly type: 'edit'; readonly edit: TextFieldAction; readonly isPasted?: boolean | undefined }
  | { readonly type: 'tried' };

/** Starts with the values typed before, except hidden ones. `isFilledIn`: the initial values are validated at once. */
export const createForm = (fields: readonly FormField[], before: Readonly<Record<string, string>> = {}, focus = 0, isFilledIn = false): FormState => ({
  texts: fields.map(({ id, kind, initial, choices }) => createTextField((kind === 'hidden' ? undefined : before[id]) ?? initial ?? (kind === 'choice' ? choices?.[0] : undefined) ?? '')),
  focus,
  touched: new Set(),
  left: new Set(isFilledIn ? fields.flatMap(({ id, initial = '' }) => (initial === '' ? [] : [id])) : []),
  hasTried: false,
});

export const formValues = (fields: readonly FormField[], { texts }: FormState): Readonly<Record<string, string>> =>
  Object.fromEntries(fields.map(({ id }, index) => [id, texts[index]?.text ?? '']));

/** Whether to show an error: after its field was left, or after trying to submit. `undefined`: an error of the whole form. */
export const isDue = ({ hasTried, left }: FormState, field: string | undefined): boolean =>
  hasTried || (field === undefined ? left.size > 0 : left.has(field));

const stepChoice = (text: string, choices: readonly string[], by: number): string =>
  choices[(choices.indexOf(text) + by + choices.length) % Math.max(1, choices.length)] ?? text;

/** Arrows and Space step through the choices; a single-character choice is also chosen by typing it. */
const editChoice = (text: string, choices: readonly string[], edit: TextFieldAction): string => {
  switch (edit.type) {
    case 'left': return stepChoice(text, choices, -1);
    case 'right': return stepChoice(text, choices, 1);
    case 'start': return choices[0] ?? text;
    case 'end': return choices.at(-1) ?? text;
    case 'insert': return edit.text === ' ' ? stepChoice(text, choices, 1) : edit.text;
    default: return text;
  }
};

/** Only a key pressed by itself: within typed text it belongs to that text. */
const isChosen = ({ refused, focus }: FormState, { choices = [] }: FormField, typed: string, isPasted: boolean): boolean =>
  (typed === ' ' || (typed.length === 1 && choices.includes(typed))) && !isPasted && !(refused?.because === 'choice' && refused.field === focus);

const reduceLines = createTextFieldReducer(textLimits);
const reduceName = createTextFieldReducer(nameLimits);

/** Drops the line end that was copied along. */
const withoutLastEnd = (text: string): string => text.replace(/[\r\n]+$/u, '');

const changeText = (state: FormState, { id }: FormField, text: TextField): FormState =>
  ({ ...state, refused: undefined, touched: new Set([...state.touched, id]), texts: state.texts.with(state.focus, text) });

/** Inserts all of the text or nothing: half of a paste is never what was meant. */
const insertWhole = (state: FormState, field: FormField, text: TextField, typed: string): FormState => {
  const limits = field.kind === 'lines' ? textLimits : nameLimits;
  const whole = limits.isMultiline ? typed : withoutLastEnd(typed);
  const loss = pasteLoss(text, whole, limits);
  if (loss !== undefined) {
    return { ...state, refused: { because: loss, field: state.focus, length: text.text.length + whole.length, most: limits.maxLength } };
  }
  const reduce = field.kind === 'lines' ? reduceLines : reduceName;
  return changeText(state, field, reduce(text, { type: 'insert', text: whole }));
};

const focusAt = (fields: readonly FormField[], state: FormState, focus: number): FormState => {
  const id = fields[state.focus]?.id ?? '';
  return focus !== state.focus && state.touched.has(id) ? { ...state, focus, left: new Set([...state.left, id]) } : { ...state, focus };
};

const moveFocus = (fields: readonly FormField[], state: FormState, by: number): FormState =>
  focusAt(fields, state, Math.max(0, Math.min(fields.length - 1, state.focus + by)));

export const reduceForm = (fields: readonly FormField[]) => (state: FormState, action: FormAction): FormState => {
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
      return moved === undefined || moved === text ? moveFocus(fields, state, action.by) : { ...state, texts: state.texts.with(state.focus, moved) };
    }
    case 'tried':
      return { ...state, hasTried: true };
    case 'edit': {
      const field = fields[state.focus];
      const text = state.texts[state.focus];
      if (field === undefined || text === undefined) {
        return state;
      }
      if (action.edit.type === 'insert' && field.kind !== 'choice') {
        return insertWhole(state, field, text, action.edit.text);
      }
      if (action.edit.type === 'insert' && !isChosen(state, field, action.edit.text, action.isPasted === true)) {
        return { ...state, refused: { because: 'choice', field: state.focus } };
      }
      const next = field.kind === 'choice'
        ? createTextField(editChoice(text.text, field.choices ?? [], action.edit))
        : (field.kind === 'lines' ? reduceLines : reduceName)(text, action.edit);
      return changeText(state, field, next);
    }
  }
};

export interface FormView {
  readonly request: FormRequest;
  readonly form: FormState;
  /** The error to show. */
  readonly error: SafeText | undefined;
  readonly isWaiting: boolean;
}

const fieldLine = (theme: Theme, width: number, label: SafeText, field: FormField, text: TextField, isFocused: boolean): Line => {
  if (field.kind === 'choice') {
    const shown = theme.escape(text.text, width);
    return composeLine(theme, width, [
      { text: label, role: isFocused ? 'key' : 'normal' },
      { text: isFocused ? safe`${glyphs.less} ${shown} ${glyphs.more}` : safe`  ${shown}`, role: isFocused ? 'cursor' : 'normal' },
    ]);
  }
  const shown = field.kind === 'hidden' ? maskText(text) : text;
  if (isFocused) {
    return promptLine(theme, width, label, shown);
  }
  if (shown.text === '') {
    return composeLine(theme, width, [{ text: label }, { text: field.placeholder ?? safe``, role: 'dim' }]);
  }
  const [first = '', ...others] = field.kind === 'lines' ? shown.text.split('\n') : [shown.text];
  const count = others.length === 0 ? [] : [{ text: safe`  ${formatCount(others.length + 1)} lines`, role: 'dim' } as const];
  return composeEnds(theme, width, [{ text: label }, { text: escapeIndented(theme, first, width) }], count);
};

/** The lines around the cursor, max `most`, never wrapped. */
const textLines = (theme: Theme, width: number, label: SafeText, { text, cursor }: TextField, most: number): readonly Line[] => {
  const lines = text.split('\n');
  const before = text.slice(0, cursor).split('\n');
  const at = before.length - 1;
  const first = Math.max(0, Math.min(at - Math.floor(most / 2), lines.length - most));
  const indent = spaces(widthOf(label));
  return lines.slice(first, first + most).map((line, offset) => {
    const lead = offset === 0 ? label : indent;
    if (first + offset !== at) {
      return composeLine(theme, width, [{ text: lead, role: offset === 0 ? 'key' : 'normal' }, { text: escapeIndented(theme, line, width) }]);
    }
    const place: Span | undefined = lines.length < 2 ? undefined : { text: safe`line ${formatCount(at + 1)} of ${formatCount(lines.length)}`, role: 'dim' };
    return promptLine(theme, width, lead, { text: line, cursor: before[at]?.length ?? 0 }, place);
  });
};

const maxHelpLines = 4;

/** Max lines shown. */
const maxTextLines = 8;

/** Why the last input was not taken. */
const refusedText = (fields: readonly FormField[], focus: number, refused: Refused): SafeText => {
  const label = fields[refused.field]?.label;
  const where = refused.field === focus || label === undefined ? safe`Not taken` : safe`Not taken for "${label}"`;
  switch (refused.because) {
    case 'choice': return safe`${where}: it is a choice; ← → step through it, Tab leaves it.`;
    case 'lines': return safe`${where}: what was pasted has several lines, this field one.`;
    case 'length': return safe`${where}: ${formatCount(refused.length)} characters would stand here, ${formatCount(refused.most)} fit.`;
  }
};

/** A form, max `height` lines: the fields around the focused one, then help and error. */
export const formLines = (theme: Theme, width: number, height: number, { request, form, error, isWaiting }: FormView): readonly Line[] => {
  const { fields } = request;
  const labelWidth = Math.min(Math.floor(width / 3), Math.max(0, ...fields.map(({ label }) => widthOf(label))));
  const isLast = form.focus === fields.length - 1;
  const ownHelp = fields[form.focus]?.help ?? safe``;
  const help = wrapWords(typeof ownHelp === 'function' ? ownHelp(formValues(fields, form)) : ownHelp, Math.max(2, width - 4));
  const foot = [
    // In full if the fields leave room.
    ...help.slice(0, Math.max(1, Math.min(maxHelpLines, height - 4 - Math.min(fields.length, 6)))).map((text) => composeLine(theme, width, [{ text: safe`  ` }, { text, role: 'dim' }])),
    composeLine(theme, width, [
      { text: safe`  ` },
      ...(isWaiting ? [{ text: safe`··· reading`, role: 'dim' } as const] : []),
      ...(!isWaiting && form.refused !== undefined ? [{ text: safe`! ${refusedText(fields, form.focus, form.refused)}`, role: 'error' } as const] : []),
      ...(!isWaiting && form.refused === undefined && error !== undefined ? [{ text: safe`! ${error}`, role: form.hasTried ? 'error' : 'dim' } as const] : []),
    ]),
    composeLine(theme, width, [
      { text: safe`  ` },
      { text: safe`Enter`, role: 'key' },
      { text: isLast ? safe` ${request.verb}` : safe` next field` },
      { text: isLast ? safe`  Tab` : safe`  Ctrl-S`, role: 'key' },
      { text: isLast ? safe` fields  ` : safe` go on  ` },
      { text: safe`Esc`, role: 'key' },
      { text: safe` cancel` },
      { text: safe`   ${form.focus + 1} of ${fields.length}`, role: 'dim' },
    ]),
  ];
  const allNotes = (request.notes ?? []).flatMap((note) => wrapWords(note, Math.max(2, width - 4)));
  // Fields go before notes.
  const notes = allNotes.slice(0, Math.max(0, height - 1 - foot.length - Math.min(fields.length, 6)));
  const allRoom = Math.max(1, height - 1 - foot.length - notes.length);
  const focused = form.texts[form.focus];
  const lineCount = fields[form.focus]?.kind === 'lines' && focused !== undefined ? focused.text.split('\n').length : 1;
  // Keeps the other fields visible if there is room.
  const textRoom = Math.min(lineCount, maxTextLines, Math.max(allRoom - fields.length + 1, Math.min(3, allRoom)));
  const room = Math.max(1, allRoom - textRoom + 1);
  const first = Math.max(0, Math.min(form.focus - Math.floor(room / 2), fields.length - room));
  const shown = fields.slice(first, first + room).flatMap((field, offset) => {
    const index = first + offset;
    const isFocused = index === form.focus;
    const label = safe`${isFocused ? glyphs.cursor : safe` `} ${fit(field.label, labelWidth)}  `;
    const text = form.texts[index] ?? { text: '', cursor: 0 };
    return isFocused && field.kind === 'lines' ? textLines(theme, width, label, text, textRoom) : [fieldLine(theme, width, label, field, text, isFocused)];
  });
  return [
    titleLine(theme, width, request.title),
    ...notes.map((text) => composeLine(theme, width, [{ text: safe`  ` }, { text, role: 'dim' }])),
    ...shown,
    ...foot,
  ].slice(0, Math.max(1, height));
};

/** A line of a multi-line text, with its leading spaces. */
export const escapeIndented = (theme: Theme, line: string, width?: number): SafeText => {
  const text = line.trimStart() === '' ? line : line.replace(/^ +/u, '');
  return text === '' ? safe`` : safe`${trusted(line.slice(0, line.length - text.length))}${theme.escape(text, width)}`;
};
