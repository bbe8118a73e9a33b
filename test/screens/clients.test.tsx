import { Text } from 'ink';
import { afterEach, expect, test } from 'vitest';
import { TimeoutError } from '../../src/api/errors.ts';
import type { Client } from '../../src/domain/client.ts';
import { steadyNowMs } from '../../src/monitor/clock.ts';
import { watchKey } from '../../src/monitor/query/part.ts';
import { ClientsScreen } from '../../src/resources/clients/screen.tsx';
import { filterErrorTexts } from '../../src/table/filter.ts';
import { clipboardCode } from '../../src/tui/hooks/use-terminal.ts';
import { ListMemoryProvider } from '../../src/tui/list/list-state.ts';
import { isScanStale } from '../../src/resources/view/scan-list.ts';
import { listTexts } from '../../src/tui/list/texts.ts';
import { patched, readingsOf } from '../support/readings.ts';
import { any, matching } from '../support/texts.ts';
import { cellsByHeader } from '../tui/support/cells.ts';
import { asciiTheme, colorTheme, createRig, endRigs, type Rig } from '../tui/support/rig.tsx';
import {
  brokerClock,
  clientOf,
  createFakeMonitor,
  type FakeMonitor,
  figuresOf,
  infoOf,
  linesWithoutPanels,
  propsOf,
  readWhole,
  ready,
  roomyColumns,
  scanOf,
  sizes,
  tableOf,
} from './list-fixtures.ts';

afterEach(endRigs);

const node1 = 'broker1@127.0.0.1';
const node2 = 'broker2@127.0.0.1';
const escape = '\u001B';

const sensors = (count: number) =>
  Array.from({ length: count }, (_, index) =>
    clientOf(`sensor-${index}`, {
      connectedAt: brokerClock - index * 100,
      username: index % 2 === 0 ? undefined : 'factory-a',
      port: 40_000 + index,
      node: index % 2 === 0 ? node1 : node2,
    }),
  );

const monitorOf = (patch: Parameters<typeof createFakeMonitor>[0] = {}): FakeMonitor => {
  const monitor = createFakeMonitor(patched(readingsOf({ clientScan: scanOf(sensors(40)) }), patch));
  monitor.setResources({
    nodes: ready([infoOf(node1), infoOf(node2)]),
    nodeStats: ready([figuresOf(node1), figuresOf(node2)]),
  });
  return monitor;
};

const open = (monitor: FakeMonitor, size: readonly [number, number] = [120, 20]): Rig =>
  tableOf(createRig(<ClientsScreen {...propsOf(monitor, size)} />, { columns: size[0], rows: size[1] }), size[0]);

const cursorLine = (rig: Rig): string => rig.lines().find((line) => line.startsWith('▸')) ?? '';
const lastLine = (rig: Rig): string => rig.lines().at(-1) ?? '';

const press = async (rig: Rig, key: string, shows: string | RegExp): Promise<void> => {
  rig.type(key);
  await rig.until((text) => (typeof shows === 'string' ? text.includes(shows) : shows.test(text)));
};

test('says once that there is nothing to move through before the first rows', async () => {
  const said: (string | undefined)[] = [];
  const monitor = monitorOf(
    readingsOf({ clientScan: scanOf<Client>([], { phase: 'running', finishedAtMs: undefined }) }),
  );
  const rig = createRig(
    <ClientsScreen
      {...propsOf(monitor, [120, 20])}
      notify={(text) => {
        said.push(text);
      }}
    />,
    { columns: 120, rows: 20 },
  );
  await rig.until((text) => text.includes('··· loading the clients') && text.includes('showing –'));
  for (const key of ['G', 'j', '\r']) rig.type(key);
  await expect.poll(() => said).toEqual(['The list has not loaded yet']);
  monitor.set(readingsOf({ clientScan: scanOf(sensors(40)) }));
  await rig.until((text) => text.includes('showing 40 of 40'));
  await press(rig, 'j', /▸sensor-1 /u);
  monitor.set(readingsOf({ clientScan: scanOf<Client>([], { phase: 'complete' }) }));
  await rig.until((text) => text.includes('showing 0 of 0'));
  await press(rig, 'x', 'showing 0 of 0');
  expect(said.filter((text) => text === 'The list has not loaded yet')).toHaveLength(1);
});

