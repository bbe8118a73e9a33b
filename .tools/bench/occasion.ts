import { cpus, loadavg, release, totalmem, type } from 'node:os';
import { machineCpuSeconds, treeCpuSeconds } from './process-figures.ts';

/** Above this use of a core by other programs, the report says that the machine was busy. */
const quietPercent = 10;

/** The machine, as a sentence. */
export function machine(): string {
  const [processor] = cpus();
  return `Measured on ${cpus().length} × ${processor?.model.trim() ?? 'an unknown processor'}, ${Math.round(totalmem() / 2 ** 30)} GB, ${type()} ${release()}, Node ${process.versions.node}.`;
}

/** How busy the machine was. Processes that the bench started must have ended. */
export function describeOccasion({ day, loadBefore, loadAfter, othersPercent }: {
  readonly day: string;
  /** One-minute load averages. */
  readonly loadBefore: number;
  readonly loadAfter: number;
  /** Processor time that other programs took, in percent of a core. */
  readonly othersPercent: number;
}): string {
  const facts = `${day}, load average ${loadBefore.toFixed(2)} before and ${loadAfter.toFixed(2)} after`;
  return othersPercent < quietPercent ? facts : `${facts}; others took ${Math.round(othersPercent)} % of a core: a quiet machine gives better figures`;
}

/** Starts watching the machine's load. The returned function ends it and describes the occasion. */
export function beginOccasion(): () => string {
  const [loadBefore = 0] = loadavg();
  const day = new Date().toISOString().slice(0, 10);
  const others = (): number => machineCpuSeconds() - treeCpuSeconds();
  const [startMs, startSeconds] = [performance.now(), others()];
  return () => {
    const [loadAfter = 0] = loadavg();
    const seconds = (performance.now() - startMs) / 1000;
    return describeOccasion({ day, loadBefore, loadAfter, othersPercent: Math.max(0, 100 * (others() - startSeconds) / seconds) });
  };
}
