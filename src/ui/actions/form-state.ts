import { type TextField, type TextFieldAction, createTextField, createTextFieldReducer, lossOf, nameLimits, textLimits } from '../text-field.ts';
import type { FormField } from './ask.ts';

/** A form being filled in: pure, so that it can be tested with any sequence of keys. */
export interface FormState {
  readonly texts: readonly TextField[];
  /** Index of the field that hears what is typed. */
  readonly focus: number;
  /** Something was typed or chosen: before, nothing can be wrong yet. */
  readonly isTouched: boolean;
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

/** Starts with what was typed before, if it was left and come back to; never with what is hidden. */
export const createForm = (fields: readonly FormField[], before: Readonly<Record<string, string>> = {}, focus = 0): FormState => ({
  texts: fields.map(({ id, kind, initial, choices }) => createTextField((kind === 'hidden' ? undefined : before[id]) ?? initial ?? (kind === 'choice' ? choices?.[0] : undefined) ?? '')),
  focus,
  isTouched: false,
  hasTried: false,
});

export const formValues = (fields: readonly FormField[], { texts }: FormState): Readonly<Record<string, string>> =>
  Object.fromEntries(fields.map(({ id }, index) => [id, texts[index]?.text ?? '']));

const stepChoice = (text: string, choices: readonly string[], by: number): string =>
  choices[(choices.indexOf(text) + by + choices.length) % Math.max(1, choices.length)] ?? text;

/** A choice is stepped through by the arrows and by Space. */
const editChoice = (text: string, choices: readonly string[], edit: TextFieldAction): string => {
  switch (edit.type) {
    case 'left': return stepChoice(text, choices, -1);
    case 'right': return stepChoice(text, choices, 1);
    case 'start': return choices[0] ?? text;
    case 'end': return choices.at(-1) ?? text;
    case 'insert': return stepChoice(text, choices, 1);
    default: return text;
  }
};

/** A blank that was pressed by itself: one in a text that is being typed here by mistake is a part of that text. */
const isStep = ({ refused, focus }: FormState, typed: string, isPasted: boolean): boolean =>
  typed === ' ' && !isPasted && !(refused?.because === 'choice' && refused.field === focus);

const reduceLines = createTextFieldReducer(textLimits);
const reduceName = createTextFieldReducer(nameLimits);

/** Without the end of the line that was copied with it. */
const withoutLastEnd = (text: string): string => text.replace(/[\r\n]+$/u, '');

/** Half of what was pasted is something else than what was meant: it is taken whole or not at all. */
const insertWhole = (state: FormState, field: FormField, text: TextField, typed: string): FormState => {
  const limits = field.kind === 'lines' ? textLimits : nameLimits;
  const whole = limits.hasLines ? typed : withoutLastEnd(typed);
  const loss = lossOf(text, whole, limits);
  if (loss !== undefined) {
    return { ...state, refused: { because: loss, field: state.focus, length: text.text.length + whole.length, most: limits.maxLength } };
  }
  const reduce = field.kind === 'lines' ? reduceLines : reduceName;
  return { ...state, refused: undefined, isTouched: true, texts: state.texts.with(state.focus, reduce(text, { type: 'insert', text: whole })) };
};

const moveFocus = (fields: readonly FormField[], state: FormState, by: number): FormState =>
  ({ ...state, focus: Math.max(0, Math.min(fields.length - 1, state.focus + by)) });

export const reduceForm = (fields: readonly FormField[]) => (state: FormState, action: FormAction): FormState => {
  switch (action.type) {
    case 'focus':
      return moveFocus(fields, state, action.by);
    case 'focusOn': {
      const index = fields.findIndex(({ id }) => id === action.id);
      return index === -1 ? state : { ...state, focus: index };
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
      if (action.edit.type === 'insert' && !isStep(state, action.edit.text, action.isPasted === true)) {
        return { ...state, refused: { because: 'choice', field: state.focus } };
      }
      const next = field.kind === 'choice'
        ? createTextField(editChoice(text.text, field.choices ?? [], action.edit))
        : (field.kind === 'lines' ? reduceLines : reduceName)(text, action.edit);
      return { ...state, refused: undefined, texts: state.texts.with(state.focus, next), isTouched: true };
    }
  }
};
