import { readFileSync, writeFileSync } from 'node:fs';
import { replaceSection } from '../readme-section.ts';
import { markdown, type Result, verdict } from './measure.ts';

const readme = new URL('../../README.md', import.meta.url);

/** What one measurement gave. */
export interface Section {
  readonly title: string;
  /** When, and how busy the machine was. */
  readonly occasion: string;
  /** In Markdown. */
  readonly table: string;
}

/** The figures that README.md shows, as a table; "over" behind those that are not within their budget. */
export function budgetTable(results: readonly Result[]): string {
  return markdown(results.filter(({ isDetail }) => !isDetail).map((line) => (
    { what: line.name, measured: line.measured, budget: line.budget, '': verdict(line) === 'OVER' ? '**over**' : '' }
  )));
}

/**
 * Puts what was measured now in place of what was measured before under the same titles; the rest stays as it is, unless
 * it comes from another machine or under a title that there is no more.
 * @param before the text that stands there
 * @param titles in their order
 */
export function mergeSections(before: string, machine: string, sections: readonly Section[], titles: readonly string[]): string {
  const [head = '', ...kept] = before.trim().split(/^(?=\*\*[^*]+\*\* \()/mu).map((part) => part.trim());
  const byTitle = new Map(head === machine ? kept.map((part) => [/^\*\*([^*]+)\*\*/u.exec(part)?.[1] ?? '', part]) : []);
  for (const { title, occasion, table } of sections) byTitle.set(title, `**${title}** (${occasion})\n\n${table}`);
  return [machine, ...titles.flatMap((title) => byTitle.get(title) ?? [])].join('\n\n');
}

/** Puts what was measured into its place in README.md; see `mergeSections`. */
export function writeToReadme(name: string, machine: string, sections: readonly Section[], titles: readonly string[]): void {
  writeFileSync(readme, replaceSection(readFileSync(readme, 'utf8'), name, (before) => mergeSections(before, machine, sections, titles)));
}
