import { capitalized, durationText, pluralize, withThousands } from '../domain/text.ts';
import type { CellValue } from '../table/column.ts';
import { defineFields, type FieldType } from '../table/field.ts';
import {
  formatBrokerTime,
  formatBytes,
  formatCount,
  formatLoad,
  formatPercent,
  formatRate,
  formatYesNo,
} from '../terminal/format.ts';
import { comparedTables } from './tables.ts';
import { safe, type SafeText, trusted } from '../terminal/safe-text.ts';
import type { Comparison, FieldChange, FigureChange, OldSeconds, TableDifference } from './compare.ts';

/** `unknown`: whether something came or went is not known, as a list was not read to its end. */
export type ChangeKind = 'came' | 'gone' | 'changed' | 'figure' | 'unknown';

/** One difference between two moments, as lists show it. Texts are raw. */
export interface ChangeRow {
  readonly id: string;
  /** The list that it is in, such as `clients`; of figures `totals`, `rates` or `nodes`. */
  readonly list: string;
  readonly kind: ChangeKind;
  /** What came, went or changed; of a figure its name. */
  readonly name: string;
  readonly field: string | undefined;
  readonly before: string | undefined;
  readonly after: string | undefined;
  readonly difference: number | undefined;
  /** What a figure counts. */
  readonly type: FieldType | undefined;
  readonly node: string | undefined;
  readonly clientId: string | undefined;
  /** The row of its list that it is about. */
  readonly rowId: string | undefined;
}

/** What the second moment is: now goes on, and what is not known of it may be read yet. */
export type SecondMoment = 'now' | 'recorded';

const listOrder: ReadonlyMap<string, number> = new Map(
  [...comparedTables.map(({ id }) => id), 'totals', 'rates'].map((id, index) => [id, index]),
);
const figureOrder = ['totals', 'nodes', 'rates'];

/** Sorts by list: rows, then figures, then what is not known. */
const orderOf = ({ list, kind }: ChangeRow): number =>
  kind === 'figure'
    ? 1_000 + figureOrder.indexOf(list)
    : (listOrder.get(list) ?? listOrder.size) + (kind === 'unknown' ? 2_000 : 0);

export const changeFields = defineFields<ChangeRow>()({
  list: { label: 'LIST', type: 'text', get: ({ list }) => list, order: orderOf },
  change: { label: 'CHANGE', type: 'text', get: ({ kind }) => kind },
  name: { label: 'NAME', type: 'name', get: ({ name }) => name },
  field: { label: 'FIELD', type: 'text', get: ({ field }) => field },
  before: { label: 'BEFORE', type: 'text', get: ({ before }) => before },
  after: { label: 'AFTER', type: 'text', get: ({ after }) => after },
  difference: { label: 'DIFFERENCE', type: 'number', get: ({ difference }) => difference },
  node: { label: 'NODE', type: 'text', get: ({ node }) => node },
  client: { label: 'CLIENT ID', type: 'name', get: ({ clientId }) => clientId },
});

const isTime = ({ field }: FieldChange): boolean => timeFields.has(field);
/** Fields that hold seconds on the broker's clock. */
const timeFields: ReadonlySet<string> = new Set(['since', 'until', 'ended', 'expires', 'created']);

const valueText = (change: FieldChange, value: CellValue): string =>
  typeof value === 'boolean'
    ? formatYesNo(value)
    : typeof value === 'number' && isTime(change)
      ? formatBrokerTime(value)
      : String(value);

const figureFormats: Readonly<Partial<Record<FieldType, (value: number) => string>>> = {
  bytes: formatBytes,
  rate: formatRate,
  share: formatPercent,
};

type Figure = Pick<FigureChange, 'id' | 'type'>;

const figureText = ({ id, type }: Figure, value: number): string =>
  id.startsWith('load') ? formatLoad(value) : (figureFormats[type] ?? formatCount)(value);

const listOfFigure = ({ type, node }: FigureChange): string =>
  node !== undefined ? 'nodes' : type === 'rate' ? 'rates' : 'totals';

/** Changes of a rate below this, or below a twentieth of it, are noise. */
const minRateChange = 0.5;
const minRateShare = 0.05;

function isWorthARow({ type, before, after }: FigureChange): boolean {
  if (before === undefined || after === undefined)
    return before !== after && (type !== 'rate' || Math.max(before ?? 0, after ?? 0) >= minRateChange);
  const change = Math.abs(after - before);
  return type === 'rate' ? change >= Math.max(minRateChange, minRateShare * Math.max(before, after)) : change > 0;
}

const nothingOf = {
  field: undefined,
  before: undefined,
  after: undefined,
  difference: undefined,
  type: undefined,
};

const notKnown = (at: 'before' | 'after' | 'both', second: SecondMoment): string =>
  at === 'before'
    ? 'not recorded at the first moment'
    : second === 'now'
      ? at === 'after'
        ? 'not read yet'
        : 'not recorded at the first moment, not read yet'
      : at === 'after'
        ? 'not recorded at the second moment'
        : 'not recorded';

const ageText = (seconds: number): string =>
  seconds < 60 || seconds >= 3_600 ? durationText(seconds) : `${seconds / 60} min`;

const oldTexts = ({ before, after }: OldSeconds, second: SecondMoment): readonly string[] => [
  ...(before === undefined ? [] : [`read ${ageText(before)} before the first moment`]),
  ...(after === undefined ? [] : [`read ${ageText(after)} ${second === 'now' ? 'ago' : 'before the second moment'}`]),
];

const unknownRow = (list: string, name: string): ChangeRow => ({
  ...nothingOf,
  id: `${list} ${name}`,
  list,
  kind: 'unknown',
  name,
  node: undefined,
  clientId: undefined,
  rowId: undefined,
});

