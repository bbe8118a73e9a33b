import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { progressOn, type ReportCommand, runReport } from '../../../src/cli/report/command.ts';
import { eventFilePath, openEventFile } from '../../../src/cli/files/event-file.ts';
import type { TimelineEvent } from '../../../src/domain/event.ts';
import { at, event, incident, momentOf } from '../../report/scene.ts';
import { recordStates } from '../../support/recordings.ts';

async function report(command: Partial<ReportCommand>, nowMs = at(30), env: NodeJS.ProcessEnv = {}) {
  const [stdout, stderr]: string[][] = [[], []];
  const stream = (into: string[] = []) => ({ write: (text: string) => into.push(text) > 0 }) as NodeJS.WritableStream;
  const recording = command.recording ?? (await recordStates(incident()));
  const all: ReportCommand = {
    recording,
    from: undefined,
    to: undefined,
    format: 'markdown',
    file: undefined,
    mayReplace: false,
    isRedacted: false,
    ...command,
  };
  const code = await runReport(all, { stdout: stream(stdout), stderr: stream(stderr), env }, nowMs);
  return { code, recording, stdout: stdout?.join('') ?? '', stderr: stderr?.join('') ?? '' };
}

test('a longer wait shows on a terminal how much is read, and leaves no trace', () => {
  const written: string[] = [];
  let nowMs = 0;
  const stream = (isTTY: boolean) => ({ isTTY, write: (text: string) => written.push(text) > 0 });
  const progress = progressOn(stream(true), () => nowMs);
  progress.show(0.1);
  nowMs = 1_500;
  progress.show(0.2);
  progress.show(0.204);
  progress.show(0.999);
  progress.end();
  expect(written).toEqual([
    '\rbrokertop: 20 % of the recording read',
    '\rbrokertop: 99 % of the recording read',
    '\r\u001B[K',
  ]);
  const file = progressOn(stream(false), () => nowMs);
  nowMs += 5_000;
  file.show(0.5);
  file.end();
  expect(written).toHaveLength(3);
});

describe('report', () => {
  test('prints a report of the last hour, or of the time that was asked for', async () => {
    const whole = await report({});
    expect(whole.code).toBe(0);
    expect(whole.stdout).toContain('\n28 Nov 2026 14:00:00 to 14:10:00 (10m 00s).');
    const part = await report({ from: '14:02', to: '14:05' });
    expect(part.stdout).toContain('\n28 Nov 2026 14:02:00 to 14:05:00 (3m 00s).');
    const begin = await report({ from: 'start', to: '14:03' });
    expect(begin.stdout).toContain('\n28 Nov 2026 14:00:00 to 14:03:00 (3m 00s).');
    const relative = await report({ from: '4m' });
    expect(relative.stdout).toContain('\n28 Nov 2026 14:06:00 to 14:10:00 (4m 00s).');
    const html = await report({ format: 'html' });
    expect(html.stdout).toMatch(/^<!doctype html>/u);
  });

  test('writes a file that only its user can read, and replaces none', async () => {
    const recording = await recordStates(incident());
    const file = path.join(recording, 'incident.md');
    expect(await report({ recording, file })).toMatchObject({ code: 0, stdout: `Saved the report to ${file}.\n` });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const before = await readFile(file, 'utf8');
    expect(before).toContain('# Incident report: prod');
    await writeFile(file, 'mine');
    await expect(report({ recording, file })).rejects.toThrow(
      `${file} already exists. Choose another name, or add --force to replace it.`,
    );
    expect(await readFile(file, 'utf8')).toBe('mine');
    await report({ recording, file, mayReplace: true });
    expect(await readFile(file, 'utf8')).toBe(before);
    await rm(file);
  });

  test('tells what earlier runs and other programs did, each once', async () => {
    const moments = incident();
    const recorded = moments.flatMap(({ events = [] }) => events) as unknown as readonly TimelineEvent[];
    const recording = await recordStates(moments);
    const home = path.join(recording, 'state');
    const env = { XDG_STATE_HOME: home };
    const file = openEventFile(eventFilePath(env, 'prod') ?? '');
    const action = { name: 'lift-ban', outcome: 'done', by: 'bob', record: 'bob-1' } as const;
    file.append([
      ...recorded,
      event(at(7), 'action', 'Lifted the ban on username mallory.', { action, run: 'run 2' }),
      event(at(7, 1), 'action', 'Username mallory: 2 clients are connected.', { action, run: 'run 2' }),
      event(at(1), 'began', 'worker-000001 is losing 25 msg/s', {
        problem: 'slow worker-000001',
        clientId: 'worker-000001',
        node: 'a@10.9.9.1',
        run: 'run 2',
      }),
      event(at(20), 'action', 'After the report.'),
    ]);
    await file.settled();
    const { stdout } = await report({ recording, to: 'end' }, at(30), env);
    expect(stdout).toContain('2 actions, see "What was done"');
    expect(stdout).toMatch(/\| 14:07:00 \| Lifted the ban on username mallory. \| bob \| 1 s later: Username mallory/u);
    expect(stdout.match(/\| CRITICAL \| worker-000001 is losing 25 msg\/s/gu)).toHaveLength(1);
    expect(stdout).not.toContain('After the report.');
  });

  test('says that nothing was recorded in that time', async () => {
    const recording = await recordStates([momentOf({ atMs: at(0) })]);
    expect(await report({ recording, from: '13:00', to: '13:30' })).toEqual({
      code: 3,
      recording,
      stdout: '',
      stderr: `brokertop: Nothing was recorded from 28 Nov 13:00:00 to 28 Nov 13:30:00. ${recording} is from 28 Nov 14:00:00 to 28 Nov 14:00:00.\n`,
    });
  });

  test.each<[string, Partial<ReportCommand>, string]>([
    ['no time', { from: 'soon' }, '"soon" is not a time. Examples: 14:02, 27 Nov 14:02:31, 10m, start, end.'],
    [
      'an end before the beginning',
      { from: '14:05', to: '14:02' },
      '--from (28 Nov 14:05:00) must be before --to (28 Nov 14:02:00).',
    ],
    ['no such recording', { recording: '/nowhere/rec' }, '/nowhere/rec cannot be read'],
    ['a folder as a file', { file: '/tmp/' }, '/tmp/: This is a folder. Add a file name.'],
  ])('refuses %s', async (_, command, message) => {
    await expect(report(command)).rejects.toThrow(message);
  });
});
