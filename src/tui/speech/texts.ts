import { safe, type SafeText } from '../../terminal/safe-text.ts';

/** Said where the screen shows a sign, a place or a colour. */
export const speechTexts = {
  start: safe`brokertop in screen reader mode. ? opens help, Ctrl-L reads the whole screen.`,
  unknown: safe`unknown`,
  attention: safe`attention`,
  marked: safe`marked`,
  next: (step: SafeText) => safe`Next: ${step}`,
  problem: (severity: SafeText, title: SafeText) => safe`${severity}: ${title}`,
  acknowledged: (title: SafeText) => safe`Acknowledged: ${title}`,
};
