import { type ReactNode, useReducer } from 'react';
import { afterEach, describe, expect, test } from 'vitest';
import { ClientsScreen } from '../../../src/resources/clients/screen.tsx';
import { RoutesScreen } from '../../../src/resources/routes/screen.tsx';
import { safe } from '../../../src/terminal/safe-text.ts';
import { chooserHeight, type ChooserItem, chooserLines } from '../../../src/tui/list/list-columns.tsx';
import { ListMemoryProvider } from '../../../src/tui/list/list-state.ts';
import { readingsOf } from '../../support/readings.ts';
import { plainFrame } from '../../screens/frames.ts';
import {
  clientOf,
  createFakeMonitor,
  type FakeMonitor,
  figuresOf,
  infoOf,
  propsOf,
  ready,
  scanOf,
  tableOf,
} from '../../screens/list-fixtures.ts';
import { asciiTheme, colorTheme, createRig, endRigs, plainTheme, type Rig } from '../support/rig.tsx';

afterEach(endRigs);

const node = 'broker1@127.0.0.1';
const [escape, right, left, down] = ['\u001B', '\u001B[C', '\u001B[D', '\u001B[B'];

const monitorOf = (count = 40): FakeMonitor => {
  const clients = Array.from({ length: count }, (_, index) =>
    clientOf(`sensor-${index}`, { username: `user-${index}` }),
  );
  const monitor = createFakeMonitor(readingsOf({ clientScan: scanOf(clients) }));
  monitor.setResources({ nodes: ready([infoOf(node)]), nodeStats: ready([figuresOf(node)]) });
  return monitor;
};

const open = async (
  size: readonly [number, number] = [80, 18],
  monitor = monitorOf(),
  options: Parameters<typeof createRig>[1] = {},
): Promise<{ rig: Rig; monitor: FakeMonitor }> => {
  const rig = tableOf(
    createRig(<ClientsScreen {...propsOf(monitor, size)} />, { columns: size[0], rows: size[1], ...options }),
    size[0],
  );
  await rig.until((text) => text.includes('sensor-0'));
  return { rig, monitor };
};

const press = async (rig: Rig, key: string, shows: RegExp): Promise<readonly string[]> => {
  rig.type(key);
  return rig.until((text) => shows.test(text));
};

const cursorLine = (rig: Rig): string => rig.lines().find((line) => line.startsWith('▸')) ?? '';
const headers = (rig: Rig): readonly string[] =>
  (rig.lines()[0] ?? '')
    .replace(/ +\+\d+→ *$/u, '')
    .trim()
    .split(/\s{2,}/);

/** Columns that have no room. */
const hiddenCount = (rig: Rig): number => Number(/\+(\d+)→/u.exec(rig.lines()[0] ?? '')?.[1]);

/** Moves the cursor of the chooser to a column. */
const goTo = async (rig: Rig, name: string): Promise<void> => {
  const line = new RegExp(`▸\\[.\\] ${name}`, 'u');
  for (let moves = 0; moves < 30 && !line.test(rig.lines().join('\n')); moves += 1) {
    const before = rig.lines().join('\n');
    rig.type('j');
    await rig.until((text) => text !== before);
  }
};

