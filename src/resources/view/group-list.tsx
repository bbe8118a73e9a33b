import type { DisconnectTarget } from '../../domain/client.ts';
import type { ChooseRequest } from '../../actions/requests.ts';
import { type ReactNode, useMemo } from 'react';
import { type NodeName, shortNodeName } from '../../domain/node.ts';
import { countGroups, type Group, type Grouping, groupRows } from '../../table/grouping.ts';
import { formatCount, formatPercent, formatProtocolVersion } from '../../terminal/format.ts';
import { barSpans } from '../../terminal/gauge.ts';
import type { Span } from '../../terminal/line.ts';
import { joinSafe, safe, type SafeText } from '../../terminal/safe-text.ts';
import { fit } from '../../terminal/text-width.ts';
import { useTheme } from '../../tui/components/drawing.tsx';
import { columnsOf } from '../../tui/components/field-columns.ts';
import { defineFields } from '../../table/field.ts';
import { useGroupSize } from '../clients/view/client-keys.ts';
import { useOpenDialog } from '../../tui/hooks/open-dialog.ts';
import { useKeys } from '../../tui/keys/use-keys.ts';
import type { Place } from '../../tui/registered.ts';
import { type GroupMember, groupPanel } from './group-panel.tsx';
import { groupValueText, headingOf, useBreadcrumbs } from './list-scope.ts';
import { createListState, placeKey, useListMemory } from '../../tui/list/list-state.ts';
import { useNodeNames } from './node-names.ts';
import { type ScanKind, useScanList } from './scan-list.ts';
import type { FilterOutcome } from '../../tui/list/use-filter.ts';
import { type ListOptions, type ListColumn, ListView, useList } from '../../tui/list/use-list.tsx';
import { groupingNames, groupTexts } from './texts.ts';
import type { GroupingId, GroupsScope } from './scope.ts';
import type { ScreenProps } from '../../tui/screen.ts';

export interface GroupKeysOptions<Row> {
  readonly kind: Pick<ScanKind<Row>, 'nouns'>;
  /** Returns the rows that would be grouped: those that the filter leaves. */
  readonly rows: () => readonly Row[];
  readonly groupings: readonly Grouping<Row, GroupingId>[];
  readonly current?: GroupingId | undefined;
  readonly onGroupBy: (by: GroupingId) => void;
  readonly notify: (text: SafeText) => void;
}

/** Binds `o`: a menu of the groupings, each with its number of groups. */
export const useGroupKeys = <Row,>({
  kind,
  rows: rowsNow,
  groupings,
  current,
  onGroupBy,
  notify,
}: GroupKeysOptions<Row>): void => {
  const ask = useOpenDialog();
  const memory = useListMemory();
  const choiceOf = (grouping: Grouping<Row, GroupingId>, rows: readonly Row[]): ChooseRequest['choices'][number] => ({
    id: grouping.id,
    label: groupingNames[grouping.id],
    *note() {
      const count = yield* countGroups(rows, grouping);
      return groupTexts.groups(formatCount(count), count === 1);
    },
  });
  useKeys('scan', {
    groupBy: () => {
      const rows = rowsNow();
      if (rows.length === 0) {
        notify(groupTexts.nothing(kind.nouns.many));
        return;
      }
      ask({
        kind: 'choose',
        title: groupTexts.menu(kind.nouns.many),
        selectedId: current ?? memory?.groupings.get(kind.nouns.many),
        choices: groupings.map((grouping) => choiceOf(grouping, rows)),
        onChoose: (id) => {
          const chosen = groupings.find((grouping) => grouping.id === id);
          if (chosen === undefined) return;
          memory?.groupings.set(kind.nouns.many, chosen.id);
          onGroupBy(chosen.id);
        },
      });
    },
  });
};

const groupColumns = (by: GroupingId, nodes: readonly NodeName[]): readonly ListColumn<Group>[] => {
  const fields = defineFields<Group>()({
    group: {
      label: groupingNames[by].toUpperCase(),
      type: 'text',
      get: ({ value }) => value,
      text:
        by === 'proto'
          ? ({ value }) => (value === undefined ? undefined : formatProtocolVersion(Number(value)))
          : undefined,
    },
    count: { label: 'COUNT', type: 'count', get: ({ count }) => count },
    share: { label: 'SHARE', type: 'share', get: ({ share }) => share, text: ({ share }) => formatPercent(share) },
  });
  return columnsOf(fields, {
    group: {
      format: ({ value }, { ends }) =>
        groupValueText(by, by === 'node' && value !== undefined ? shortNodeName(value, nodes) : value, ends),
      width: { min: 24, max: 120 },
      // Wider, it would push the counts away from the names.
      isSnug: true,
      isSticky: true,
    },
    count: { width: 11, priority: 1 },
    share: {
      format: (group, { width }) =>
        joinSafe(
          shareCell(group, width).map(({ text }) => text),
          safe``,
        ),
      spans: (group, { width }) => shareCell(group, width),
      width: { min: 8 },
      fills: true,
      align: 'left',
      priority: 1,
    },
  });
};

const percentWidth = 5;
/** A shorter bar says less than the figure. */
const minBarWidth = 8;

/** Draws the percentage, and a bar where there is room: full for all rows. */
const shareCell = ({ share }: Group, width: number): readonly Span[] => {
  const percent: Span = { text: fit(formatPercent(share), percentWidth, 'right') };
  const room = width - percentWidth - 2;
  return room < minBarWidth ? [percent] : [percent, { text: safe`  ` }, ...barSpans(room, share, 'in3')];
};

