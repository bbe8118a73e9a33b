/** A line of the table of results. */
export interface Result {
  readonly name: string;
  readonly measured: string;
  /** What section 6 of the design allows; empty for a figure without a budget. */
  readonly budget: string;
  /** `undefined` without a budget. */
  readonly isWithin: boolean | undefined;
}

/** The p-th percentile, 0 to 100, of what was measured. */
export function percentile(values: readonly number[], p: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.ceil((p / 100) * sorted.length) - 1)] ?? Number.NaN;
}

/** Compares a figure with its budget; both in `unit`. */
export function result(name: string, value: number, unit: string, budget?: number): Result {
  const show = (figure: number): string => `${figure >= 100 ? Math.round(figure) : Number(figure.toPrecision(3))} ${unit}`;
  return {
    name,
    measured: show(value),
    budget: budget === undefined ? '' : show(budget),
    isWithin: budget === undefined ? undefined : value <= budget,
  };
}

/** Milliseconds that one run takes: the median of several. */
export function medianMs(runs: number, work: (run: number) => void): number {
  const times = Array.from({ length: runs }, (_, run) => {
    const startedMs = performance.now();
    work(run);
    return performance.now() - startedMs;
  });
  return percentile(times, 50);
}

export function table(results: readonly Result[]): string {
  const width = (pick: (line: Result) => string): number => Math.max(...results.map((line) => pick(line).length));
  const [names, measured, budgets] = [width((line) => line.name), width((line) => line.measured), width((line) => line.budget)];
  return results
    .map((line) => {
      const verdict = line.isWithin === undefined ? '' : line.isWithin ? 'ok' : 'OVER';
      return `${line.name.padEnd(names)}  ${line.measured.padStart(measured)}  ${line.budget.padStart(budgets)}  ${verdict}`.trimEnd();
    })
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
