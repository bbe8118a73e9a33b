import { type StatName, statNames } from '../../../domain/metrics.ts';
import type { Maximum, Total } from '../../../monitor/select/totals.ts';
import { formatCountIn, formatDelta, loadingText, unknownText } from '../../../terminal/format.ts';
import { safe, type SafeText } from '../../../terminal/safe-text.ts';
import { fit } from '../../../terminal/text-width.ts';
import { fitSpans, type SpanRow, titleRow } from '../../components/blocks.ts';

export interface TotalsView {
  readonly totals: (name: StatName) => Total;
  readonly maximum: (name: StatName) => Maximum;
  readonly change: (name: StatName) => number | undefined;
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

/** A total; a node that did not tell makes it a lower bound. */
export const totalText = ({ value, missingNodes }: Total, isLoading: boolean, width = Number.POSITIVE_INFINITY): SafeText => {
  if (value === undefined) {
    return isLoading ? loadingText : unknownText;
  }
  return formatCountIn(value, width, missingNodes.length > 0 ? 'min' : undefined);
};

const maximumText = (view: TotalsView, name: StatName, width = Number.POSITIVE_INFINITY): SafeText => {
  const { value, isUpperBound } = view.maximum(name);
  if (value === undefined) {
    return view.isLoading ? loadingText : unknownText;
  }
  return formatCountIn(value, width, isUpperBound ? 'max' : undefined);
};

/** One line: as many totals as there is room for, with their maxima. */
const oneRow = (width: number, view: TotalsView): SpanRow =>
  fitSpans(statNames.flatMap((name): SpanRow => [
    { text: safe` ${statLabels[name]} `, role: 'dim' },
    { text: totalText(view.totals(name), view.isLoading), role: 'title' },
    { text: safe` (max ${maximumText(view, name)}) `, role: 'dim' },
  ]), width);

/** Three lines: names, counts and maxima in columns. */
const tableRows = (width: number, view: TotalsView): readonly SpanRow[] => {
  const labelWidth = 7;
  const room = Math.floor((width - labelWidth - 1) / statNames.length);
  const cell = (text: SafeText): SafeText => safe` ${fit(text, room - 1, 'right')}`;
  const names: Readonly<Partial<Record<StatName, SafeText>>> = room < 14 ? { subscribers: safe`subscr.`, subscriptions: safe`subs` } : {};
  const shortNames: Readonly<Partial<Record<StatName, SafeText>>> = room < 10 ? { sessions: safe`sess.`, subscribers: safe`subrs`, subscriptions: safe`subs`, retained: safe`retain` } : names;
  return [
    [{ text: fit(safe` TOTALS`, labelWidth), role: 'header' }, ...statNames.map((name) => ({ text: cell(shortNames[name] ?? statLabels[name]), role: 'header' } as const))],
    [{ text: fit(safe` now`, labelWidth), role: 'dim' }, ...statNames.map((name) => ({ text: cell(totalText(view.totals(name), view.isLoading, room - 1)), role: 'title' } as const))],
    [{ text: fit(safe` max`, labelWidth), role: 'dim' }, ...statNames.map((name) => ({ text: cell(maximumText(view, name, room - 1)) }))],
  ];
};

/** The cluster's totals with their maxima since the nodes started, in 1 or 3 rows. */
export const totalRows = (width: number, height: number, view: TotalsView): readonly SpanRow[] =>
  height < 3 ? [oneRow(width, view)] : tableRows(width, view);

/** The same as a list, for a place beside something else: a title and a row for each. */
export const totalList = (width: number, view: TotalsView): readonly SpanRow[] => [
  titleRow(width, safe`Cluster`, safe`max since the nodes started`),
  ...statNames.map((name): SpanRow => {
    const change = view.change(name);
    return [
      { text: safe` ${fit(statLabels[name], 14)}` },
      { text: fit(totalText(view.totals(name), view.isLoading, 12), 12, 'right'), role: 'title' },
      { text: safe` ${fit(change === undefined || change === 0 ? safe`` : formatDelta(change), 7)}` },
      { text: safe` (max ${maximumText(view, name)})`, role: 'dim' },
    ];
  }),
];
