import { type StatName, statNames } from '../../../domain/metrics.ts';
import type { TotalsChange } from '../history.ts';
import type { Total } from '../select.ts';
import { formatChange, formatCountIn, loadingText, unknownText } from '../../../terminal/format.ts';
import { safe, type SafeText } from '../../../terminal/safe-text.ts';
import { fit } from '../../../terminal/text-width.ts';
import { fitSpans, type SpanRow } from '../../../tui/components/blocks.ts';
import { totalsTexts } from '../texts.ts';

export interface TotalsView {
  readonly totals: (name: StatName) => Total;
  readonly change: TotalsChange;
  readonly isLoading: boolean;
}

export const statLabels: Readonly<Record<StatName, SafeText>> = {
  clients: safe`clients`,
  sessions: safe`sessions`,
  subscribers: safe`subscribers`,
  subscriptions: safe`subscriptions`,
  topics: safe`topics`,
  routes: safe`routes`,
  retained: safe`retained`,
};

/** Writes a total; `≥` if something is missing in it. */
export const totalText = (
  { value, missingNodes, isMin }: Total,
  isLoading: boolean,
  width = Number.POSITIVE_INFINITY,
): SafeText => {
  if (value === undefined) {
    return isLoading ? loadingText : unknownText;
  }
  return formatCountIn(value, width, missingNodes.length > 0 || isMin === true ? 'min' : undefined);
};

const maxLabelWidth = 13;
const maxValueWidth = 7;
const changeWidth = 7;
const minCellWidth = 26;

const cellsPerRow = (width: number): number =>
  Math.max(1, Math.min(statNames.length, Math.floor(width / minCellWidth)));

export const totalLines = (width: number): number => Math.ceil(statNames.length / cellsPerRow(width));

/**
 * Writes `clients 291    -9`: the total stands behind its label, the change in a column of its own. No change is blank,
 * an unknown one is not.
 */
const cell = (name: StatName, width: number, { totals, change, isLoading }: TotalsView): SpanRow => {
  const total = totals(name);
  const changed = change.of(name, total.missingNodes.length > 0 ? undefined : total.value);
  const text =
    change.seconds === undefined || changed === 0
      ? safe``
      : changed === undefined
        ? unknownText
        : formatChange(changed);
  const valueWidth = Math.min(maxValueWidth, width - maxLabelWidth - 2 - changeWidth);
  return fitSpans(
    [
      { text: safe`${statLabels[name]} `, role: 'dim' },
      { text: fit(totalText(total, isLoading, valueWidth), valueWidth), role: 'title' },
      { text: fit(safe` ${text}`, changeWidth), role: changed === undefined || changed === 0 ? 'dim' : 'accent' },
    ],
    width,
  );
};

/** Draws the cluster's totals and their changes. */
export const totalRows = (width: number, view: TotalsView): readonly SpanRow[] => {
  const perRow = cellsPerRow(width);
  const cellWidth = Math.floor((width - 1) / perRow);
  return Array.from({ length: totalLines(width) }, (_, row) => [
    { text: safe` ` },
    ...statNames.slice(row * perRow, (row + 1) * perRow).flatMap((name) => cell(name, cellWidth, view)),
  ]);
};

/** Says over what time the totals changed; nothing until that is known. */
export const totalsNote = ({ seconds }: TotalsChange): SafeText | undefined =>
  seconds === undefined ? undefined : totalsTexts.change(seconds);
