import { readFileSync } from 'node:fs';

// The kernel counts in these ticks whatever the machine, since long before this program.
const ticksPerSecond = 100;

/** The numbered fields of `/proc/PID/stat` behind the name, which may hold anything; the first is the state. */
function statFields(pid: number): readonly string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

const seconds = (...ticks: readonly (string | undefined)[]): number => ticks.reduce((sum, each) => sum + Number(each ?? 0), 0) / ticksPerSecond;

/** Processor time that a process has used so far, in seconds, its own and the kernel's for it (Linux). */
export function cpuSeconds(pid: number): number {
  const fields = statFields(pid);
  return seconds(fields[11], fields[12]);
}

/** Processor time of this process and of all its children that have ended, in seconds (Linux). */
export function familyCpuSeconds(): number {
  const fields = statFields(process.pid);
  return seconds(fields[11], fields[12], fields[13], fields[14]);
}

/** Processor time that the whole machine has used so far, in seconds (Linux). */
export function machineCpuSeconds(): number {
  const [user, nice, system, , , interrupts, softInterrupts] = readFileSync('/proc/stat', 'utf8').split('\n', 1)[0]?.split(/\s+/u).slice(1) ?? [];
  return seconds(user, nice, system, interrupts, softInterrupts);
}

function megabytes(pid: number, field: string): number {
  const kilobytes = new RegExp(`^${field}:\\s+(\\d+) kB`, 'mu').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) / 1000;
}

/** Memory that a process holds, in MB (Linux). */
export function residentMegabytes(pid: number): number {
  return megabytes(pid, 'VmRSS');
}

/** The most that it ever held, in MB (Linux). */
export function peakMegabytes(pid: number): number {
  return megabytes(pid, 'VmHWM');
}
