import { type MetricName, metricNames } from '../../../domain/metrics.ts';
import { isGauge } from '../../../monitor/history/history.ts';
import type { RatePoint } from '../../../monitor/history/rates.ts';
import { selectCurrentRate, selectSpark } from '../../../monitor/select/rates.ts';
import type { Total } from '../../../monitor/select/totals.ts';
import { formatDuration, loadingText, unknownText } from '../../../terminal/format.ts';
import { sparkline } from '../../../terminal/graphs.ts';
import { safe, type SafeText, trusted } from '../../../terminal/safe-text.ts';
import type { Column } from '../../components/column.ts';
import { totalText } from '../overview/totals.ts';
import { isLossCounter, rateText } from './rate-rows.ts';

export interface MetricGroup {
  readonly title: SafeText;
  readonly names: readonly MetricName[];
}

/** The group of a counter, in the order of the table. */
const titleOf = (name: MetricName): SafeText => {
  if (name.startsWith('bytes.')) {
    return safe`Bytes`;
  }
  if (isLossCounter(name)) {
    return safe`Lost`;
  }
  if (name.startsWith('messages.')) {
    return safe`Messages`;
  }
  return /^packets\.(?:publish|pub)/.test(name) ? safe`Publish` : safe`Packets`;
};

const order: readonly SafeText[] = [safe`Bytes`, safe`Messages`, safe`Lost`, safe`Packets`, safe`Publish`];

/** All 38 counters by group. */
const metricGroups: readonly MetricGroup[] = order.map((title) => {
  const names = metricNames.filter((name) => titleOf(name) === title);
  // Lost messages are worse than unexpected packets.
  return { title, names: title === order[2] ? names.toSorted((a, b) => Number(b.startsWith('messages.')) - Number(a.startsWith('messages.'))) : names };
});

export interface MetricRow {
  readonly name: MetricName;
  /** Shown in the first row of a group and in the first visible row. */
  readonly group: SafeText;
  readonly isFirstOfGroup: boolean;
}

/** The rows in their order. */
export const metricRows: readonly MetricRow[] = metricGroups.flatMap(({ title, names }) =>
  names.map((name, index) => ({ name, group: title, isFirstOfGroup: index === 0 })));

/** Identities of the rows. */
export const metricIds: readonly string[] = metricRows.map(({ name }) => name);

/** Data of the cells. */
export interface MetricData {
  readonly total: (name: MetricName) => Total;
  readonly series: (name: MetricName) => readonly RatePoint[];
  readonly intervalSeconds: number;
  readonly silentSeconds: number;
  /** Nothing has been read yet, and nothing failed. */
  readonly isLoading: boolean;
  /** The first visible row, which always shows its group. */
  readonly firstShown: MetricName | undefined;
}

const now = ({ name }: MetricRow, data: MetricData): number | undefined => selectCurrentRate(data.series(name), data.intervalSeconds);

const sparkOf = ({ name }: MetricRow, data: MetricData, width: number): ReturnType<typeof selectSpark> =>
  selectSpark(data.series(name), { width, intervalSeconds: data.intervalSeconds, silentSeconds: data.silentSeconds });

const mayStillCome = ({ name }: MetricRow, data: MetricData): boolean => data.isLoading && data.series(name).length === 0;

/** A rate of losses in words; empty without losses. */
const noteOf = (row: MetricRow, data: MetricData): SafeText => {
  if (isGauge(row.name)) {
    return safe`present`;
  }
  const rate = now(row, data);
  if (!isLossCounter(row.name) || rate === undefined || rate <= 0) {
    return safe``;
  }
  return row.name.endsWith('.dropped') ? safe`! dropping` : safe`! missing`;
};

/** The columns that fit, and the width of the graph. */
interface Plan {
  readonly hasGroup: boolean;
  readonly hasNote: boolean;
  readonly hasPeak: boolean;
  readonly value: number;
  readonly spark: number;
}

const widths = { group: 8, counter: 24, rate: 11, note: 10, peak: 10, gap: 2 } as const;
const longestSpark = 150;

const planColumns = (width: number): Plan => {
  const hasGroup = width >= 76;
  const hasPeak = width >= 92;
  const hasNote = width >= 104;
  const value = width >= 104 ? 18 : 12;
  // The cursor takes one column.
  const used = 1 + widths.counter + widths.gap + value + widths.gap + widths.rate
    + (hasGroup ? widths.group + widths.gap : 0) + (hasNote ? widths.note + widths.gap : 0) + (hasPeak ? widths.peak + widths.gap : 0);
  return { hasGroup, hasPeak, hasNote, value, spark: Math.max(0, Math.min(longestSpark, width - used - widths.gap)) };
};

const rateCell = (row: MetricRow, data: MetricData): SafeText => {
  if (isGauge(row.name)) {
    return safe`no rate`;
  }
  if (mayStillCome(row, data)) {
    return loadingText;
  }
  const rate = now(row, data);
  return isLossCounter(row.name) && rate !== undefined && rate > 0 ? safe`! ${rateText(row.name, rate)}` : rateText(row.name, rate);
};

const courseHeader = (spark: number, intervalSeconds: number): SafeText =>
  spark < 12 ? safe`COURSE` : safe`LAST ${formatDuration(selectSpark([], { width: spark, intervalSeconds }).spanSeconds)}`;

/** The columns for a table of this width: counter, value, rate and its course; with more room group, words and peak. */
export const metricColumns = (width: number, intervalSeconds: number): readonly Column<MetricRow, MetricData>[] => {
  const plan = planColumns(width);
  const columns: (Column<MetricRow, MetricData> | false)[] = [
    plan.hasGroup && {
      id: 'group', header: safe`GROUP`, width: widths.group,
      value: ({ group }) => group,
      format: ({ group, isFirstOfGroup, name }, { data }) => (isFirstOfGroup || name === data.firstShown ? group : safe``),
    },
    { id: 'counter', header: safe`COUNTER`, width: widths.counter, value: ({ name }) => name, format: ({ name }) => trusted(name) },
    {
      id: 'value', header: safe`VALUE`, width: plan.value, align: 'right',
      value: () => undefined,
      format: ({ name }, { data, width: own }) => totalText(data.total(name), data.isLoading, own),
    },
    { id: 'rate', header: safe`RATE`, width: widths.rate, align: 'right', value: () => undefined, format: (row, { data }) => rateCell(row, data) },
    plan.hasNote && { id: 'note', header: safe``, width: widths.note, value: () => undefined, format: (row, { data }) => noteOf(row, data) },
    plan.spark > 0 && {
      id: 'course', header: courseHeader(plan.spark, intervalSeconds), width: plan.spark, value: () => undefined,
      format: (row, { data }) => {
        const { values, peak } = sparkOf(row, data, plan.spark);
        return isGauge(row.name) ? safe`` : sparkline(values, plan.spark, { max: peak ?? 0 });
      },
    },
    plan.hasPeak && {
      id: 'peak', header: safe`PEAK`, width: widths.peak, align: 'right',
      value: () => undefined,
      format: (row, { data }) => {
        const { peak } = sparkOf(row, data, plan.spark);
        return isGauge(row.name) ? safe`` : peak === undefined ? unknownText : rateText(row.name, peak);
      },
    },
  ];
  return columns.filter((column) => column !== false);
};
