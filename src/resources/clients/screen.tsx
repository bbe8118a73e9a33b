import { type ReactNode, useCallback, useMemo, useState } from 'react';
import type { Client, DisconnectTarget } from '../../domain/client.ts';
import { shortNodeName } from '../../domain/node.ts';
import { reading } from '../../monitor/query/part.ts';
import { joinSafe, safe } from '../../terminal/safe-text.ts';
import { useTheme } from '../../tui/components/drawing.tsx';
import { selectableClients, useClientSelection, useSelectionKeys, useSelectionNotes } from './view/client-keys.ts';
import { useNow } from '../../tui/hooks/use-now.ts';
import { useReading } from '../../tui/hooks/use-store.ts';
import { tableWidthOf } from '../../tui/list/detail.tsx';
import { GroupList, useGroupKeys } from '../view/group-list.tsx';
import { groupsOf, headingOf, isClientInScope, type ScopedScreenProps, useBreadcrumbs } from '../view/list-scope.ts';
import { useNodeNames, withShortNodes } from '../view/node-names.ts';
import { clientKind, foundIn, useScanList } from '../view/scan-list.ts';
import { useFilteredRows } from '../../tui/list/use-filtered-rows.ts';
import { ListView, useList } from '../../tui/list/use-list.tsx';
import { panelsBelow } from '../view/spare-panels.tsx';
import { triageView } from '../../triage/view.ts';
import { clientGroupings } from './fields.ts';
import { clientPanel } from './panel.tsx';
import { clientScan } from './resource.ts';
import { useBrokerSearch } from './view/broker-search.ts';
import { useClientJumps } from './view/client-jumps.ts';
import { clientColumnsFor } from './view/columns.ts';
import { useBrokerClocks } from '../view/broker-clocks.ts';
import type { GroupsScope } from '../view/scope.ts';
import { placeKey } from '../../tui/list/list-state.ts';
import type { ScreenProps } from '../../tui/screen.ts';
import { clientTexts } from './texts.ts';

const identity = ({ clientId }: Client): string => clientId;
const asBulkTarget = (client: Client): DisconnectTarget => ({ kind: 'client', client });
const initialSort = { columnId: 'id', isReversed: false };