test('shows the filter as typed, also without Unicode', async () => {
  const monitor = monitorOf();
  const rig = createRig(<ClientsScreen {...propsOf(monitor, [120, 20])} />, {
    columns: 120,
    rows: 20,
    theme: asciiTheme,
  });
  await rig.until((text) => text.includes('sensor-3'));
  await press(rig, '/', '~fuzzy');
  rig.type('~sn3');
  await rig.until((text) => text.includes('/ ~sn3'));
  rig.type('\r');
  const lines = await rig.until((text) => text.includes('Esc clears'));
  expect(lines.join('\n')).toContain('/ ~sn3');
});

test('shows a keepalive of 0 as none', async () => {
  const monitor = createFakeMonitor(readingsOf({ clientScan: scanOf([clientOf('pump', { keepaliveSeconds: 0 })]) }));
  const rig = open(monitor, [200, 20]);
  const lines = await rig.until((text) => text.includes('pump'));
  expect(lines[1]).toMatch(/ none /);
});

test.each(sizes)(
  'fills %i by %i with id and address in full, the short node, and the age from 80 columns',
  async (width, height) => {
    const rig = open(monitorOf(), [width, height]);
    const lines = await rig.until((text) => text.includes('sensor-3'));
    expect(lines).toHaveLength(linesWithoutPanels(width, height));
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(width);
    expect(lines[0]).toMatch(width < 80 ? /CLIENT ID ▲.*NODE.*ADDRESS/ : /CLIENT ID ▲.*NODE.*ADDRESS.*CONNECTED/);
    expect(lines[2]).toMatch(
      width < 80 ? /sensor-1 .* broker2 .*10\.2\.4\.17:40001/ : /sensor-1 .* broker2 .*10\.2\.4\.17:40001 .*1m 40s ago/,
    );
    expect(lines.at(-1)).toContain(' 40 of 40 ');
    expect(lines.at(-1)).toMatch(/read \d+ s ago/u);
  },
);

test('shows all columns in a table of 200 columns, with the time of connection as sent by the broker', async () => {
  const [header = '', , second = ''] = await open(monitorOf(), [roomyColumns, 54]).until((text) =>
    text.includes('sensor-1'),
  );
  expect(cellsByHeader(header, second)).toMatchObject({
    'CLIENT ID': 'sensor-1',
    NODE: 'broker2',
    USERNAME: 'factory-a',
    ADDRESS: '10.2.4.17:40001',
    PROTO: '3.1.1',
    KEEPALIVE: '60 s',
    CLEAN: 'yes',
    CONNECTED: '1m 40s ago',
    'CONNECTED AT': '2026-03-01 14:05:00',
  });
});

test('shows unknown values as –, and unparsed ones as sent', async () => {
  const odd = clientOf('odd', {
    ipAddress: undefined,
    port: undefined,
    cleanSession: undefined,
    protocolVersion: undefined,
    keepaliveSeconds: undefined,
    connectedAt: undefined,
    node: undefined,
    unparsed: { connectedAt: 'noon', keepaliveSeconds: 'long' },
  });
  const zero = clientOf('zero', {
    ipAddress: '::1',
    port: 0,
    keepaliveSeconds: 0,
    protocolVersion: 9,
    cleanSession: false,
    connectedAt: brokerClock + 60,
  });
  const lines = await open(monitorOf(readingsOf({ clientScan: scanOf([odd, zero]) })), [roomyColumns, 20]).until(
    (text) => text.includes('zero'),
  );
  expect(cellsByHeader(lines[0], lines[1])).toMatchObject({
    'CLIENT ID': 'odd',
    NODE: '–',
    USERNAME: '–',
    ADDRESS: '–',
    PROTO: '–',
    KEEPALIVE: 'long',
    CLEAN: '–',
    CONNECTED: 'noon',
    'CONNECTED AT': 'noon',
  });
  expect(lines[2]).toMatch(/\[::1\]:0 .*level 9 .* none .*no .*in 59 s|\[::1\]:0 .*level 9 .* 0 s .*no .*in 1m 00s/);
});

