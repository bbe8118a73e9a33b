import type { BrokerClocks } from '../../domain/node.ts';
import { maxListed } from '../../monitor/polling/pages.ts';
import type { Resource } from '../../monitor/query/query.ts';
import { alarmFields } from '../../resources/alarms/fields.ts';
import { alarms, endedAlarms } from '../../resources/alarms/resource.ts';
import { alarmColumns } from '../../resources/alarms/view/columns.ts';
import { apiKeyFields } from '../../resources/api-keys/fields.ts';
import { apiKeys } from '../../resources/api-keys/resource.ts';
import { apiKeyColumns } from '../../resources/api-keys/view/columns.ts';
import { banFields } from '../../resources/bans/fields.ts';
import { bans } from '../../resources/bans/resource.ts';
import { banColumns } from '../../resources/bans/view/columns.ts';
import { retainedFields } from '../../resources/retained/fields.ts';
import { retained } from '../../resources/retained/resource.ts';
import { retainedColumns } from '../../resources/retained/view/columns.ts';
import { slowSubscriptionFields } from '../../resources/slow-subscriptions/fields.ts';
import { slowSubscriptions } from '../../resources/slow-subscriptions/resource.ts';
import { slowSubscriptionColumns } from '../../resources/slow-subscriptions/view/columns.ts';
import type { Fields } from '../../table/field.ts';
import type { Column } from '../../tui/components/column.ts';
import type { Listing } from './listing.ts';

type MakeListing = <Row, Data>(columns: readonly Column<Row, Data>[], rows: readonly Row[], data: Data) => Listing;

interface WholeList {
  readonly fields: Fields<never, never>;
  list(make: MakeListing, clocks: BrokerClocks): Listing;
  /** Reads and lists the rows; `undefined` if they could not be read. `onCut`: the broker has more than so many. */
  read(
    readData: <Data>(resource: Resource<Data>) => Promise<Data | undefined>,
    make: MakeListing,
    clocks: () => BrokerClocks,
    onCut: (count: number) => void,
  ): Promise<Listing | undefined>;
}

/** A list that one reading of a resource has, with the columns of its screen. */
const wholeList = <Content, Row, Data>(
  resource: Resource<Content>,
  fields: Fields<never, never>,
  columns: readonly Column<Row, Data>[],
  dataOf: (clocks: BrokerClocks) => Data,
  rowsOf: (content: Content) => { readonly rows: readonly Row[]; readonly isCut: boolean },
): WholeList => ({
  fields,
  list: (make, clocks) => make(columns, [], dataOf(clocks)),
  async read(readData, make, clocks, onCut) {
    const content = await readData(resource);
    if (content === undefined) return undefined;
    const { rows, isCut } = rowsOf(content);
    if (isCut) onCut(rows.length);
    return make(columns, rows, dataOf(clocks()));
  },
});

const same = (clocks: BrokerClocks): BrokerClocks => clocks;
const listed = <Row>(rows: readonly Row[]) => ({ rows, isCut: rows.length >= maxListed });

const { ended: _, ...activeAlarmFields } = alarmFields;
const activeAlarmColumns = alarmColumns.filter(({ id }) => id !== 'ended');

/** Resources of the cluster that are lists, by the names that `list` has for them. */
export const wholeLists = {
  alarms: wholeList(alarms, activeAlarmFields, activeAlarmColumns, same, listed),
  'ended-alarms': wholeList(endedAlarms, alarmFields, alarmColumns, same, listed),
  bans: wholeList(bans, banFields, banColumns, same, listed),
  'api-keys': wholeList(
    apiKeys,
    apiKeyFields,
    apiKeyColumns,
    () => undefined,
    (rows) => ({ rows, isCut: false }),
  ),
  retained: wholeList(retained, retainedFields, retainedColumns, same, ({ items, hasMore }) => ({
    rows: items,
    isCut: hasMore,
  })),
  'slow-subscriptions': wholeList(slowSubscriptions, slowSubscriptionFields, slowSubscriptionColumns, same, (data) => ({
    rows: data.items,
    isCut: false,
  })),
} as const;

export type WholeListName = keyof typeof wholeLists;

export const isWholeList = (name: string): name is WholeListName => Object.hasOwn(wholeLists, name);
