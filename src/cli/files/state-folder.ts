import { createHash } from 'node:crypto';
import { lstat, mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { errorCodeOrMessage } from '../errors.ts';
import { stateFolderTexts } from '../texts.ts';
import { baseFolder, folderFault, type FolderFault, homeFolder } from './ownership.ts';

/** Returns `undefined` without a home folder. */
export function statePath(environment: NodeJS.ProcessEnv, name: string): string | undefined {
  const state = baseFolder(environment['XDG_STATE_HOME'], homeFolder(environment), path.join('.local', 'state'));
  return state === undefined ? undefined : path.join(state, 'brokertop', name);
}

/** Returns a file name for a cluster, by the name of its context or its URL: different ones never share a name. */
export function clusterFileName(cluster: string): string {
  const plain = cluster.replaceAll(/[^\w.-]+/gu, '_').replace(/^\.+/u, '_');
  return plain === cluster && plain.length <= 100
    ? plain
    : `${plain.slice(0, 60)}-${createHash('sha256').update(cluster).digest('hex').slice(0, 12)}`;
}

export class FolderError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'FolderError';
  }
}

/** @throws FolderError for a folder that is not private */
export async function requirePrivateFolder(folder: string): Promise<void> {
  await makeFolder(folder);
  const fault = folderFault(await lstat(folder));
  if (fault !== undefined) throw new FolderError(folderFaultText[fault](folder));
}

const folderFaultText: Readonly<Record<FolderFault, (folder: string) => string>> = {
  'no folder': stateFolderTexts.notFolder,
  'of another user': stateFolderTexts.ofAnotherUser,
  'open to others': stateFolderTexts.openToOthers,
};

/** Avoids `recursive`, which never returns for a folder in /proc. */
async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (thrown) {
    const code = errorCodeOrMessage(thrown);
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

function ignoreExisting(thrown: unknown): void {
  if (errorCodeOrMessage(thrown) !== 'EEXIST') throw thrown;
}

async function isFolder(place: string): Promise<boolean> {
  return stat(place).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
}
