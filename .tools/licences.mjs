import { existsSync } from 'node:fs';
import { readFile, readdir } from 'node:fs/promises';
import path from 'node:path';

/**
 * The licences of all packages of which something was bundled, as one text, in order of name.
 *
 * @param {string} root folder of the project
 * @param {readonly string[]} inputs paths of the bundled files, relative to `root`
 */
export async function collectLicences(root, inputs) {
  const folders = new Set(inputs.map(packageFolder).filter((folder) => folder !== undefined));
  const entries = await Promise.all([...folders].map((folder) => licenceOf(root, folder)));
  const texts = entries
    .toSorted((one, other) => (one.title < other.title ? -1 : 1))
    .map(({ title, text }) => `${'='.repeat(80)}\n${title}\n${'='.repeat(80)}\n\n${text.trim()}\n`);
  return `brokertop contains code of these packages.\n\n${texts.join('\n')}`;
}

/** `node_modules/a/node_modules/@b/c` for any file in it; `undefined` for files of the project. */
function packageFolder(input) {
  return /^((?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1];
}

async function licenceOf(root, folder) {
  const absolute = path.join(root, folder);
  const { name, version, license } = JSON.parse(await readFile(path.join(absolute, 'package.json'), 'utf8'));
  const title = `${name} ${version} (${license ?? 'no licence named'})`;
  const file = (await readdir(absolute)).toSorted().find((entry) => /^(licen[cs]e|copying)/i.test(entry));
  if (file !== undefined) return { title, text: await readFile(path.join(absolute, file), 'utf8') };
  const readme = path.join(absolute, 'README.md');
  const section = existsSync(readme) ? /^#+ *licen[cs]e\b[^]*/im.exec(await readFile(readme, 'utf8'))?.[0] : undefined;
  return { title, text: section ?? 'The package carries no licence text.' };
}
