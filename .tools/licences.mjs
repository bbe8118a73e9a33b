import { existsSync } from 'node:fs';
import { readFile, readdir } from 'node:fs/promises';
import path from 'node:path';

/** Accepted licences. Read another one before adding it. */
const accepted = new Set(['MIT', 'ISC', '0BSD', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0']);

/**
 * The licences of all bundled packages as one text, sorted by name.
 *
 * @param {string} root folder of the project
 * @param {readonly string[]} inputs paths of the bundled files, relative to `root`
 * @throws Error for a package without a licence text, or with a licence that is not among the accepted ones
 */
export async function collectLicences(root, inputs) {
  const folders = new Set(inputs.map(packageFolder).filter((folder) => folder !== undefined));
  const entries = await Promise.all(
    [...folders].map((folder) =>
      licenceOf(
        root,
        folder,
        inputs.filter((input) => packageFolder(input) === folder),
      ),
    ),
  );
  const texts = entries
    .toSorted((one, other) => (one.title < other.title ? -1 : 1))
    .map(({ title, text }) => `${'='.repeat(80)}\n${title}\n${'='.repeat(80)}\n\n${text.trim()}\n`);
  return `brokertop contains code of these packages.\n\n${texts.join('\n')}`;
}

/** `node_modules/a/node_modules/@b/c` for any file in it; `undefined` for files of the project. */
function packageFolder(input) {
  return /^((?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1];
}

async function licenceOf(root, folder, sources) {
  const absolute = path.join(root, folder);
  const { name, version, license } = JSON.parse(await readFile(path.join(absolute, 'package.json'), 'utf8'));
  if (!accepted.has(license))
    throw new Error(
      `${name} ${version} has the licence ${license ?? '(none)'}. Read it, then add it to .tools/licences.mjs.`,
    );
  const title = `${name} ${version} (${license})`;
  const file = (await readdir(absolute)).toSorted().find((entry) => /^(licen[cs]e|copying)/i.test(entry));
  if (file !== undefined) return { title, text: await readFile(path.join(absolute, file), 'utf8') };
  const readme = path.join(absolute, 'README.md');
  const section = existsSync(readme) ? /^#+ *licen[cs]e\b[^]*/im.exec(await readFile(readme, 'utf8'))?.[0] : undefined;
  const copyright = section ?? (license === 'MIT' ? await copyrightIn(root, sources) : undefined);
  const text =
    copyright?.includes('Permission is hereby granted') === false && license === 'MIT'
      ? `${copyright.trim()}\n\n${mitTerms}`
      : copyright;
  if (text === undefined) throw new Error(`${name} ${version} has no licence text and cannot be redistributed.`);
  return { title, text };
}

/** Copyright lines of packages that name their authors only in their sources. */
async function copyrightIn(root, sources) {
  for (const source of sources) {
    const line = /^[\s/*]*(Copyright \(c\) .*)$/im.exec(
      (await readFile(path.join(root, source), 'utf8')).slice(0, 1000),
    )?.[1];
    if (line !== undefined) return line.trim();
  }
  return undefined;
}

/** Licence texts for packages that only name their licence. */
const mitTerms = `Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.`;
