import type { BrokerClocks } from '../../domain/node.ts';
import { accessBackendColumns } from '../../resources/access-backends/view/columns.ts';
import { alarmColumns } from '../../resources/alarms/view/columns.ts';
import { apiKeyColumns } from '../../resources/api-keys/view/columns.ts';
import { banColumns } from '../../resources/bans/view/columns.ts';
import { fieldNames } from '../../resources/lists.ts';
import type { WholeList } from '../../resources/noun.ts';
import { nouns, type RowOf, type WholeListName } from '../../resources/nouns.ts';
import { integrationColumns } from '../../resources/integrations/view/columns.ts';
import { retainedColumns } from '../../resources/retained/view/columns.ts';
import { slowSubscriptionColumns } from '../../resources/slow-subscriptions/view/columns.ts';
import { traceColumns } from '../../resources/traces/view/columns.ts';
import type { Column } from '../../tui/components/column.ts';

type Columns<Row> = readonly Column<Row, BrokerClocks>[];

/** The columns of the screens, of which a list has those of its fields. */
const columnsOfScreens: { readonly [Name in WholeListName]: Columns<RowOf<Name>> } = {
  alarms: alarmColumns,
  'ended-alarms': alarmColumns,
  bans: banColumns,
  'api-keys': apiKeyColumns,
  retained: retainedColumns,
  traces: traceColumns,
  'slow-subscriptions': slowSubscriptionColumns,
  integrations: integrationColumns,
  'access-backends': accessBackendColumns,
};

/** Returns how a list is read whole, and its columns, which the type above has matched with its rows. */
export function wholeListOf(name: WholeListName): WholeList & { readonly columns: Columns<unknown> } {
  const names = new Set(fieldNames(name));
  const columns = columnsOfScreens[name] as unknown as Columns<unknown>;
  return { ...(nouns[name].whole as WholeList), columns: columns.filter(({ id }) => names.has(id)) };
}
