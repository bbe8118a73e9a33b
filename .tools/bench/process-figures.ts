import { readFileSync } from 'node:fs';

// USER_HZ is 100 on all Linux machines.
const ticksPerSecond = 100;

/** The fields of `/proc/PID/stat` after the name, starting with the state. */
function statFields(pid: number): readonly string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

const seconds = (...ticks: readonly (string | undefined)[]): number =>
  ticks.reduce((sum, each) => sum + Number(each ?? 0), 0) / ticksPerSecond;

/** User and system processor time of a process, in seconds (Linux). */
export function cpuSeconds(pid: number): number {
  const fields = statFields(pid);
  return seconds(fields[11], fields[12]);
}

/** Processor time of a process's main thread, in milliseconds, exact to a fraction of one (Linux). */
export function mainThreadMs(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ', 1)[0]) / 1e6;
}

/** Processor time of this process and its ended children, in seconds (Linux). */
export function treeCpuSeconds(): number {
  const fields = statFields(process.pid);
  return seconds(fields[11], fields[12], fields[13], fields[14]);
}

/** Processor time of the whole machine, in seconds (Linux). */
export function machineCpuSeconds(): number {
  const [user, nice, system, , , interrupts, softInterrupts] =
    readFileSync('/proc/stat', 'utf8').split('\n', 1)[0]?.split(/\s+/u).slice(1) ?? [];
  return seconds(user, nice, system, interrupts, softInterrupts);
}

function megabytes(pid: number, field: string): number {
  const kilobytes = new RegExp(`^${field}:\\s+(\\d+) kB`, 'mu').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) / 1000;
}

/** Resident memory of a process, in MB (Linux). */
export function residentMegabytes(pid: number): number {
  return megabytes(pid, 'VmRSS');
}

/** Peak resident memory of a process, in MB (Linux). */
export function peakMegabytes(pid: number): number {
  return megabytes(pid, 'VmHWM');
}
