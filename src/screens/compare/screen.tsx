import { Box } from 'ink';
import { type ReactNode, use, useEffect, useMemo, useState } from 'react';
import { type Comparison, compareStates, createComparer, hasTable } from '../../compare/compare.ts';
import { changeFields, type ChangeRow, changeRows, differenceText, summaryLines } from '../../compare/rows.ts';
import { comparedTables } from '../../compare/tables.ts';
import { clockText, durationText } from '../../domain/text.ts';
import { momentText } from '../../domain/time-text.ts';
import type { Watchable } from '../../monitor/query/part.ts';
import { shownNowMs, shownWallMs } from '../../monitor/shown-time.ts';
import type { MonitorState } from '../../monitor/state.ts';
import { defineFields } from '../../table/field.ts';
import { countGroups, type Group, groupRows } from '../../table/grouping.ts';
import { formatCount, formatPercent, unknownText } from '../../terminal/format.ts';
import { composeEnds, composeLine, type Line } from '../../terminal/line.ts';
import { joinSafe, safe, type SafeText, trusted } from '../../terminal/safe-text.ts';
import type { Role, Theme } from '../../terminal/theme.ts';
import { Rows, useTheme } from '../../tui/components/drawing.tsx';
import { columnsOf } from '../../tui/components/field-columns.ts';
import { useOpenDialog } from '../../tui/hooks/open-dialog.ts';
import { useNow } from '../../tui/hooks/use-now.ts';
import { useStore, useWatches, wholeState } from '../../tui/hooks/use-store.ts';
import { useKeys } from '../../tui/keys/use-keys.ts';
import { detailRoom, restRows, rowPanel } from '../../tui/list/detail.tsx';
import { createListState, placeKey, useListMemory } from '../../tui/list/list-state.ts';
import { type ListColumn, ListView, useList } from '../../tui/list/use-list.tsx';
import type { ScreenProps } from '../../tui/screen.ts';
import { CompareContext, type ComparedMoment, momentOf } from './comparing.ts';
import { type ChangeGroup, type ChangeGrouping, changeGroupings, groupingOf } from './groupings.ts';
import { openedPlaceOf } from './opened-place.ts';
import { compareTexts, groupingTexts } from './texts.ts';

const roleOf = ({ kind }: ChangeRow): Role | undefined =>
  kind === 'unknown' ? 'dim' : kind === 'came' ? 'added' : kind === 'gone' ? 'gone' : undefined;

type Part = 'field' | 'before' | 'after' | 'node' | 'clientId';

/** Blank where there is no such thing; only figures can be unknown. */
const orBlank =
  (part: Part) =>
  (row: ChangeRow, { text }: { readonly text: (raw: string) => SafeText }): SafeText => {
    const value = row[part];
    const isUnknown = row.kind === 'figure' && (part === 'before' || part === 'after');
    return value !== undefined ? text(value) : isUnknown ? unknownText : safe``;
  };

const columns = columnsOf(changeFields, {
  list: { width: { min: 8, max: 13 }, priority: 1, roleOf },
  change: { width: 8, priority: 1, roleOf },
  name: {
    format: ({ kind, name }, { text, ends }) => (kind === 'unknown' ? text(name) : ends(name)),
    width: { min: 22, max: 60, grow: 2 },
    priority: 1,
    roleOf,
  },
  field: { format: orBlank('field'), width: { min: 8, max: 18 }, priority: 2 },
  before: { format: orBlank('before'), width: { min: 8, max: 30 }, priority: 2, highlightsChanges: false },
  after: { format: orBlank('after'), width: { min: 8, max: 30 }, priority: 2, highlightsChanges: false },
  difference: {
    format: (row) => differenceText(row) ?? (row.kind === 'figure' ? unknownText : safe``),
    width: { min: 11, max: 12 },
    align: 'right',
    sortsFrom: 'largest',
    priority: 3,
    highlightsChanges: false,
  },
  node: { format: orBlank('node'), width: { min: 8, max: 24 }, priority: 4 },
  client: { format: orBlank('clientId'), priority: 5 },
});

