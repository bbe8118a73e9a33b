import { formatShare, unknownText } from '../../terminal/format.ts';
import { gaugeParts, glyphs } from '../../terminal/glyphs.ts';
import { type SafeText, safe, trusted } from '../../terminal/safe-text.ts';
import { fit } from '../../terminal/text-width.ts';
import type { Role } from '../../terminal/theme.ts';
import type { Span } from '../../terminal/line.ts';

/** From which share on a gauge warns. */
export interface Thresholds {
  readonly warning: number;
  readonly error: number;
}

export const defaultThresholds: Thresholds = { warning: 0.75, error: 0.9 };

const percentWidth = 5;

const roleOf = (share: number, thresholds: Thresholds): Role => {
  if (share >= thresholds.error) {
    return 'error';
  }
  return share >= thresholds.warning ? 'warning' : 'ok';
};

const gaugeEighths = 8;

const barText = (share: number, width: number): readonly [SafeText, SafeText] => {
  // Something is never drawn as nothing, and not quite all never as all.
  const least = share > 0 ? 1 : 0;
  const most = share < 1 ? width * gaugeEighths - 1 : width * gaugeEighths;
  const filled = Math.max(least, Math.min(most, Math.round(share * width * gaugeEighths)));
  const full = Math.floor(filled / gaugeEighths);
  const part = gaugeParts[(filled % gaugeEighths) - 1] ?? safe``;
  const empty = width - full - (part === '' ? 0 : 1);
  return [trusted(`${glyphs.gaugeFull.repeat(full)}${part}`), trusted(glyphs.gaugeEmpty.repeat(Math.max(0, empty)))];
};

/** So narrow that the bar stands close to its own percentage, and away from what is before it. */
const narrow = 12;

/**
 * A bar with its percentage, `width` columns in all: `████▊░░░░░  48 %`. What is not known has no bar at all,
 * only `–`; a gauge at 0 has an empty one. Past a threshold a sign says so, besides the colour.
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
  const isNarrow = width < narrow && barWidth > 0;
  const sign = role === 'error' ? safe`!` : isNarrow ? safe`` : safe` `;
  const figureWidth = width - barWidth - (isNarrow ? 1 : 0);
  return [
    ...(isNarrow ? [{ text: safe` ` }] : []),
    { text: full, role },
    { text: empty, role: 'dim' },
    { text: fit(safe`${sign}${isNarrow ? formatShare(used, limit) : fit(formatShare(used, limit), percentWidth, 'right')}`, figureWidth, 'right'), role: role === 'ok' ? 'normal' : role },
  ];
};
