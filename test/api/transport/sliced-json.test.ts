import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseInSlices } from '../../../src/api/transport/sliced-json.ts';
import { runAtOnce } from '../../../src/domain/sliced-task.ts';

const tricky = fc.string({
  unit: fc.constantFrom('[', ']', '{', '}', '"', '\\', ',', 'é', '😀', '\n', 'a'),
  maxLength: 12,
});
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 3 },
    tricky,
    fc.integer(),
    fc.constant(null),
    fc.array(tie('any'), { maxLength: 3 }),
    fc.dictionary(tricky, tie('any'), { maxKeys: 3 }),
  ),
})).any;
/** Long enough to be parsed in slices. */
const padding = 'x'.repeat(70_000);

const sliced = (text: string): unknown => runAtOnce(parseInSlices(Buffer.from(text)));

/** Returns what a parser makes of a text; `undefined` is an error. */
function resultOf(parse: (text: string) => unknown, text: string): unknown {
  try {
    return [parse(text)];
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return undefined;
  }
}

/** Answers with a list of up to 600 items, somewhere. */
const answers = fc
  .tuple(
    value,
    fc.array(value, { maxLength: 5 }),
    fc.integer({ min: 0, max: 600 }),
    fc.dictionary(tricky, value, { maxKeys: 2 }),
    fc.constantFrom(undefined, 1),
  )
  .map(([first, items, copies, head, indent]) => {
    const list = [{ first }, ...Array.from({ length: copies }, () => items).flat()];
    return JSON.stringify({ ...head, result: { list, after: items }, padding }, null, indent);
  });

test('any answer: the result of JSON.parse', () => {
  fc.assert(
    fc.property(answers, (text) => {
      expect(sliced(text)).toEqual(JSON.parse(text));
    }),
    { numRuns: 300 },
  );
});

test('an answer with a character removed or added: an error exactly when JSON.parse has one', () => {
  fc.assert(
    fc.property(answers, fc.nat(), fc.constantFrom('', ',', ']', '[', '{', '}', '"', ' '), (text, place, added) => {
      const at = place % (text.length - padding.length);
      const broken = (text.slice(0, at) + added + text.slice(at + 1)).toWellFormed();
      expect(resultOf(sliced, broken)).toEqual(resultOf(JSON.parse, broken));
    }),
    { numRuns: 400 },
  );
});

const rows = (count: number, text = 'a name'): string =>
  Array.from({ length: count }, (_, id) => `{"id":${id},"name":${JSON.stringify(text)}}`).join(',');
const count = 10_000;

test.each([
  ['no comma between two portions', `${rows(count)}${rows(count)}`],
  ['a comma before the end', `${rows(count)},`],
  ['an end too many', `${rows(count)}]`],
  ['a text that ends', `${rows(count)},{"na`],
])('%s: an error', (_, items) => {
  expect(() => sliced(`{"list":[${items}]}`)).toThrow(SyntaxError);
});

test.each([
  ['a name that looks like the next object', `{"list":[${rows(count, '},{')}]}`],
  ['a text before the list that looks like one', `{"text":"[{","list":[${rows(count)}]}`],
  ['lists of objects in one object', `{"list":[{"inner":[${rows(count)}]},{"inner":[${rows(count)}]}],"after":[1]}`],
  ['one name twice', `{"list":[${rows(count)}],"list":["${padding}"]}`],
  ['other items among the objects', `[${rows(count)},null,1,[{}],${rows(count)}]`],
  ['spaces', JSON.stringify(JSON.parse(`{"list":[${rows(count)}]}`), null, 2)],
])('%s: the result of JSON.parse', (_, text) => {
  expect(sliced(text)).toEqual(JSON.parse(text));
});

test('a page of 5,000 rows: parsed in slices of 16 KB', () => {
  const bytes = Buffer.from(`{"code":0,"result":{"objects":[${rows(5_000)}],"total_num":5000}}`);
  const task = parseInSlices(bytes);
  let slices = 1;
  let step = task.next();
  for (; step.done !== true; step = task.next()) slices += 1;
  expect(slices).toBe(Math.ceil(bytes.length / 2 ** 14));
  expect(step.value).toMatchObject({ code: 0, result: { total_num: 5_000, objects: { length: 5_000 } } });
});