const groupColumns = (by: ChangeGrouping): readonly ListColumn<Group>[] => {
  const fields = defineFields<Group>()({
    group: { label: groupingTexts[by].toUpperCase(), type: 'text', get: ({ value }) => value },
    count: { label: 'COUNT', type: 'count', get: ({ count }) => count },
    share: { label: 'SHARE', type: 'share', get: ({ share }) => share, text: ({ share }) => formatPercent(share) },
  });
  return columnsOf(fields, {
    group: {
      format: ({ value }, { ends }) => (value === undefined ? compareTexts.unknown : ends(value)),
      width: { min: 24, max: 80 },
      isSticky: true,
    },
    count: { width: 11, priority: 1 },
    share: { width: 11, priority: 1 },
  });
};

const identity = ({ id }: ChangeRow): string => id;
const groupIdentity = ({ value }: Group): string => (value === undefined ? 'none' : `=${value}`);
const byList = { columnId: 'list', isReversed: false };
const byCount = { columnId: 'count', isReversed: true };
const noRows: readonly ChangeRow[] = [];
const noWatches: readonly Watchable[] = [];
/** Lists that are read for the comparison are read again no sooner. */
const readEverySeconds = 10;

/** The two moments, the earlier one first. */
interface Pair {
  readonly first: ComparedMoment;
  readonly second: ComparedMoment;
  readonly isNow: boolean;
}

/** Returns what is compared: the mark, and what is shown or, while that is the mark itself, the last that was. */
function usePair(state: MonitorState): Pair | undefined {
  const { mark, lastCompared, setCompared, whole } = use(CompareContext);
  const { past } = state;
  const [recorded, setRecorded] = useState<{ readonly of: MonitorState; readonly moment: ComparedMoment }>();
  useEffect(() => {
    if (past !== undefined)
      whole({ at: past.at, state }).then(
        (moment) => {
          setRecorded({ of: state, moment });
        },
        // Without an earlier list it is compared as far as it was read.
        () => {},
      );
  }, [past, state, whole]);
  const pair = useMemo((): Pair | undefined => {
    if (mark === undefined) return undefined;
    const shown = recorded?.of === state ? recorded.moment : { at: momentOf(state), state };
    const isMark = past !== undefined && past.at.wallMs === mark.at.wallMs;
    const compared = isMark ? lastCompared() : shown;
    if (compared === undefined) return undefined;
    const isNow = past === undefined;
    return compared.at.wallMs < mark.at.wallMs && !isNow
      ? { first: compared, second: mark, isNow: false }
      : { first: mark, second: compared, isNow };
  }, [mark, lastCompared, state, past, recorded]);
  useEffect(() => {
    if (pair !== undefined) setCompared(pair.first === mark ? pair.second : pair.first);
  }, [pair, mark, setCompared]);
  return pair;
}

function useComparison(pair: Pair | undefined): Comparison | undefined {
  const { mark } = use(CompareContext);
  const withMark = useMemo(() => mark && createComparer(mark), [mark]);
  return useMemo(
    () =>
      pair && (pair.isNow && withMark !== undefined ? withMark(pair.second) : compareStates(pair.first, pair.second)),
    [pair, withMark],
  );
}

const watchesOf = (state: MonitorState): readonly Watchable[] =>
  comparedTables.filter((table) => hasTable(state, table)).flatMap((table) => table.watches?.(state) ?? []);

const momentsText = ({ first, second, isNow }: Pair, nowMs: number): SafeText => {
  const secondMs = isNow ? nowMs : second.at.wallMs;
  return compareTexts.moments(
    trusted(momentText(first.at.wallMs)),
    isNow ? compareTexts.now : trusted(momentText(secondMs)),
    trusted(durationText(Math.max(0, Math.floor((secondMs - first.at.wallMs) / 1_000)))),
  );
};

/** The share of the height that the summary may take. */
const summaryShare = 1 / 4;

