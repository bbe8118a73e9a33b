import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type DiffCommand, runDiff } from '../../../src/cli/diff/command.ts';
import { listSchemas } from '../../../src/cli/list/schemas.ts';
import { emptyScan, type MonitorState } from '../../../src/monitor/state.ts';
import { initialState } from '../../../src/monitor/store.ts';
import { clientOf, figuresOf, ready, readWhole } from '../../screens/list-fixtures.ts';
import { readingsOf } from '../../support/readings.ts';
import { recordStates } from '../../support/recordings.ts';

const readAt = <T>(atMs: number, data: T) => ({ ...ready(data), updatedAtMs: atMs });

const stateAt = (atMs: number, clients: readonly string[], node: string): MonitorState => ({
  ...initialState(2),
  ...readingsOf({
    nodeStats: readAt(atMs, [figuresOf('a', { clients: clients.length })]),
    users: readAt(atMs, [{ username: 'ann', tags: 'viewer' }]),
    clientScan: {
      ...emptyScan(),
      rows: clients.map((id) => clientOf(id, { node })),
      phase: 'complete',
      coverage: new Map([['a', { ...readWhole(clients.length), readAtMs: 1 }]]),
    },
  }),
});

/** 28 November 2026, 14:00 of this machine. */
const at = (minute: number): number => new Date(2026, 10, 28, 14, minute).getTime();
const nowMs = at(30);

const record = (): Promise<string> =>
  recordStates([
    { atMs: at(0), state: stateAt(at(0), ['x', 'y'], 'a') },
    { atMs: at(10), state: stateAt(at(10), ['y', 'z', '\u{1b}[2J'], 'b') },
  ]);

async function diff(command: Partial<DiffCommand>): Promise<string> {
  let output = '';
  const stdout = { write: (text: string) => (output += text) } as unknown as NodeJS.WritableStream;
  const all: DiffCommand = {
    before: '14:00',
    after: '14:10',
    recording: undefined,
    format: 'table',
    filter: undefined,
    sort: undefined,
    columns: ['list', 'change', 'name', 'field', 'before', 'after'],
    limit: undefined,
    ...command,
  };
  expect(await runDiff(all, { stdout, env: {} }, nowMs)).toBe(0);
  return output;
}

describe('diff', () => {
  test('prints what differs between two moments of a recording', async () => {
    const recording = await record();
    const lists = /(Not recorded: listeners, subscriptions, plugins, settings, bans, API keys, alarms),.*/u;
    expect((await diff({ recording, filter: '!change:unknown' })).replace(lists, '$1')).toBe(
      [
        'prod: 28 Nov 14:00:00 → 28 Nov 14:10:00 (10m 00s)',
        'Clients: 2 came, 1 went, 1 changed (node 1)',
        'Not recorded: listeners, subscriptions, plugins, settings, bans, API keys, alarms',
        '',
        'LIST     CHANGE   NAME     FIELD    BEFORE  AFTER',
        'clients  came     z        -        -       -',
        String.raw`clients  came     \x1b[2J  -        -       -`,
        'clients  gone     x        -        -       -',
        'clients  changed  y        node     a       b',
        'totals   figure   clients  -        2       3',
        'nodes    figure   a        clients  2       3',
        '',
      ].join('\n'),
    );
  });

  test('prints rows for scripts, from moments that name their recording', async () => {
    const recording = await record();
    const rows: unknown = JSON.parse(
      await diff({
        before: `${recording}@14:01`,
        after: recording,
        format: 'json',
        filter: 'list:clients change:gone',
      }),
    );
    expect(rows).toEqual([{ list: 'clients', change: 'gone', name: 'x', field: null, before: null, after: null }]);
  });

  test('knows the start and the end of a recording', async () => {
    const recording = await record();
    const head = 'prod: 28 Nov 14:00:00 → 28 Nov 14:10:00 (10m 00s)';
    expect(await diff({ recording, before: 'start', after: 'end' })).toContain(head);
    expect(await diff({ before: `${recording}@start`, after: 'END' })).toContain(head);
    expect(await diff({ recording, before: 'end', after: 'start' })).toContain(
      'prod: 28 Nov 14:10:00 → 28 Nov 14:00:00 (10m 00s)',
    );
  });

  test('prints what the schema of the package says', async () => {
    const recording = await record();
    const schema: unknown = JSON.parse(listSchemas().get('diff.json') ?? '');
    expect(schema).toMatchObject({
      items: {
        required: ['list', 'change', 'name', 'field', 'before', 'after', 'difference', 'node', 'client'],
        properties: { difference: { type: ['number', 'null'] } },
      },
    });
    const rows: unknown = JSON.parse(await diff({ recording, columns: undefined, format: 'json' }));
    expect(z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]).parse(rows)).toEqual(rows);
    expect(rows).toContainEqual(expect.objectContaining({ list: 'nodes', name: 'a', field: 'clients', difference: 1 }));
  });

  test('says that nothing differs', async () => {
    const recording = await record();
    expect(await diff({ recording, before: '14:00', after: '14:05', filter: 'list:clients' })).toContain(
      'prod: 28 Nov 14:00:00 → 28 Nov 14:00:00 (0 s)',
    );
  });

  test.each<[string, Partial<DiffCommand>, string]>([
    ['a moment before the recording', { before: '13:00' }, 'begins at 28 Nov 14:00:00.'],
    ['no time', { before: 'rec@soon' }, '"soon" is not a time. Examples: 14:02, 27 Nov 14:02:31, 10m, start, end.'],
    ['no such folder', { before: '/nowhere/rec' }, '/nowhere/rec'],
    ['an unknown column', { columns: ['nonsense'] }, 'nonsense'],
  ])('refuses %s', async (_, command, message) => {
    const recording = await record();
    await expect(diff({ recording, ...command })).rejects.toThrow(message);
  });

  test('asks which recording a time is of', async () => {
    await expect(diff({})).rejects.toThrow('Which recording? Add --recording DIR, or write the time as DIR@TIME.');
  });
});
