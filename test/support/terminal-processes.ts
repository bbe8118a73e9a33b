import { readdirSync, readFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';

/** A process that is still there. */
export interface LiveProcess {
  readonly pid: number;
  readonly command: string;
}

/**
 * The processes of a session (that of a pseudo-terminal has the id of its first process), without
 * those that have ended and only wait to be noticed. Linux only: elsewhere none.
 */
export function sessionProcesses(session: number): LiveProcess[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc').flatMap((entry) => {
    if (!/^\d+$/.test(entry)) return [];
    const stat = readProcessFile(`/proc/${entry}/stat`);
    // The command's name is in parentheses and may hold anything, spaces and parentheses too.
    const [state, , , sessionId] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (state === undefined || state === 'Z' || Number(sessionId) !== session) return [];
    return [{ pid: Number(entry), command: readProcessFile(`/proc/${entry}/cmdline`).replaceAll('\0', ' ').trim() }];
  });
}

/** Ends all processes of a session, also those that start meanwhile, and waits until none is left. */
export async function killSession(session: number): Promise<void> {
  for (;;) {
    const processes = sessionProcesses(session);
    if (processes.length === 0) return;
    for (const { pid } of processes) signalProcess(pid, 'SIGKILL');
    // The system tells nobody of the end of a process that is not one's own child.
    await setImmediate();
  }
}

/** `false` when there is no such process. */
export function signalProcess(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return false;
    throw error;
  }
}

/** Empty when the process has ended between two looks. */
function readProcessFile(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
