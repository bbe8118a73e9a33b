import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  createTextField,
  createTextFieldReducer,
  lineLimits,
  reduceTextField,
  splitGraphemes,
  type TextFieldAction,
  textLimits,
} from '../../src/terminal/text-field.ts';

const run = (...actions: readonly TextFieldAction[]): string => {
  const { text, cursor } = actions.reduce(reduceTextField, createTextField('one two'));
  return `${text.slice(0, cursor)}|${text.slice(cursor)}`;
};

test('edits like a shell', () => {
  expect(run({ type: 'left' }, { type: 'insert', text: 'x' })).toBe('one twx|o');
  expect(run({ type: 'erase' })).toBe('one tw|');
  expect(run({ type: 'start' }, { type: 'eraseNext' })).toBe('|ne two');
  expect(run({ type: 'start' }, { type: 'left' }, { type: 'right' })).toBe('o|ne two');
  expect(run({ type: 'eraseWord' })).toBe('one |');
  expect(run({ type: 'eraseWord' }, { type: 'eraseWord' }, { type: 'eraseWord' })).toBe('|');
  expect(run({ type: 'clear' })).toBe('|');
  expect(run({ type: 'set', text: 'new' })).toBe('new|');
  expect(run({ type: 'insert', text: '👩‍👩‍👧' }, { type: 'erase' })).toBe('one two|');
});

test('a paste of several lines becomes one line, and a huge one is cut', () => {
  expect(run({ type: 'clear' }, { type: 'insert', text: 'a\r\nb\n\nc' })).toBe('a b c|');
  expect(run({ type: 'insert', text: 'x'.repeat(100_000) })).toHaveLength(lineLimits.maxLength + 1);
});

describe('a text of several lines', () => {
  const reduce = createTextFieldReducer(textLimits);
  const edit = (text: string, ...actions: readonly TextFieldAction[]): string => {
    let field = createTextField(text);
    for (const action of actions) field = reduce(field, action);
    return `${field.text.slice(0, field.cursor)}|${field.text.slice(field.cursor)}`;
  };
  const [up, down, start, end, left] = (['up', 'down', 'start', 'end', 'left'] as const).map((type) => ({ type }));

  test('keeps line ends, each as one \\n', () => {
    expect(edit('', { type: 'insert', text: 'a\r\nb\rc\n\nd' })).toBe('a\nb\nc\n\nd|');
    expect(edit('a\n', { type: 'erase' })).toBe('a|');
  });

  test('moves between lines in its column, and to the ends of its line', () => {
    if (up === undefined || down === undefined || start === undefined || end === undefined || left === undefined)
      throw new Error('no keys');
    expect(edit('long\nab\nlong', left, up)).toBe('long\nab|\nlong');
    expect(edit('long\nab\nlong', left, left, left, up, up)).toBe('l|ong\nab\nlong');
    expect(edit('long\nab', up, down)).toBe('long\nab|');
    expect(edit('long\nab', up, up)).toBe('lo|ng\nab');
    expect(edit('long\nab', start)).toBe('long\n|ab');
    expect(edit('long\nab', up, end)).toBe('long|\nab');
    expect(edit('👩‍👩‍👧\nab', left, up)).toBe('👩‍👩‍👧|\nab');
  });

  test('holds 65,536 units, cut between graphemes', () => {
    expect(edit('', { type: 'insert', text: 'x'.repeat(70_000) })).toHaveLength(65_536 + 1);
    expect(edit('', { type: 'insert', text: `${'x'.repeat(65_530)}👩‍👩‍👧` })).toBe(`${'x'.repeat(65_530)}|`);
  });

  test('finds graphemes anywhere in a long text', () => {
    const text = `${'line of text\n'.repeat(2_000)}${'é👩‍👩‍👧 世'.repeat(2_000)}`;
    let field = createTextField(text);
    for (const character of splitGraphemes('é👩‍👩‍👧 世'.repeat(5)).toReversed()) {
      const before = field.cursor;
      field = reduce(field, { type: 'left' });
      expect(text.slice(field.cursor, before)).toBe(character);
    }
    expect(reduce(field, { type: 'right' }).cursor).toBe(field.cursor + 1);
    expect(reduce({ text, cursor: 0 }, { type: 'right' }).cursor).toBe(1);
  });
});

test('the cursor moves behind what joins to one grapheme when the text between is erased', () => {
  expect(run({ type: 'set', text: '🇩a🇩' }, { type: 'left' }, { type: 'erase' })).toBe('🇩🇩|');
});

test('the cursor is always between graphemes', () => {
  const simple = fc.constantFrom<TextFieldAction>(
    { type: 'left' },
    { type: 'right' },
    { type: 'start' },
    { type: 'end' },
    { type: 'erase' },
    { type: 'eraseNext' },
    { type: 'eraseWord' },
  );
  const action = fc.oneof(
    simple,
    fc
      .constantFrom('a', 'e\u0301', '\u0301', '👩', '\u200D', '🇩', '世', ' ')
      .map((text): TextFieldAction => ({ type: 'insert', text })),
  );
  fc.assert(
    fc.property(fc.array(action, { maxLength: 30 }), (actions) => {
      const { text, cursor } = actions.reduce(reduceTextField, createTextField());
      const places = [0];
      for (const character of splitGraphemes(text)) {
        places.push((places.at(-1) ?? 0) + character.length);
      }
      expect(places).toContain(cursor);
    }),
    { numRuns: 1500 },
  );
});
