import { Box } from 'ink';
import { Table } from 'ink-table';
import { type JSX, type ReactNode, useMemo } from 'react';
import { loadingText } from '../../../terminal/format.ts';
import { composeLine, wrapWords } from '../../../terminal/line.ts';
import { safe, type SafeText, spaces, trusted } from '../../../terminal/safe-text.ts';
import { cutText, widthOf } from '../../../terminal/text-width.ts';
import type { Role, Theme } from '../../../terminal/theme.ts';
import { Rows, useTheme } from '../../../tui/components/drawing.tsx';
import { bulkDialogTexts } from './bulk-texts.ts';

/** A client that a bulk would disconnect. */
export interface BulkEntry {
  readonly id: string;
  readonly node: SafeText;
  readonly user: SafeText;
  /** The whole texts: cut ones may look alike. */
  readonly raw: { readonly node: string | undefined; readonly user: string | undefined };
  /** The sign of a client that is skipped; else a space. */
  readonly sign: SafeText;
}

interface BulkColumn {
  readonly header: SafeText;
  /** The width without what separates the column from the next one. */
  readonly width: number;
}

/** Clients side by side, each with its node and user if they differ. */
export interface BulkTable {
  /** The columns of one client. */
  readonly columns: readonly [client: BulkColumn, ...others: BulkColumn[]];
  /** The trait that all clients have in common. */
  readonly shared: { readonly node: SafeText | undefined; readonly user: SafeText | undefined };
  readonly groups: number;
  /** The cells of all groups. */
  readonly rows: readonly (readonly SafeText[])[];
}

/** Columns before an id, for its sign; continued lines are indented deeper, so that two ids never look like one. */
const signColumns = 2;
const continuedIndent = 2;
const cellGap = 2;
/** Columns left of the table. */
const margin = 2;
const maxNode = 24;
const maxUser = 20;
/** Limits the width that is measured: a longer id is wrapped where it needs to be. */
const maxMeasured = 200;
const minClient = 12;

const widest = (texts: Iterable<SafeText>, header: SafeText, max: number): number => {
  let width = widthOf(header);
  for (const text of texts) width = Math.max(width, widthOf(cutText(text, max)));
  return Math.min(max, width);
};

const spread = <T,>(items: readonly T[], count: number): readonly (readonly T[])[] =>
  Array.from({ length: Math.ceil(items.length / count) }, (_, index) =>
    items.slice(index * count, (index + 1) * count),
  );

const sharedOf = (entries: readonly BulkEntry[], field: 'node' | 'user'): SafeText | undefined => {
  const [first] = entries;
  return entries.length > 1 &&
    first?.[field] !== loadingText &&
    entries.every(({ raw }) => raw[field] === first?.raw[field])
    ? first?.[field]
    : undefined;
};

/** Shows every id in full, with several clients in a line if they all fit. */
export const bulkTable = (theme: Theme, width: number, entries: readonly BulkEntry[]): BulkTable => {
  const headers = bulkDialogTexts.columns;
  const ids = entries.map(({ id }) => theme.escape(id));
  const all = { node: entries.map((entry) => entry.node), user: entries.map((entry) => entry.user) };
  const shared = { node: sharedOf(entries, 'node'), user: sharedOf(entries, 'user') };
  const others = [
    ...(shared.node === undefined
      ? [
          {
            header: headers.node,
            texts: all.node,
            width: widest(all.node, headers.node, Math.min(maxNode, Math.floor(0.3 * width))),
          },
        ]
      : []),
    ...(shared.user === undefined
      ? [
          {
            header: headers.user,
            texts: all.user,
            width: widest(all.user, headers.user, Math.min(maxUser, Math.floor(0.2 * width))),
          },
        ]
      : []),
  ];
  const taken = cellGap + others.reduce((sum, column) => sum + column.width + cellGap, 0);
  const wanted = signColumns + widest(ids, headers.client, maxMeasured);
  const room = width - margin - taken;
  const client = Math.max(minClient, Math.min(wanted, room));
  const groups = Math.max(1, Math.floor((width - margin) / (client + taken)));
  const cellsOf = ({ sign }: BulkEntry, index: number): readonly (readonly SafeText[])[] =>
    wrapWords(ids[index] ?? safe``, client - signColumns - (wanted > room ? continuedIndent : 0)).map((text, line) =>
      line === 0
        ? [safe`${sign} ${text}`, ...others.map(({ texts }) => texts[index] ?? safe``)]
        : [safe`${spaces(signColumns + continuedIndent)}${text}`, ...others.map(() => safe``)],
    );
  const lines = entries.flatMap(cellsOf);
  return {
    columns: [
      { header: safe`${spaces(signColumns)}${headers.client}`, width: client },
      ...others.map((column) => ({ header: column.header, width: column.width })),
    ],
    shared,
    groups,
    rows: lines.length === entries.length ? spread(lines, groups).map((cells) => cells.flat()) : lines,
  };
};

const Nothing = (): JSX.Element => <></>;

interface CellProps {
  readonly column: number;
  readonly children?: ReactNode;
}

export interface BulkTableViewProps {
  readonly table: BulkTable;
  readonly from: number;
  readonly to: number;
}

/** Draws the rows in sight, below their headers. */
export const BulkTableView = ({ table: { columns: own, groups, rows }, from, to }: BulkTableViewProps): ReactNode => {
  const theme = useTheme();
  const [header, cell] = useMemo(() => {
    const draw = (column: number, text: SafeText, role?: Role): JSX.Element => {
      const width = (own[column % own.length]?.width ?? 0) + cellGap;
      return (
        <Box flexDirection="column" width={width} flexShrink={0}>
          <Rows lines={[composeLine(theme, width, [{ text: cutText(text, width - cellGap), role }])]} />
        </Box>
      );
    };
    return [
      // What it gets is the key of a column.
      ({ children }: { readonly children?: ReactNode }): JSX.Element =>
        draw(Number(children), own[Number(children) % own.length]?.header ?? safe``, 'header'),
      // ink-table pads by characters, which may be wider or narrower than a column.
      ({ column, children }: CellProps): JSX.Element =>
        draw(column, trusted(String(children).slice(1).trimEnd()), column % own.length === 0 ? 'normal' : 'dim'),
    ];
  }, [theme, own]);
  const columns = Array.from({ length: groups * own.length }, (_, index) => String(index));
  const data = rows
    .slice(from, to)
    .map((cells) => Object.fromEntries(columns.map((key, index) => [key, cells[index] ?? safe``])));
  // ink-table keeps the cells that it began with.
  return (
    <Box marginLeft={margin}>
      <Table
        key={`${theme.depth} ${own.map(({ header, width }) => `${header} ${width}`).join(' ')}`}
        data={data}
        columns={columns}
        header={header}
        cell={cell}
        skeleton={Nothing}
      />
    </Box>
  );
};
