/** Writes the generated sections of the README files; with `--check` fails when they are out of date. */
import { readFileSync, writeFileSync } from 'node:fs';
import { flagsMarkdown } from '../src/cli/options/help.ts';
import { curlMarkdown } from '../test/support/curl-reference.ts';
import {
  actionsMarkdown,
  checksMarkdown,
  dialectsMarkdown,
  profilesMarkdown,
  replaceSection,
  screensMarkdown,
} from './readme-sections.ts';
import { keysMarkdown } from '../src/screens/keys.ts';

const sections: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'src/actions/README.md': { actions: actionsMarkdown() },
  'src/api/dialects/README.md': { dialects: dialectsMarkdown() },
  'src/broker/README.md': { profiles: profilesMarkdown() },
  'src/checks/README.md': { checks: checksMarkdown() },
  'src/cli/README.md': { flags: flagsMarkdown() },
  'src/screens/README.md': { screens: screensMarkdown(), keys: keysMarkdown() },
  'src/api/dialects/emq-v2/README.md': { curl: curlMarkdown() },
};

for (const [file, texts] of Object.entries(sections)) {
  const path = new URL(`../${file}`, import.meta.url);
  const before = readFileSync(path, 'utf8');
  let after = before;
  for (const [name, text] of Object.entries(texts)) after = replaceSection(after, name, text);
  if (!process.argv.includes('--check')) {
    writeFileSync(path, after);
  } else if (after !== before) {
    console.error(`${file} is outdated. Run: npm run readme`);
    process.exitCode = 1;
  }
}
