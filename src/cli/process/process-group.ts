import type { SpawnOptions } from 'node:child_process';

/**
 * Options for a process group and session of its own: its children can be ended with it, and none of them can open the
 * terminal.
 */
export const ownSession: Pick<SpawnOptions, 'detached' | 'windowsHide'> = {
  detached: process.platform !== 'win32',
  windowsHide: true,
};

/**
 * Sends a signal to a process that was started with `ownSession`, and to its children. Returns whether one of them
 * existed.
 */
export function signalGroup(pid: number | undefined, signal: NodeJS.Signals | 0): boolean {
  if (pid === undefined) return false;
  try {
    return process.kill(process.platform === 'win32' ? pid : -pid, signal);
  } catch {
    return false;
  }
}
