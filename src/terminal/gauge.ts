import { formatShare, unknownText } from './format.ts';
import { glyphs } from './glyphs.ts';
import type { Span } from './line.ts';
import { safe, type SafeText, trusted } from './safe-text.ts';
import { fit } from './text-width.ts';
import type { Role } from './theme.ts';

export interface Thresholds {
  readonly warning: number;
  readonly critical: number;
}

export const defaultThresholds: Thresholds = { warning: 0.75, critical: 0.9 };

const percentWidth = 5;

const roleOf = (share: number, thresholds: Thresholds): Role => {
  if (share >= thresholds.critical) {
    return 'error';
  }
  return share >= thresholds.warning ? 'warning' : 'ok';
};

/** Splits a bar into its full and its empty part. Less than all never looks full. */
const barText = (share: number, width: number): readonly [SafeText, SafeText] => {
  const filled = share >= 1 ? width : Math.min(width - 1, Math.round(share * width));
  return [
    trusted(glyphs.gaugeFull.repeat(Math.max(0, filled))),
    trusted(glyphs.gaugeEmpty.repeat(width - Math.max(0, filled))),
  ];
};

/** Draws a bar of `width` columns, with its empty part. */
export const barSpans = (width: number, share: number, role: Role): readonly Span[] => {
  const [full, empty] = barText(share, width);
  return [
    { text: full, role },
    { text: empty, role: 'border' },
  ];
};

const minRoomyWidth = 12;

/** The width of a gauge of ten cells with its percentage. */
export const gaugeWidth = 17;

/**
 * Draws `▰▰▰▰▰▱▱▱▱▱  48 %` in `width` columns. An unknown value is `–`; past the error threshold there is a sign
 * besides the colour.
 */
export const gaugeSpans = (
  width: number,
  used: number | undefined,
  limit: number | undefined,
  thresholds: Thresholds = defaultThresholds,
): readonly Span[] => {
  const barWidth = Math.max(0, width - percentWidth - 2);
  if (used === undefined || limit === undefined || limit <= 0 || !Number.isFinite(used / limit)) {
    return [{ text: fit(safe``, barWidth) }, { text: fit(unknownText, width - barWidth, 'right'), role: 'dim' }];
  }
  const share = Math.max(0, used / limit);
  const role = roleOf(share, thresholds);
  const [full, empty] = barText(share, barWidth);
  const isNarrow = width < minRoomyWidth && barWidth > 0;
  const sign = role === 'error' ? safe`!` : isNarrow ? safe`` : safe` `;
  const figureWidth = width - barWidth - (isNarrow ? 1 : 0);
  return [
    ...(isNarrow ? [{ text: safe` ` }] : []),
    { text: full, role },
    { text: empty, role: 'border' },
    {
      text: fit(
        safe`${sign}${isNarrow ? formatShare(used, limit) : fit(formatShare(used, limit), percentWidth, 'right')}`,
        figureWidth,
        'right',
      ),
      role: role === 'ok' ? 'normal' : role,
    },
  ];
};
