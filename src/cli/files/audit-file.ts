import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { userInfo } from 'node:os';
import path from 'node:path';
import { type AuditEntry, type AuditLog, type AuditOrigin, formatAuditLine } from '../../actions/audit.ts';
import { fileFault, type FileFault } from './ownership.ts';
import { errorCode, FolderError, noHome, requireOwnFolder, statePath } from './state-folder.ts';

/** The audit could not be written; the message is one sentence with the path in it. */
export class AuditError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'AuditError';
  }
}

/** Where actions are recorded. `undefined` without a home folder. */
export function auditPath(environment: NodeJS.ProcessEnv): string | undefined {
  return statePath(environment, 'audit.log');
}

/** Why nothing is recorded where `auditPath` knows no place. */
export const noAuditPlace = `Actions cannot be recorded: ${noHome}, or use --no-audit.`;

/** Who uses this program, as the operating system says. */
export function operatorName(): string {
  try {
    return userInfo().username;
  } catch {
    // No entry in the user database, as in some containers.
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}

export interface AuditFile extends AuditLog {
  /** An entry is not on disk yet. */
  isWriting(): boolean;
}

/** Not followed: a link. Not waited for: a pipe without a reader. */
const flags = constants.O_RDWR | constants.O_CREAT | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * An audit in a file that only its owner can read and write. It is opened for each entry, so it can be
 * rotated, and looked at each time: a link, a file of somebody else or one that others may read or write
 * is refused. An entry is on disk when `write` resolves. Entries are written in the order given. Without a file
 * every entry is refused.
 */
export function createAuditFile(file: string | undefined, origin: AuditOrigin): AuditFile {
  let last: Promise<void> = Promise.resolve();
  let waiting = 0;
  return {
    isWriting: () => waiting > 0,
    write(entry) {
      waiting += 1;
      const written = last.then(() => append(file, origin, entry)).finally(() => { waiting -= 1; });
      last = written.catch(() => {});
      return written;
    },
  };
}

async function append(file: string | undefined, origin: AuditOrigin, entry: AuditEntry): Promise<void> {
  if (file === undefined) throw new AuditError(noAuditPlace);
  try {
    await requireOwnFolder(path.dirname(file));
    const handle = await openFile(file);
    try {
      const fault = fileFault(await handle.stat());
      if (fault !== undefined) throw new AuditError(fileSentences[fault](file));
      // What a crash or a full disk cut off must not swallow the next entry.
      const start = await isWithinLine(handle) ? '\n' : '';
      await handle.appendFile(start + formatAuditLine(origin, entry), 'ascii');
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (thrown) {
    if (thrown instanceof AuditError) throw thrown;
    if (thrown instanceof FolderError) throw new AuditError(thrown.message, thrown);
    throw new AuditError(`The audit file ${file} cannot be written (${errorCode(thrown)}).`, thrown);
  }
}

async function openFile(file: string): Promise<FileHandle> {
  try {
    return await open(file, flags, 0o600);
  } catch (thrown) {
    if (errorCode(thrown) === 'ELOOP') throw new AuditError(`The audit file ${file} is a link, which is not followed; remove it.`, thrown);
    throw thrown;
  }
}

const fileSentences: Readonly<Record<FileFault, (file: string) => string>> = {
  'no file': (file) => `${file} is no file, so nothing is recorded there; remove it.`,
  'of another user': (file) => `The audit file ${file} belongs to another user; remove it or set XDG_STATE_HOME.`,
  'second name': (file) => `The audit file ${file} has a second name (a hard link); remove it.`,
  'open to others': (file) => `Others may read or write the audit file ${file}; chmod 600 it.`,
};

async function isWithinLine(handle: FileHandle): Promise<boolean> {
  const { size } = await handle.stat();
  if (size === 0) return false;
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer[0] !== 0x0a;
}