// Values start with `=`, so none equals the id of the group without one.
const identity = ({ value }: Group): string => (value === undefined ? 'unknown' : `=${value}`);
const initialSort = { columnId: 'count', isReversed: true };
/** Limits a group's value in the question whether to disconnect its clients. */
const maxGroupWidth = 40;

export interface GroupListProps<Row> extends ScreenProps {
  readonly screen: 'clients' | 'sessions' | 'subscriptions';
  readonly title: SafeText;
  readonly kind: ScanKind<Row>;
  readonly groupings: readonly Grouping<Row, GroupingId>[];
  readonly scope: GroupsScope;
  /** The rows in the scope that its filter leaves. */
  readonly rows: readonly Row[];
  /** Names a row, and what else is worth knowing of it in a group. */
  readonly memberOf: (row: Row, by: GroupingId) => GroupMember;
  /** The rows that the filter of the scope leaves. */
  readonly outcome: FilterOutcome;
  /** Draws what stands below few groups. */
  readonly spare: NonNullable<ListOptions<Group, undefined>['spare']>;
  /** Disconnects the clients of a group with `K`; without it there is no such key. */
  readonly acting?: GroupActing<Row> | undefined;
}

export interface GroupActing<Row> {
  readonly bulkTargetOf: (row: Row) => DisconnectTarget;
  /** Rows that are marked in the list. */
  readonly markedCount: number;
  /** Marks the rows that were not reached, and no others. */
  readonly remark: (rows: readonly Row[]) => void;
}

/** Shows a scanned list as groups with counts and shares; Enter opens the rows of one. */
export const GroupList = <Row,>({
  screen,
  title,
  kind,
  groupings,
  scope,
  rows,
  memberOf,
  outcome,
  spare,
  acting,
  ...props
}: GroupListProps<Row>): ReactNode => {
  const { width, height, go, notify } = props;
  const theme = useTheme();
  const breadcrumbs = useBreadcrumbs();
  const { view } = useScanList({ ...props, scope }, kind);
  const { by, of, filter } = scope;
  const grouping = groupings.find(({ id }) => id === by);
  const groups = useMemo(() => (grouping === undefined ? [] : groupRows(rows, grouping)), [rows, grouping]);
  const nodes = useNodeNames(props.monitor);
  const columns = useMemo(() => groupColumns(by, nodes), [by, nodes]);
  useGroupKeys({
    kind,
    rows: () => rows,
    groupings,
    current: by,
    onGroupBy: (next) => {
      go({ screen, scope: { kind: 'groups', by: next, of, filter } });
    },
    notify,
  });
  const memory = useListMemory();
  const openGroup = (place: Place): void => {
    // The rows of a group start with the sort and the filter of the list they come from.
    const before = memory?.get(placeKey({ screen, scope: of }));
    const recalled = memory?.get(placeKey(place)) ?? (before === undefined ? undefined : createListState(before.sort));
    if (recalled !== undefined) {
      memory?.set(placeKey(place), { ...recalled, filter: filter ?? '' });
    }
    go(place);
  };
  const total = groupTexts.total(formatCount(rows.length), rows.length === 1 ? kind.nouns.one : kind.nouns.many);
  const list = useList({
    ...view,
    noun: groupTexts.noun,
    title: safe`${title} ${groupTexts.by(groupingNames[by])}`,
    listKey: placeKey({ screen, scope }),
    table: 'groups',
    // On narrow terminals the breadcrumbs need the room; the key is among the hints.
    heading: headingOf(
      theme,
      width,
      title,
      scope,
      breadcrumbs,
      width < 80 ? undefined : { text: groupTexts.otherGrouping, role: 'dim' },
    ),
    outerFilter:
      filter === undefined
        ? undefined
        : {
            text: filter,
            outcome,
            onClear: () => {
              go({ screen, scope: { kind: 'groups', by, of } });
            },
          },
    rows: groups,
    columns,
    data: undefined,
    getId: identity,
    initialSort,
    footerNote: joinSafe(
      [
        total,
        ...(acting === undefined || acting.markedCount === 0
          ? []
          : [groupTexts.marked(formatCount(acting.markedCount))]),
        ...(view.footerNote === undefined ? [] : [view.footerNote]),
      ],
      safe` · `,
    ),
    onOpen: ({ value }) => {
      openGroup({ screen, scope: { kind: 'group', by, value, of } });
    },
    detail: (group, ...size) => groupPanel({ group, by, title, kind, grouping, rows, memberOf }, ...size),
    copyText: ({ value }) => value ?? '',
    spare,
    detailHeight: 14,
    width,
    height,
    notify,
  });
  const ask = useOpenDialog();
  const { row: group } = list;
  useGroupSize(acting === undefined ? 0 : (group?.count ?? 0));
  useKeys('row', {
    disconnect:
      acting === undefined || group === undefined || grouping === undefined
        ? undefined
        : () => {
            // The rows of this moment: frozen in the dialog, and each is checked again before its request.
            const members = rows.filter((row) => grouping.valueOf(row) === group.value);
            if (members.length > 0) {
              list.anchor();
              ask({
                kind: 'bulk',
                group: {
                  by,
                  text:
                    by === 'username' && group.value === undefined
                      ? groupTexts.withoutUsername
                      : groupTexts.of(
                          by,
                          groupValueText(by, group.value, (raw) => theme.escapeEnds(raw, maxGroupWidth)),
                        ),
                },
                targets: members.map((row) => acting.bulkTargetOf(row)),
                changedIds: new Set(),
                shownCount: members.length,
                onEnd: (left) => {
                  acting.remark(members.filter((_, place) => left.has(place)));
                },
              });
            }
          },
  });
  return <ListView list={list} />;
};
