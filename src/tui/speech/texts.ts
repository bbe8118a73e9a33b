import { safe } from '../../terminal/safe-text.ts';

/** Said where the screen shows a sign, a place or a colour. */
export const speechTexts = {
  start: safe`brokertop in screen reader mode. ? opens help, Ctrl-L reads the whole screen.`,
  unknown: safe`unknown`,
  attention: safe`attention`,
  marked: safe`marked`,
};
