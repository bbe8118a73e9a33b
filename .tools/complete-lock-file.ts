/** Adds to package-lock.json what `missingPackages` finds. After every `npm install`: `npm run lock`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { type LockFile, missingPackages, platformEntry } from './lock-file.ts';

const file = new URL('../package-lock.json', import.meta.url);
const lock = JSON.parse(readFileSync(file, 'utf8')) as LockFile;
const missing = missingPackages(lock);
const added = missing.map((each) => [`node_modules/${each.name}`, platformEntry(each)] as const);
// npm's own order, so that its next change is a small one.
const packages = Object.fromEntries([...Object.entries(lock.packages), ...added].toSorted(([one], [other]) => one.localeCompare(other, 'en')));
writeFileSync(file, `${JSON.stringify({ ...lock, packages }, null, 2)}\n`);
console.log(`${missing.length} packages for other platforms added`);
