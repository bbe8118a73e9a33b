import { type TextField, type TextFieldAction, createTextField, createTextFieldReducer, lossOf, nameLimits, textLimits } from '../../terminal/text-field.ts';
import type { FormField } from './ask.ts';

/** A form being filled in: pure, so that it can be tested with any sequence of keys. */
export interface FormState {
  readonly texts: readonly TextField[];
  /** Index of the field that hears what is typed. */
  readonly focus: number;
  /** Ids of the fields into which something was typed, or chosen. */
  readonly touched: ReadonlySet<string>;
  /** Those of them that were left since: before, nobody says that they are as they are meant. */
  readonly left: ReadonlySet<string>;
  /** It was tried to go on: what is wrong is said louder. */
  readonly hasTried: boolean;
  /** What was typed or pasted last and not taken: the field could not hold all of it, or is a choice. */
  readonly refused?: Refused | undefined;
}

/** `field`: its index. `choice`: nothing can be typed there. */
export type Refused =
  | { readonly because: 'length' | 'lines'; readonly field: number; readonly length: number; readonly most: number }
  | { readonly because: 'choice'; readonly field: number };

export type FormAction =
  | { readonly type: 'focus'; readonly by: number }
  /** To the next (1) or previous (-1) line of a field of several, and from its last or first one to the next or previous field. */
  | { readonly type: 'line'; readonly by: 1 | -1 }
  /** To the field of this id; stays where there is none. */
  | { readonly type: 'focusOn'; readonly id: string | undefined }
  /** `isPasted`: a blank of it is none that was pressed. */
  | { readonly type: 'edit'; readonly edit: TextFieldAction; readonly isPasted?: boolean | undefined }
  | { readonly type: 'tried' };

/**
 * Starts with what was typed before, if it was left and come back to; never with what is hidden. `isFilledIn`: what
 * it begins with else is not what the operator typed, so that it is judged at once.
 */
export const createForm = (fields: readonly FormField[], before: Readonly<Record<string, string>> = {}, focus = 0, isFilledIn = false): FormState => ({
  texts: fields.map(({ id, kind, initial, choices }) => createTextField((kind === 'hidden' ? undefined : before[id]) ?? initial ?? (kind === 'choice' ? choices?.[0] : undefined) ?? '')),
  focus,
  touched: new Set(),
  left: new Set(isFilledIn ? fields.flatMap(({ id, initial = '' }) => (initial === '' ? [] : [id])) : []),
  hasTried: false,
});

export const formValues = (fields: readonly FormField[], { texts }: FormState): Readonly<Record<string, string>> =>
  Object.fromEntries(fields.map(({ id }, index) => [id, texts[index]?.text ?? '']));

/** Whether what is wrong with a field is to be said: once it was left, or it was tried to go on. `undefined`: with all of them. */
export const isDue = ({ hasTried, left }: FormState, field: string | undefined): boolean =>
  hasTried || (field === undefined ? left.size > 0 : left.has(field));

const stepChoice = (text: string, choices: readonly string[], by: number): string =>
  choices[(choices.indexOf(text) + by + choices.length) % Math.max(1, choices.length)] ?? text;

/** A choice is stepped through by the arrows and by Space; one that is a single character is chosen by it. */
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

/** A blank, or the one character of a choice, that was pressed by itself: one in a text that is being typed here by mistake is a part of that text. */
const isChosen = ({ refused, focus }: FormState, { choices = [] }: FormField, typed: string, isPasted: boolean): boolean =>
  (typed === ' ' || (typed.length === 1 && choices.includes(typed))) && !isPasted && !(refused?.because === 'choice' && refused.field === focus);

const reduceLines = createTextFieldReducer(textLimits);
const reduceName = createTextFieldReducer(nameLimits);

/** Without the end of the line that was copied with it. */
const withoutLastEnd = (text: string): string => text.replace(/[\r\n]+$/u, '');

const changeText = (state: FormState, { id }: FormField, text: TextField): FormState =>
  ({ ...state, refused: undefined, touched: new Set([...state.touched, id]), texts: state.texts.with(state.focus, text) });

/** Half of what was pasted is something else than what was meant: it is taken whole or not at all. */
const insertWhole = (state: FormState, field: FormField, text: TextField, typed: string): FormState => {
  const limits = field.kind === 'lines' ? textLimits : nameLimits;
  const whole = limits.hasLines ? typed : withoutLastEnd(typed);
  const loss = lossOf(text, whole, limits);
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
