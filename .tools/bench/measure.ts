/** A line of the table of results. */
export interface Result {
  readonly name: string;
  readonly measured: string;
  /** What section 6 of the design allows; empty for a figure without a budget. */
  readonly budget: string;
  /** `undefined` without a budget. */
  readonly isWithin: boolean | undefined;
  /** For the screen alone: README.md stays short. */
  readonly isDetail: boolean;
}

/** How a figure is judged, and where it is shown. */
export interface Judgement {
  /** Most that is allowed, in the unit of the figure. */
  readonly atMost?: number | undefined;
  /** Least that is asked for. */
  readonly atLeast?: number | undefined;
  /** For the screen alone. */
  readonly isDetail?: boolean | undefined;
}

/** The p-th percentile, 0 to 100, of what was measured. */
export function percentile(values: readonly number[], p: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.ceil((p / 100) * sorted.length) - 1)] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  return percentile(values, 50);
}

/** A figure for people: three digits, and thousands apart. */
function show(figure: number, unit: string): string {
  const digits = figure >= 100 ? Math.round(figure) : Number(figure.toPrecision(3));
  return `${digits.toLocaleString('en-US')} ${unit}`.trimEnd();
}

/** A figure with its budget, both in `unit`. A figure that there is not is not within it. */
export function result(name: string, value: number, unit: string, { atMost, atLeast, isDetail = false }: Judgement = {}): Result {
  return {
    name,
    measured: show(value, unit),
    budget: atMost !== undefined ? show(atMost, unit) : atLeast !== undefined ? `at least ${show(atLeast, unit)}` : '',
    isWithin: atMost === undefined && atLeast === undefined ? undefined : value <= (atMost ?? Infinity) && value >= (atLeast ?? -Infinity),
    isDetail,
  };
}

/** Milliseconds that some work takes. */
export async function timed(work: () => unknown): Promise<number> {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}

/** Milliseconds that one run takes: the median of several; the first `warmUps` are not counted. */
export function medianMs(runs: number, work: (run: number) => void, warmUps = 0): number {
  const times: number[] = [];
  for (let run = 0; run < warmUps + runs; run += 1) {
    const startedMs = performance.now();
    work(run);
    if (run >= warmUps) times.push(performance.now() - startedMs);
  }
  return median(times);
}

/** What is said of a figure against its budget; empty where there is none, or nothing to say. */
export function verdict({ isWithin }: Result): 'OVER' | 'ok' | '' {
  return isWithin === undefined ? '' : isWithin ? 'ok' : 'OVER';
}

export function table(results: readonly Result[]): string {
  const width = (pick: (line: Result) => string): number => Math.max(...results.map((line) => pick(line).length));
  const [names, measured, budgets] = [width((line) => line.name), width((line) => line.measured), width((line) => line.budget)];
  return results
    .map((line) => `${line.name.padEnd(names)}  ${line.measured.padStart(measured)}  ${line.budget.padStart(budgets)}  ${verdict(line)}`.trimEnd())
    .join('\n');
}

/** A line of a table with named columns. */
export type Row = Readonly<Record<string, string>>;

/** As Markdown, figures to the right, every column as wide as its widest cell. */
export function markdown(rows: readonly Row[]): string {
  const names = Object.keys(rows[0] ?? {});
  const widths = names.map((name) => Math.max(name.length, ...rows.map((row) => row[name]?.length ?? 0)));
  const isFigure = names.map((name) => rows.every((row) => /^[\d.,]+$/u.test(row[name] ?? '')));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, index) => (isFigure[index] === true ? cell.padStart(widths[index] ?? 0) : cell.padEnd(widths[index] ?? 0))).join(' | ')} |`;
  const rule = `|${widths.map((width, index) => `${'-'.repeat(width + 1)}${isFigure[index] === true ? ':' : '-'}`).join('|')}|`;
  return [line(names), rule, ...rows.map((row) => line(names.map((name) => row[name] ?? '')))].join('\n');
}
