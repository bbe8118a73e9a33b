import { type SafeText, joinSafe, safe, trusted } from './safe-text.ts';
import { widthOf, wrapText } from './text-width.ts';

/** Breaks a text into lines of at most `width` columns, at spaces where there are any in reach; no word is lost. */
export const wrapWords = (text: SafeText, width: number): readonly SafeText[] => {
  const lines: SafeText[] = [];
  let line: SafeText = safe``;
  for (const word of text.split(' ').map((part) => trusted(part))) {
    const longer = line === '' ? word : joinSafe([line, word], safe` `);
    if (widthOf(longer) <= width) {
      line = longer;
      continue;
    }
    if (line !== '') {
      lines.push(line);
    }
    const pieces = wrapText(word, width);
    lines.push(...pieces.slice(0, -1));
    line = pieces.at(-1) ?? safe``;
  }
  return [...lines, line];
};
