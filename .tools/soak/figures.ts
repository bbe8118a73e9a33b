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
    const figures = {
      residentMegabytes: residentMegabytes(pid),
      descriptors: readdirSync(`/proc/${pid}/fd`).length,
      cpuSeconds: cpuSeconds(pid),
    };
    // A zombie has no memory.
    return Number.isNaN(figures.residentMegabytes) ? undefined : figures;
  } catch (error) {
    const code = errorCodeOf(error);
    if (code === 'ENOENT' || code === 'ESRCH') return undefined;
    throw error;
  }
}

/** A figure at a time. */
export interface Point {
  readonly hours: number;
  readonly value: number;
}

/** Growth per hour by least squares; 0 for fewer than two points in time. */
export function slopePerHour(points: readonly Point[]): number {
  const meanHours = mean(points.map(({ hours }) => hours));
  const meanValue = mean(points.map(({ value }) => value));
  let up = 0;
  let along = 0;
  for (const { hours, value } of points) {
    up += (hours - meanHours) * (value - meanValue);
    along += (hours - meanHours) ** 2;
  }
  return along === 0 ? 0 : up / along;
}

/** Drops the first quarter, the warm-up. */
export function afterWarmUp(points: readonly Point[]): readonly Point[] {
  return points.slice(Math.floor(points.length / 4));
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