const figureLists = ['totals', 'rates'] as const;

function rowsOfTable(difference: TableDifference, second: SecondMoment): readonly ChangeRow[] {
  const { table, unknownAt, came, gone, changed } = difference;
  const list = table.id;
  const shared = (row: unknown) => ({
    list,
    name: table.nameOf(row),
    clientId: table.clientId?.(row),
    node: table.node?.(row),
    rowId: table.idOnScreen?.(row) ?? table.identity(row),
  });
  const unknown = (name: string): ChangeRow => unknownRow(list, name);
  const whole = (kind: 'came' | 'gone', rows: readonly unknown[] | undefined): readonly ChangeRow[] =>
    rows?.map((row) => ({ ...nothingOf, ...shared(row), id: `${list} ${kind} ${table.identity(row)}`, kind })) ?? [
      unknown(
        kind === 'came'
          ? 'not read to its end at the first moment: what came is not known'
          : second === 'now'
            ? 'not read to its end yet: what went is not known'
            : 'not read to its end at the second moment: what went is not known',
      ),
    ];
  if (unknownAt !== undefined) return [unknown(notKnown(unknownAt, second))];
  return [
    ...oldTexts(difference.oldSeconds, second).map(unknown),
    ...whole('came', came),
    ...whole('gone', gone),
    ...changed.flatMap(({ after, fields }) =>
      fields.map((change): ChangeRow => ({
        ...shared(after),
        id: `${list} changed ${change.field} ${table.identity(after)}`,
        kind: 'changed',
        field: change.label.toLowerCase(),
        before: valueText(change, change.before),
        after: valueText(change, change.after),
        difference: undefined,
        type: undefined,
      })),
    ),
  ];
}

/** Writes a difference with its sign and unit: `+2.1 MB`, `−12`; `undefined` where there is none. */
export function differenceText({ difference, type, field, name }: ChangeRow): SafeText | undefined {
  if (difference === undefined || type === undefined) return undefined;
  const size = trusted(figureText({ id: field ?? name, type }, Math.abs(difference)));
  return difference < 0 ? safe`−${size}` : safe`+${size}`;
}

/** Lists all differences, each as a row: lists in their order, then figures. */
export const changeRows = (
  { tables, figures, oldFigures }: Comparison,
  second: SecondMoment = 'recorded',
): readonly ChangeRow[] => [
  ...tables.flatMap((difference) => rowsOfTable(difference, second)),
  ...figureLists.flatMap((list) => oldTexts(oldFigures[list], second).map((text) => unknownRow(list, text))),
  ...figures.filter(isWorthARow).map((figure): ChangeRow => ({
    id: `${listOfFigure(figure)} ${figure.node ?? ''} ${figure.id}`,
    list: listOfFigure(figure),
    kind: 'figure',
    name: figure.node ?? figure.label,
    field: figure.node === undefined ? undefined : figure.label,
    before: figure.before === undefined ? undefined : figureText(figure, figure.before),
    after: figure.after === undefined ? undefined : figureText(figure, figure.after),
    type: figure.type,
    difference:
      figure.before === undefined || figure.after === undefined
        ? undefined
        : Math.round((figure.after - figure.before) * 100) / 100,
    node: figure.node,
    clientId: undefined,
    rowId: figure.node ?? figure.id,
  })),
];

/** Says what differs in a sentence for each list, `Clients: 3 came, 41 went, 12 changed (node 12)`, and which lists are not known. */
export function summaryLines({ tables, oldFigures }: Comparison, second: SecondMoment = 'recorded'): readonly string[] {
  const unknown = Map.groupBy(
    tables.filter(({ unknownAt }) => unknownAt !== undefined),
    ({ unknownAt = 'both' }) => notKnown(unknownAt, second),
  );
  const known = tables.filter(({ unknownAt }) => unknownAt === undefined);
  const old = Map.groupBy(
    [
      ...known.map(({ table, oldSeconds }) => ({ name: table.noun.many, oldSeconds })),
      ...figureLists.map((name) => ({ name, oldSeconds: oldFigures[name] })),
    ].flatMap(({ name, oldSeconds }) => oldTexts(oldSeconds, second).map((text) => ({ text, name }))),
    ({ text }) => text,
  );
  const listed = (why: string, names: readonly string[]): string => `${capitalized(why)}: ${names.join(', ')}`;
  return [
    ...known.flatMap(summaryOf),
    ...[...old].map(([why, lists]) =>
      listed(
        why,
        lists.map(({ name }) => name),
      ),
    ),
    ...[...unknown].map(([why, lists]) =>
      listed(
        why,
        lists.map(({ table }) => table.noun.many),
      ),
    ),
  ];
}

function summaryOf({ table: { noun }, came, gone, changed }: TableDifference): readonly string[] {
  const fields = Map.groupBy(
    changed.flatMap((row) => row.fields),
    ({ label }) => label.toLowerCase(),
  );
  const parts = [
    ...(came === undefined || came.length > 0
      ? [`${came === undefined ? 'unknown how many' : withThousands(came.length)} came`]
      : []),
    ...(gone === undefined || gone.length > 0
      ? [`${gone === undefined ? 'unknown how many' : withThousands(gone.length)} went`]
      : []),
    ...(changed.length > 0
      ? [
          `${withThousands(changed.length)} changed (${[...fields].map(([label, all]) => `${label} ${withThousands(all.length)}`).join(', ')})`,
        ]
      : []),
  ];
  return parts.length === 0 ? [] : [`${capitalized(noun.many)}: ${parts.join(', ')}`];
}

export const noChange = (count: number): string => `No difference in ${pluralize(count, 'list')}`;
