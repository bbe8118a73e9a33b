import { type SafeText, spaces, trusted } from './safe-text.ts';
import { takeColumns } from './text-width.ts';

/** Columns that stay free in a line that ends at a space: one where the space was, one more because a wide character may leave one free too. */
const spare = 2;

/** Where the first line ends at a space: before the first of several, as late as there is room for, 0 for nowhere. */
const lastSpace = (text: string, width: number): number => {
  let at = takeColumns(text, width - spare).length;
  while (at > 0 && (text[at] !== ' ' || text[at - 1] === ' ')) {
    at -= 1;
  }
  return at;
};

/** The first line of a text without a space to end it at: as full as can be, no space at its end, where nobody would see it. */
const fullLine = (text: string, width: number): string => {
  const line = takeColumns(text, width).replace(/ +$/u, '');
  return line === '' ? spaces(width - 1) : line;
};

/**
 * Breaks a text into lines of at most `width` columns, at spaces where there are any in reach. Nothing is
 * lost, and no two texts have the same lines: only one space vanishes at a break, and then the line leaves two
 * columns free; a line with fewer goes on without a space.
 */
export const wrapWords = (text: SafeText, width: number): readonly SafeText[] => {
  const lines: SafeText[] = [];
  // A character wider than the whole place would never fit; two columns hold any.
  const room = Math.max(2, width);
  let rest: string = text;
  // Only the start of what is left is looked at: an id may have 65,535 characters.
  while (takeColumns(rest, room).length < rest.length) {
    const at = lastSpace(rest, room);
    const line = at === 0 ? fullLine(rest, room) : rest.slice(0, at);
    lines.push(trusted(line));
    rest = rest.slice(line.length + (at === 0 ? 0 : 1));
  }
  return [...lines, trusted(rest)];
};
