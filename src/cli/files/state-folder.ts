import { lstat, mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { errorCodeOf } from '../../domain/error-code.ts';
import { baseFolder, folderFault, type FolderFault, homeFolder } from './ownership.ts';

/** Path of a file in `$XDG_STATE_HOME/brokertop`, by default `~/.local/state/brokertop`. `undefined` without a home folder. */
export function statePath(environment: NodeJS.ProcessEnv, name: string): string | undefined {
  const state = baseFolder(environment['XDG_STATE_HOME'], homeFolder(environment), path.join('.local', 'state'));
  return state === undefined ? undefined : path.join(state, 'brokertop', name);
}

/** The end of an error message. */
export const noHome = 'there is no home folder; set HOME or XDG_STATE_HOME';

/** A folder is refused. The message names it. */
export class FolderError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'FolderError';
  }
}

/**
 * Creates a folder that only its owner can enter, unless it exists.
 *
 * @throws FolderError for a link, a folder of another user, or one that others may write to; the system's error when
 * it cannot be created
 */
export async function requirePrivateFolder(folder: string): Promise<void> {
  await makeFolder(folder);
  const fault = folderFault(await lstat(folder));
  if (fault !== undefined) throw new FolderError(folderFaultText[fault](folder));
}

const folderFaultText: Readonly<Record<FolderFault, (folder: string) => string>> = {
  'no folder': (folder) => `${folder} is no folder; remove it or set XDG_STATE_HOME.`,
  'of another user': (folder) => `The folder ${folder} belongs to another user; remove it or set XDG_STATE_HOME.`,
  'open to others': (folder) => `Others may write to the folder ${folder}; chmod 700 it.`,
};

/** Creates a folder and its parents. Not with `recursive`, which never returns for a folder in /proc. */
async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (thrown) {
    const code = errorCode(thrown);
    const above = path.dirname(folder);
    if (code === 'ENOENT' && above !== folder) {
      await makeFolder(above);
      await mkdir(folder, { mode: 0o700 }).catch(ignoreExisting);
      return;
    }
    // An existing folder may be reported as EACCES or EROFS instead of EEXIST.
    if (!(await isFolder(folder))) throw thrown;
  }
}

/** The system's code of an error, such as `EACCES`, else its message. */
export function errorCode(thrown: unknown): string {
  return errorCodeOf(thrown) ?? (thrown instanceof Error ? thrown.message : String(thrown));
}

function ignoreExisting(thrown: unknown): void {
  if (errorCode(thrown) !== 'EEXIST') throw thrown;
}

async function isFolder(place: string): Promise<boolean> {
  return stat(place).then((stats) => stats.isDirectory(), () => false);
}