function summaryOf(
  theme: Theme,
  width: number,
  height: number,
  comparison: Comparison,
  isNow: boolean,
): readonly Line[] {
  const texts = summaryLines(comparison, isNow ? 'now' : 'recorded').map((text) => theme.escape(text, width));
  const room = Math.floor(height * summaryShare);
  const shown = texts.length > room ? [...texts.slice(0, room - 1), compareTexts.more(texts.length - room + 1)] : texts;
  return shown.map((text) => composeLine(theme, width, [{ text: safe` ${text}` }]));
}

export interface CompareScreenProps extends ScreenProps {
  readonly groups?: ChangeGrouping | undefined;
  readonly only?: readonly ChangeGroup[] | undefined;
}

/** Shows what differs between two moments, as rows or as groups of them. */
export const CompareScreen = (props: CompareScreenProps): ReactNode => {
  const { monitor, width, height, groups, only } = props;
  const theme = useTheme();
  const state = useStore(monitor.store, wholeState);
  const { mark } = use(CompareContext);
  const pair = usePair(state);
  const comparison = useComparison(pair);
  const nowMs = shownWallMs(useNow(1000));
  useWatches(monitor, pair?.isNow === true ? watchesOf(state) : noWatches, readEverySeconds);
  const isNow = pair?.isNow === true;
  const all = useMemo(
    () => (comparison === undefined ? noRows : changeRows(comparison, isNow ? 'now' : 'recorded')),
    [comparison, isNow],
  );
  const rows = useMemo(
    () => all.filter((row) => only?.every(({ by, value }) => groupingOf(by)?.valueOf(row) === value) !== false),
    [all, only],
  );
  const lines =
    comparison === undefined || only !== undefined ? [] : summaryOf(theme, width, height, comparison, isNow);
  const what = joinSafe(
    [
      ...(only ?? []).map(({ value }) => (value === undefined ? compareTexts.unknown : theme.escape(value, 30))),
      ...(groups === undefined ? [] : [compareTexts.by(groupingTexts[groups])]),
    ],
    safe` `,
  );
  const heading = composeEnds(
    theme,
    width,
    [
      { text: safe` ${compareTexts.title}  `, role: 'title' },
      { text: pair === undefined ? safe`` : momentsText(pair, nowMs), role: 'accent' },
    ],
    [{ text: safe`${what} `, role: 'dim' }],
  );
  const shared: ListProps = {
    ...props,
    height: height - 1 - lines.length,
    rows,
    pair,
    message: emptyText(state, mark !== undefined, pair, only),
  };
  return (
    <Box flexDirection="column" width={width} height={height} overflow="hidden">
      <Rows lines={[heading, ...lines]} />
      {groups === undefined ? <ChangeList {...shared} /> : <ChangeGroups {...shared} by={groups} />}
    </Box>
  );
};

function emptyText(
  { past }: MonitorState,
  hasMark: boolean,
  pair: Pair | undefined,
  only: readonly ChangeGroup[] | undefined,
): SafeText {
  if (pair !== undefined) return only === undefined ? compareTexts.none : compareTexts.noneHere;
  if (hasMark) return compareTexts.oneMoment;
  return past?.hasNow === false ? compareTexts.noMarkInFile : compareTexts.noMark;
}

interface ListProps extends CompareScreenProps {
  readonly rows: readonly ChangeRow[];
  readonly pair: Pair | undefined;
  readonly message: SafeText;
}

const useGroupKey = ({ rows, groups, only, go, notify }: ListProps, shown: () => readonly ChangeRow[]): void => {
  const ask = useOpenDialog();
  useKeys('scan', {
    groupBy: () => {
      if (rows.length === 0) {
        notify(compareTexts.nothingToGroup);
        return;
      }
      ask({
        kind: 'choose',
        title: compareTexts.groupMenu,
        selectedId: groups,
        choices: changeGroupings.map((grouping) => ({
          id: grouping.id,
          label: groupingTexts[grouping.id],
          *note() {
            const count = yield* countGroups(shown(), grouping);
            return compareTexts.groups(formatCount(count), count === 1);
          },
        })),
        onChoose: (id) => {
          const chosen = changeGroupings.find((grouping) => grouping.id === id);
          if (chosen !== undefined) go({ screen: 'compare', groups: chosen.id, only });
        },
      });
    },
  });
};

