import { escapeText } from '../../terminal/safe-text.ts';

/** Text of several lines for a terminal that nobody draws on, each made safe; an error may quote anything. */
export const safeLines = (text: string): string =>
  text.split('\n').map((line) => {
    const words = line.trim();
    return words === '' ? '' : ' '.repeat(line.length - line.trimStart().length) + escapeText(words);
  }).join('\n');
