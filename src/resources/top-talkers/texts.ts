import { formatDuration } from '../../terminal/format.ts';
import { safe } from '../../terminal/safe-text.ts';

export const topTalkersTexts = {
  title: safe`Top talkers`,
  notOffered: safe`traffic of clients`,
  /** @param seconds what the rates are measured over; `undefined` before there are any */
  window: (seconds: number | undefined) =>
    seconds === undefined
      ? safe`no rates yet: most messages so far first`
      : safe`rates over ${formatDuration(seconds)}`,
};
