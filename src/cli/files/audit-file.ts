import { type FileHandle, open } from 'node:fs/promises';
import { userInfo } from 'node:os';
import path from 'node:path';
import { type AuditEntry, type AuditLog, type AuditOrigin, formatAuditLine } from '../../actions/audit.ts';
import { errorCodeOrMessage } from '../errors.ts';
import { auditFileTexts } from '../texts.ts';
import { appendFlags, endsInsideLine } from './append.ts';
import { fileFault, type FileFault } from './ownership.ts';
import { FolderError, requirePrivateFolder, statePath } from './state-folder.ts';

export class AuditError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'AuditError';
  }
}

/** Returns `undefined` without a home folder. */
export function auditPath(environment: NodeJS.ProcessEnv): string | undefined {
  return statePath(environment, 'audit.log');
}

export function operatorName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}

export interface AuditFile extends AuditLog {
  isWriting(): boolean;
}

/**
 * Creates an audit that opens its file for each entry, so that it can be rotated. An entry is on disk when `write`
 * resolves.
 */
export function createAuditFile(file: string | undefined, origin: AuditOrigin): AuditFile {
  let last: Promise<void> = Promise.resolve();
  let waiting = 0;
  return {
    isWriting: () => waiting > 0,
    write(entry) {
      waiting += 1;
      const written = last
        .then(() => append(file, origin, entry))
        .finally(() => {
          waiting -= 1;
        });
      last = written.catch(() => {});
      return written;
    },
  };
}

async function append(file: string | undefined, origin: AuditOrigin, entry: AuditEntry): Promise<void> {
  if (file === undefined) throw new AuditError(auditFileTexts.noHome);
  try {
    await requirePrivateFolder(path.dirname(file));
    const handle = await openFile(file);
    try {
      const fault = fileFault(await handle.stat());
      if (fault !== undefined) throw new AuditError(fileFaultText[fault](file));
      const start = (await endsInsideLine(handle)) ? '\n' : '';
      await handle.appendFile(start + formatAuditLine(origin, entry), 'ascii');
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (thrown) {
    if (thrown instanceof AuditError) throw thrown;
    if (thrown instanceof FolderError) throw new AuditError(thrown.message, thrown);
    throw new AuditError(auditFileTexts.cannotBeWritten(file, errorCodeOrMessage(thrown)), thrown);
  }
}

async function openFile(file: string): Promise<FileHandle> {
  try {
    return await open(file, appendFlags, 0o600);
  } catch (thrown) {
    if (errorCodeOrMessage(thrown) === 'ELOOP') throw new AuditError(auditFileTexts.isLink(file), thrown);
    throw thrown;
  }
}

const fileFaultText: Readonly<Record<FileFault, (file: string) => string>> = {
  'no file': auditFileTexts.notFile,
  'of another user': auditFileTexts.ofAnotherUser,
  'second name': auditFileTexts.secondName,
  'open to others': auditFileTexts.openToOthers,
};
