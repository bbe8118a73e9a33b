import { lstat, mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { errorCodeOf } from '../../domain/error-code.ts';
import { baseFolder, folderFault, type FolderFault, homeFolder } from './ownership.ts';

/** Where the program keeps a file: below `$XDG_STATE_HOME/brokertop` or `~/.local/state/brokertop`. `undefined` without a home folder. */
export function statePath(environment: NodeJS.ProcessEnv, name: string): string | undefined {
  const state = baseFolder(environment['XDG_STATE_HOME'], homeFolder(environment), path.join('.local', 'state'));
  return state === undefined ? undefined : path.join(state, 'brokertop', name);
}

/** Ends a sentence. */
export const noHome = 'there is no home folder; set HOME or XDG_STATE_HOME';

/** Nothing is written to this folder. The message is one sentence with the path in it. */
export class FolderError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'FolderError';
  }
}

/**
 * Makes a folder that only its owner can enter, where there is none.
 *
 * @throws FolderError for what is no folder, a link also to one, belongs to another user, or others may write to;
 * the system's error when it cannot be made.
 */
export async function requireOwnFolder(folder: string): Promise<void> {
  await makeFolder(folder);
  const fault = folderFault(await lstat(folder));
  if (fault !== undefined) throw new FolderError(folderSentences[fault](folder));
}

const folderSentences: Readonly<Record<FolderFault, (folder: string) => string>> = {
  'no folder': (folder) => `${folder} is no folder; remove it or set XDG_STATE_HOME.`,
  'of another user': (folder) => `The folder ${folder} belongs to another user; remove it or set XDG_STATE_HOME.`,
  'open to others': (folder) => `Others may write to the folder ${folder}; chmod 700 it.`,
};

/**
 * Makes a folder that only its owner can enter, with those above it. Not by `recursive`, which never ends where a
 * folder is there and takes none below it, as /proc.
 */
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
    // Of some places above all that is known is that nothing can be made there, and they are there.
    if (!(await isFolder(folder))) throw thrown;
  }
}

/** What the system calls an error, as `EACCES`; else its message. */
export function errorCode(thrown: unknown): string {
  return errorCodeOf(thrown) ?? (thrown instanceof Error ? thrown.message : String(thrown));
}

function ignoreExisting(thrown: unknown): void {
  if (errorCode(thrown) !== 'EEXIST') throw thrown;
}

async function isFolder(place: string): Promise<boolean> {
  return stat(place).then((stats) => stats.isDirectory(), () => false);
}