test('shows only the found clients of its scope, and when they were found', async () => {
  const monitor = monitorOf();
  const scope = {
    kind: 'found',
    name: 'reconnected',
    atMs: new Date(2026, 0, 2, 3, 4, 5).getTime(),
    clientIds: new Set(['sensor-3', 'sensor-7', 'gone']),
  } as const;
  const rig = createRig(<ClientsScreen {...propsOf(monitor, [80, 18])} scope={scope} />, { columns: 80, rows: 18 });
  const lines = await rig.until((text) => text.includes('2 of 2'));
  expect(lines[0]).toContain('Clients › reconnected: 3 clients found at 03:04:05');
  expect(lines.filter((line) => line.includes('sensor-')).map((line) => line.slice(1, 9))).toEqual([
    'sensor-3',
    'sensor-7',
  ]);
  expect(lines.join('\n')).toContain('1 of 3 not connected right now');
  const away = createRig(
    <ClientsScreen {...propsOf(monitor, [80, 18])} scope={{ ...scope, clientIds: new Set(['away-1', 'away-2']) }} />,
    { columns: 80, rows: 18 },
  );
  await away.until((text) => text.includes('None of these 2 clients is connected right now.'));
});

test('escapes a hostile id', async () => {
  const hostile = clientOf(`${escape}]0;owned\u0007\u202Eevil`);
  const rig = open(monitorOf(readingsOf({ clientScan: scanOf([hostile, clientOf('x'.repeat(65_000))]) })), [200, 20]);
  const lines = await rig.until((text) => text.includes('owned'));
  expect(lines[1]).toContain(String.raw`\x1b]0;owned\x07\u202eevil`);
  expect(rig.raw()).not.toContain(`${escape}]`);
  expect(lines[2]).toContain('xxx…');
});

test.each([colorTheme, asciiTheme])('shows the ends of ids that do not fit', async (theme) => {
  const ids = ['1', '2'].map((end) => `long-${'x'.repeat(70)}${end}`);
  const rig = createRig(
    <ClientsScreen
      {...propsOf(monitorOf(readingsOf({ clientScan: scanOf(ids.map((id) => clientOf(id))) })), [80, 18])}
    />,
    { columns: 80, rows: 18, theme },
  );
  const lines = await rig.until((text) => text.includes('long-'));
  const mark = theme === asciiTheme ? '~' : '…';
  const shown = lines.slice(1, 3).map((line) => line.slice(1).split(/\s/u)[0] ?? '');
  expect(shown.map((id) => id.replaceAll(/x+/gu, 'x'))).toEqual([`long-x${mark}x1`, `long-x${mark}x2`]);
});

test("computes ages with the clock of the client's node", async () => {
  const monitor = monitorOf(
    readingsOf({
      clientScan: scanOf([
        clientOf('a', { node: node1, connectedAt: brokerClock - 60 }),
        clientOf('b', { node: node2, connectedAt: brokerClock - 60 }),
      ]),
    }),
  );
  monitor.setResources({ nodes: ready([infoOf(node1), infoOf(node2, { clock: brokerClock + 7_200 })]) });
  const lines = await open(monitor).until((text) => text.includes('ago'));
  expect(lines[1]).toMatch(/1m 0\ds ago/);
  expect(lines[2]).toMatch(/2h 01m ago/);
});

test('shows no age without a clock', async () => {
  const monitor = monitorOf();
  monitor.setResources({ nodes: ready([infoOf(node1, { clock: undefined }), infoOf(node2, { clock: undefined })]) });
  const lines = await open(monitor, [80, 18]).until((text) => text.includes('sensor-1'));
  expect(lines[1]?.trim()).toMatch(/ –$/);
});

