import { expect, test } from 'vitest';
import { actionsMarkdown } from '../../.tools/action-table.ts';
import { actionDefinitions } from '../../src/actions/registry.ts';
import { allBindings, createKeymap } from '../../src/ui/keys/keymap.ts';
import { specifiedEndpoints } from '../fixtures/specified-endpoints.ts';

const markdown = actionsMarkdown();

/** Paths with neutral parameter names. */
const bare = (path: string): string => path.replaceAll(/\{\w+\}/g, '{}');

test('the table has every endpoint that changes something, with its variant', () => {
  const acting = specifiedEndpoints.filter(({ method }) => method !== 'GET');
  expect(acting.length).toBeGreaterThan(12);
  const table = bare(markdown);
  for (const { method, paths, variants } of acting) {
    const note = variants.length === 2 ? '' : ` (variant ${variants[0]?.toUpperCase() ?? ''})`;
    expect(paths.map((path) => `\`${method} ${bare(path)}\`${note}`).some((text) => table.includes(text)), `${method} ${paths[0]}`).toBe(true);
  }
});

test('actions and the keys that act on the broker name each other', () => {
  const acting = allBindings.filter((binding) => binding.isDangerous === true).map(({ id }) => id);
  expect([...new Set<string>(actionDefinitions.filter(({ danger }) => danger !== 'none').map(({ key }) => key))].toSorted()).toEqual(acting.toSorted());
});

test('read-only mode has the keys of no action', () => {
  const { bindings } = createKeymap({ isReadOnly: true });
  const keys = new Set<string>(actionDefinitions.map(({ key }) => key));
  expect(bindings.filter(({ id }) => keys.has(id))).toEqual([]);
});

test('no two actions have the same id, and each row of the table names a key and an endpoint', () => {
  expect(new Set(actionDefinitions.map(({ id }) => id)).size).toBe(actionDefinitions.length);
  const rows = markdown.trim().split('\n').slice(2);
  expect(rows).toHaveLength(actionDefinitions.length);
  for (const row of rows) expect(row).toMatch(/^\|[^|]+\|[^|]+\| `[^|]+` \|[^|]+\| `[A-Z]+ [^|]+\|$/);
});
