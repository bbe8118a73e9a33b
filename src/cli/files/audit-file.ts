import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { userInfo } from 'node:os';
import path from 'node:path';
import { type AuditEntry, type AuditLog, type AuditOrigin, formatAuditLine } from '../../actions/audit.ts';
import { fileFault, type FileFault } from './ownership.ts';
import { errorCode, FolderError, noHome, requirePrivateFolder, statePath } from './state-folder.ts';

/** The audit could not be written. The message names the file. */
export class AuditError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'AuditError';
  }
}

/** Path of the audit file. `undefined` without a home folder. */
export function auditPath(environment: NodeJS.ProcessEnv): string | undefined {
  return statePath(environment, 'audit.log');
}

/** The message when `auditPath` is `undefined`. */
export const noAuditPlace = `Actions cannot be recorded: ${noHome}, or use --no-audit.`;

/** The operating system's name of the user. */
export function operatorName(): string {
  try {
    return userInfo().username;
  } catch {
    // No entry in the user database, as in some containers.
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}

export interface AuditFile extends AuditLog {
  /** Whether an entry is not on disk yet. */
  isWriting(): boolean;
}

/** Does not follow links or wait for the reader of a pipe. */
const flags = constants.O_RDWR | constants.O_CREAT | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * An audit log in a file that only its owner can access; links and files open to others are refused.
 * Opens the file for each entry, so it can be rotated. Entries are written in order and are on disk when `write` resolves.
 * Without a file every `write` rejects.
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
    await requirePrivateFolder(path.dirname(file));
    const handle = await openFile(file);
    try {
      const fault = fileFault(await handle.stat());
      if (fault !== undefined) throw new AuditError(fileFaultText[fault](file));
      // A crash or a full disk may have left an incomplete line.
      const start = await endsInsideLine(handle) ? '\n' : '';
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

const fileFaultText: Readonly<Record<FileFault, (file: string) => string>> = {
  'no file': (file) => `${file} is no file, so nothing is recorded there; remove it.`,
  'of another user': (file) => `The audit file ${file} belongs to another user; remove it or set XDG_STATE_HOME.`,
  'second name': (file) => `The audit file ${file} has a second name (a hard link); remove it.`,
  'open to others': (file) => `Others may read or write the audit file ${file}; chmod 600 it.`,
};

async function endsInsideLine(handle: FileHandle): Promise<boolean> {
  const { size } = await handle.stat();
  if (size === 0) return false;
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer[0] !== 0x0a;
}
