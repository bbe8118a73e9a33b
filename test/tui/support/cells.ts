interface Token {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

const tokensOf = (line: string): readonly Token[] =>
  [...line.matchAll(/\S+(?: \S+)*/gu)].map(({ 0: text, index }) => ({ text, start: index, end: index + text.length }));

/** Without the sign or the words of the order, and the brackets of the column that actions apply to. */
const headerOf = (text: string): string => text.replace(/ [▲▼]|, .*| \+\d+→$|^\[|\]$/gu, '');

/**
 * The cells of a drawn row by the headers above them. Tests that name the columns they mean do not break when another is
 * added.
 */
export const cellsByHeader = (header = '', row = ''): Readonly<Record<string, string>> => {
  const cells = tokensOf(row.replace('▸', ' '));
  const headers = tokensOf(header);
  return Object.fromEntries(
    headers.flatMap(({ text, start, end }, at): [string, string][] => {
      const next = headers[at + 1]?.start ?? Infinity;
      const cell =
        cells.find((each) => each.start < end && each.end > start) ??
        // A gauge may be aligned otherwise than its header.
        cells.find((each) => each.start >= end && each.end <= next);
      return cell === undefined ? [] : [[headerOf(text), cell.text]];
    }),
  );
};
