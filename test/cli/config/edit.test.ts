import { describe, expect, test } from 'vitest';
import { parseConfig } from '../../../src/cli/config/config-file.ts';
import { appendContext, preferContext, removeContext } from '../../../src/cli/config/edit.ts';

const text = `# mine
context = 'one' # first

[contexts.one] # the first
url = "http://127.0.0.1:1"

# two
[contexts.two]
url = [
  "http://127.0.0.1:2", # a
]

# three
[contexts.three]
url = "http://127.0.0.1:3"`;

const contextsOf = async (edited: string): Promise<readonly string[]> => {
  const { settings, problems } = await parseConfig(edited);
  expect(problems).toEqual([]);
  return Object.keys(settings.contexts ?? {});
};

describe('changes leave everything else as it is', () => {
  test('the context to start with', async () => {
    expect(preferContext(text, 'two')).toBe(text.replace("'one' # first", '"two" # first'));
    expect(preferContext('[contexts.two]\n', 'two')).toBe('context = "two"\n[contexts.two]\n');
    expect((await parseConfig(preferContext(text, 'three'))).settings.context).toBe('three');
  });

  test('a new context', async () => {
    const added = appendContext(text, 'four', {
      url: 'http://127.0.0.1:4',
      'password-command': 'pass "show" four',
      'read-only': true,
    });
    expect(added.startsWith(text)).toBe(true);
    expect(await contextsOf(added)).toEqual(['one', 'two', 'three', 'four']);
    expect((await parseConfig(added)).settings.contexts?.['four']).toEqual({
      url: 'http://127.0.0.1:4',
      'password-command': 'pass "show" four',
      'read-only': true,
    });
    expect(await contextsOf(appendContext('', 'a.b', { url: 'http://127.0.0.1' }))).toEqual(['a.b']);
  });

  test('a context that is removed, with its comments but not those of others', async () => {
    const removed = removeContext(text, 'two');
    expect(removed).toBe(text.replace(/\[contexts\.two\][^]*?\]\n\n/u, ''));
    expect(await contextsOf(removed)).toEqual(['one', 'three']);
    expect(await contextsOf(removeContext(text, 'three'))).toEqual(['one', 'two']);
  });

  test('what is not a table of its own is not removed', () => {
    expect(() => removeContext('contexts = { one = { user = "a" } }', 'one')).toThrow(
      'Context one does not have its own [contexts.one] table. Remove it by hand.',
    );
    expect(() => removeContext('[contexts]\none.user = "a"', 'one')).toThrow(
      'Context one does not have its own [contexts.one] table. Remove it by hand.',
    );
  });
});
