import fc from 'fast-check';
import {
  appendFile,
  chmod,
  mkdir,
  mkdtemp,
  readFile,
  rm,
  rmdir,
  stat,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { eventFilePath, openEventFile } from '../../../src/cli/files/event-file.ts';
import type { TimelineEvent } from '../../../src/domain/event.ts';

async function createFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'events-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

const eventOf = (count: number, patch: Partial<TimelineEvent> = {}): TimelineEvent => ({
  id: `run ${count}`,
  atMs: 1_000 * count,
  kind: 'began',
  severity: 'warning',
  text: `event ${count}`,
  run: 'run',
  ...patch,
});

const idsOf = (events: readonly TimelineEvent[]): readonly string[] => events.map(({ id }) => id);

describe('the events of a cluster', () => {
  test('are there in the next run, whole and in the order of time', async () => {
    const file = path.join(await createFolder(), 'events', 'prod.ndjson');
    const events: readonly TimelineEvent[] = [
      eventOf(2, {
        check: 'slow',
        code: 'queue-full',
        problem: 'slow c1',
        clientId: '\u{1b}[2J\n"\u2028',
        node: 'a',
        topic: 't/+',
        sinceMs: 1_500,
        isBeginUnknown: true,
        lastedMs: 500,
        lost: 12,
        jump: { screen: 'client', clientId: 'c1' },
        action: {
          name: 'change-setting',
          outcome: 'done',
          by: 'ann',
          changed: { app: 'emqx', nodes: [{ node: 'a', before: '1' }], isForAll: true },
        },
      }),
      eventOf(1),
    ];
    const first = openEventFile(file);
    first.append(events);
    await first.settled();
    expect(await openEventFile(file).read()).toEqual([events[1], events[0]]);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(path.dirname(file))).mode & 0o777).toBe(0o700);
  });

  test('say of which action they are: what became of it later is of the same one', async () => {
    const file = path.join(await createFolder(), 'events', 'prod.ndjson');
    const action = { name: 'add-ban', outcome: 'done', by: 'ann', record: 'run-3' } as const;
    const first = openEventFile(file);
    first.append([eventOf(1, { action }), eventOf(2, { action })]);
    expect((await first.read()).map((event) => event.action)).toEqual([action, action]);
  });

  test('keep an action whose change is too long to be kept', async () => {
    const file = path.join(await createFolder(), 'events', 'prod.ndjson');
    const action = { name: 'lift-ban', outcome: 'done' } as const;
    const events = openEventFile(file);
    events.append([eventOf(1, { action: { ...action, changed: { value: 'x'.repeat(1_000_000) } } })]);
    expect(await events.read()).toEqual([eventOf(1, { action })]);
  });

  test('keep what two programs did to the same thing one after the other', async () => {
    const file = path.join(await createFolder(), 'events', 'prod.ndjson');
    const done = { kind: 'action', text: 'Banned x.', action: { name: 'add-ban', outcome: 'done' } } as const;
    const events = openEventFile(file);
    events.append([eventOf(1, { ...done, run: 'a' }), eventOf(2, { ...done, run: 'b' })]);
    expect(idsOf(await events.read())).toEqual(['run 1', 'run 2']);
  });

  test('are those of all programs that watch it at once', async () => {
    const file = path.join(await createFolder(), 'events', 'prod.ndjson');
    const programs = Array.from({ length: 8 }, () => openEventFile(file));
    for (let count = 0; count < 200; count += 1) programs[count % 8]?.append([eventOf(count)]);
    await Promise.all(programs.map((each) => each.settled()));
    expect(idsOf(await openEventFile(file).read())).toEqual(Array.from({ length: 200 }, (_, count) => `run ${count}`));
  });

  test('that two programs saw are one', async () => {
    const file = path.join(await createFolder(), 'events', 'prod.ndjson');
    const events = openEventFile(file);
    const seen = { problem: 'slow c1', text: 'c1 is slow' };
    events.append([
      eventOf(10, seen),
      eventOf(12, { ...seen, id: 'other 12', run: 'other', text: 'c1 is slow, as the other says' }),
      eventOf(14, { ...seen, id: 'other 14', run: 'other', kind: 'ended' }),
      // The same run: it began again.
      eventOf(20, seen),
      // Long afterwards.
      eventOf(90, { ...seen, id: 'other 90', run: 'other' }),
    ]);
    await events.settled();
    expect(idsOf(await events.read())).toEqual(['run 10', 'other 14', 'run 20', 'other 90']);
  });

  test('outlive a file that is cut anywhere', async () => {
    const folder = await createFolder();
    const before = [eventOf(1), eventOf(2), eventOf(3)];
    const lengths = before.map((event) => `${JSON.stringify(event)}\n`.length);
    const whole = lengths.reduce((sum, length) => sum + length, 0);
    let count = 0;
    await fc.assert(
      fc.asyncProperty(fc.nat(whole), async (length) => {
        count += 1;
        const file = path.join(folder, 'events', `${count}.ndjson`);
        const events = openEventFile(file);
        events.append(before);
        await events.settled();
        await truncate(file, length);
        events.append([eventOf(9)]);
        await events.settled();
        // A last line that lacks only its end is whole.
        const left = before.filter(
          (_, index) => length >= lengths.slice(0, index + 1).reduce((sum, each) => sum + each, 0) - 1,
        );
        expect(idsOf(await openEventFile(file).read())).toEqual([...idsOf(left), 'run 9']);
      }),
      { numRuns: 60 },
    );
  });

  test('are bounded: the oldest go', async () => {
    const file = path.join(await createFolder(), 'events', 'prod.ndjson');
    const events = openEventFile(file, { maxBytes: 2_000 });
    for (let count = 0; count < 200; count += 1) {
      events.append([eventOf(count)]);
      await events.settled();
    }
    const kept = idsOf(await events.read());
    expect(kept.at(-1)).toBe('run 199');
    expect(kept.length).toBeLessThan(60);
    // None in between is missing.
    expect(kept).toEqual(Array.from({ length: kept.length }, (_, index) => `run ${200 - kept.length + index}`));
    expect((await readFile(file)).length + (await readFile(`${file}.1`)).length).toBeLessThan(5_000);
  });

  test('of a later version, and what is no event, are left out', async () => {
    const file = path.join(await createFolder(), 'prod.ndjson');
    await writeFile(
      file,
      [
        '{"id":"x"}',
        'nonsense',
        JSON.stringify({ ...eventOf(1), kind: 'later' }),
        JSON.stringify(eventOf(2)),
        '[]',
        '',
      ].join('\n'),
      { mode: 0o600 },
    );
    await appendFile(file, JSON.stringify({ ...eventOf(3), later: true }));
    expect(idsOf(await openEventFile(file).read())).toEqual(['run 2', 'run 3']);
    expect(await openEventFile(path.join(path.dirname(file), 'none.ndjson')).read()).toEqual([]);
  });

  test('are not written through a link, nor to a file of others; that is said once', async () => {
    const folder = await createFolder();
    const troubles: (string | undefined)[] = [];
    const options = { onTrouble: (code: string | undefined) => troubles.push(code) };
    await writeFile(path.join(folder, 'target'), '', { mode: 0o600 });
    await symlink('target', path.join(folder, 'link.ndjson'));
    const linked = openEventFile(path.join(folder, 'link.ndjson'), options);
    for (const count of [1, 2]) {
      linked.append([eventOf(count)]);
      await linked.settled();
    }
    await writeFile(path.join(folder, 'open.ndjson'), '', { mode: 0o666 });
    await chmod(path.join(folder, 'open.ndjson'), 0o666);
    const open = openEventFile(path.join(folder, 'open.ndjson'), options);
    open.append([eventOf(1)]);
    await open.settled();
    await mkdir(path.join(folder, 'a-folder.ndjson'));
    const notFile = openEventFile(path.join(folder, 'a-folder.ndjson'), options);
    notFile.append([eventOf(1)]);
    await notFile.settled();
    expect(troubles).toEqual(['ELOOP', 'EPERM', 'EISDIR']);
    expect(await readFile(path.join(folder, 'target'), 'utf8')).toBe('');
  });

  test('are not read through a link, nor from a file or folder of others', async () => {
    const folder = await createFolder();
    const line = `${JSON.stringify(eventOf(1))}\n`;
    await writeFile(path.join(folder, 'target'), line, { mode: 0o600 });
    await symlink('target', path.join(folder, 'link.ndjson'));
    await writeFile(path.join(folder, 'open.ndjson'), line);
    await chmod(path.join(folder, 'open.ndjson'), 0o666);
    await mkdir(path.join(folder, 'a-folder.ndjson'));
    await mkdir(path.join(folder, 'real'), { mode: 0o700 });
    await writeFile(path.join(folder, 'real', 'x.ndjson'), line, { mode: 0o600 });
    await symlink('real', path.join(folder, 'linked'));
    const codeOf = async (name: string): Promise<unknown> =>
      openEventFile(path.join(folder, name))
        .read()
        .then(
          (events) => events.length,
          ({ code }: { readonly code: unknown }) => code,
        );
    expect(await codeOf('real/x.ndjson')).toBe(1);
    expect(await codeOf('none.ndjson')).toBe(0);
    expect(await codeOf('none/none.ndjson')).toBe(0);
    expect(await codeOf('link.ndjson')).toBe('ELOOP');
    expect(await codeOf('open.ndjson')).toBe('EPERM');
    expect(await codeOf('a-folder.ndjson')).toBe('EPERM');
    expect(await codeOf('linked/x.ndjson')).toBe('EPERM');
  });

  test('that could not be written are written later, each once, and both are said once', async () => {
    const folder = await createFolder();
    const file = path.join(folder, 'prod.ndjson');
    const troubles: (string | undefined)[] = [];
    await mkdir(file);
    const events = openEventFile(file, { onTrouble: (code) => troubles.push(code), retryMs: 5 });
    events.append([eventOf(1)]);
    await events.settled();
    events.append([eventOf(2)]);
    await events.settled();
    expect(troubles).toEqual(['EISDIR']);
    await rmdir(file);
    await expect.poll(() => troubles).toEqual(['EISDIR', undefined]);
    events.append([eventOf(3)]);
    await events.close();
    expect(idsOf(await openEventFile(file).read())).toEqual(['run 1', 'run 2', 'run 3']);
    expect((await readFile(file, 'utf8')).trim().split('\n')).toHaveLength(3);
  });

  test('that began, ended and began again within a minute are all kept, whoever saw them', async () => {
    const file = path.join(await createFolder(), 'events', 'prod.ndjson');
    const events = openEventFile(file);
    const of = (count: number, run: string, kind: TimelineEvent['kind']) =>
      eventOf(count, { id: `${run} ${count}`, run, kind, problem: 'slow c1' });
    events.append([of(1, 'a', 'began'), of(20, 'a', 'ended'), of(40, 'b', 'began'), of(50, 'b', 'ended')]);
    expect(idsOf(await events.read())).toEqual(['a 1', 'a 20', 'b 40', 'b 50']);
  });

  test('say what a problem without end, and one that is repeated, are', async () => {
    const file = path.join(await createFolder(), 'events', 'prod.ndjson');
    const events = openEventFile(file);
    const all = [eventOf(1, { isMoment: true }), eventOf(2, { repeated: { times: 2, sinceMs: 1_500 } })];
    events.append(all);
    expect(await events.read()).toEqual(all);
  });

  test('have a file for each cluster, whatever it is called', () => {
    const nameOf = (cluster: string): string =>
      path.basename(eventFilePath({ XDG_STATE_HOME: '/state', HOME: '/home/ann' }, cluster) ?? '');
    expect(nameOf('prod')).toBe('prod.ndjson');
    expect(nameOf('http://127.0.0.1:8080')).toMatch(/^http_127\.0\.0\.1_8080-[\da-f]{12}\.ndjson$/u);
    const names = ['../x', '..', '.', 'a/b', 'a_b', 'a b', 'ä', 'ö', 'x'.repeat(300)].map(nameOf);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^[\w-][\w.-]{0,120}$/u);
    expect(eventFilePath({ XDG_STATE_HOME: '/state', HOME: '/home/ann' }, '../x')).toMatch(
      /^\/state\/brokertop\/events\//u,
    );
  });
});
