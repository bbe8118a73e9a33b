import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { openPreferences, readLastContext, stateFilePath } from '../../../src/cli/files/state-file.ts';
import type { TableColumns } from '../../../src/tui/list/list-state.ts';

let file: string;

beforeEach(async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'brokertop-state-'));
  file = path.join(folder, 'brokertop', 'state.json');
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
});

const columns: TableColumns = {
  isWide: true,
  choice: { order: ['b', 'a'], hidden: new Set(['c']), wanted: new Set(['d']), widths: new Map([['a', 12]]) },
};
const sort = { columnId: 'queue', isReversed: true };

test('keeps columns, sorts and the window for the next run, in a private file', async () => {
  const first = await openPreferences(file);
  expect(first).toMatchObject({ tables: {}, graphWindow: undefined });
  first.onChange({ tables: { clients: { columns } } });
  first.onChange({ tables: { sessions: { sort } } });
  first.onChange({ graphWindow: 2 });
  expect(first.tables).toEqual({ clients: { columns }, sessions: { sort } });
  await first.whenSaved();
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await readdir(path.dirname(file))).toEqual(['state.json']);
  const next = await openPreferences(file);
  expect(next.tables).toEqual({ clients: { columns, sort: undefined }, sessions: { columns: undefined, sort } });
  expect(next.graphWindow).toBe(2);
});

test('begins with what the configuration says, part by part', async () => {
  const usual = { clients: { columns, sort }, routes: { sort } };
  (await openPreferences(file, usual)).onChange({
    tables: { clients: { sort: { columnId: 'id', isReversed: false } } },
  });
  const first = await openPreferences(file, usual);
  await first.whenSaved();
  await expect
    .poll(async () => (await openPreferences(file, usual)).tables)
    .toEqual({ clients: { columns, sort: { columnId: 'id', isReversed: false } }, routes: { sort } });
});

test('remembers the context that was on the screen last', async () => {
  expect(await readLastContext(file)).toBeUndefined();
  const monitor = await openPreferences(file);
  monitor.noteContext('prod');
  monitor.onChange({ graphWindow: 1 });
  await monitor.whenSaved();
  expect(await readLastContext(file)).toBe('prod');
  const next = await openPreferences(file);
  next.noteContext(undefined);
  await next.whenSaved();
  expect(await readLastContext(file)).toBeUndefined();
  expect((await openPreferences(file)).graphWindow).toBe(1);
});

test.each<[string, () => Promise<void> | Buffer]>([
  ['a pipe', () => execFileSync('mkfifo', ['-m', '600', file])],
  ['a device', () => symlink('/dev/zero', file)],
  [
    'a file of a terabyte',
    async () => {
      await writeFile(file, '');
      await truncate(file, 2 ** 40);
    },
  ],
])('%s in its place does not keep the program from starting', async (_name, put) => {
  await mkdir(path.dirname(file), { mode: 0o700 });
  await put();
  expect(await readLastContext(file)).toBeUndefined();
  const preferences = await openPreferences(file);
  preferences.noteContext('prod');
  await preferences.whenSaved();
  expect(await readLastContext(file)).toBe('prod');
});

test('of two monitors neither loses what the other saved', async () => {
  const monitors = await Promise.all(Array.from({ length: 8 }, () => openPreferences(file)));
  for (const [index, { onChange }] of monitors.entries()) onChange({ tables: { [`table ${index}`]: { sort } } });
  await Promise.all(monitors.map(({ whenSaved }) => whenSaved()));
  expect(Object.keys((await openPreferences(file)).tables).toSorted()).toEqual(
    monitors.map((_, index) => `table ${index}`),
  );
});

test('keeps what was acknowledged, by cluster, also of two monitors of one', async () => {
  const acknowledgement = { note: 'Ann', atMs: 5, check: 'slow', severity: 'critical' } as const;
  const [one, two] = await Promise.all([openPreferences(file), openPreferences(file)]);
  one.acknowledge('prod', 'slow a', acknowledgement);
  two.acknowledge('prod', 'slow b', acknowledgement);
  two.acknowledge('test', 'slow c', acknowledgement);
  await Promise.all([one.whenSaved(), two.whenSaved()]);
  const next = await openPreferences(file);
  // Whichever wrote first.
  expect([next.acknowledgements('prod'), next.acknowledgements('none')]).toEqual([
    new Map([
      ['slow a', acknowledgement],
      ['slow b', acknowledgement],
    ]),
    new Map(),
  ]);
  next.acknowledge('prod', 'slow a', undefined);
  await next.whenSaved();
  expect([...(await openPreferences(file)).acknowledgements('prod').keys()]).toEqual(['slow b']);
});

test.each([
  'not JSON',
  '[]',
  '{"acknowledged":{"prod":7}}',
  '{"tables":7,"graphWindow":"wide"}',
  '{"tables":{"clients":{"sort":"queue"}},"graphWindow":-1}',
])('a file that is not as expected is an empty one, and is replaced: %s', async (text) => {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  await writeFile(file, text);
  const { tables, graphWindow, onChange, whenSaved } = await openPreferences(file);
  expect([tables, graphWindow]).toEqual([{}, undefined]);
  onChange({ graphWindow: 1 });
  await whenSaved();
  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ tables: {}, acknowledged: {}, graphWindow: 1 });
});

test('a draft that a crash left behind does not block it for good', async () => {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  await writeFile(`${file}.new`, 'half');
  const { onChange, whenSaved } = await openPreferences(file);
  onChange({ graphWindow: 1 });
  await expect
    .poll(
      async () => {
        await whenSaved();
        return (await openPreferences(file)).graphWindow;
      },
      { timeout: 10_000 },
    )
    .toBe(1);
});

test('without a home folder, or where nothing can be written, nothing is kept and nothing fails', async () => {
  const homeless = await openPreferences(undefined);
  homeless.onChange({ graphWindow: 1 });
  await homeless.whenSaved();
  const blocked = await openPreferences('/proc/brokertop/state.json');
  blocked.onChange({ graphWindow: 1 });
  await blocked.whenSaved();
  expect(blocked.graphWindow).toBe(1);
  expect(stateFilePath({ XDG_STATE_HOME: '/state' })).toBe('/state/brokertop/state.json');
});