test('shows loading, empty, failed, partial and stopped differently', async () => {
  const nothing = scanOf([], { coverage: new Map(), startedAtMs: undefined, finishedAtMs: undefined });
  const texts = new Map<string, string>();
  const error = new TimeoutError(5_000);
  const failed = new Map([[node1, { ...readWhole(0), isComplete: false, error }]]);
  const states = {
    loading: { ...nothing, phase: 'running' as const },
    empty: scanOf([]),
    failed: { ...nothing, phase: 'idle' as const, error },
    unread: scanOf([], { phase: 'partial', coverage: failed }),
    stopped: { ...nothing, phase: 'aborted' as const },
  };
  for (const [name, clientScan] of Object.entries(states)) {
    const rig = open(monitorOf(readingsOf({ clientScan })), [200, 12]);
    texts.set(name, rig.lines().slice(1).join('\n'));
  }
  expect(texts.get('loading')).toContain('··· loading the clients');
  expect(texts.get('empty')).toContain('No clients are connected.');
  expect(texts.get('failed')).toMatch(
    /! Cannot load clients, retry in .*\. The broker did not respond within 5 s\. I/u,
  );
  expect(texts.get('unread')).toMatch(/! broker1: not read, .*: no response within 5 s \(L: log\)/u);
  expect(texts.get('stopped')).toContain('Stopped before the first client was read.');
  expect(new Set(texts.values()).size).toBe(5);
});

test('shows the progress of a scan, with the client counts of nodes not read yet', () => {
  const coverage = new Map([
    [node1, { ...readWhole(300), expected: 400, isComplete: false }],
    [node2, { read: 0, expected: undefined, isComplete: false, error: undefined }],
  ]);
  const monitor = monitorOf(
    readingsOf({ clientScan: scanOf(sensors(3), { phase: 'running', coverage, requests: 1 }) }),
  );
  monitor.setResources({ nodeStats: ready([figuresOf(node1), figuresOf(node2, { clients: 400 })]) });
  expect(lastLine(open(monitor))).toContain('scanning 38 % · 1 request');
  monitor.setResources({ nodeStats: ready([figuresOf(node1)]) });
  expect(lastLine(open(monitor))).toContain('scanning, 300 read');
  // Of no clients, nothing has been read either.
  monitor.set(
    readingsOf({
      clientScan: scanOf([], {
        phase: 'running',
        coverage: new Map([[node1, { read: 0, expected: 0, isComplete: false, error: undefined }]]),
        requests: 0,
      }),
    }),
  );
  expect(lastLine(open(monitor))).toContain('scanning, 0 read');
});

test('keeps the rows of a failed node as OLD until it is read again', async () => {
  const failing = scanOf(sensors(4), {
    phase: 'partial',
    coverage: new Map([
      [node1, readWhole(2)],
      [node2, { ...readWhole(0), isComplete: false, error: new TimeoutError(5_000) }],
    ]),
  });
  const monitor = monitorOf(readingsOf({ clientScan: failing }));
  const rig = open(monitor);
  expect(rig.lines()[1]).not.toContain('OLD');
  expect(rig.lines()[2]).toContain('OLD');
  expect(lastLine(rig)).toMatch(/! broker2: not refreshed, its rows are OLD, .*: .*/u);
  expect(rig.lines().at(-2)).toContain('scanned 1 of 2 nodes');
  const rescan = {
    ...failing,
    phase: 'running' as const,
    coverage: new Map([
      [node1, readWhole(2)],
      [node2, { read: 0, expected: undefined, isComplete: false, error: undefined }],
    ]),
  };
  monitor.set(readingsOf({ clientScan: rescan }));
  await rig.until((text) => text.includes('scanning'));
  expect(rig.lines()[2]).toContain('OLD');
  monitor.set(
    readingsOf({
      clientScan: {
        ...rescan,
        phase: 'complete',
        coverage: new Map([
          [node1, readWhole(2)],
          [node2, readWhole(2)],
        ]),
      },
    }),
  );
  await rig.until((text) => /read \d+ s ago/u.test(text));
  expect(rig.lines().join('\n')).not.toContain('OLD');
});

