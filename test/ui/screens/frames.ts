import { stripVTControlCharacters } from 'node:util';
import stringWidth from 'string-width';
import { expect } from 'vitest';

/** Sizes that every screen has to fill: an 80×24 terminal, the smallest, and two large ones. */
export const sizes = [[80, 18], [60, 9], [120, 34], [200, 54]] as const;

/** Finished lines without their style codes, having proved that they fill the place exactly and hold nothing else that acts. */
export const plainFrame = (lines: readonly string[], width: number, height: number): readonly string[] => {
  const plain = lines.map((line) => stripVTControlCharacters(line));
  expect(lines).toHaveLength(height);
  expect(new Set(plain.map((line) => stringWidth(line)))).toEqual(new Set([width]));
  for (const line of lines) {
    expect(line.replaceAll(/\u001B\[[\d;]*m/g, '')).not.toMatch(/\p{Cc}/u);
  }
  return plain;
};
