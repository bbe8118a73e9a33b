import { errorCodeOf } from '../domain/error-code.ts';
import { escapeText } from '../terminal/safe-text.ts';

/** The command line, the environment or a file is wrong: exit code 2. */
export class UsageError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'UsageError';
  }
}

export const safeLines = (text: string): string =>
  text
    .split('\n')
    .map((line) => {
      const words = line.trim();
      return words === '' ? '' : ' '.repeat(line.length - line.trimStart().length) + escapeText(words);
    })
    .join('\n');

export function errorCodeOrMessage(thrown: unknown): string {
  return errorCodeOf(thrown) ?? (thrown instanceof Error ? thrown.message : String(thrown));
}
