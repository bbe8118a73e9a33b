/** Lines of each part of the Overview. It depends on the terminal and on how many nodes there are, never on a figure. */
export interface OverviewLayout {
  /** A title line above the problems. */
  readonly hasTitles: boolean;
  /** Lines for problems, without the title. */
  readonly problems: number;
  /** Lines for nodes, without the header. */
  readonly nodes: number;
  /** Blank lines below the nodes. */
  readonly gap: 0 | 1;
  /** Totals beside the rates instead of above them. */
  readonly isWide: boolean;
  /** Lines of the totals; 0 when they stand beside the rates. */
  readonly totals: number;
  /** What is left: the rates with their title. */
  readonly rates: number;
}

const clamp = (value: number, low: number, high: number): number => Math.max(low, Math.min(high, value));

const smallestTitled = 16;

/** Shares out the lines: problems first, then nodes; the rates take what is left. Many nodes take a line from each of the others before one of them is left out. */
export const layOutOverview = (width: number, height: number, nodeCount: number): OverviewLayout => {
  // Before the nodes are known there is room for three, so that little moves when they come.
  const wanted = Math.max(3, nodeCount);
  if (height < smallestTitled) {
    const problems = height < 12 ? 2 : 3;
    const totals = height < 12 ? 1 : 3;
    const nodes = clamp(wanted, 1, height - problems - 1 - totals - 2);
    return { hasTitles: false, problems, nodes, gap: 0, isWide: false, totals, rates: height - problems - 1 - nodes - totals };
  }
  const isWide = width >= 140 && height >= 26;
  const totals = isWide ? 0 : 3;
  const usual = { problems: clamp(3 + Math.floor((height - 18) / 4), 2, 9), gap: 1, rates: isWide ? 10 : 6 } as const;
  // Tried in turn until all nodes fit.
  const forms = [usual, { ...usual, gap: 0 }, { ...usual, gap: 0, rates: isWide ? 10 : 4 }, { problems: 2, gap: 0, rates: isWide ? 10 : 4 }] as const;
  const roomIn = ({ problems, gap, rates }: (typeof forms)[number]): number => height - 1 - problems - 1 - gap - totals - rates;
  const form = forms.find((each) => roomIn(each) >= wanted) ?? forms[3];
  const nodes = clamp(wanted, 1, roomIn(form));
  return { hasTitles: true, problems: form.problems, nodes, gap: form.gap, isWide, totals, rates: height - 1 - form.problems - 1 - nodes - form.gap - totals };
};
