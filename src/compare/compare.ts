import { isLacking } from '../api/capabilities.ts';
import { averageRate } from '../domain/rates.ts';
import { metricNames } from '../domain/metrics.ts';
import { asWatch, reading, type Watchable } from '../monitor/query/part.ts';
import type { Moment } from '../monitor/shown-time.ts';
import type { MonitorState, ResourceState, ScanState } from '../monitor/state.ts';
import { selectRateSeries } from '../resources/metrics/rates.ts';
import { metrics } from '../resources/metrics/resource.ts';
import { nodeFields } from '../resources/nodes/fields.ts';
import { nodeStats } from '../resources/nodes/resource.ts';
import { selectNodes } from '../resources/nodes/select.ts';
import { stats } from '../resources/statistics/resource.ts';
import { selectTotals } from '../resources/statistics/select.ts';
import type { CellValue } from '../table/column.ts';
import type { FieldType } from '../table/field.ts';
import type { MomentRows } from '../resources/noun.ts';
import { type ComparedTable, comparedTables } from './tables.ts';

/** One property that is another one now. */
export interface FieldChange {
  readonly field: string;
  readonly label: string;
  readonly before: CellValue;
  readonly after: CellValue;
}

export interface ChangedRow<Row> {
  readonly before: Row;
  readonly after: Row;
  readonly fields: readonly FieldChange[];
}

/** The difference between the rows of one list at two moments. */
export interface TableDifference<Row = unknown> {
  readonly table: ComparedTable<Row>;
  /** The moment at which the list was not known; then there is nothing to compare. */
  readonly unknownAt?: 'before' | 'after' | 'both' | undefined;
  /** Rows of the second moment only; `undefined` if the first list was not read to its end: they may have been there. */
  readonly came: readonly Row[] | undefined;
  /** Rows of the first moment only; `undefined` if the second list was not read to its end. */
  readonly gone: readonly Row[] | undefined;
  readonly changed: readonly ChangedRow<Row>[];
  readonly oldSeconds: OldSeconds;
}

/** How old readings were at two moments, where that is long: what they say is of then. */
export interface OldSeconds {
  readonly before: number | undefined;
  readonly after: number | undefined;
}

/** A state, and when it was that. */
export interface StateAt {
  readonly at: Pick<Moment, 'steadyMs'>;
  readonly state: MonitorState;
}

/** A number at both moments; `undefined` where it is not known. */
export interface FigureChange {
  readonly id: string;
  readonly label: string;
  readonly type: FieldType;
  /** Whose it is; `undefined` for the cluster. */
  readonly node?: string | undefined;
  readonly before: number | undefined;
  readonly after: number | undefined;
}

/** What differs between two moments of a cluster. */
export interface Comparison {
  readonly tables: readonly TableDifference[];
  readonly figures: readonly FigureChange[];
  /** Those of nodes are as old as the list of nodes. */
  readonly oldFigures: Readonly<Record<'totals' | 'rates', OldSeconds>>;
}

/** A value that is unknown at one of the moments has not changed, as far as is known. */
const isChanged = (before: CellValue, after: CellValue): boolean =>
  before !== undefined && after !== undefined && before !== after;

/** What came or went in so short a time is not worth a line for each list. */
const oldAfterSeconds = 20;
/** Figures are read at every refresh. */
const figuresOldAfterSeconds = 60;

/** Returns how old the oldest of some readings was, if that is long. */
function oldSecondsOf(
  watched: (state: MonitorState) => readonly Watchable[],
  { at, state }: StateAt,
  afterSeconds = oldAfterSeconds,
): number | undefined {
  const times = watched(state).flatMap((watchable) => {
    const { query, key } = asWatch(watchable);
    const read = reading(state, query, ...(key as never)) as ResourceState<unknown> | ScanState<unknown>;
    return ('updatedAtMs' in read ? read.updatedAtMs : read.finishedAtMs) ?? [];
  });
  const seconds = (at.steadyMs - Math.min(...times)) / 1_000;
  // Rounded, so that it seldom changes while time goes on.
  const step = seconds < 60 ? 10 : 60;
  return times.length === 0 || seconds < afterSeconds ? undefined : Math.floor(seconds / step) * step;
}

function compareTable<Row>(
  table: ComparedTable<Row>,
  first: MomentRows<Row> | undefined,
  second: MomentRows<Row> | undefined,
): Omit<TableDifference<Row>, 'oldSeconds'> {
  if (first === undefined || second === undefined)
    return {
      table,
      unknownAt: first === undefined ? (second === undefined ? 'both' : 'before') : 'after',
      came: undefined,
      gone: undefined,
      changed: [],
    };
  const rowsBefore = byIdentity(table, first.rows);
  const rowsAfter = byIdentity(table, second.rows);
  const came: Row[] = [];
  const gone: Row[] = [];
  const changed: ChangedRow<Row>[] = [];
  for (const [id, after] of rowsAfter) {
    const before = rowsBefore.get(id);
    if (before === undefined) came.push(after);
    else if (before !== after) {
      const fields = changedFields(table, before, after);
      if (fields.length > 0) changed.push({ before, after, fields });
    }
  }
  for (const [id, before] of rowsBefore) if (!rowsAfter.has(id)) gone.push(before);
  return { table, came: first.isWhole ? came : undefined, gone: second.isWhole ? gone : undefined, changed };
}

