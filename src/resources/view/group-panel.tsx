import { type ReactNode, useMemo } from 'react';
import { compareNatural } from '../../domain/natural-order.ts';
import type { Group, Grouping } from '../../table/grouping.ts';
import { formatCount, formatPercent } from '../../terminal/format.ts';
import type { SafeText } from '../../terminal/safe-text.ts';
import { endsRow, type SpanRow } from '../../tui/components/blocks.ts';
import { useTheme } from '../../tui/components/drawing.tsx';
import { detailRoom, detailRows, rowPanel } from '../../tui/list/detail.tsx';
import { groupValueText } from './list-scope.ts';
import type { ScanKind } from './scan-list.ts';
import { groupingNames, groupTexts } from './texts.ts';
import type { GroupingId } from './scope.ts';

/** A row of a group, unescaped: its name, and what else is known of it in few words. */
export interface GroupMember {
  readonly name: string;
  readonly note: string | undefined;
}

interface GroupPanelProps<Row> {
  readonly group: Group;
  readonly by: GroupingId;
  readonly title: SafeText;
  readonly kind: Pick<ScanKind<Row>, 'nouns'>;
  readonly grouping: Grouping<Row> | undefined;
  readonly rows: readonly Row[];
  readonly memberOf: (row: Row, by: GroupingId) => GroupMember;
}

/** Draws a group beside its list. */
export const groupPanel = <Row,>(props: GroupPanelProps<Row>, width: number, height: number): ReactNode => (
  <GroupPanel {...props} width={width} height={height} />
);

/** Rows above the members: two fields, a blank row, the title; and the borders. */
const otherRows = 6;
const maxNoteWidth = 20;
/** Sorting the names of a larger group would take longer than a frame. */
const maxSorted = 2_000;

/** Shows the group under the cursor: its share, and its first rows. */
const GroupPanel = <Row,>({
  group,
  by,
  title,
  kind,
  grouping,
  rows,
  memberOf,
  width,
  height,
}: GroupPanelProps<Row> & { readonly width: number; readonly height: number }): ReactNode => {
  const theme = useTheme();
  const { value, count, share } = group;
  const shown = count > height - otherRows ? height - otherRows - 1 : count;
  const members = useMemo(() => {
    const own = rows.filter((row) => grouping?.valueOf(row) === value);
    return (own.length > maxSorted ? own.slice(0, shown) : own)
      .map((row) => memberOf(row, by))
      .toSorted((a, b) => compareNatural(a.name, b.name))
      .slice(0, shown);
  }, [rows, shown, grouping, value, memberOf, by]);
  const room = detailRoom(width, height).width;
  const name = groupValueText(by, value, (raw) => theme.escapeEnds(raw, room));
  const { many } = kind.nouns;
  return rowPanel(
    name,
    [
      {
        rows: detailRows(room, [
          { label: groupingNames[by], value: name },
          {
            label: many,
            value: groupTexts.shareOf(formatCount(count), formatPercent(share), formatCount(rows.length)),
          },
        ]),
      },
      {
        title,
        rows: [
          ...members.map((member): SpanRow =>
            endsRow(
              room,
              [{ text: theme.escapeEnds(member.name, room - maxNoteWidth - 1) }],
              member.note === undefined ? [] : [{ text: theme.escapeEnds(member.note, maxNoteWidth), role: 'dim' }],
            ),
          ),
          ...(shown < count ? [[{ text: groupTexts.more(count - shown), role: 'dim' } as const]] : []),
        ],
      },
    ],
    width,
    height,
  );
};
