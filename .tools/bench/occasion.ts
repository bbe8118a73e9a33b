import { cpus, loadavg, release, totalmem, type } from 'node:os';
import { familyCpuSeconds, machineCpuSeconds } from './process-figures.ts';

/** Above this share of a core that others take, figures are said to be worse than they would be. */
const quietPercent = 10;

/** The machine, as a sentence. */
export function machine(): string {
  const [processor] = cpus();
  return `Measured on ${cpus().length} × ${processor?.model.trim() ?? 'an unknown processor'}, ${Math.round(totalmem() / 2 ** 30)} GB, ${type()} ${release()}, Node ${process.versions.node}.`;
}

/** What else the machine did, to be told from what was measured: all that the bench started is to have ended when this is called. */
export function describeOccasion({ day, loadBefore, loadAfter, othersPercent }: {
  readonly day: string;
  /** Load averages of a minute. */
  readonly loadBefore: number;
  readonly loadAfter: number;
  /** Processor time that other programs took, in percent of a core. */
  readonly othersPercent: number;
}): string {
  const facts = `${day}, load average ${loadBefore.toFixed(2)} before and ${loadAfter.toFixed(2)} after`;
  return othersPercent < quietPercent ? facts : `${facts}; others took ${Math.round(othersPercent)} % of a core: a quiet machine gives better figures`;
}

/** Begins to look at what else the machine does; the answer ends it, and says when this was and whether others were busy. */
export function beginOccasion(): () => string {
  const [loadBefore = 0] = loadavg();
  const day = new Date().toISOString().slice(0, 10);
  const others = (): number => machineCpuSeconds() - familyCpuSeconds();
  const [startMs, startSeconds] = [performance.now(), others()];
  return () => {
    const [loadAfter = 0] = loadavg();
    const seconds = (performance.now() - startMs) / 1000;
    return describeOccasion({ day, loadBefore, loadAfter, othersPercent: Math.max(0, 100 * (others() - startSeconds) / seconds) });
  };
}