describe('C', () => {
  test('lists the columns with their state, below the list', async () => {
    const { rig } = await open();
    const lines = await press(rig, 'C', /Columns/);
    const at = lines.findIndex((line) => line.includes('── Columns ──'));
    expect(at).toBe(9);
    expect(lines).toHaveLength(18);
    expect(lines[at]).toMatch(/── Columns ─+ 5 of \d+ shown · 1-8 ─$/);
    expect(lines[at + 1]).toMatch(/▸\[x\] CLIENT ID ▲.*.* wide.*always first/u);
    expect(lines[at + 2]).toMatch(/^ \[x\] NODE /);
    expect(lines.slice(at).join('\n')).toMatch(/ \[ \] KEEPALIVE .* .* wide.*no room: Space shows it/u);
    // The list ends above it, with its footer.
    expect(lines[at - 1]).toContain('showing 40 of 40');
  });

  test('hides and shows columns at once', async () => {
    const { rig } = await open();
    const first = headers(rig);
    expect(first).toContain('NODE');
    expect(first).not.toContain('KEEPALIVE');
    const hidden = hiddenCount(rig);
    await press(rig, 'C', /▸\[x\] CLIENT ID/);
    await press(rig, 'j', /▸\[x\] NODE/);
    await press(rig, ' ', /▸\[ \] NODE.*hidden/);
    // Another one takes its room.
    expect(headers(rig)).toHaveLength(first.length);
    expect(headers(rig)).toEqual(expect.arrayContaining(first.filter((name) => name !== 'NODE')));
    expect(headers(rig)).not.toContain('NODE');
    expect(hiddenCount(rig)).toBe(hidden - 1);
    expect(rig.lines().join('\n')).toContain('1 column hidden');
    await goTo(rig, 'KEEPALIVE');
    await press(rig, ' ', /▸\[x\] KEEPALIVE/);
    expect(headers(rig)).toContain('KEEPALIVE');
    await press(rig, ' ', /▸\[ \] KEEPALIVE.*hidden/);
    await press(rig, 'r', /▸\[ \] KEEPALIVE.*no room/);
    expect(headers(rig)).toEqual(first);
  });

  test('hides a chosen column that has no room', async () => {
    const { rig } = await open([60, 18]);
    await press(rig, 'C', /▸\[x\] CLIENT ID/);
    await press(rig, 'j', /▸\[x\] NODE/);
    await press(rig, ' ', /▸\[ \] NODE.*hidden/);
    await press(rig, ' ', /▸\[x\] NODE/);
    await press(rig, 'j', /▸\[ \] USERNAME/);
    await press(rig, ' ', /▸\[x\] USERNAME/);
    await goTo(rig, 'ADDRESS');
    await rig.until((text) => /▸\[ \] ADDRESS .*no room: Space shows it/u.test(text));
    await press(rig, ' ', /▸\[ \] ADDRESS .*no room: scroll with →/u);
    await press(rig, ' ', /▸\[ \] ADDRESS .*hidden/);
    await press(rig, ' ', /▸\[ \] ADDRESS .*no room: scroll with →/u);
    expect(headers(rig)).toEqual(['CLIENT ID ▲', 'NODE', 'USERNAME']);
  });

  test('refuses to hide or move the identity, with a message', async () => {
    const { rig, monitor } = await open();
    await press(rig, 'C', /▸\[x\] CLIENT ID/);
    rig.type(' ');
    rig.type('>');
    await press(rig, 'j', /▸\[x\] NODE/);
    expect(monitor.notices).toEqual(Array.from({ length: 2 }, () => 'CLIENT ID is always shown first'));
    // Nor does anything come before it.
    rig.type('<');
    await press(rig, 'k', /▸\[x\] CLIENT ID/);
    expect(headers(rig).slice(0, 2)).toEqual(['CLIENT ID ▲', 'NODE']);
  });

  test('moves a column to either side', async () => {
    const { rig } = await open([200, 30]);
    await press(rig, 'C', /▸\[x\] CLIENT ID/);
    await press(rig, 'j', /▸\[x\] NODE/);
    await press(rig, '>', /\[x\] USERNAME[^\n]*\n▸\[x\] NODE/);
    expect(headers(rig).slice(0, 3)).toEqual(['CLIENT ID ▲', 'USERNAME', 'NODE']);
    await press(rig, 'J', /\[.\] (?!USERNAME)[^\n]*\n▸\[x\] NODE/);
    await press(rig, 'K', /\[x\] USERNAME[^\n]*\n▸\[x\] NODE/);
    await press(rig, '\u001B[1;2A', /CLIENT ID[^\n]*\n▸\[x\] NODE/);
    expect(headers(rig).slice(0, 3)).toEqual(['CLIENT ID ▲', 'NODE', 'USERNAME']);
  });

  test('widens and narrows from the displayed width, once per key', async () => {
    const { rig } = await open();
    await press(rig, 'C', /▸\[x\] CLIENT ID/);
    const before = Number(/▸\[x\] CLIENT ID ▲ +(\d+) wide/.exec(rig.lines().join('\n'))?.[1]);
    await press(rig, '+++', new RegExp(`CLIENT ID ▲ +${before + 3} wide, fixed`));
    await press(rig, `-${left}${left}${left}${left}`, new RegExp(`CLIENT ID ▲ +${before - 2} wide, fixed`));
    await press(rig, right, new RegExp(`CLIENT ID ▲ +${before - 1} wide, fixed`));
    expect((rig.lines()[0] ?? '').indexOf('NODE')).toBe(1 + before - 1 + 2);
  });

  test.each([escape, '\r', 'C', 'q'])('closes with %j', async (key) => {
    const { rig } = await open();
    await press(rig, 'C', /Columns/);
    rig.type(key);
    const lines = await rig.until((text) => !text.includes('── Columns'));
    expect(lines.filter((line) => line.includes('sensor-'))).toHaveLength(16);
  });

  test('hides the keys of the list and of the program', async () => {
    const { rig, monitor } = await open();
    await press(rig, 'C', /▸\[x\] CLIENT ID/);
    rig.type('/xdKaW:y');
    await press(rig, 'j', /▸\[x\] NODE/);
    expect(monitor.calls).toEqual([]);
    expect(monitor.places).toEqual([]);
    expect(rig.lines()[1]).toMatch(/^▸sensor-0 /);
  });

  test('stores the choice per table, for all scopes', async () => {
    const monitor = monitorOf();
    const props = propsOf(monitor, [80, 18]);
    const Screens = (): ReactNode => {
      const [step] = useReducer((count: number) => count + 1, 0);
      return <ClientsScreen {...props} key={step} />;
    };
    const rig = createRig(
      <ListMemoryProvider>
        <Screens />
      </ListMemoryProvider>,
      { columns: 80, rows: 18 },
    );
    await rig.until((text) => text.includes('sensor-0'));
    await press(rig, 'C', /▸\[x\] CLIENT ID/);
    await press(rig, 'j', /▸\[x\] NODE/);
    await press(rig, ' ', /▸\[ \] NODE/);
    await press(rig, escape, /^(?![^]*── Columns)/);
    rig.rerender(
      <ListMemoryProvider>
        <RoutesScreen {...props} />
      </ListMemoryProvider>,
    );
    await rig.until((text) => text.includes('TOPIC FILTER'));
    expect(rig.lines().join('\n')).not.toContain('hidden');
    rig.rerender(
      <ListMemoryProvider>
        <ClientsScreen {...props} scope={{ kind: 'node', node }} />
      </ListMemoryProvider>,
    );
    await rig.until((text) => text.includes('sensor-0'));
    expect(rig.lines()[1]).toMatch(/CLIENT ID ▲ +USERNAME +ADDRESS/);
  });
});