test('says below the list what it leaves out, also during the next scan', async () => {
  const reading = (patch: object) => new Map([[node1, { ...readWhole(3), ...patch }]]);
  const bad = reading({ expected: 9, unusable: { count: 6, example: 'client_id: number' } });
  const monitor = monitorOf(readingsOf({ clientScan: scanOf(sensors(3), { coverage: bad, leftOut: bad }) }));
  const rig = open(monitor, [240, 20]);
  expect(lastLine(rig)).toContain('showing 3 of 3');
  expect(lastLine(rig)).toMatch(/read \d+ s ago · 6 invalid · 3 requests/u);
  monitor.set(
    readingsOf({
      clientScan: scanOf(sensors(3), {
        phase: 'running',
        coverage: reading({ read: 0, isComplete: false }),
        leftOut: bad,
      }),
    }),
  );
  await rig.until((text) => text.includes('scanning 0 % · 6 invalid'));

  const clientsOfNode1 = 'clients of broker1';
  const cut = reading({ isComplete: false, expected: 10 ** 15, cut: 'repeats' });
  monitor.set(readingsOf({ clientScan: scanOf(sensors(3), { phase: 'partial', coverage: cut, leftOut: cut }) }));
  await rig.until((text) =>
    matching(
      `! ${clientsOfNode1}: only 3 of 1,000,000,000,000,000 rows read (later pages had no new rows), ${listTexts.retryIn(any)}`,
    ).test(text),
  );
  expect(rig.lines().at(-2)).toMatch(/stopped at <?[01] %/u);

  const limited = reading({ isComplete: false, expected: 6, cut: 'rows' });
  monitor.set(
    readingsOf({ clientScan: scanOf(sensors(3), { phase: 'partial', coverage: limited, leftOut: limited }) }),
  );
  await rig.until((text) => text.includes(`! ${clientsOfNode1}: only 3 of 6 rows read (limit: --max-rows)`));
  expect(rig.lines().at(-2)).toContain('stopped at 50 %');

  monitor.setResources({
    nodeStats: { ...ready([figuresOf(node1), figuresOf(node2)]), unusable: { count: 1, example: 'name: number' } },
  });
  monitor.set(readingsOf({ clientScan: scanOf(sensors(3)) }));
  await rig.until((text) => text.includes('! 1 invalid node: their clients are not listed (L: log)'));
});

test('marks NEW and GONE rows, and changed cells bold', async () => {
  const [first = clientOf('none'), second = clientOf('none'), third = clientOf('none')] = sensors(3);
  const monitor = monitorOf(readingsOf({ clientScan: scanOf([first, second, third]) }));
  const rig = open(monitor);
  await rig.until((text) => text.includes('sensor-2'));
  const rows = [first, { ...second, username: 'factory-b' }, clientOf('sensor-9')];
  monitor.set(
    readingsOf({
      clientScan: scanOf(rows, { startedAtMs: steadyNowMs(), added: new Set(['sensor-9']), gone: [third] }),
    }),
  );
  await rig.until((text) => text.includes('NEW'));
  expect(rig.lines().find((line) => line.includes('sensor-9'))).toMatch(/NEW\s*$/);
  expect(rig.lines().find((line) => line.includes('sensor-2'))).toMatch(/GONE\s*$/);
  expect(lastLine(rig)).toContain('1 NEW · 1 GONE');
  expect(rig.raw()).toMatch(new RegExp(String.raw`${escape}\[1m\s*factory-b`));
});

test('counts matches while a filter is typed; Esc clears the filter before it goes back', async () => {
  const rig = open(monitorOf());
  await press(rig, '/', '/regex/');
  await press(rig, 'sensor-1', '11 of 40');
  await press(rig, '1', ' 1 of 40');
  expect(
    rig
      .lines()
      .slice(1, 3)
      .map((line) => line.slice(1, 10)),
  ).toEqual(['sensor-11', '']);
  await press(rig, '\r', 'Esc clears');
  expect(lastLine(rig)).toMatch(/^ \/ sensor-11 +Esc clears +1 of 40/);
  await press(rig, escape, 'showing 40 of 40');
  expect(lastLine(rig)).not.toContain('Esc clears');
});

