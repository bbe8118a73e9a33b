import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, release, totalmem, type } from 'node:os';
import { replaceSection } from '../readme-sections.ts';
import { markdown, median, type Result, verdict } from './measure.ts';
import { machineCpuSeconds, treeCpuSeconds } from './process-figures.ts';

const readme = new URL('README.md', import.meta.url);

/** The results of one measurement. */
export interface Section {
  readonly title: string;
  /** The date, and how busy the machine was. */
  readonly occasion: string;
  /** Markdown. */
  readonly table: string;
}

/** The figures that the bench's README.md shows, as a Markdown table that marks those over their budget. */
export function budgetTable(results: readonly Result[]): string {
  return markdown(
    results
      .filter(({ isDetail }) => !isDetail)
      .map((line) => ({
        what: line.name,
        measured: line.measured,
        budget: line.budget,
        '': verdict(line) === 'OVER' ? '**over**' : '',
      })),
  );
}

/**
 * Replaces the sections with the same titles and keeps the others. Sections from another machine, or with a title that
 * is not in `titles`, are dropped.
 *
 * @param before the current text
 * @param titles all titles, in their order
 */
export function mergeSections(
  before: string,
  machine: string,
  sections: readonly Section[],
  titles: readonly string[],
): string {
  const [head = '', ...kept] = before
    .trim()
    .split(/^(?=\*\*[^*]+\*\* \()/mu)
    .map((part) => part.trim());
  const byTitle = new Map(
    head === machine ? kept.map((part) => [/^\*\*([^*]+)\*\*/u.exec(part)?.[1] ?? '', part]) : [],
  );
  for (const { title, occasion, table } of sections) byTitle.set(title, `**${title}** (${occasion})\n\n${table}`);
  return [machine, ...titles.flatMap((title) => byTitle.get(title) ?? [])].join('\n\n');
}

/** Writes sections into the bench's README.md; see `mergeSections`. */
export function writeToReadme(
  name: string,
  machine: string,
  sections: readonly Section[],
  titles: readonly string[],
): void {
  writeFileSync(
    readme,
    replaceSection(readFileSync(readme, 'utf8'), name, (before) => mergeSections(before, machine, sections, titles)),
  );
}

/** Above this use of a core by other programs, the report says that the machine was busy. */
const quietPercent = 10;

/** The machine, as a sentence. Its system may be another one at each measurement. */
export function machine(): string {
  const [processor] = cpus();
  return `Measured on ${cpus().length} × ${processor?.model.trim() ?? 'an unknown processor'}, ${Math.round(totalmem() / 2 ** 30)} GB.`;
}

/** Describes how busy the machine was. Processes that the bench started must have ended. */
export function describeOccasion({
  day,
  system,
  loadBefore,
  loadAfter,
  othersPercent,
  sortMs,
}: {
  readonly day: string;
  /** The versions of the kernel and of Node. */
  readonly system: string;
  /** One-minute load averages. */
  readonly loadBefore: number;
  readonly loadAfter: number;
  /** Processor time that other programs took, in percent of a core. */
  readonly othersPercent: number;
  /** Processor time of a sort that is always the same: compares the speed of machines. */
  readonly sortMs: number;
}): string {
  const facts = `${day}, ${system}, reference sort ${Math.round(sortMs)} ms, load average ${loadBefore.toFixed(2)} before and ${loadAfter.toFixed(2)} after`;
  return othersPercent < quietPercent
    ? facts
    : `${facts}; other programs used ${Math.round(othersPercent)} % of a core`;
}

/** Processor time of sorting 100,000 texts, in milliseconds. */
export function referenceSortMs(): number {
  const texts = Array.from({ length: 100_000 }, (_, index) => `device-${(index * 7919) % 100_003}`);
  const times = Array.from({ length: 9 }, () => {
    const before = process.cpuUsage();
    texts.toSorted();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  });
  return median(times);
}

/** Starts watching the machine's load. The returned function ends it and describes the occasion. */
export function beginOccasion(): () => string {
  const [loadBefore = 0] = loadavg();
  const day = new Date().toISOString().slice(0, 10);
  const sortMs = referenceSortMs();
  const others = (): number => machineCpuSeconds() - treeCpuSeconds();
  const [startMs, startSeconds] = [performance.now(), others()];
  return () => {
    const [loadAfter = 0] = loadavg();
    const seconds = (performance.now() - startMs) / 1000;
    return describeOccasion({
      day,
      system: `${type()} ${release()}, Node ${process.versions.node}`,
      sortMs,
      loadBefore,
      loadAfter,
      othersPercent: Math.max(0, (100 * (others() - startSeconds)) / seconds),
    });
  };
}
