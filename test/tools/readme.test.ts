import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { actionsMarkdown, replaceSection, screensMarkdown } from '../../.tools/readme-sections.ts';
import { actionDefinitions } from '../../src/resources/actions.ts';
import { screens } from '../../src/screens/registry.ts';
import { specifiedEndpoints } from '../fixtures/specified-endpoints.ts';
import { allBindings, createKeymap } from '../../src/screens/keys.ts';
import { commandOfAction } from '../../src/actions/define-action.ts';

const sample = '<!-- keys: made -->\n\nold\n\n<!-- /keys -->\nbetween\n<!-- flags: made -->\nold\n<!-- /flags -->\n';

test('the text of a section is replaced, and nothing else', () => {
  expect(replaceSection(sample, 'flags', '\n$& costs $1\n')).toBe(
    sample.replace('made -->\nold', () => 'made -->\n\n$& costs $1\n'),
  );
  expect(replaceSection(sample, 'keys', 'old')).toBe(sample);
});

test('a missing section is an error', () => {
  expect(() => replaceSection(sample, 'key', 'x')).toThrow('no section key');
});

const markdown = actionsMarkdown();

/** Paths with neutral parameter names. */
const bare = (path: string): string => path.replaceAll(/\{\w+\}/g, '{}');

test('the table has every endpoint that changes something, with its variant', () => {
  const acting = specifiedEndpoints.filter(({ method }) => method !== 'GET');
  expect(acting.length).toBeGreaterThan(12);
  const table = bare(markdown);
  for (const { method, paths, variants } of acting) {
    const note = variants.length === 2 ? '' : ` (v2 ${variants[0]?.toUpperCase() ?? ''})`;
    expect(
      paths.map((path) => `\`${method} ${bare(path)}\`${note}`).some((text) => table.includes(text)),
      `${method} ${paths[0]}`,
    ).toBe(true);
  }
});

test('every action has a key that exists, and the keys of those that change something are dangerous', () => {
  const isDangerous = new Map<string, boolean>(
    allBindings.map((binding) => [binding.id, binding.isDangerous === true]),
  );
  for (const action of actionDefinitions) {
    const command = commandOfAction(action);
    expect([command, isDangerous.get(command)]).toEqual([command, action.danger !== 'none']);
  }
});

test('read-only mode has the keys of no action', () => {
  const { bindings } = createKeymap({ isReadOnly: true });
  const keys = new Set<string>(actionDefinitions.map(commandOfAction));
  expect(bindings.filter(({ id }) => keys.has(id))).toEqual([]);
});

test('no two actions have the same id, and each row of the table names a key and an endpoint', () => {
  expect(new Set(actionDefinitions.map(({ id }) => id)).size).toBe(actionDefinitions.length);
  const rows = markdown.trim().split('\n').slice(2);
  expect(rows).toHaveLength(actionDefinitions.length);
  for (const row of rows) expect(row).toMatch(/^\|[^|]+\|[^|]+\| `[^|]+` \|[^|]+\| `[A-Z]+ [^|]+\|$/);
});

const testFolder = path.join(import.meta.dirname, '..');
const readme = readFileSync(path.join(testFolder, 'README.md'), 'utf8');
const [, section = ''] = readme.split('\n## Guarantees, and the tests behind them\n');
/** Rows of the tables, without headings and rules. */
const guarantees = [...section.matchAll(/^\| (?<text>.+) \| (?<tests>.+) \|$/gmu)]
  .map(({ groups }) => groups ?? {})
  .filter(({ tests }) => tests !== 'tests');
const testsOf = ({ tests = '' }: Readonly<Record<string, string>>): readonly string[] =>
  [...tests.matchAll(/`([^`]+)`/gu)].map(([, name = '']) => name);
const isTest = (name: string): boolean =>
  ['.test.ts', '.test.tsx'].some((extension) => existsSync(path.join(testFolder, name + extension)));

test('every guarantee in test/README.md names its tests, and they exist', () => {
  expect(guarantees.length).toBeGreaterThan(25);
  expect(guarantees.filter((guarantee) => testsOf(guarantee).length === 0)).toEqual([]);
  expect(guarantees.flatMap(testsOf).filter((name) => !isTest(name))).toEqual([]);
});

test('the table of screens has every screen, with its key and the keys that work only there', () => {
  const rows = screensMarkdown().trim().split('\n').slice(2);
  expect(rows).toHaveLength(screens.length);
  for (const [at, { title }] of screens.entries()) expect(rows[at]).toContain(`**${title}**`);
  expect(rows.find((row) => row.includes('**Users**'))).toMatch(/^\| `@` \|.*`D` delete/u);
});

const root = path.join(testFolder, '..');
const pages = ['README.md', 'test/README.md', '.tools/bench/README.md', ...globSync('src/**/README.md', { cwd: root })];

/** The name that GitHub gives a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
const anchorsOf = (text: string): ReadonlySet<string> =>
  new Set([...text.matchAll(/^#+ (.+)$/gmu)].map(([, heading = '']) => anchorOf(heading)));

test.each(pages)('every link of %s leads to a file, and to a heading in it', (page) => {
  const text = readFileSync(path.join(root, page), 'utf8');
  const links = [...text.matchAll(/\]\((?!https?:)(?<file>[^)#]*)(?:#(?<anchor>[^)]*))?\)/gu)].map(
    ({ groups }) => groups ?? {},
  );
  const isBroken = ({ file = '', anchor }: Readonly<Record<string, string | undefined>>): boolean => {
    const target = file === '' ? page : path.join(path.dirname(page), file);
    if (!existsSync(path.join(root, target))) return true;
    if (anchor === undefined) return false;
    return !anchorsOf(readFileSync(path.join(root, target), 'utf8')).has(anchor);
  };
  expect(links.filter(isBroken)).toEqual([]);
});

test('README.md is a landing page: at most 200 lines', () => {
  expect(readFileSync(path.join(root, 'README.md'), 'utf8').split('\n').length).toBeLessThanOrEqual(200);
});
