import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { type TextFieldAction, createTextField, maxFieldLength, reduceTextField, splitCharacters } from '../../src/ui/text-field.ts';

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

test('a paste of lines becomes one line, and a huge one is cut', () => {
  expect(run({ type: 'clear' }, { type: 'insert', text: 'a\r\nb\n\nc' })).toBe('a b c|');
  expect(run({ type: 'insert', text: 'x'.repeat(100_000) })).toHaveLength(maxFieldLength + 1);
});

test('the cursor is always between whole characters', () => {
  const simple = fc.constantFrom<TextFieldAction>(
    { type: 'left' }, { type: 'right' }, { type: 'start' }, { type: 'end' }, { type: 'erase' }, { type: 'eraseNext' }, { type: 'eraseWord' },
  );
  const action = fc.oneof(simple, fc.constantFrom('a', 'e\u0301', '\u0301', '👩', '\u200D', '🇩', '世', ' ').map((text): TextFieldAction => ({ type: 'insert', text })));
  fc.assert(
    fc.property(fc.array(action, { maxLength: 30 }), (actions) => {
      const { text, cursor } = actions.reduce(reduceTextField, createTextField());
      const places = [0];
      for (const character of splitCharacters(text)) {
        places.push((places.at(-1) ?? 0) + character.length);
      }
      expect(places).toContain(cursor);
    }),
    { numRuns: 1500 },
  );
});
