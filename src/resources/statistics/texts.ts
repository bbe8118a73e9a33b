import { formatDuration } from '../../terminal/format.ts';
import { safe } from '../../terminal/safe-text.ts';

export const totalsTexts = {
  /** Rounds down to ten seconds, then to minutes. */
  change: (seconds: number) =>
    safe`change over ${seconds < 60 ? formatDuration(Math.floor(seconds / 10) * 10 || Math.floor(seconds)) : safe`${Math.round(seconds / 60)} min`}`,
};
