/**
 * Adds the packages that `missingPackages` finds to package-lock.json. Run `npm run lock` after every `npm install`.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { type LockFile, missingPackages, platformEntry } from './lock-file.ts';

const file = new URL('../package-lock.json', import.meta.url);
const lock = JSON.parse(readFileSync(file, 'utf8')) as LockFile;
const missing = missingPackages(lock);
const added = missing.map((each) => [`node_modules/${each.name}`, platformEntry(each)] as const);
// In npm's order, for small diffs.
const packages = Object.fromEntries(
  [...Object.entries(lock.packages), ...added].toSorted(([one], [other]) => one.localeCompare(other, 'en')),
);
writeFileSync(file, `${JSON.stringify({ ...lock, packages }, null, 2)}\n`);
console.log(`${missing.length} packages for other platforms added`);
