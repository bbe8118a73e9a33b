import { mkdir, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { codeOf } from '../domain/error-code.ts';

/** Where the program keeps a file: below `$XDG_STATE_HOME/brokertop`, or `~/.local/state/brokertop`; a relative `XDG_STATE_HOME` does not count. */
export function statePath(environment: NodeJS.ProcessEnv, name: string, home: string = homedir()): string {
  const given = environment['XDG_STATE_HOME'];
  const state = given !== undefined && path.isAbsolute(given) ? given : path.join(home, '.local', 'state');
  return path.join(state, 'brokertop', name);
}

/**
 * Makes a folder that only its owner can enter, with those above it. Not by `recursive`, which never ends where a
 * folder is there and takes none below it, as /proc.
 */
export async function makeFolder(folder: string): Promise<void> {
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
  return codeOf(thrown) ?? (thrown instanceof Error ? thrown.message : String(thrown));
}

function ignoreExisting(thrown: unknown): void {
  if (errorCode(thrown) !== 'EEXIST') throw thrown;
}

async function isFolder(place: string): Promise<boolean> {
  return stat(place).then((stats) => stats.isDirectory(), () => false);
}
