import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { withoutLogin } from '../../../src/api/login.ts';
import { reportCrash } from '../../../src/cli/process/crash-report.ts';
import { createCommandTrail } from '../../../src/cli/process/endings.ts';

let state: string;

beforeEach(async () => {
  state = await mkdtemp(path.join(tmpdir(), 'brokertop-crash-'));
});

afterEach(async () => {
  await rm(state, { recursive: true, force: true });
});

const folder = (): string => path.join(state, 'brokertop');
const reports = async (): Promise<string[]> =>
  (await readdir(folder())).filter((name) => name.startsWith('crash-')).toSorted();
const onlyReport = async (): Promise<string> => readFile(path.join(folder(), (await reports())[0] ?? 'none'), 'utf8');

describe('a crash', () => {
  test('prints one screen and writes a private report', async () => {
    const error = new TypeError('x is not a function', { cause: new Error('because') });
    const said = await reportCrash({
      error,
      env: { XDG_STATE_HOME: state, TERM: 'xterm' },
      terminal: { columns: 80, rows: 24 },
      commands: ['screenClients', 'moveDown ×12'],
    });
    const [name = ''] = await reports();
    expect(said.split('\n')).toEqual([
      `brokertop: internal error: TypeError: x is not a function`,
      `Crash report: ${path.join(folder(), name)}`,
      'It contains no passwords, but review it before you share it.',
      'Restart brokertop. If this happens again, report it with that file.',
      '',
    ]);
    expect((await stat(path.join(folder(), name))).mode & 0o777).toBe(0o600);
    expect((await stat(folder())).mode & 0o777).toBe(0o700);
    const report = await onlyReport();
    expect(report).toMatch(/^version +brokertop \d.*, Node v2/mu);
    expect(report).toMatch(/^terminal +80x24, TERM=xterm$/mu);
    expect(report).toMatch(/^commands +screenClients, moveDown ×12$/mu);
    expect(report).toMatch(/^TypeError: x is not a function\n {4}at .*crash-report\.test/mu);
    expect(report).toMatch(/^caused by Error: because\n {4}at /mu);
  });

  test('hides secrets, answers and control characters quoted by the error', async () => {
    const password = 'canary-3%';
    const login = Buffer.from(`admin:${password}`).toString('base64');
    const body = `{"pad":"${'x'.repeat(5_000)}","secret":"deep"}`;
    const message = `\u001B[31m${password} ${encodeURIComponent(password)} authorization: Basic ${login}, Bearer abc.def-1, http://me:other@host/x ${body}`;
    const said = await reportCrash({
      error: new Error(message, { cause: message }),
      env: { XDG_STATE_HOME: state },
      hide: (text) => withoutLogin(text, 'admin', [password]),
    });
    const all = said + (await onlyReport());
    for (const secret of [password, encodeURIComponent(password), login, 'abc.def', 'other@', 'deep', '\u001B'])
      expect(all).not.toContain(secret);
    expect(all).toContain(
      String.raw`\x1b[31m(hidden) (hidden) authorization: Basic (hidden), Bearer (hidden), http://(hidden)@host/x`,
    );
    expect(said.split('\n').reduce((rows, line) => rows + Math.ceil(line.length / 80), 0)).toBeLessThan(24);
  });

  test('keeps the last five reports, and removes nothing else', async () => {
    await mkdir(folder(), { recursive: true });
    const others = ['audit.log', 'crash-notes.txt', 'crash-20200101T000000000Z-1.txt.bak'];
    for (const name of others) await writeFile(path.join(folder(), name), name);
    for (const day of [1, 2, 3, 4, 5, 6, 7])
      await writeFile(path.join(folder(), `crash-2020010${day}T000000000Z-1.txt`), String(day));
    await reportCrash({ error: new Error('now'), env: { XDG_STATE_HOME: state } });
    const left = (await readdir(folder())).filter((name) => !others.includes(name)).toSorted();
    expect(left).toHaveLength(5);
    expect(left.slice(0, 4)).toEqual([4, 5, 6, 7].map((day) => `crash-2020010${day}T000000000Z-1.txt`));
    expect(await readdir(folder())).toEqual(expect.arrayContaining(others));
  });

  test('prints the top of the stack when the report cannot be written', async () => {
    await chmod(state, 0o500);
    const file = path.join(state, 'file');
    const isRoot = process.getuid?.() === 0;
    for (const place of ['/proc/nowhere', ...(isRoot ? [] : [state, file])]) {
      const said = await reportCrash({ error: new Error('again'), env: { XDG_STATE_HOME: place } });
      const [title, ...lines] = said.split('\n');
      expect(title).toBe(`brokertop: internal error: Error: again`);
      expect(lines[0]).toMatch(
        /^The crash report could not be written \((?:no such file or folder|permission denied|part of the path is not a folder)\)\. If this happens again, report this:$/u,
      );
      expect(lines[1]).toMatch(/^ {4}at /u);
      expect(said.split('\n').length).toBeLessThan(13);
    }
    await chmod(state, 0o700);
  });

  test('writes no report into a folder that others can write, or that is a link', async () => {
    await mkdir(folder());
    await chmod(folder(), 0o777);
    expect(await reportCrash({ error: new Error('again'), env: { XDG_STATE_HOME: state } })).toContain(
      `The crash report could not be written (The folder ${folder()} is writable by other users. Run: chmod 700 "${folder()}"). If this happens again, report this:`,
    );
    await rm(folder(), { recursive: true });
    await mkdir(path.join(state, 'elsewhere'));
    await symlink(path.join(state, 'elsewhere'), folder());
    expect(await reportCrash({ error: new Error('again'), env: { XDG_STATE_HOME: state } })).toContain(
      `The crash report could not be written (${folder()} is not a folder. Remove it or set XDG_STATE_HOME). If this happens again, report this:`,
    );
    expect(await readdir(folder())).toEqual([]);
  });

  test('handles thrown values that are not errors, and circular causes', async () => {
    const circle = new Error('round');
    circle.cause = circle;
    for (const error of ['a string', undefined, circle])
      expect(await reportCrash({ error, env: { XDG_STATE_HOME: state } })).toContain('Crash report: ');
    expect(await reports()).toHaveLength(3);
  });
});

test('the trail holds the last commands and joins repeats', () => {
  const trail = createCommandTrail();
  for (let turn = 0; turn < 40; turn += 1) {
    trail.note(`step${turn}`);
    trail.note('moveDown');
    trail.note('moveDown');
  }
  expect(trail.names()).toHaveLength(30);
  expect(trail.names().slice(-2)).toEqual(['step39', 'moveDown ×2']);
});
