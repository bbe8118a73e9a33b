/** Writes the generated parts of README.md; with `--check` it only says whether they are current. */
import { readFileSync, writeFileSync } from 'node:fs';
import { flagsMarkdown } from '../src/cli/options/arguments.ts';
import { keysMarkdown } from '../src/ui/keys/keymap.ts';
import { curlMarkdown } from '../test/support/curl-reference.ts';
import { actionsMarkdown } from './action-table.ts';
import { replaceSection } from './readme-section.ts';

const path = new URL('../README.md', import.meta.url);
const before = readFileSync(path, 'utf8');
let after = before;
for (const [name, text] of Object.entries({ keys: keysMarkdown(), actions: actionsMarkdown(), flags: flagsMarkdown(), curl: curlMarkdown() })) {
  after = replaceSection(after, name, text);
}
if (process.argv.includes('--check')) {
  if (after !== before) {
    console.error('README.md is not current: npm run readme');
    process.exitCode = 1;
  }
} else {
  writeFileSync(path, after);
}