describe('W', () => {
  test('shows every column, also hidden ones, at its natural width; the same key goes back', async () => {
    const { rig } = await open([300, 18]);
    await press(rig, 'C', /▸\[x\] CLIENT ID/);
    await press(rig, 'j', /▸\[x\] NODE/);
    await press(rig, ' ', /▸\[ \] NODE/);
    await press(rig, escape, /^(?![^]*── Columns)/);
    expect(headers(rig)).not.toContain('NODE');
    await press(rig, 'W', /WIDE · showing 40 of 40/);
    expect(hiddenCount(rig)).toBeNaN();
    for (const name of ['NODE', 'USERNAME', 'ADDRESS', 'PROTO', 'KEEPALIVE', 'CLEAN', 'CONNECTED', 'CONNECTED AT'])
      expect(headers(rig)).toContain(name);
    // As wide as the longest id on the screen, or the least that the column may have.
    expect(rig.lines()[1]).toMatch(/^▸sensor-0 +broker1 {2,}user-0 {4,}\S/);
    expect(rig.lines()[1]).toContain(' 10.2.4.17:51220 ');
    await press(rig, 'W', /^(?![^]*WIDE)/);
    expect(headers(rig)).not.toContain('NODE');
  });

  test('is also Ctrl-W, and scrolls to every column next to the identity', async () => {
    const { rig } = await open([80, 18]);
    await press(rig, '\u0017', /WIDE · showing/);
    const seen = new Set(headers(rig));
    const first = rig.lines()[1]?.slice(0, 12);
    for (let presses = 0; presses < 12 && !seen.has('CONNECTED AT'); presses += 1) {
      const before = rig.lines()[0];
      rig.type(right);
      await rig.until((text) => text.split('\n')[0] !== before);
      expect(rig.lines()[1]?.slice(0, 12)).toBe(first);
      expect(rig.lines()[0]).toMatch(/^ CLIENT ID ▲ +← /);
      for (const header of headers(rig)) {
        seen.add(header);
      }
    }
    for (const name of ['NODE', 'USERNAME', 'ADDRESS', 'PROTO', 'KEEPALIVE', 'CLEAN', 'CONNECTED', 'CONNECTED AT']) {
      expect([...seen].map((header) => header.replace(/^← /, ''))).toContain(name);
    }
  });

  test('cuts nothing that fits', async () => {
    const name = `tenant/${'x'.repeat(70)}/end`;
    const monitor = createFakeMonitor(
      readingsOf({
        clientScan: scanOf([clientOf(name, { username: `${name}-user`, keepaliveSeconds: 1_234_567_890 })]),
      }),
    );
    const rig = createRig(<ClientsScreen {...propsOf(monitor, [600, 18])} />, { columns: 600, rows: 18 });
    await rig.until((text) => text.includes('tenant'));
    expect(rig.lines()[1]).not.toContain(`${name}-user`);
    await press(rig, 'W', /WIDE/);
    for (const whole of [`▸${name} `, `${name}-user`, '1,234,567,890 s']) {
      expect(rig.lines()[1]).toContain(whole);
    }
  });

  test('ends when the chooser opens, because a choice would have no visible effect', async () => {
    const { rig } = await open();
    await press(rig, 'W', /WIDE/);
    await press(rig, 'C', /▸\[x\] CLIENT ID/);
    expect(rig.lines().join('\n')).not.toContain('WIDE');
  });

  test('columns do not jump while the cursor goes through rows of other lengths', async () => {
    const clients = Array.from({ length: 60 }, (_, index) =>
      clientOf(`c-${String(index).padStart(2, '0')}${index === 40 ? 'x'.repeat(40) : ''}`),
    );
    const monitor = createFakeMonitor(readingsOf({ clientScan: scanOf(clients) }));
    const rig = createRig(<ClientsScreen {...propsOf(monitor, [120, 18])} />, { columns: 120, rows: 18 });
    await rig.until((text) => text.includes('c-00'));
    await press(rig, 'W', /WIDE/);
    const at = (): number => (rig.lines()[0] ?? '').indexOf('NODE');
    const narrow = at();
    await press(rig, 'G', /▸c-59/);
    expect(at()).toBe(narrow);
    await press(rig, '\u0002', /c-40xxxxx/);
    const wide = at();
    await press(rig, 'g', /▸c-00/);
    expect(at()).toBe(wide);
  });
});

