/** A line of the table of results. */
export interface Result {
  readonly name: string;
  readonly measured: string;
  /** Empty for a figure without a budget. */
  readonly budget: string;
  /** `undefined` without a budget. */
  readonly isWithin: boolean | undefined;
  /** Printed, but not written to README.md. */
  readonly isDetail: boolean;
}

/** The budget of a figure, in the figure's unit. */
export interface Budget {
  readonly atMost?: number | undefined;
  readonly atLeast?: number | undefined;
  /** Printed, but not written to README.md. */
  readonly isDetail?: boolean | undefined;
}

/** The p-th percentile (0 to 100) of some values. */
export function percentile(values: readonly number[], p: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.ceil((p / 100) * sorted.length) - 1)] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  return percentile(values, 50);
}

/** Formats a figure with three significant digits. */
function show(figure: number, unit: string): string {
  const digits = figure >= 100 ? Math.round(figure) : Number(figure.toPrecision(3));
  return `${digits.toLocaleString('en-US')} ${unit}`.trimEnd();
}

/** A figure with its budget, both in `unit`. NaN is over any budget. */
export function result(
  name: string,
  value: number,
  unit: string,
  { atMost, atLeast, isDetail = false }: Budget = {},
): Result {
  return {
    name,
    measured: show(value, unit),
    budget: atMost !== undefined ? show(atMost, unit) : atLeast !== undefined ? `at least ${show(atLeast, unit)}` : '',
    isWithin:
      atMost === undefined && atLeast === undefined
        ? undefined
        : value <= (atMost ?? Infinity) && value >= (atLeast ?? -Infinity),
    isDetail,
  };
}

/** Milliseconds that `work` takes. */
export async function timed(work: () => unknown): Promise<number> {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}

/** Median milliseconds of a run, after `warmUps` uncounted ones. */
export function medianMs(runs: number, work: (run: number) => void, warmUps = 0): number {
  const times: number[] = [];
  for (let run = 0; run < warmUps + runs; run += 1) {
    const startedMs = performance.now();
    work(run);
    if (run >= warmUps) times.push(performance.now() - startedMs);
  }
  return median(times);
}

/** Empty for a figure without a budget. */
export function verdict({ isWithin }: Result): 'OVER' | 'ok' | '' {
  return isWithin === undefined ? '' : isWithin ? 'ok' : 'OVER';
}

export function table(results: readonly Result[]): string {
  const width = (pick: (line: Result) => string): number => Math.max(...results.map((line) => pick(line).length));
  const [names, measured, budgets] = [
    width((line) => line.name),
    width((line) => line.measured),
    width((line) => line.budget),
  ];
  return results
    .map((line) =>
      `${line.name.padEnd(names)}  ${line.measured.padStart(measured)}  ${line.budget.padStart(budgets)}  ${verdict(line)}`.trimEnd(),
    )
    .join('\n');
}

/** A row of a table, by column name. */
export type Row = Readonly<Record<string, string>>;

/** A Markdown table with figures aligned right. */
export function markdown(rows: readonly Row[]): string {
  const names = Object.keys(rows[0] ?? {});
  const widths = names.map((name) => Math.max(name.length, ...rows.map((row) => row[name]?.length ?? 0)));
  const isFigure = names.map((name) => rows.every((row) => /^[\d.,]+$/u.test(row[name] ?? '')));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, index) => (isFigure[index] === true ? cell.padStart(widths[index] ?? 0) : cell.padEnd(widths[index] ?? 0))).join(' | ')} |`;
  const rule = `|${widths.map((width, index) => `${'-'.repeat(width + 1)}${isFigure[index] === true ? ':' : '-'}`).join('|')}|`;
  return [line(names), rule, ...rows.map((row) => line(names.map((name) => row[name] ?? '')))].join('\n');
}
