import type { Capabilities } from '../api/management-api.ts';
import type { Jump } from '../domain/jump.ts';
import type { BrokerSeconds, NodeName } from '../domain/node.ts';
import { maxListed } from '../monitor/polling/pages.ts';
import { type Query, reading, type Watchable } from '../monitor/query/part.ts';
import type { Resource, Scan } from '../monitor/query/query.ts';
import type { MonitorState, ScanState } from '../monitor/state.ts';
import type { CellValue } from '../table/column.ts';
import type { Field, Fields } from '../table/field.ts';

/** The rows of a moment. */
export interface MomentRows<Row> {
  readonly rows: readonly Row[];
  /** The list was read to its end: what is not in it was not there. */
  readonly isWhole: boolean;
  /** The list is being read again, page by page. */
  readonly isBeingRead?: boolean | undefined;
}

export interface ComparedField<Row = unknown> {
  readonly name: string;
  readonly label: string;
  get(row: Row): CellValue;
  readonly type?: Field<never>['type'] | undefined;
}

/** Things that people change, which the timeline tells. */
export interface Administered<Row = unknown> {
  readonly screen: Jump['screen'];
  /** Fields that do not change by themselves; by default all that are compared. */
  readonly fields?: readonly ComparedField<Row>[] | undefined;
  /** Returns the broker's own time of the row's last change; absent where its rows have none. */
  changedAt?(row: Row): BrokerSeconds | undefined;
}

/** The way in which the rows of two moments are compared. */
export interface Compared<Row = unknown> {
  readonly noun: { readonly one: string; readonly many: string };
  /** Returns the name of a row. */
  nameOf(row: Row): string;
  /** Returns the text that makes a row the same one at both moments. */
  identity(row: Row): string;
  /** The fields in which a change is seen. */
  readonly fields: readonly ComparedField<Row>[];
  /** Returns the rows that were known; `undefined` if the list had not been read. */
  read(state: MonitorState): MomentRows<Row> | undefined;
  /** The ID of the row on the screen of the list, where it is not the identity. */
  idOnScreen?(row: Row): string;
  readonly administered?: Administered<Row> | undefined;
  clientId?(row: Row): string;
  node?(row: Row): NodeName | undefined;
}

/** A list that one reading of a resource has. */
export interface WholeList<Content = unknown, Row = unknown> {
  readonly resource: Resource<Content>;
  rowsOf(content: Content): { readonly rows: readonly Row[]; /** The broker has more. */ readonly isCut: boolean };
}

/** A noun, as everything that has a list of nouns needs it. Its id is its name in `nouns`. */
export interface Noun {
  /** Returns what is read to know all of it; nothing while it cannot be read. */
  watches(state: MonitorState): readonly Watchable[];
  /** Queries about a single object or of a single moment, which are read for whoever needs them. */
  readonly onDemand: readonly Query[];
  /** The pace of all readings while the cluster is recorded. Long lists are read less often. */
  readonly recorded: 'everyRefresh' | 'everyMinute';
  /** The capability without which the broker's API has none. */
  readonly capability?: keyof Capabilities | undefined;
  readonly compared: Compared | 'no';
  /** The way to read its whole list, if one reading has it. */
  readonly whole?: WholeList | undefined;
}

/** Keeps what is listed in the type, so that a list without its columns does not compile. */
export const defineNoun = <const N extends Noun>(noun: N): N => noun;

/** Keeps the type of the rows. */
export const comparedBy = <Row>(compared: Compared<Row>): Compared<Row> => compared;

/** Figures change all the time, and ages with them: only what a row is makes a change. */
const figureTypes: ReadonlySet<Field<never>['type']> = new Set([
  'count',
  'seconds',
  'bytes',
  'rate',
  'bytesRate',
  'share',
]);

/** Returns the fields whose changes count. @param without names of those that do not */
export const comparedFields = <Row>(
  fields: Fields<Row, never>,
  without: readonly string[] = [],
): readonly ComparedField<Row>[] =>
  Object.entries(fields)
    .filter(([name, { type, age }]) => !figureTypes.has(type) && age === undefined && !without.includes(name))
    .map(([name, { label, type, get }]) => ({ name, label, type, get }));

/** Reads the rows of a list in pages. */
export const scanRows =
  <Row>(scan: Scan<Row>) =>
  (state: MonitorState): MomentRows<Row> | undefined => {
    const { rows, coverage, leftOut, phase }: ScanState<Row> = reading(state, scan);
    // While a list is read again, its rows are those of the reading before, but for the nodes that are finished.
    const isRead = [...coverage.values()].some(({ isComplete, readAtMs }) => isComplete || readAtMs !== undefined);
    if (!isRead && rows.length === 0) return undefined;
    return {
      rows,
      isWhole:
        phase === 'complete' &&
        leftOut.size === 0 &&
        [...coverage.values()].every(({ isComplete, unusable }) => isComplete && unusable === undefined),
      isBeingRead: phase === 'running',
    };
  };

/** Reads the rows of a list that one reading has. */
export const resourceRows =
  <Row>(resource: Resource<readonly Row[]>) =>
  (state: MonitorState): MomentRows<Row> | undefined => {
    const { data, unusable } = reading(state, resource);
    return data && { rows: data, isWhole: unusable === undefined };
  };

/** A list that its reading has, among other facts. */
export const partOfReading = <Content, Row>(
  resource: Resource<Content>,
  rowsOf: WholeList<Content, Row>['rowsOf'],
): WholeList<Content, Row> => ({ resource, rowsOf });

/** A list of all rows. */
export const wholeList = <Row>(resource: Resource<readonly Row[]>): WholeList<readonly Row[], Row> => ({
  resource,
  rowsOf: (rows) => ({ rows, isCut: false }),
});

/** A list in pages, of which the first are read. */
export const pagedList = <Row>(resource: Resource<readonly Row[]>): WholeList<readonly Row[], Row> => ({
  resource,
  rowsOf: (rows) => ({ rows, isCut: rows.length >= maxListed }),
});
