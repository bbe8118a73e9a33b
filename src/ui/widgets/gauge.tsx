import type { ReactNode } from 'react';
import { formatShare, unknownText } from '../format.ts';
import { glyphs } from '../glyphs.ts';
import { type SafeText, safe, trusted } from '../safe-text.ts';
import { useTheme } from '../theme-context.ts';
import { fit } from '../text-width.ts';
import type { Role } from '../theme.ts';
import { type Span, composeLine } from './line.ts';
import { Rows } from './rows.tsx';

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

const barText = (share: number, width: number): readonly [SafeText, SafeText] => {
  // Something is never drawn as nothing, and not quite all never as all.
  const least = share > 0 ? 1 : 0;
  const most = share < 1 ? width - 1 : width;
  const full = Math.max(least, Math.min(most, Math.round(share * width)));
  return [trusted(glyphs.gaugeFull.repeat(full)), trusted(glyphs.gaugeEmpty.repeat(Math.max(0, width - full)))];
};

/**
 * A bar with its percentage, `width` columns in all: `█████░░░░░  48 %`. What is not known has no bar at all,
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
  const sign = role === 'error' ? safe`!` : safe` `;
  return [
    { text: full, role },
    { text: empty, role: 'dim' },
    { text: fit(safe`${sign}${fit(formatShare(used, limit), percentWidth, 'right')}`, width - barWidth, 'right'), role: role === 'ok' ? 'normal' : role },
  ];
};

export interface GaugeProps {
  readonly label: SafeText;
  readonly labelWidth: number;
  readonly used: number | undefined;
  readonly limit: number | undefined;
  /** The figures in words, at the right: `48.8 MB of 120 MB`. */
  readonly note?: SafeText | undefined;
  readonly barWidth: number;
  readonly width: number;
  readonly thresholds?: Thresholds | undefined;
}

/** A labelled gauge in one line. */
export const Gauge = ({ label, labelWidth, used, limit, note, barWidth, width, thresholds }: GaugeProps): ReactNode => (
  <Rows
    lines={[
      composeLine(useTheme(), width, [
        { text: fit(label, labelWidth) },
        { text: safe` ` },
        ...gaugeSpans(barWidth, used, limit, thresholds),
        ...(note === undefined ? [] : [{ text: safe`  ${note}` }]),
      ]),
    ]}
  />
);
