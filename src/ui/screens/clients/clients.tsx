import { type ReactNode, useMemo } from 'react';
import type { DisconnectTarget } from '../../../actions/bulk.ts';
import type { Client } from '../../../domain/client.ts';
import { clientGroupings } from '../../../table/grouping.ts';
import { safe } from '../../../terminal/safe-text.ts';
import { useTheme } from '../../components/theme-context.ts';
import { useSelectionKeys, useSelectionNotes } from '../../dialogs/client-keys.tsx';
import { selectableClients, useClientSelection } from '../../dialogs/selection.ts';
import { useBreadcrumbs } from '../../frame/breadcrumbs.ts';
import { useBrokerClocks } from '../../hooks/use-broker-clocks.ts';
import { GroupList, useGroupKeys } from '../../list/group-list.tsx';
import { headingOf, isClientInScope, type ScopedScreenProps } from '../../list/list-scope.ts';
import { clientKind } from '../../list/scan-view.ts';
import { ListView, useList } from '../../list/use-list.tsx';
import { useScanList } from '../../list/use-scan-list.ts';
import { placeKey } from '../../navigation.ts';
import { clientColumnsFor } from './columns.ts';

const identity = ({ clientId }: Client): string => clientId;
const asBulkTarget = (client: Client): DisconnectTarget => ({ kind: 'client', client });
const initialSort = { columnId: 'id', isReversed: false };

const ClientRows = ({ scope, ...props }: ScopedScreenProps): ReactNode => {
  const { monitor, width, height, go, notify } = props;
  const theme = useTheme();
  const breadcrumbs = useBreadcrumbs();
  const { scan, nowMs, changeOf, view } = useScanList({ ...props, scope }, clientKind);
  const clocks = useBrokerClocks(monitor, nowMs);
  const columns = useMemo(() => clientColumnsFor(width), [width]);
  const rows = useMemo(() => {
    const all = scan.gone.length === 0 ? scan.rows : [...scan.rows, ...scan.gone];
    return scope === undefined ? all : all.filter((row) => isClientInScope(scope, row));
  }, [scan.rows, scan.gone, scope]);
  const marks = useClientSelection();
  const { changedCount, footerNote, problem } = useSelectionNotes(marks, scan.rows, selectableClients, view);
  useGroupKeys(clientGroupings.map(({ id }) => id), undefined, (by) => { go({ screen: 'clients', scope: { kind: 'groups', by, of: scope } }); });
  const open = (clientId: string): void => { go({ screen: 'client', clientId }); };
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
    isMarked: marks.marked.size === 0 ? undefined : marks.isMarked,
    footerNote,
    problem,
    onOpen: ({ clientId }) => { open(clientId); },
    onOpenId: open,
    copyText: identity,
    width,
    height,
    notify,
  });
  const client = list.row;
  useSelectionKeys({
    monitor, marks, changedCount,
    row: client,
    target: client === undefined ? undefined : { subject: { kind: 'client', client } },
    bulkTargetOf: asBulkTarget,
    shown: () => list.shown.filter((row) => changeOf(row) !== 'gone'),
    anchor: list.anchor,
    moveToNext: list.moveToNext,
  });
  return <ListView list={list} />;
};

/** The clients of all nodes or of a scope, scanned in the background (§2.4); as rows or groups. */
export const ClientsScreen = ({ scope, ...props }: ScopedScreenProps): ReactNode =>
  scope?.kind === 'groups'
    ? <GroupList {...props} screen="clients" title={safe`Clients`} kind={clientKind} groupings={clientGroupings} scope={scope} isInScope={isClientInScope} />
    : <ClientRows {...props} scope={scope} />;
