import { type ReactNode, useMemo } from 'react';
import { type Group, type Grouping, groupRows } from '../../table/grouping.ts';
import { formatCount, formatPercent, formatProtocolVersion } from '../../terminal/format.ts';
import { joinSafe, safe, type SafeText, trusted } from '../../terminal/safe-text.ts';
import { useTheme } from '../components/theme-context.ts';
import { useBreadcrumbs } from '../frame/breadcrumbs.ts';
import type { ScreenProps } from '../frame/screen.ts';
import { useKeys } from '../keys/use-keys.ts';
import { type GroupingId, type GroupsScope, type ListScope, type Place, placeKey } from '../navigation.ts';
import { groupingNames, groupValueText, headingOf } from './list-scope.ts';
import { createListState, useListMemory } from './list-state.ts';
import type { ScanKind } from './scan-view.ts';
import { type ListColumn, ListView, useList } from './use-list.tsx';
import { useScanList } from './use-scan-list.ts';

/** Binds `o` and `O`: the grouping after and before `current`; without a current one the first and the last. */
export const useGroupKeys = (ids: readonly GroupingId[], current: GroupingId | undefined, onGroupBy: (by: GroupingId) => void): void => {
  const step = (by: 1 | -1) => (): void => {
    const at = current === undefined ? (by === 1 ? -1 : 0) : ids.indexOf(current);
    const next = ids[(at + by + ids.length) % ids.length];
    if (next !== undefined) {
      onGroupBy(next);
    }
  };
  useKeys('scan', { groupBy: step(1), groupByBack: step(-1) });
};

const columnsOf = (by: GroupingId): readonly ListColumn<Group>[] => [
  {
    id: 'group',
    header: trusted(groupingNames[by].toUpperCase()),
    value: ({ value }) => value,
    text: by === 'proto' ? ({ value }) => (value === undefined ? undefined : formatProtocolVersion(Number(value))) : undefined,
    format: ({ value }, { ends }) => groupValueText(by, value, ends),
    width: { min: 24, max: 120 },
    isSticky: true,
  },
  { id: 'count', header: safe`COUNT`, value: ({ count }) => count, format: ({ count }) => formatCount(count), align: 'right', width: 11 },
  { id: 'share', header: safe`SHARE`, value: ({ share }) => share * 100, format: ({ share }) => formatPercent(share), align: 'right', width: 8, highlightsChanges: false },
];

// Values start with `=`, so none equals the id of the group without one.
const identity = ({ value }: Group): string => (value === undefined ? 'unknown' : `=${value}`);
const initialSort = { columnId: 'count', isReversed: true };

export interface GroupListProps<Row> extends ScreenProps {
  readonly screen: 'clients' | 'subscriptions';
  readonly title: SafeText;
  readonly kind: ScanKind<Row>;
  readonly groupings: readonly Grouping<Row, GroupingId>[];
  readonly scope: GroupsScope;
  readonly isInScope: (scope: ListScope, row: Row) => boolean;
}

/** A scanned list as groups with counts and shares; Enter opens the rows of one. */
export const GroupList = <Row,>({ screen, title, kind, groupings, scope, isInScope, ...props }: GroupListProps<Row>): ReactNode => {
  const { width, height, go, notify } = props;
  const theme = useTheme();
  const breadcrumbs = useBreadcrumbs();
  const { scan, view } = useScanList({ ...props, scope }, kind);
  const { by, of } = scope;
  const rows = useMemo(() => (of === undefined ? scan.rows : scan.rows.filter((row) => isInScope(of, row))), [scan.rows, of, isInScope]);
  const groups = useMemo(() => {
    const grouping = groupings.find(({ id }) => id === by);
    return grouping === undefined ? [] : groupRows(rows, grouping);
  }, [rows, groupings, by]);
  const columns = useMemo(() => columnsOf(by), [by]);
  useGroupKeys(groupings.map(({ id }) => id), by, (next) => { go({ screen, scope: { kind: 'groups', by: next, of } }); });
  const memory = useListMemory();
  const openGroup = (place: Place): void => {
    // The rows of a group start with the sort of the list they come from.
    const before = memory?.get(placeKey({ screen, scope: of }));
    if (before !== undefined && memory?.get(placeKey(place)) === undefined) {
      memory?.set(placeKey(place), createListState(before.sort));
    }
    go(place);
  };
  const total = safe`of ${formatCount(rows.length)} ${rows.length === 1 ? kind.nouns.one : kind.nouns.many}`;
  const list = useList({
    ...view,
    noun: safe`group`,
    listKey: placeKey({ screen, scope }),
    table: 'groups',
    // On narrow terminals the breadcrumbs need the room; the key is among the hints.
    heading: headingOf(theme, width, title, scope, breadcrumbs, width < 80 ? undefined : { text: safe`o by something else`, role: 'dim' }),
    rows: groups,
    columns,
    data: undefined,
    getId: identity,
    initialSort,
    footerNote: view.footerNote === undefined ? total : joinSafe([total, view.footerNote], safe` · `),
    onOpen: ({ value }) => { openGroup({ screen, scope: { kind: 'group', by, value, of } }); },
    copyText: ({ value }) => value ?? '',
    width,
    height,
    notify,
  });
  return <ListView list={list} />;
};
