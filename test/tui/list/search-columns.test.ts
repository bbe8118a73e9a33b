import { describe, expect, test } from 'vitest';
import { clientColumnsFor } from '../../../src/resources/clients/view/columns.ts';
import { gauge, type NodeRow } from '../../../src/resources/nodes/select.ts';
import { nodeColumns } from '../../../src/resources/nodes/view/columns.ts';
import { unknownRates } from '../../../src/resources/sessions/history.ts';
import { sessionColumns } from '../../../src/resources/sessions/screen.tsx';
import { filterErrorTexts, parseFilter } from '../../../src/table/filter.ts';
import { createTableView } from '../../../src/table/table-view.ts';
import { createTheme } from '../../../src/terminal/theme.ts';
import { cellContext } from '../../../src/tui/components/column.ts';
import { searchColumns } from '../../../src/tui/list/use-filter.ts';
import type { ListColumn } from '../../../src/tui/list/use-list.tsx';
import { brokerClock, clientOf, figuresOf, infoOf, sessionOf } from '../../screens/list-fixtures.ts';

const theme = createTheme({});
const clocks = { clockOf: () => brokerClock };

const viewOf = <Row, Data>(columns: readonly ListColumn<Row, Data>[], data: Data) => {
  const searched = searchColumns(theme, columns, () => data);
  const view = createTableView(searched, theme.escape);
  return (rows: readonly Row[], filter: string): readonly Row[] =>
    view.query({ rows, filter: parseFilter(filter, searched), sortColumnId: undefined, isDescending: false, data })
      .rows;
};

/** Every cell that these rows show, as a filter of its column. */
const unfound = <Row, Data>(
  columns: readonly ListColumn<Row, Data>[],
  data: Data,
  rows: readonly Row[],
): readonly string[] => {
  const find = viewOf(columns, data);
  return rows.flatMap((row) =>
    columns.flatMap((column) => {
      const shown = column.format(row, cellContext(theme, 200, data));
      const filter = `${column.id}:"${shown}"`;
      return shown.includes('"') || find(rows, filter).includes(row) ? [] : [filter];
    }),
  );
};

