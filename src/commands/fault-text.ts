import { escapeText } from '../ui/safe-text.ts';

/**
 * What is said of an error of the program itself: its stack, made safe line by line, because an error
 * may quote what a broker sent. Ends with a newline.
 *
 * @param hide takes secrets out of it
 */
export function faultText(error: unknown, hide: (text: string) => string = (text) => text): string {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const lines = hide(text).split('\n').map((line) => {
    const words = line.trimStart();
    return ' '.repeat(line.length - words.length) + escapeText(words);
  });
  return `brokertop: stopped by an error in itself; please report it:\n${lines.join('\n')}\n`;
}