const ClientRows = ({ scope, ...props }: ScopedScreenProps): ReactNode => {
  const { monitor, width, height, go, notify } = props;
  const theme = useTheme();
  const breadcrumbs = useBreadcrumbs();
  const {
    scan,
    nowMs,
    changeOf: listChangeOf,
    view,
  } = useScanList({ ...props, width: tableWidthOf(width), scope }, clientKind);
  const clocks = useBrokerClocks(monitor, nowMs);
  const nodes = useNodeNames(monitor);
  const columns = useMemo(
    () => withShortNodes(clientColumnsFor(tableWidthOf(width)), ({ node }) => node, nodes),
    [width, nodes],
  );
  const [filter, setFilter] = useState('');
  const { isAsked, found, note } = useBrokerSearch(
    monitor,
    scan,
    filter,
    columns,
    scope?.kind === 'node' ? scope.node : undefined,
  );
  const present = useMemo(() => (found.length === 0 ? scan.rows : [...scan.rows, ...found]), [scan.rows, found]);
  const rows = useMemo(() => {
    const foundIds = new Set(found.map(({ clientId }) => clientId));
    const all =
      scan.gone.length === 0 ? present : [...present, ...scan.gone.filter(({ clientId }) => !foundIds.has(clientId))];
    return scope === undefined ? all : all.filter((row) => isClientInScope(scope, row));
  }, [present, found, scan.gone, scope]);
  const isFound = useMemo(() => new Set(found), [found]);
  const changeOf = useCallback(
    (row: Client) => (isFound.has(row) ? undefined : listChangeOf(row)),
    [isFound, listChangeOf],
  );
  const marks = useClientSelection();
  const compared = useMemo(() => {
    if (!isAsked || marks.rows.size === 0) return present;
    // A client that was found and marked is not gone because the filter is.
    const known = new Set([...present, ...scan.gone].map(identity));
    return [...present, ...[...marks.rows.values()].filter(({ clientId }) => !known.has(clientId))];
  }, [isAsked, marks.rows, present, scan.gone]);
  const { changedIds, footerNote, problem } = useSelectionNotes(marks, compared, selectableClients, view);
  const open = (clientId: string): void => {
    go({ screen: 'client', clientId });
  };
  const list = useList({
    ...view,
    listKey: placeKey({ screen: 'clients', scope }),
    table: 'clients',
    heading: headingOf(theme, width, safe`Clients`, scope, breadcrumbs),
    rows,
    columns,
    data: clocks,
    getId: identity,
    initialSort,
    getChange: changeOf,
    isMarked: marks.rows.size === 0 ? undefined : marks.isSelected,
    footerNote:
      note === undefined ? footerNote : joinSafe(footerNote === undefined ? [note] : [note, footerNote], safe` · `),
    problem,
    onOpen: ({ clientId }) => {
      open(clientId);
    },
    unlisted: { offer: (id) => clientTexts.openTyped(theme.escape(id, width)), open },
    detail: (row, ...size) =>
      clientPanel(monitor, { clientId: row.clientId, client: row, isGone: changeOf(row) === 'gone' }, ...size),
    copyText: identity,
    width,
    height,
    notify,
  });
  if (list.filter !== filter) setFilter(list.filter);
  const client = list.row;
  const shown = (): readonly Client[] => list.shown.filter((row) => changeOf(row) !== 'gone');
  useGroupKeys({
    kind: clientKind,
    rows: shown,
    groupings: clientGroupings,
    onGroupBy: (by) => {
      go({ screen: 'clients', scope: groupsOf(by, scope, list.filter) });
    },
    notify,
  });
  useClientJumps({ monitor, clientId: client?.clientId, go });
  useSelectionKeys({
    monitor,
    marks,
    changedIds,
    row: client,
    target: client === undefined ? undefined : { subject: { kind: 'client', client } },
    bulkTargetOf: asBulkTarget,
    shown,
    anchor: list.anchor,
    moveToNext: list.moveToNext,
  });
  return <ListView list={list} />;
};

const ClientGroups = ({ scope, ...props }: ScreenProps & { readonly scope: GroupsScope }): ReactNode => {
  const { rows: marked, replace } = useClientSelection();
  const { monitor, width } = props;
  const clients = useReading(monitor, clientScan).rows;
  const rows = useMemo(() => {
    const found = foundIn(scope);
    if (found === undefined) return clients.filter((row) => isClientInScope(scope, row));
    // Groups of those that are connected at this moment would be of a part, and another one in each reading.
    const present = new Map(clients.map((row) => [row.clientId, row]));
    const known = reading(monitor.store.getState(), triageView).reconnectedRows;
    return [...found.clientIds]
      .flatMap((id) => present.get(id) ?? known.get(id) ?? [])
      .filter((row) => isClientInScope(scope, row));
  }, [monitor, clients, scope]);
  const data = useBrokerClocks(monitor, useNow(1000));
  const nodes = useNodeNames(monitor);
  const columns = useMemo(
    () => withShortNodes(clientColumnsFor(tableWidthOf(width)), ({ node }) => node, nodes),
    [width, nodes],
  );
  const found = useFilteredRows({ rows, columns, data, filter: scope.filter });
  return (
    <GroupList
      {...props}
      screen="clients"
      title={safe`Clients`}
      kind={clientKind}
      groupings={clientGroupings}
      scope={scope}
      rows={found.rows}
      outcome={{ ...found, matching: found.rows.length }}
      spare={panelsBelow(monitor)}
      memberOf={({ clientId, username, node }, by) => ({
        name: clientId,
        note: by === 'node' ? username : node && shortNodeName(node, nodes),
      })}
      acting={{ bulkTargetOf: asBulkTarget, markedCount: marked.size, remark: replace }}
    />
  );
};

/** Shows the clients, as rows or groups. */
export const ClientsScreen = ({ scope, ...props }: ScopedScreenProps): ReactNode =>
  scope?.kind === 'groups' ? <ClientGroups {...props} scope={scope} /> : <ClientRows {...props} scope={scope} />;