test('Esc in the prompt restores filter and cursor', async () => {
  const rig = open(monitorOf());
  await press(rig, 'j', /▸sensor-1 /);
  await press(rig, 'j', /▸sensor-2 /);
  await press(rig, '/', '/regex/');
  await press(rig, 'factory', '20 of 40');
  expect(cursorLine(rig)).not.toContain('sensor-2 ');
  await press(rig, escape, 'showing 40 of 40');
  expect(cursorLine(rig)).toContain('sensor-2 ');
});

test('shows an invalid regular expression in the prompt line and no rows', async () => {
  const rig = open(monitorOf(), [80, 18]);
  await press(rig, '/', '/regex/');
  rig.type('/(/');
  await rig.until((text) => text.includes('Unterminated group'));
  expect(lastLine(rig)).toContain(' / /(/');
  expect(rig.lines().join('\n')).toContain('The filter cannot be applied, so no rows are shown.');
  expect(rig.lines().join('\n')).not.toContain('sensor-0');
});

test('with an unknown column in the filter * marks nothing', async () => {
  const rig = open(monitorOf(), [80, 18]);
  rig.type('/nowhere:x\r');
  await rig.until(
    (text) => text.includes('Esc clears') && text.includes('The filter cannot be applied, so no rows are shown.'),
  );
  rig.type('*');
  await press(rig, '\u001B', 'sensor-0');
  expect(rig.lines().join('\n')).not.toContain('marked');
});

test('shows the whole error above the filter, and the filter as typed', async () => {
  const rig = open(monitorOf(), [80, 18]);
  const unknown = filterErrorTexts.unknownColumn('drops', 'drops:7', []).slice(0, 30);
  rig.type(String.raw`/drops:7 \x1b`);
  const lines = await rig.until((text) => text.includes(unknown) && text.includes('x1b'));
  const at = lines.findIndex((line) => line.includes(`! ${unknown}`));
  expect(at).toBeGreaterThan(1);
  expect(lines.slice(at, -1).join(' ').replaceAll(/\s+/gu, ' ')).toContain('Columns: client-id, node, username,');
  expect(lines.at(-1)).toMatch(/^ \/ drops:7 \\x1b /u);
  expect(lines).toHaveLength(18);
  rig.type('\r');
  await rig.until((text) => text.includes('Esc clears'));
  expect(rig.lines().at(-1)).toMatch(/^ \/ drops:7 \\x1b /u);
});

test('a second Enter opens an id without a row', async () => {
  const monitor = monitorOf();
  const rig = open(monitor);
  await press(rig, '/', '/regex/');
  rig.type('Other-7');
  await rig.until((text) => text.includes('No client matches. Press Enter twice to open client "Other-7".'));
  rig.type('\r');
  await rig.until(
    (text) => text.includes('Esc clears') && text.includes('No client matches. Press Enter to open client "Other-7".'),
  );
  expect(monitor.places).toEqual([]);
  rig.type('\r');
  await expect.poll(() => monitor.places).toEqual([{ screen: 'client', clientId: 'Other-7' }]);
  rig.type(escape);
  await rig.until((text) => text.includes('showing 40 of 40'));
  expect(monitor.places).toHaveLength(1);
});

test('keeps a filter that is typed before the list is read', async () => {
  const monitor = createFakeMonitor(
    readingsOf({ clientScan: scanOf<Client>([], { phase: 'running', finishedAtMs: undefined }) }),
  );
  const rig = open(monitor);
  rig.type('/blk\r');
  await rig.until((text) => text.includes('··· loading the clients. Press Enter to open client "blk".'));
  expect(monitor.places).toEqual([]);
  monitor.set(readingsOf({ clientScan: scanOf([clientOf('blk-1'), clientOf('other'), clientOf('blk-2')]) }));
  await rig.until((text) => text.includes('showing 2 of 3'));
  expect(monitor.places).toEqual([]);
});

test('offers to open an id only for a plain text filter', async () => {
  const rig = open(monitorOf());
  await press(rig, '/', '/regex/');
  rig.type('node:nowhere');
  await rig.until((text) => text.includes('No client matches.'));
  expect(rig.lines().join('\n')).not.toContain('Enter opens');
});

