import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AuditEntry } from '../../../src/actions/audit.ts';
import { auditPath, createAuditFile, operatorName } from '../../../src/cli/files/audit-file.ts';

const origin = { operator: 'ann', url: 'http://127.0.0.1:8080/', brokerUser: 'admin' };
const entry = (id: string): AuditEntry => ({
  kind: 'intent',
  id,
  atMs: 0,
  action: 'publish',
  bulkId: undefined,
  target: {},
  before: undefined,
  after: undefined,
});

let state: string;
let file: string;

beforeEach(() => {
  state = mkdtempSync(path.join(tmpdir(), 'audit-'));
  file = auditPath({ XDG_STATE_HOME: state }) ?? '';
});

afterEach(() => rmSync(state, { recursive: true, force: true }));

const ids = (): unknown[] =>
  readFileSync(file, 'ascii')
    .trimEnd()
    .split('\n')
    .map((line) => {
      const parsed: unknown = JSON.parse(line);
      return typeof parsed === 'object' && parsed !== null && 'id' in parsed ? parsed.id : undefined;
    });

/** A file that is there already, with its folder. */
function place(write: (at: string) => void): void {
  mkdirSync(path.dirname(file), { mode: 0o700 });
  write(file);
}

describe('the audit file', () => {
  test('is in the state folder', () => {
    expect(auditPath({ XDG_STATE_HOME: '/var/state' })).toBe('/var/state/brokertop/audit.log');
    for (const none of [{}, { XDG_STATE_HOME: '' }, { XDG_STATE_HOME: 'relative' }])
      expect(auditPath({ HOME: '/home/ann', ...none })).toBe('/home/ann/.local/state/brokertop/audit.log');
    for (const none of [{}, { HOME: '' }, { HOME: 'relative' }])
      expect(auditPath(none)).toBe(path.join(userInfo().homedir, '.local/state/brokertop/audit.log'));
    expect(operatorName()).not.toBe('');
  });

  test('is not written anywhere without a home folder', async () => {
    await expect(createAuditFile(undefined, origin).write(entry('1'))).rejects.toThrow(
      'Actions cannot be recorded: no home folder; set HOME or XDG_STATE_HOME, or use --no-audit.',
    );
  });

  test('is created private, with its folder, and entries are appended in order', async () => {
    const audit = createAuditFile(file, origin);
    const given = Array.from({ length: 40 }, (_, index) => String(index));
    const writing = Promise.all(given.map((id) => audit.write(entry(id))));
    expect(audit.isWriting()).toBe(true);
    await writing;
    expect(audit.isWriting()).toBe(false);
    await createAuditFile(file, origin).write(entry('last'));
    expect(ids()).toEqual([...given, 'last']);
    expect([statSync(file).mode & 0o777, statSync(path.dirname(file)).mode & 0o777]).toEqual([0o600, 0o700]);
  });

  test('starts a new line after an incomplete one, and a new file after a rotation', async () => {
    place((at) => writeFileSync(at, '{"id":"0"}\n{"id":', { mode: 0o600 }));
    const audit = createAuditFile(file, origin);
    await audit.write(entry('1'));
    expect(readFileSync(file, 'ascii').split('\n').slice(0, 2)).toEqual(['{"id":"0"}', '{"id":']);
    expect(readFileSync(file, 'ascii').split('\n')[2]).toContain('"id":"1"');
    rmSync(file);
    await audit.write(entry('2'));
    expect(ids()).toEqual(['2']);
  });

  test('is not written through a symbolic or hard link', async () => {
    const victim = path.join(state, 'victim');
    writeFileSync(victim, 'as it was', { mode: 0o600 });
    place((at) => symlinkSync(victim, at));
    await expect(createAuditFile(file, origin).write(entry('1'))).rejects.toThrow(
      `The audit file ${file} is a symbolic link. Remove it.`,
    );
    rmSync(file);
    linkSync(victim, file);
    await expect(createAuditFile(file, origin).write(entry('1'))).rejects.toThrow(
      `The audit file ${file} has another hard link. Remove it.`,
    );
    expect(readFileSync(victim, 'ascii')).toBe('as it was');
  });

  test.each([0o640, 0o604, 0o620, 0o602, 0o610])(
    'is not written when it is accessible to others (%o)',
    async (mode) => {
      place((at) => {
        writeFileSync(at, '');
        chmodSync(at, mode);
      });
      const audit = createAuditFile(file, origin);
      await expect(audit.write(entry('1'))).rejects.toThrow(
        `The audit file ${file} is accessible to other users. Run: chmod 600 "${file}"`,
      );
      expect(readFileSync(file, 'ascii')).toBe('');
      chmodSync(file, 0o600);
      await audit.write(entry('2'));
      expect(ids()).toEqual(['2']);
    },
  );

  test('is not written where others can replace it, nor when it is a folder', async () => {
    place((at) => mkdirSync(at));
    await expect(createAuditFile(file, origin).write(entry('1'))).rejects.toThrow(
      `The audit file ${file} cannot be written (is a folder).`,
    );
    rmSync(file, { recursive: true });
    chmodSync(path.dirname(file), 0o777);
    await expect(createAuditFile(file, origin).write(entry('1'))).rejects.toThrow(
      `The folder ${path.dirname(file)} is writable by other users. Run: chmod 700 "${path.dirname(file)}"`,
    );
    expect(existsSync(file)).toBe(false);
  });

  test('is not created in a folder that is a link', async () => {
    mkdirSync(path.join(state, 'elsewhere'), { mode: 0o700 });
    symlinkSync(path.join(state, 'elsewhere'), path.dirname(file));
    await expect(createAuditFile(file, origin).write(entry('1'))).rejects.toThrow(
      `${path.dirname(file)} is not a folder. Remove it or set XDG_STATE_HOME.`,
    );
    expect(existsSync(path.join(state, 'elsewhere', 'audit.log'))).toBe(false);
  });

  test.runIf(existsSync('/proc/self'))('is rejected below a folder that accepts no files', async () => {
    await expect(
      createAuditFile(auditPath({ XDG_STATE_HOME: '/proc/nix/state' }), origin).write(entry('1')),
    ).rejects.toThrow('The audit file /proc/nix/state/brokertop/audit.log cannot be written (no such file or folder).');
  });

  test('is created with its parent folders, and rejected below a file', async () => {
    const deep = path.join(state, 'a', 'b', 'c');
    await createAuditFile(auditPath({ XDG_STATE_HOME: deep }), origin).write(entry('1'));
    expect(statSync(deep).mode & 0o777).toBe(0o700);
    writeFileSync(path.join(state, 'file'), '');
    await expect(
      createAuditFile(auditPath({ XDG_STATE_HOME: path.join(state, 'file', 'below') }), origin).write(entry('1')),
    ).rejects.toThrow(
      `The audit file ${path.join(state, 'file', 'below', 'brokertop', 'audit.log')} cannot be written (part of the path is not a folder).`,
    );
  });

  test.runIf(process.getuid?.() === 0)('is not written when it belongs to another user', async () => {
    const { chownSync } = await import('node:fs');
    place((at) => {
      writeFileSync(at, '', { mode: 0o600 });
      chownSync(at, 12_345, 12_345);
    });
    await expect(createAuditFile(file, origin).write(entry('1'))).rejects.toThrow(
      `The audit file ${file} belongs to another user. Remove it or set XDG_STATE_HOME.`,
    );
  });
});
