import { EventEmitter } from 'node:events';
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
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
    follow: false,
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
    on: () => {},
    off: () => {},
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
      text: 'c1 was losing 73 msg/s',
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
    expect(errors).toBe(
      'brokertop: No events are kept of this cluster yet. A monitor keeps them while it runs; a demo keeps none.\n',
    );
  });

  test('refuses what is no time', async () => {
    await expect(events({ since: 'soon' })).rejects.toThrow(
      '"soon" is not a time. Examples: 14:02, 27 Nov 14:02:31, 10m.',
    );
  });

  test('refuses a file that is not private', async () => {
    const home = await mkdtemp(path.join(tmpdir(), 'events-'));
    onTestFinished(() => rm(home, { recursive: true, force: true }));
    const file = eventFilePath({ HOME: home }, 'prod') ?? '';
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    await symlink('/etc/hostname', file);
    let errors = '';
    const stream = (write: (text: string) => unknown) => ({ write }) as unknown as NodeJS.WritableStream;
    const request = { since: undefined, follow: false, filter: undefined, sort: undefined, columns: undefined };
    const code = await runEvents(
      'prod',
      { ...request, format: 'json', limit: undefined },
      {
        stdout: stream(() => true),
        stderr: stream((text) => (errors += text)),
        env: { HOME: home },
        on() {},
        off() {},
      },
    );
    expect(code).toBe(1);
    expect(errors).toBe(`brokertop: The events cannot be read: ${file} (ELOOP).\n`);
  });
});

describe('events --follow', () => {
  const eventAt = (count: number, patch: Partial<TimelineEvent> = {}): TimelineEvent => ({
    id: String(count),
    atMs: at(14, 0) + count * 1_000,
    kind: 'node',
    severity: 'info',
    text: `event ${count}`,
    run: 'r',
    ...patch,
  });

  async function follow(command: Partial<EventsCommand>) {
    const home = await mkdtemp(path.join(tmpdir(), 'events-'));
    onTestFinished(() => rm(home, { recursive: true, force: true }));
    const env = { HOME: home };
    const file = openEventFile(eventFilePath(env, 'prod') ?? '', { maxBytes: 1_000 });
    let output = '';
    const signals = new EventEmitter();
    const process = {
      stdout: { write: (text: string) => (output += text) } as unknown as NodeJS.WritableStream,
      stderr: { write: () => true } as unknown as NodeJS.WritableStream,
      env,
      on: (name: string, listener: () => void) => signals.on(name, listener),
      off: (name: string, listener: () => void) => signals.off(name, listener),
    };
    const all: EventsCommand = {
      format: 'ndjson',
      since: undefined,
      follow: true,
      filter: undefined,
      sort: undefined,
      columns: ['text'],
      limit: undefined,
      ...command,
    };
    file.append([eventAt(1)]);
    await file.settled();
    const ended = runEvents('prod', all, process, at(14, 30));
    return { file, ended, output: () => output, end: () => signals.emit('SIGTERM') };
  }

  test('prints what any program appends, over a file that is put aside, and ends on a signal', async () => {
    const { file, ended, output, end } = await follow({});
    const other = openEventFile(file.path, { maxBytes: 1_000 });
    await expect.poll(output).toContain('event 1');
    for (let count = 2; count <= 30; count += 1) {
      (count % 2 === 0 ? file : other).append([eventAt(count)]);
      await Promise.all([file.settled(), other.settled()]);
      await expect.poll(output, { timeout: 10_000 }).toContain(`event ${Math.max(1, count - (count % 4))}"`);
    }
    end();
    expect(await ended).toBe(0);
    const texts = output()
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { readonly text: string }).text);
    expect(texts).toEqual(Array.from({ length: 30 }, (_, index) => `event ${index + 1}`));
  });

  test('prints one array as JSON, filtered, and ends by itself after so many', async () => {
    const { file, ended, output } = await follow({ format: 'json', filter: 'kind:ended', limit: 2 });
    file.append([eventAt(2, { kind: 'ended' }), eventAt(3), eventAt(4, { kind: 'ended' })]);
    expect(await ended).toBe(0);
    expect(JSON.parse(output())).toEqual([{ text: 'event 2' }, { text: 'event 4' }]);
  });

  test('prints a table that goes on, whose columns stay aligned', async () => {
    const { file, ended, output, end } = await follow({ columns: ['kind', 'text'], format: 'table' });
    file.append([eventAt(2, { kind: 'ended' }), eventAt(3)]);
    await expect.poll(output, { timeout: 10_000 }).toContain('event 3');
    end();
    await ended;
    expect(output().split('\n')).toEqual(['KIND  EVENT', 'node  event 1', 'ended  event 2', 'node   event 3', '']);
  });

  test('tells once what two programs saw', async () => {
    const { file, ended, output, end } = await follow({});
    file.append([eventAt(2, { id: 'other', run: 'other', text: 'event 1' }), eventAt(3)]);
    await expect.poll(output, { timeout: 10_000 }).toContain('event 3');
    end();
    await ended;
    expect(output().trim().split('\n')).toEqual(['{"text":"event 1"}', '{"text":"event 3"}']);
  });
});
