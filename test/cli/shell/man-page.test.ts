import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { publicCommands } from '../../../src/cli/options/commands.ts';
import { flagText } from '../../../src/cli/options/help.ts';
import { manPage } from '../../../src/cli/shell/man-page.ts';

const page = await manPage('1.2.3');
const mandoc = '/usr/bin/mandoc';
const render = (...args: string[]): string => {
  const { stdout, stderr } = spawnSync(mandoc, args, { input: page, encoding: 'utf8', timeout: 30_000 });
  return stdout + stderr;
};

describe('the man page', () => {
  it('has the usual sections', () => {
    expect([...page.matchAll(/^\.SH "?(?<title>[^"\n]*)/gmu)].map(({ groups }) => groups?.['title'])).toEqual([
      'NAME',
      'SYNOPSIS',
      'DESCRIPTION',
      'COMMANDS',
      'FLAGS',
      ...publicCommands.filter(({ name }) => name !== '').map(({ name }) => `${name.toUpperCase()} FLAGS`),
      'ENVIRONMENT',
      'FILES',
      'EXIT STATUS',
      'EXAMPLES',
    ]);
  });

  it.skipIf(!existsSync(mandoc))('is correct roff, and shows every flag', () => {
    expect(render('-T', 'lint', '-W', 'warning')).toBe('');
    const shown = render('-T', 'utf8', '-O', 'width=200').replaceAll(/.\u0008/gu, '');
    for (const flag of publicCommands.flatMap(({ flags }) => flags)) expect(shown).toContain(flagText(flag));
  });
});
