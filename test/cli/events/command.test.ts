import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type EventsCommand, runEvents } from '../../../src/cli/events/command.ts';
import { eventFilePath, openEventFile } from '../../../src/cli/files/event-file.ts';
import type { TimelineEvent } from '../../../src/domain/event.ts';

/** 28 November 2026 of this machine. */
const at = (hour: number, minute: number): number => new Date(2026, 10, 28, hour, minute).getTime();

const kept: readonly TimelineEvent[] = [
  {
    id: '1',
    atMs: at(13, 50),
    kind: 'began',
    severity: 'critical',
    text: 'c1 is losing 73 msg/s',
    clientId: 'c1',
    run: 'r',
  },
  {
    id: '2',
    atMs: at(14, 5),
    kind: 'ended',
    severity: 'info',
    text: 'c1 was losing 73 msg/s',
    clientId: 'c1',
    sinceMs: at(13, 50),
    lastedMs: 15 * 60_000,
    lost: 65_700,
    run: 'r',
  },
  { id: '3', atMs: at(14, 6), kind: 'node', severity: 'warning', text: 'Node \u{1b}[31m stopped', node: 'b', run: 'r' },
];

async function events(command: Partial<EventsCommand>, cluster = 'prod') {
  const home = await mkdtemp(path.join(tmpdir(), 'events-'));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const env = { HOME: home };
  const file = openEventFile(eventFilePath(env, 'prod') ?? '');
  file.append(kept);
  await file.settled();
  let [output, errors] = ['', ''];
  const all: EventsCommand = {
    format: 'table',
    since: undefined,
    filter: undefined,
    sort: undefined,
    columns: undefined,
    limit: undefined,
    ...command,
  };
  const streams = {
    stdout: { write: (text: string) => (output += text) } as unknown as NodeJS.WritableStream,
    stderr: { write: (text: string) => (errors += text) } as unknown as NodeJS.WritableStream,
    env,
  };
  expect(await runEvents(cluster, all, streams, at(14, 30))).toBe(0);
  return { output, errors };
}

describe('events', () => {
  test('prints what monitors of the cluster have seen', async () => {
    expect((await events({})).output).toBe(
      [
        'TIME                 SEVERITY  KIND   EVENT                   OBJECT   LASTED',
        '2026-11-28 13:50:00  critical  began  c1 is losing 73 msg/s   c1            -',
        '2026-11-28 14:05:00  info      ended  c1 was losing 73 msg/s  c1      15m 00s',
        String.raw`2026-11-28 14:06:00  warning   node   Node \x1b[31m stopped   b             -`,
        '',
      ].join('\n'),
    );
  });

  test('prints one object an event for scripts, with times in UTC', async () => {
    const { output } = await events({ format: 'ndjson', since: '14:00', filter: 'kind:ended' });
    expect(output.split('\n')).toHaveLength(2);
    expect(JSON.parse(output)).toMatchObject({
      time: new Date(at(14, 5)).toISOString(),
      since: new Date(at(13, 50)).toISOString(),
      severity: 'info',
      kind: 'ended',
      event: 'c1 was losing 73 msg/s',
      client: 'c1',
      lasted: 900,
      lost: 65_700,
      node: null,
    });
  });

  test('prints those since a time', async () => {
    const { output } = await events({ since: '25m', columns: ['event'] });
    expect(output.split('\n')).toEqual(['EVENT', 'c1 was losing 73 msg/s', String.raw`Node \x1b[31m stopped`, '']);
  });

  test('says that nothing was kept', async () => {
    const { output, errors } = await events({ format: 'json' }, 'another');
    expect(JSON.parse(output)).toEqual([]);
    expect(errors).toBe('brokertop: No events are kept of this cluster yet. A monitor keeps them while it runs.\n');
  });

  test('refuses what is no time', async () => {
    await expect(events({ since: 'soon' })).rejects.toThrow(
      '"soon" is not a time. Examples: 14:02, 27 Nov 14:02:31, 10m.',
    );
  });
});
