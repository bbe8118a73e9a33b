import { expect, test } from 'vitest';
import { replaceSection } from '../../.tools/readme-section.ts';

const readme = '<!-- keys: made -->\n\nold\n\n<!-- /keys -->\nbetween\n<!-- flags: made -->\nold\n<!-- /flags -->\n';

test('the text of a section is replaced, and nothing else', () => {
  expect(replaceSection(readme, 'flags', '\n$& costs $1\n')).toBe(readme.replace('made -->\nold', () => 'made -->\n\n$& costs $1\n'));
  expect(replaceSection(readme, 'keys', 'old')).toBe(readme);
});

test('a missing section is an error', () => {
  expect(() => replaceSection(readme, 'key', 'x')).toThrow('no section for key');
});
