import { readFileSync, writeFileSync } from 'node:fs';
import { replaceSection } from '../readme-section.ts';
import { markdown, type Result, verdict } from './measure.ts';

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
  return markdown(results.filter(({ isDetail }) => !isDetail).map((line) => (
    { what: line.name, measured: line.measured, budget: line.budget, '': verdict(line) === 'OVER' ? '**over**' : '' }
  )));
}

/**
 * Replaces the sections with the same titles and keeps the others. Sections from another machine, or with a title that is not
 * in `titles`, are dropped.
 *
 * @param before the current text
 * @param titles all titles, in their order
 */
export function mergeSections(before: string, machine: string, sections: readonly Section[], titles: readonly string[]): string {
  const [head = '', ...kept] = before.trim().split(/^(?=\*\*[^*]+\*\* \()/mu).map((part) => part.trim());
  const byTitle = new Map(head === machine ? kept.map((part) => [/^\*\*([^*]+)\*\*/u.exec(part)?.[1] ?? '', part]) : []);
  for (const { title, occasion, table } of sections) byTitle.set(title, `**${title}** (${occasion})\n\n${table}`);
  return [machine, ...titles.flatMap((title) => byTitle.get(title) ?? [])].join('\n\n');
}

/** Writes sections into the bench's README.md; see `mergeSections`. */
export function writeToReadme(name: string, machine: string, sections: readonly Section[], titles: readonly string[]): void {
  writeFileSync(readme, replaceSection(readFileSync(readme, 'utf8'), name, (before) => mergeSections(before, machine, sections, titles)));
}