test('a sort goes to its first row; Enter opens the row under the cursor', async () => {
  const monitor = monitorOf();
  const rig = open(monitor);
  await press(rig, 'j', /▸sensor-1 /);
  await press(rig, 's', /NODE ▲/);
  await press(rig, 'j', /\n▸/);
  await press(rig, '<', /CLIENT ID ▲/);
  await press(rig, 'j', /▸sensor-1 /);
  await press(rig, 'r', /CLIENT ID ▼/);
  const first = rig.lines().findIndex((line) => line.includes('CLIENT ID ▼')) + 1;
  expect(rig.lines()[first]).toMatch(/^▸/u);
  await press(rig, 'r', /CLIENT ID ▲/);
  await press(rig, 'j', /▸sensor-1 /);
  rig.type('\r');
  await press(rig, 'j', /▸sensor-2 /);
  expect(monitor.places).toEqual([{ screen: 'client', clientId: 'sensor-1' }]);
});

test('y copies the raw id, and x stops the scan', async () => {
  const monitor = monitorOf(readingsOf({ clientScan: scanOf([clientOf('a\u001Bb')]) }));
  const rig = open(monitor);
  const copied = rig.until(() => rig.clipboard() === clipboardCode('a\u001Bb'));
  rig.type('y');
  await copied;
  expect(monitor.notices).toEqual(["Sent to the terminal's clipboard: a\\x1bb"]);
  rig.type('x');
  await rig.until(() => monitor.notices.length > 1);
  expect(monitor.calls).toEqual(['abortScan']);
});

test('sends no codes to a plain terminal, and refuses to copy an oversized id', async () => {
  const plain = monitorOf();
  const rig = createRig(<ClientsScreen {...propsOf(plain, [80, 18])} />, { columns: 80, rows: 18, theme: asciiTheme });
  rig.type('y');
  await rig.until(() => plain.notices.length > 0);
  expect(plain.notices[0]).toBe('Not copied: this terminal does not support escape codes');
  expect(rig.raw()).not.toContain(escape);
  const long = monitorOf(readingsOf({ clientScan: scanOf([clientOf('é'.repeat(40_000))]) }));
  open(long).type('y');
  await rig.until(() => true);
  await expect.poll(() => long.notices[0]).toBe("Not copied: too long for the terminal's clipboard");
});

test('restores cursor, sort, filter and columns', async () => {
  const monitor = monitorOf();
  const screen = <ClientsScreen {...propsOf(monitor, [80, 18])} />;
  const rig = createRig(<ListMemoryProvider>{screen}</ListMemoryProvider>, { columns: 80, rows: 18 });
  await press(rig, '/', '/regex/');
  rig.type('factory');
  await rig.until((text) => text.includes('20 of 40'));
  await press(rig, '\r', 'Esc clears');
  await press(rig, 'r', 'CLIENT ID ▼');
  await press(rig, 'j', /▸sensor-37 /);
  await press(rig, '\u001B[C', /^ CLIENT ID ▼ +NODE +USERNAME/);
  const withoutAges = (lines: readonly string[]): readonly string[] =>
    lines.map((line) => line.replaceAll(/[\dhms ]+ ago/gu, ' … ago'));
  const before = withoutAges(rig.lines());
  rig.rerender(
    <ListMemoryProvider>
      <Text>elsewhere</Text>
    </ListMemoryProvider>,
  );
  await rig.until((text) => text === 'elsewhere');
  expect(monitor.watching).toEqual([]);
  rig.rerender(<ListMemoryProvider>{screen}</ListMemoryProvider>);
  expect(withoutAges(await rig.until((text) => text.includes('sensor')))).toEqual(before);
});

