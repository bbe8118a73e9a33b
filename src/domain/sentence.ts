import { literal, type TextPart, untrusted, withThousands } from './text.ts';

/** Names from the broker are untrusted parts. */
export type Sentence = readonly TextPart[];

/** A sentence of literal text; names go in as parts. */
export const say = (
  strings: TemplateStringsArray,
  ...values: readonly (string | number | TextPart | Sentence)[]
): Sentence => {
  const parts: TextPart[] = [];
  for (const [index, text] of strings.entries()) {
    if (text !== '') parts.push(literal(text));
    const value = values[index];
    if (value === undefined) continue;
    if (typeof value !== 'object') parts.push(literal(String(value)));
    else if ('text' in value) parts.push(value);
    else parts.push(...value);
  }
  return parts;
};

export const join = (sentences: readonly Sentence[], separator: string): Sentence =>
  sentences.flatMap((sentence, index) => (index === 0 ? sentence : [literal(separator), ...sentence]));

/** A rate or ratio: one decimal below ten. */
export const figure = (value: number): string =>
  value < 10 ? value.toFixed(1).replace(/\.0$/u, '') : withThousands(value);

export const percent = (share: number): string => `${Math.floor(share * 100)} %`;

const maxNames = 3;

export const names = (all: readonly string[], max = maxNames): Sentence => [
  ...join(
    all.slice(0, max).map((name) => [untrusted(name)]),
    ', ',
  ),
  ...(all.length > max ? say` and ${withThousands(all.length - max)} more` : []),
];

/** Shortens the names of nodes as lists do. */
export const withShortNames = (sentence: Sentence, nodes: ReadonlyMap<string, string> | undefined): Sentence =>
  nodes === undefined
    ? sentence
    : sentence.map((part) => (part.isUntrusted === true ? { ...part, text: nodes.get(part.text) ?? part.text } : part));

/** Leaves a name that ends with a full stop as it is. */
export const withoutFullStop = (sentence: Sentence): Sentence =>
  sentence.map((part, index) =>
    index === sentence.length - 1 && part.isUntrusted !== true
      ? { ...part, text: part.text.replace(/\.$/u, '') }
      : part,
  );

/** Returns the text with names as the broker reports them, not escaped. */
export const plainText = (parts: Sentence): string => parts.map(({ text }) => text).join('');
