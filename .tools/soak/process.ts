import { readdirSync } from 'node:fs';
import { errorCodeOf } from '../../src/domain/error-code.ts';
import { cpuSeconds, residentMegabytes } from '../bench/process-figures.ts';

/** The system's figures of a process. */
export interface ProcessFigures {
  readonly residentMegabytes: number;
  readonly descriptors: number;
  readonly cpuSeconds: number;
}

/** `undefined` for a process that has ended (Linux). */
export function readProcess(pid: number): ProcessFigures | undefined {
  try {
    const figures = { residentMegabytes: residentMegabytes(pid), descriptors: readdirSync(`/proc/${pid}/fd`).length, cpuSeconds: cpuSeconds(pid) };
    // A zombie has no memory.
    return Number.isNaN(figures.residentMegabytes) ? undefined : figures;
  } catch (error) {
    const code = errorCodeOf(error);
    if (code === 'ENOENT' || code === 'ESRCH') return undefined;
    throw error;
  }
}
