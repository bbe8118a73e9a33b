import { safe, type SafeText } from '../../terminal/safe-text.ts';

/** Says whether a text was copied. */
export const copyTexts = {
  noCodes: safe`Not copied: this terminal does not support escape codes`,
  emptyText: safe`Not copied: nothing to copy`,
  brokenText: safe`Not copied: not valid Unicode (unpaired surrogate)`,
  longText: safe`Not copied: too long for the terminal's clipboard`,
  copied: (text: SafeText) => safe`Sent to the terminal's clipboard: ${text}`,
};
