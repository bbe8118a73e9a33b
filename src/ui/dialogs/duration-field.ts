import { durationText, parseDuration } from '../../domain/text.ts';
import { safe, type SafeText, trusted } from '../../terminal/safe-text.ts';
import type { FormField } from './open-dialog.ts';
import { durationTexts } from './texts.ts';

const never = 'never';

export const durationField = (label: SafeText, initial: string): FormField => ({
  id: 'duration',
  label,
  initial,
  help: durationTexts.help,
});

/** `seconds` is `undefined` for `never`. */
export const readDuration = (
  typed: string,
): { readonly seconds: number | undefined } | { readonly error: SafeText } => {
  if (typed.trim().toLowerCase() === never) return { seconds: undefined };
  const seconds = parseDuration(typed);
  return seconds === undefined ? { error: durationTexts.invalid } : { seconds };
};

/** `for 7d 0h`; the end is computed by the broker's clock when it is sent. */
export const durationLine = (seconds: number | undefined): SafeText =>
  seconds === undefined ? durationTexts.never : durationTexts.lasts(safe`${trusted(durationText(seconds))}`);
