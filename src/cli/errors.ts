import { escapeText } from '../terminal/safe-text.ts';

/** The command line, the environment or a file it names is wrong. The program prints `message` and exits with 2. */
export class UsageError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'UsageError';
  }
}

/** Escapes each line of a message for the terminal, keeping its indentation. */
export const safeLines = (text: string): string =>
  text.split('\n').map((line) => {
    const words = line.trim();
    return words === '' ? '' : ' '.repeat(line.length - line.trimStart().length) + escapeText(words);
  }).join('\n');
