import { lstat, open, rename, unlink } from 'node:fs/promises';
import path from 'node:path';
import { errorCodeOf } from '../../domain/error-code.ts';
import { saveTexts, unknownReason } from '../texts.ts';
import { homeFolder } from './ownership.ts';

/** `message` is one sentence for a dialog. */
export class SaveError extends Error {
  /** There is such a file, and it may not be replaced. */
  readonly isExisting: boolean;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'SaveError';
    this.isExisting = message === saveTexts.exists;
  }
}

/** Limits the characters written at once: lists may have millions of rows. */
const chunkLength = 262_144;

/**
 * Writes a file of mode 600. Nothing is left of a file that could not be written whole, and one that is replaced stays
 * as it is until then.
 *
 * @param typed relative to the working folder, or with `~/` to the home folder
 * @throws SaveError
 */
export async function saveFile(
  typed: string,
  pieces: Iterable<string>,
  mayReplace: boolean,
): Promise<{ readonly path: string; readonly bytes: number }> {
  const file = path.resolve(typed.startsWith('~/') ? inHome(typed.slice(2)) : typed);
  if (typed.endsWith('/')) throw new SaveError(saveTexts.isFolder);
  const existing = await lstat(file).catch(() => undefined);
  if (existing?.isDirectory() === true) throw new SaveError(saveTexts.isFolder);
  if (existing?.isFile() === false) throw new SaveError(saveTexts.notFile);
  if (existing !== undefined && !mayReplace) throw new SaveError(saveTexts.exists);
  const draft = existing === undefined ? file : `${file}.${process.pid}.draft`;
  try {
    const bytes = await writeNew(draft, pieces);
    if (draft !== file)
      await rename(draft, file).catch(async (error: unknown) => {
        await unlink(draft);
        throw error;
      });
    return { path: file, bytes };
  } catch (error) {
    const code = errorCodeOf(error);
    throw new SaveError(code === 'EEXIST' ? saveTexts.exists : saveTexts.cannotBeWritten(code ?? unknownReason), {
      cause: error,
    });
  }
}

async function writeNew(file: string, pieces: Iterable<string>): Promise<number> {
  const handle = await open(file, 'wx', 0o600);
  let bytes = 0;
  let chunk = '';
  const flush = async (): Promise<void> => {
    const buffer = Buffer.from(chunk);
    chunk = '';
    bytes += buffer.length;
    await handle.writeFile(buffer);
  };
  try {
    for (const piece of pieces) {
      chunk += piece;
      if (chunk.length >= chunkLength) await flush();
    }
    await flush();
    await handle.close();
    return bytes;
  } catch (error) {
    await handle.close().catch(() => {});
    await unlink(file);
    throw error;
  }
}

function inHome(name: string): string {
  const home = homeFolder(process.env);
  if (home === undefined) throw new SaveError(saveTexts.noHome);
  return path.join(home, name);
}