test('restores the filter after its id was opened', async () => {
  const monitor = monitorOf();
  const elsewhere = (
    <ListMemoryProvider>
      <Text>elsewhere</Text>
    </ListMemoryProvider>
  );
  // As in the program, the opened screen replaces the list.
  const screen = (
    <ListMemoryProvider>
      <ClientsScreen
        {...propsOf(monitor, [80, 18])}
        go={() => {
          rig.rerender(elsewhere);
        }}
      />
    </ListMemoryProvider>
  );
  const rig = createRig(screen, { columns: 80, rows: 18 });
  await press(rig, '/', '/regex/');
  rig.type('Other-7');
  await rig.until((text) => text.includes('Press Enter twice to open'));
  await press(rig, '\r', 'Press Enter to open');
  await press(rig, '\r', 'elsewhere');
  rig.rerender(screen);
  const lines = await rig.until((text) => text.includes('Esc clears'));
  expect(lines.at(-1)).toContain(' / Other-7 ');
});

test('watches only the scan and the clocks', async () => {
  const monitor = monitorOf();
  const rig = open(monitor);
  await rig.until(() => monitor.watching.length === 2);
  expect(monitor.watching.map(watchKey)).toEqual(['clientScan', 'nodes']);
  rig.unmount();
  expect(monitor.watching).toEqual([]);
});

test('says how old the rows are, also while they are read again', async () => {
  const now = steadyNowMs();
  const quick = { startedAtMs: now - 60_500, finishedAtMs: now - 60_000 };
  const monitor = monitorOf(readingsOf({ clientScan: scanOf(sensors(3), quick) }));
  const rig = open(monitor);
  expect(lastLine(rig)).toContain('read 1m 0');
  monitor.set(readingsOf({ clientScan: scanOf(sensors(3), { ...quick, phase: 'running', startedAtMs: now }) }));
  await rig.until((text) => text.includes('scanning'));
  expect(lastLine(rig)).toContain('read 1m 0');
});

test.each([
  [500, true],
  [1_500, true],
  [5_000, false],
])('rows of a scan that took %d ms are old after a minute: %s', (tookMs, isOld) => {
  const nowMs = 1_000_000;
  expect(
    isScanStale(scanOf(sensors(3), { startedAtMs: nowMs - 60_000 - tookMs, finishedAtMs: nowMs - 60_000 }), 2, nowMs),
  ).toBe(isOld);
});

test('shows signs of the program as typed in a filter', async () => {
  const monitor = monitorOf();
  const rig = createRig(<ClientsScreen {...propsOf(monitor, [80, 18])} />, {
    columns: 80,
    rows: 18,
    theme: asciiTheme,
  });
  await press(rig, '/', '/regex/');
  rig.type('r-0');
  const lines = await rig.until((text) => text.includes('1 of 40'));
  expect(lines.at(-1)).toMatch(/^ \/ r-0\| +1 of 40/);
});

test('shows the reason before the names of many unread nodes', () => {
  const failed = { ...readWhole(0), isComplete: false, error: new TimeoutError(5_000) };
  const coverage = new Map([
    [node1, failed],
    [node2, failed],
  ]);
  expect(
    lastLine(open(monitorOf(readingsOf({ clientScan: scanOf(sensors(3), { phase: 'partial', coverage }) })))),
  ).toMatch(/! all 2 nodes: not refreshed, their rows are OLD, retry in .*: no response within 5 s \(L: log\)/u);
});

test('shows a stopped node as stopped, not as without clients', async () => {
  const monitor = monitorOf(readingsOf({ seenNodes: new Map([[node2, { status: 'stopped', sinceMs: undefined }]]) }));
  monitor.setResources({ nodes: ready([infoOf(node1)]), nodeStats: ready([figuresOf(node1)]) });
  monitor.set(readingsOf({ clientScan: scanOf([clientOf('a', { node: node1 })]) }));
  const size = [120, 20] as const;
  const rig = createRig(<ClientsScreen {...propsOf(monitor, size)} scope={{ kind: 'node', node: node2 }} />, {
    columns: 120,
    rows: 20,
  });
  expect(await rig.until((text) => /No clients listed\. .*: .*\./u.test(text))).toContainEqual(
    expect.stringContaining(`No clients listed. ${node2}: stopped since before brokertop started.`),
  );
  expect(
    await open(monitor).until((text) => /.* of .* nodes not running: clients there are not listed/u.test(text)),
  ).toContainEqual(expect.stringContaining('1 of 2 nodes not running: clients there are not listed'));
});
