import { readFileSync } from 'node:fs';

/** Whether a process runs. A zombie does not count. */
export function isProcessThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return process.platform !== 'linux' || !/\) Z /u.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}