describe('a filter of a column', () => {
  const hostile = clientOf('esc\u001B[31m\u202E ', {
    username: ' lead',
    ipAddress: undefined,
    protocolVersion: 5,
    cleanSession: false,
    connectedAt: undefined,
    node: undefined,
    unparsed: { connectedAt: 'soon\u0007' },
  });

  test('finds each row by each displayed cell', () => {
    expect(unfound(clientColumnsFor(80), clocks, [clientOf('plain', { keepaliveSeconds: 0 }), hostile])).toEqual([]);
    const sessions = [
      sessionOf('plain'),
      sessionOf('full', { inflight: 32, queueLength: 1_000, dropped: 101_830, node: 'broker1@127.0.0.1' }),
    ].map((session) => ({ session, rates: unknownRates }));
    expect(unfound(sessionColumns(undefined), clocks, sessions)).toEqual([]);
    const node: NodeRow = {
      name: 'broker1@127.0.0.1',
      status: 'running',
      statusText: 'Running',
      sinceMs: undefined,
      info: infoOf('broker1@127.0.0.1'),
      stats: figuresOf('broker1@127.0.0.1'),
      counts: undefined,
      listeners: undefined,
      memory: gauge(1, 2),
      processes: gauge(1, 2),
      fileDescriptors: gauge(1, 2),
    };
    expect(unfound(nodeColumns, { sinceReadSeconds: 3, oldSecondsOf: () => undefined }, [node])).toEqual([]);
  });

  test('finds empty cells only by ""', () => {
    const rows = [
      clientOf('empty', { username: '' }),
      clientOf('none'),
      clientOf('quotes', { username: '""' }),
      clientOf('in', { username: 'a""b' }),
    ];
    const find = viewOf(clientColumnsFor(80), clocks);
    const names = (filter: string): readonly string[] => find(rows, filter).map(({ clientId }) => clientId);
    expect(names('username:""')).toEqual(['empty']);
    expect(names('username:!""')).toEqual(['none', 'quotes', 'in']);
    expect(names('username:"')).toHaveLength(4);
    expect(names('""')).toHaveLength(4);
    const sessions = [sessionOf('s', { node: '' }), sessionOf('t', { node: 'a' })].map((session) => ({
      session,
      rates: unknownRates,
    }));
    expect(viewOf(sessionColumns(undefined), clocks)(sessions, 'node:"" s')).toHaveLength(1);
  });

  test('compares ages, as they are now', () => {
    const rows = [
      clientOf('old', { connectedAt: brokerClock - 8_040 }),
      clientOf('new', { connectedAt: brokerClock - 240 }),
      hostile,
    ];
    let now = brokerClock;
    const searched = searchColumns(theme, clientColumnsFor(80), () => ({ clockOf: () => now }));
    const view = createTableView(searched, theme.escape);
    const names = (filter: string): readonly string[] => {
      const parsed = parseFilter(filter, searched);
      expect(parsed.error).toBeUndefined();
      return view
        .query({ rows, filter: parsed, sortColumnId: undefined, isDescending: false, data: now })
        .rows.map(({ clientId }) => clientId);
    };
    expect(names('connected:<5m')).toEqual(['new']);
    expect(names('connected:>1h')).toEqual(['old']);
    expect(names('!connected:<5m')).toEqual(['old', hostile.clientId]);
    expect(names('connected:2h')).toEqual(['old']);
    const filter = parseFilter('connected:<5m', searched);
    const ask = (): number =>
      view.query({ rows, filter, sortColumnId: undefined, isDescending: false, data: now }).rows.length;
    expect(ask()).toBe(1);
    now += 100;
    expect(ask()).toBe(0);
    const created = searchColumns(theme, sessionColumns(undefined), () => clocks);
    const sessions = [sessionOf('s', { createdAt: brokerClock - 60 })].map((session) => ({
      session,
      rates: unknownRates,
    }));
    const find = viewOf(sessionColumns(undefined), clocks);
    expect([
      find(sessions, 'created:<2m').length,
      find(sessions, 'created:>2m').length,
      parseFilter('created:>5MB', created).error,
    ]).toEqual([1, 0, filterErrorTexts.otherUnit('created', '5MB', 'seconds')]);
  });

  test('knows the unit of each column', () => {
    const wrong = (columns: readonly ListColumn<never, never>[], filter: string): string | undefined =>
      parseFilter(
        filter,
        searchColumns(theme, columns, () => {
          throw new Error('not asked for');
        }),
      ).error;
    expect(wrong(clientColumnsFor(80), 'keepalive:>=5MB')).toContain('in seconds');
    expect(wrong(clientColumnsFor(80), 'keepalive:>=5m')).toBeUndefined();
    expect(wrong(nodeColumns, 'mem-used:>5m')).toContain('in bytes');
    expect(wrong(nodeColumns, 'mem-total:>=5GB')).toBeUndefined();
    expect(wrong(nodeColumns, 'uptime:<1h')).toBeUndefined();
    expect(wrong(nodeColumns, 'load1:>1h')).toContain('a count');
    expect(wrong(sessionColumns(undefined), 'queue/s:>1h')).toContain('a rate');
    expect(wrong(sessionColumns(undefined), 'queue:>2h')).toContain('a count');
  });

  test('matches displayed text, not the raw value', () => {
    const rows = [clientOf('plain'), hostile];
    const find = viewOf(clientColumnsFor(80), clocks);
    const names = (filter: string): readonly string[] => find(rows, filter).map(({ clientId }) => clientId);
    expect(names('proto:3.1.1')).toEqual(['plain']);
    expect(names('connected:2h')).toEqual(['plain']);
    expect(names('client-id:\\x1b')).toEqual([hostile.clientId]);
    expect(names('\\x20lead')).toEqual([hostile.clientId]);
    expect(names(`connected:${brokerClock - 8_040}`)).toEqual([]);
  });
});