const changePanel = (theme: Theme, row: ChangeRow, width: number, height: number): ReactNode => {
  const room = detailRoom(width, height).width;
  return rowPanel(
    theme.escape(row.name, room),
    [{ rows: restRows(theme, room, columns, [], row, undefined) }],
    width,
    height,
  );
};

const ChangeList = (props: ListProps): ReactNode => {
  const { width, height, rows, pair, message, only, go, notify } = props;
  const theme = useTheme();
  const memory = useListMemory();
  const { showAt } = use(CompareContext);
  const open = (row: ChangeRow): void => {
    const { place, rowId } = openedPlaceOf(row);
    const then = (): void => {
      if (rowId !== undefined) {
        const key = placeKey(place);
        memory?.set(key, createListState(memory.get(key)?.sort ?? { columnId: '', isReversed: false }, rowId));
      }
      go(place);
    };
    if (pair === undefined || row.kind === 'unknown') then();
    else if (row.kind === 'gone') showAt(pair.first, then);
    else showAt(pair.isNow ? 'now' : pair.second, then);
  };
  const list = useList({
    listKey: placeKey({ screen: 'compare', only }),
    table: 'compare',
    rows,
    columns,
    data: undefined,
    getId: identity,
    initialSort: byList,
    generation: undefined,
    noun: compareTexts.noun,
    title: compareTexts.title,
    message: { text: safe` ${message}` },
    onOpen: open,
    detail: (row, ...size) => changePanel(theme, row, ...size),
    copyText: ({ clientId, name }) => clientId ?? name,
    width,
    height,
    notify,
  });
  useGroupKey(props, () => list.shown);
  return <ListView list={list} />;
};

/** The clients of differences that are all of clients that went, or all of those that came. */
function clientsOnly(
  rows: readonly ChangeRow[],
): { readonly when: 'gone' | 'came'; readonly clientIds: ReadonlySet<string> } | undefined {
  const [first] = rows;
  const isAlike = rows.every(({ list, kind }) => list === 'clients' && kind === first?.kind);
  return isAlike && (first?.kind === 'gone' || first?.kind === 'came')
    ? { when: first.kind, clientIds: new Set(rows.flatMap(({ clientId }) => clientId ?? [])) }
    : undefined;
}

const ChangeGroups = (props: ListProps & { readonly by: ChangeGrouping }): ReactNode => {
  const { width, height, rows, pair, message, by, only, go, notify } = props;
  const { showAt } = use(CompareContext);
  const grouping = groupingOf(by);
  const groups = useMemo(() => (grouping === undefined ? [] : groupRows(rows, grouping)), [rows, grouping]);
  const shownColumns = useMemo(() => groupColumns(by), [by]);
  const list = useList({
    listKey: placeKey({ screen: 'compare', groups: by, only }),
    table: 'groups',
    rows: groups,
    columns: shownColumns,
    data: undefined,
    getId: groupIdentity,
    initialSort: byCount,
    generation: undefined,
    noun: compareTexts.groupNoun,
    title: compareTexts.title,
    message: { text: safe` ${message}` },
    onOpen: ({ value }) => {
      const kind = clientsOnly(rows.filter((row) => grouping?.valueOf(row) === value));
      if (pair === undefined || kind === undefined) go({ screen: 'compare', only: [...(only ?? []), { by, value }] });
      else
        showAt(kind.when === 'gone' ? pair.first : pair.isNow ? 'now' : pair.second, () => {
          const name =
            kind.when === 'gone'
              ? compareTexts.goneBy(clockText(pair.second.at.wallMs))
              : compareTexts.cameAfter(clockText(pair.first.at.wallMs));
          go({ screen: 'clients', scope: { kind: 'found', name, atMs: shownNowMs(), clientIds: kind.clientIds } });
        });
    },
    copyText: ({ value }) => value ?? '',
    width,
    height,
    notify,
  });
  useGroupKey(props, () => rows);
  return <ListView list={list} />;
};