describe('sorting', () => {
  test('scrolls to the column, at offset 0, scrolled, and in the wide view', async () => {
    const all = headers((await open([400, 14])).rig);
    const [beforeLast, last] = all.slice(-2);
    const shows = (name: string | undefined): RegExp => new RegExp(`^ CLIENT ID [^\\n]* ${name} [▲▼]`, 'u');
    const { rig } = await open([60, 14]);
    expect(headers(rig)).not.toContain('USERNAME');
    await press(rig, '>', /NODE ▲/);
    await press(rig, '>', /USERNAME ▲/);
    expect(rig.lines()[0]).toMatch(/^ CLIENT ID +NODE +USERNAME ▲/);
    await press(rig, right + right, /^ CLIENT ID +← /);
    // The footer names it too: this is about the header.
    await press(rig, '<<<', shows(last));
    await press(rig, '<', shows(beforeLast));
    await press(rig, '>>>', shows('NODE'));
    await press(rig, '<<', shows(last));
    await press(rig, 'W', /WIDE/);
    await press(rig, '<', shows(beforeLast));
    const lines = await press(rig, '>>>', shows('NODE'));
    expect(lines[0]).not.toContain('←');
  });

  test('by the chooser: numbers start with the largest, again reverses, and a hidden column is shown', async () => {
    const { rig } = await open([80, 24]);
    await press(rig, 'C', /▸\[x\] CLIENT ID ▲/);
    await press(rig, 'G', /Columns/);
    await goTo(rig, 'KEEPALIVE +11 wide +no room');
    await press(rig, 's', /▸\[x\] KEEPALIVE ▼/);
    expect(headers(rig)).toContain('KEEPALIVE ▼');
    await press(rig, 's', /▸\[x\] KEEPALIVE ▲/);
    await press(rig, ' ', /▸\[ \] KEEPALIVE ▲.*hidden/);
    expect(headers(rig)).not.toContain('KEEPALIVE ▲');
    await press(rig, 's', /▸\[x\] KEEPALIVE ▼/);
    await press(rig, 'k'.repeat(30), /▸\[x\] CLIENT ID/);
    await press(rig, 's', /▸\[x\] CLIENT ID ▲/);
    expect(headers(rig)[0]).toBe('CLIENT ID ▲');
  });

  test('reports a list that cannot be sorted', async () => {
    const monitor = createFakeMonitor(readingsOf({ routeScan: scanOf([{ topic: 'a/b', node }]) }));
    const rig = createRig(<RoutesScreen {...propsOf(monitor, [80, 24])} />, { columns: 80, rows: 24 });
    await rig.until((text) => text.includes('a/b'));
    await press(rig, 't', /\[\+\] a\//);
    await press(rig, 'C', /Columns/);
    rig.type('s');
    await expect.poll(() => monitor.notices).toContain('This list cannot be sorted');
  });

  test('skips hidden columns', async () => {
    const { rig } = await open();
    await press(rig, 'C', /▸\[x\] CLIENT ID/);
    await press(rig, 'j', /▸\[x\] NODE/);
    await press(rig, ' ', /▸\[ \] NODE/);
    await press(rig, escape, /^(?![^]*── Columns)/);
    rig.type('>');
    await rig.until((text) => / ▲/.test(text.split('\n')[0]?.replace('ID ▲', '') ?? ''));
    expect(headers(rig)).toContain('USERNAME ▲');
  });
});

test('in a tree, where the arrows fold, Shift scrolls', async () => {
  const monitor = createFakeMonitor(readingsOf({ routeScan: scanOf([{ topic: 'a/b', node }]) }));
  const rig = createRig(<RoutesScreen {...propsOf(monitor, [60, 14])} />, { columns: 60, rows: 14 });
  await rig.until((text) => text.includes('a/b'));
  await press(rig, 't', /\[\+\] a\//);
  await press(rig, 'W', /WIDE/);
  expect(rig.lines()[0]).toMatch(/\+\d→/);
  await press(rig, '\u001B[1;2C', /^ TOPIC FILTER +←/);
});

describe('chooserLines', () => {
  const item = (id: string, patch: Partial<ChooserItem> = {}): ChooserItem => ({
    id,
    header: safe`A HEADER THAT IS LONGER THAN ITS PLACE`,
    isSticky: false,
    isShown: true,
    isHidden: false,
    isWanted: false,
    width: 12,
    isWidthSet: false,
    sort: undefined,
    ...patch,
  });
  const items = [
    item('0', { isSticky: true }),
    ...Array.from({ length: 11 }, (_, index) =>
      item(String(index + 1), { isShown: index % 2 === 0, isHidden: index % 3 === 0 }),
    ),
  ];

  test.each([
    [60, 5],
    [80, 9],
    [200, 13],
    [80, 1],
  ] as const)('fills %i by %i exactly in every theme, with the cursor', (width, height) => {
    for (const theme of [colorTheme, plainTheme, asciiTheme]) {
      for (const { id } of items) {
        const lines = plainFrame(chooserLines(theme, width, height, items, id), width, height);
        expect(lines.filter((line) => /^[▸>]\[/.test(line))).toHaveLength(height === 1 ? 0 : 1);
      }
    }
  });

  test('uses at most half of the height, and no more than it needs', () => {
    expect(chooserHeight(3, 40)).toBe(4);
    expect(chooserHeight(20, 40)).toBe(20);
    expect(chooserHeight(9, 9)).toBe(4);
  });
});

test('a list that does not fit shows the position of the cursor', async () => {
  const { rig } = await open([80, 18], monitorOf(2_000));
  expect(rig.lines().at(-1)).toContain('showing 2,000 of 2,000 · row 1 ·');
  await press(rig, down, /· row 2 ·/);
  await press(rig, 'G', /· row 2,000 ·/);
  expect(cursorLine(rig)).toContain('sensor-1999');
});
