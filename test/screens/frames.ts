import { stripVTControlCharacters } from 'node:util';
import stringWidth from 'string-width';
import { expect } from 'vitest';

/** Sizes that every screen must fill: an 80×24 terminal, the smallest, and two large ones. */
export const sizes = [
  [80, 18],
  [60, 9],
  [120, 34],
  [200, 54],
] as const;

/** Lines without style codes; expects them to fill the area exactly and to have no other control characters. */
export const plainFrame = (lines: readonly string[], width: number, height: number): readonly string[] => {
  const plain = lines.map((line) => stripVTControlCharacters(line));
  expect(lines).toHaveLength(height);
  expect(new Set(plain.map((line) => stringWidth(line)))).toEqual(new Set([width]));
  for (const line of lines) {
    expect(line.replaceAll(/\u001B\[[\d;]*m/g, '')).not.toMatch(/\p{Cc}/u);
  }
  return plain;
};

/** A multiline regular expression that matches the inserted texts literally: `pattern\`^ CLIENT .* ${text}$\``. */
export const pattern = ({ raw }: TemplateStringsArray, ...texts: readonly string[]): RegExp =>
  new RegExp(
    String.raw({ raw }, ...texts.map((text) => text.replaceAll(/[$()*+.?[\\\]^{|}]/gu, String.raw`\$&`))),
    'm',
  );
