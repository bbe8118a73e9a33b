import { expect, test } from 'vitest';
import { actionsMarkdown, shownCommands } from '../../.tools/action-table.ts';
import { allBindings } from '../../src/ui/keys/keymap.ts';
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

test('the table has every key that acts on the broker', () => {
  const acting = allBindings.filter((binding) => binding.isDangerous === true).map(({ id }) => id);
  expect([...shownCommands]).toEqual(expect.arrayContaining(acting));
});
