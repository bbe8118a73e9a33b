/** A line of text being typed. `cursor` counts UTF-16 units and always stands between whole characters. */
export interface TextField {
  readonly text: string;
  readonly cursor: number;
}

export type TextFieldAction =
  | { readonly type: 'insert'; readonly text: string }
  | { readonly type: 'left' | 'right' | 'start' | 'end' | 'erase' | 'eraseNext' | 'eraseWord' | 'clear' }
  | { readonly type: 'set'; readonly text: string };

/** More than anybody types; a paste beyond it is cut. */
export const maxFieldLength = 1000;

// Made when first used: the first one of a process costs 20 ms.
let segmenter: Intl.Segmenter | undefined;

/** Whole characters as they are seen. */
export const splitCharacters = (text: string): readonly string[] => {
  segmenter ??= new Intl.Segmenter();
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
};

export const createTextField = (text = ''): TextField => ({ text, cursor: text.length });

/** The same length and cursor, with nothing to read. */
export const hideTyped = ({ text, cursor }: TextField): TextField => ({
  text: '*'.repeat(splitCharacters(text).length),
  cursor: splitCharacters(text.slice(0, cursor)).length,
});

const before = ({ text, cursor }: TextField): number => cursor - (splitCharacters(text.slice(0, cursor)).at(-1)?.length ?? 0);
const after = ({ text, cursor }: TextField): number => cursor + (splitCharacters(text.slice(cursor))[0]?.length ?? 0);

const remove = ({ text }: TextField, from: number, to: number): TextField => ({ text: text.slice(0, from) + text.slice(to), cursor: from });

const insert = (field: TextField, typed: string): TextField => {
  const room = maxFieldLength - field.text.length;
  // A line has no line ends: pasted ones become spaces, like a shell does with a paste into one line.
  const flat = typed.replaceAll(/[\r\n]+/g, ' ');
  const taken = flat.length <= room ? flat : splitCharacters(flat.slice(0, room)).join('');
  const text = field.text.slice(0, field.cursor) + taken + field.text.slice(field.cursor);
  // What was typed may have joined its neighbours into one character.
  const cursor = snap(text, field.cursor + taken.length);
  return { text, cursor };
};

/** The next place at or after `cursor` that is not inside a character. */
const snap = (text: string, cursor: number): number => {
  let at = 0;
  for (const character of splitCharacters(text)) {
    if (at >= cursor) {
      break;
    }
    at += character.length;
  }
  return at;
};

export const reduceTextField = (field: TextField, action: TextFieldAction): TextField => {
  switch (action.type) {
    case 'insert':
      return insert(field, action.text);
    case 'left':
      return { ...field, cursor: before(field) };
    case 'right':
      return { ...field, cursor: after(field) };
    case 'start':
      return { ...field, cursor: 0 };
    case 'end':
      return { ...field, cursor: field.text.length };
    case 'erase':
      return remove(field, before(field), field.cursor);
    case 'eraseNext':
      return remove(field, field.cursor, after(field));
    case 'eraseWord':
      return remove(field, /\S*\s*$/.exec(field.text.slice(0, field.cursor))?.index ?? 0, field.cursor);
    case 'clear':
      return createTextField();
    case 'set':
      return createTextField(action.text);
  }
};
