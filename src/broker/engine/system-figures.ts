import { readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import type { BrokerSeconds } from '../../domain/node.ts';

/** Figures of the machine and of this process, which all nodes of an embedded cluster share. */
interface SystemFigures {
  /** Resident set size of the process. */
  readonly memoryTotalBytes: number;
  /** JavaScript heap in use. */
  readonly memoryUsedBytes: number;
  readonly load1: number | undefined;
  readonly load5: number | undefined;
  readonly load15: number | undefined;
  /** Soft limit of open files; `undefined` where it is unknown. */
  readonly maxFileDescriptors: number | undefined;
}

export function readSystemFigures(): SystemFigures {
  const { rss, heapUsed } = process.memoryUsage();
  const [load1, load5, load15] = loadavg();
  return {
    memoryTotalBytes: rss,
    memoryUsedBytes: heapUsed,
    load1,
    load5,
    load15,
    maxFileDescriptors: readFileLimit(),
  };
}

function readFileLimit(): number | undefined {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8');
    const soft = /^Max open files\s+(\d+)/m.exec(limits)?.[1];
    return soft === undefined ? undefined : Number(soft);
  } catch {
    return undefined;
  }
}

/** Converts a time to seconds of this machine's local wall clock. */
export function toBrokerSeconds(epochMs: number): BrokerSeconds {
  return Math.floor(epochMs / 1000) - new Date(epochMs).getTimezoneOffset() * 60;
}
