import { readdirSync, readFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';

/** A live process. */
export interface LiveProcess {
  readonly pid: number;
  readonly command: string;
}

/**
 * Lists the live processes of a session, without zombies. A pseudo-terminal's session has the id of its first process.
 * Linux only: empty elsewhere.
 */
export function sessionProcesses(session: number): LiveProcess[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc').flatMap((entry) => {
    if (!/^\d+$/.test(entry)) return [];
    const stat = readProcessFile(`/proc/${entry}/stat`);
    // The command's name is in parentheses and may contain spaces and parentheses.
    const [state, , , sessionId] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (state === undefined || state === 'Z' || Number(sessionId) !== session) return [];
    return [{ pid: Number(entry), command: readProcessFile(`/proc/${entry}/cmdline`).replaceAll('\0', ' ').trim() }];
  });
}

/** Kills all processes of a session, including those that start meanwhile, and waits until none is left. */
export async function killSession(session: number): Promise<void> {
  for (;;) {
    const processes = sessionProcesses(session);
    if (processes.length === 0) return;
    for (const { pid } of processes) signalProcess(pid, 'SIGKILL');
    // There is no event for the end of a process that is not a child.
    await setImmediate();
  }
}

/** Returns `false` if there is no such process. */
export function signalProcess(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return false;
    throw error;
  }
}

/** Returns an empty text if the process has ended meanwhile. */
function readProcessFile(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** Whether a process runs. A zombie does not count. */
export function isProcessThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return process.platform !== 'linux' || !/\) Z /u.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}
