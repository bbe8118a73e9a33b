import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, release, totalmem, type } from 'node:os';

const readme = new URL('../../README.md', import.meta.url);

/** When and where the figures come from, as a sentence. */
export function occasion(): string {
  const [processor] = cpus();
  const machine = `${cpus().length} × ${processor?.model.trim() ?? 'an unknown processor'}, ${Math.round(totalmem() / 2 ** 30)} GB, ${type()} ${release()}, Node ${process.versions.node}`;
  return `Measured on ${new Date().toISOString().slice(0, 10)}: ${machine}.`;
}

/** Puts a table with its occasion into its place in README.md. */
export function writeToReadme(name: string, table: string): void {
  const before = readFileSync(readme, 'utf8');
  const section = new RegExp(`(<!-- ${name}: [^>]*-->\n)[^]*?(<!-- /${name} -->)`, 'u');
  if (!section.test(before)) throw new Error(`README.md has no section for ${name}.`);
  writeFileSync(readme, before.replace(section, (_, start: string, end: string) => `${start}\n${occasion()}\n\n${table}\n\n${end}`));
}
