import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, release, totalmem, type } from 'node:os';
import { replaceSection } from '../readme-section.ts';

const readme = new URL('../../README.md', import.meta.url);

/** When and where the figures come from, as a sentence. */
export function occasion(): string {
  const [processor] = cpus();
  const machine = `${cpus().length} × ${processor?.model.trim() ?? 'an unknown processor'}, ${Math.round(totalmem() / 2 ** 30)} GB, ${type()} ${release()}, Node ${process.versions.node}`;
  return `Measured on ${new Date().toISOString().slice(0, 10)}: ${machine}.`;
}

/** Puts a table with its occasion into its place in README.md. */
export function writeToReadme(name: string, table: string): void {
  writeFileSync(readme, replaceSection(readFileSync(readme, 'utf8'), name, `${occasion()}\n\n${table}`));
}
