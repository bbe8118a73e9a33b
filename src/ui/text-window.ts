import { formatCount } from '../terminal/format.ts';
import { safe, type SafeText } from '../terminal/safe-text.ts';

/** Which lines of many are in sight. */
export interface TextWindow {
  /** The first of them, and the one behind the last: 0 is the first of all. */
  readonly from: number;
  readonly to: number;
  /** How far it can be scrolled: the first line when the end is in sight. */
  readonly maxTop: number;
  /** Lines that are scrolled by a page, of which none goes by unseen. */
  readonly page: number;
}

/** Those of `count` lines that are in sight in a place of `room` lines, from line `top` on or as far as there are any. */
export const windowOf = (count: number, room: number, top: number): TextWindow => {
  const page = Math.min(count, Math.max(1, room));
  const maxTop = count - page;
  const from = Math.min(top, maxTop);
  return { from, to: from + page, maxTop, page };
};

/** Says which lines are in sight, of how many. */
export const positionText = ({ from, to, maxTop }: TextWindow, count: number): SafeText =>
  maxTop === 0 ? safe`all shown` : safe`lines ${formatCount(from + 1)}–${formatCount(to)} of ${formatCount(count)}`;

/** A window whose last line says, where not all has room, which lines are in sight. */
export interface ScrolledWindow extends TextWindow {
  /** What it says, and by which keys it is scrolled; `undefined` where all is in sight, or the text has the only line. */
  readonly position: SafeText | undefined;
}

/** The same in a place that has to hold the position too, where there is one. */
export const scrolledWindow = (count: number, room: number, top: number): ScrolledWindow => {
  const isCut = count > room;
  const window = windowOf(count, isCut ? room - 1 : room, top);
  return { ...window, position: isCut && room > 1 ? safe`${positionText(window, count)}: ↑ ↓ PgUp PgDn` : undefined };
};