function byIdentity<Row>(table: ComparedTable<Row>, rows: readonly Row[]): ReadonlyMap<string, Row> {
  const byId = new Map<string, Row>();
  for (const row of rows) byId.set(table.identity(row), row);
  return byId;
}

const noFields: readonly FieldChange[] = [];

/** Lists may have hundreds of thousands of rows, of which few have changed. */
function changedFields<Row>({ fields }: ComparedTable<Row>, earlier: Row, row: Row): readonly FieldChange[] {
  let changes: FieldChange[] | undefined;
  for (const { name, label, get } of fields) {
    const before = get(earlier);
    const after = get(row);
    if (isChanged(before, after)) (changes ??= []).push({ field: name, label, before, after });
  }
  return changes ?? noFields;
}

const nodeFigures = ['clients', 'memory', 'processes', 'load1'] as const satisfies readonly (keyof typeof nodeFields)[];

function figuresOf(
  state: MonitorState,
): ReadonlyMap<string, Omit<FigureChange, 'before' | 'after'> & { value: number | undefined }> {
  const figures = new Map<string, Omit<FigureChange, 'before' | 'after'> & { value: number | undefined }>();
  for (const [name, { value, missingNodes, isMin }] of Object.entries(selectTotals(state)))
    figures.set(name, {
      id: name,
      label: name,
      type: 'count',
      // Part of a sum is not the sum.
      value: missingNodes.length > 0 || isMin === true ? undefined : value,
    });
  for (const name of metricNames)
    figures.set(name, {
      id: name,
      label: name,
      type: 'rate',
      value: averageRate(selectRateSeries(state, name))?.perSecond,
    });
  for (const row of selectNodes(state))
    for (const name of nodeFigures) {
      const { label, type, get } = nodeFields[name];
      figures.set(`${row.name} ${name}`, {
        id: name,
        label: label.toLowerCase(),
        type,
        node: row.name,
        value: get(row),
      });
    }
  return figures;
}

function compareFigures(before: MonitorState, after: MonitorState): readonly FigureChange[] {
  const [first, second] = [figuresOf(before), figuresOf(after)];
  return [...new Set([...first.keys(), ...second.keys()])].flatMap((key) => {
    const [was, is] = [first.get(key), second.get(key)];
    const { id, label, type, node } = is ?? was ?? {};
    if (id === undefined || label === undefined || type === undefined) return [];
    return was?.value === undefined && is?.value === undefined
      ? []
      : [{ id, label, type, node, before: was?.value, after: is?.value }];
  });
}

const oldFiguresOf = (watched: readonly Watchable[], before: StateAt, after: StateAt): OldSeconds => ({
  before: oldSecondsOf(() => watched, before, figuresOldAfterSeconds),
  after: oldSecondsOf(() => watched, after, figuresOldAfterSeconds),
});

/** Whether the API of a cluster can have a list; so it seems while the API is not known. */
export const hasTable = ({ capabilities }: MonitorState, { capability }: ComparedTable): boolean =>
  capability === undefined || !isLacking(capability, capabilities);

/**
 * Returns a function that compares one moment with later states of the same cluster. A list that is being read again
 * counts as it last was, and one that is the same is not compared again.
 */
export function createComparer(before: StateAt): (after: StateAt) => Comparison {
  const last = new Map<
    ComparedTable,
    { readonly rows: MomentRows<unknown> | undefined; difference: TableDifference }
  >();
  return (after) => ({
    tables: comparedTables
      .filter((table) => hasTable(before.state, table) && hasTable(after.state, table))
      .map((table) => {
        const read = table.read(after.state);
        const known = last.get(table);
        const rows = read?.isBeingRead === true && known?.rows?.isWhole === true ? known.rows : read;
        const oldAfter = oldSecondsOf(table.watches, after);
        if (
          known !== undefined &&
          known.rows?.rows === rows?.rows &&
          known.rows?.isWhole === rows?.isWhole &&
          known.difference.oldSeconds.after === oldAfter
        )
          return known.difference;
        const difference = {
          ...compareTable(table, table.read(before.state), rows),
          oldSeconds: { before: oldSecondsOf(table.watches, before), after: oldAfter },
        };
        last.set(table, { rows, difference });
        return difference;
      }),
    figures: compareFigures(before.state, after.state),
    oldFigures: {
      totals: oldFiguresOf([stats, nodeStats], before, after),
      rates: oldFiguresOf([metrics], before, after),
    },
  });
}

/** Compares two moments of a cluster: lists row by row, totals, rates, and figures of nodes. */
export const compareStates = (before: StateAt, after: StateAt): Comparison => createComparer(before)(after);
