import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';

/** Opens a file to append to, without following links or waiting for the reader of a pipe. */
export const appendFlags =
  constants.O_RDWR | constants.O_CREAT | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Whether a crash or a full disk has left an incomplete line at the end. */
export async function endsInsideLine(handle: FileHandle): Promise<boolean> {
  const { size } = await handle.stat();
  if (size === 0) return false;
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer[0] !== 0x0a;
}
