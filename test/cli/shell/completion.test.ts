import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  demoCommand,
  monitorCommand,
  namedCommands,
  scenarioNames,
  type ShellName,
  shellNames,
} from '../../../src/cli/options/commands.ts';
import { parseArguments } from '../../../src/cli/options/flags.ts';
import { completionScript } from '../../../src/cli/shell/completion.ts';
import { themeNames } from '../../../src/terminal/theme-name.ts';

const shells: Readonly<Record<ShellName, string>> = { bash: '/bin/bash', zsh: '/usr/bin/zsh', fish: '/usr/bin/fish' };
const long = (flags: readonly { readonly name: string }[]): string[] => flags.map(({ name }) => `--${name}`);

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'brokertop-shell-'));
  for (const shell of shellNames) writeFileSync(path.join(folder, `script.${shell}`), completionScript(shell));
  writeFileSync(path.join(folder, 'my ca.pem'), '');
  // The program, as far as completion runs it.
  writeFileSync(
    path.join(folder, 'brokertop'),
    '#!/bin/sh\n[ "$*" = "context names" ] && printf "prod\\nstaging\\n"\n',
    { mode: 0o755 },
  );
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const run = (shell: ShellName, args: readonly string[]): string =>
  execFileSync(shells[shell], args, {
    cwd: folder,
    encoding: 'utf8',
    timeout: 30_000,
    env: { PATH: `${folder}:${process.env['PATH'] ?? ''}`, HOME: folder, TERM: 'xterm' },
  });

const linesOf = (text: string): string[] => text.split('\n').filter((line) => line !== '');

/** `words` as Bash splits them, the last one before the cursor. */
const inBash = (...words: string[]): string[] =>
  linesOf(
    run('bash', [
      '--norc',
      '-c',
      'source script.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _brokertop 2>/dev/null; printf "%s\\n" "${COMPREPLY[@]}"',
      '-',
      'brokertop',
      ...words,
    ]),
  );

const inFish = (line: string): string[] =>
  linesOf(run('fish', ['--no-config', '-c', 'source script.fish; complete --do-complete $argv', line])).map(
    (each) => each.split('\t')[0] ?? '',
  );

/** The line after Tab, in a terminal of zsh's own. */
const inZsh = (line: string): string =>
  /<(?<line>[^>]*)>/u.exec(
    run('zsh', [
      '-f',
      '-c',
      String.raw`
zmodload zsh/zpty
zpty z zsh -f -i
zpty -w z 'PS1=; autoload -U compinit; compinit -D -u; source ./script.zsh; show() { print -r -- "<""$BUFFER"">" }; zle -N show; bindkey "^X" show; print rea""dy'
zpty -r z out '*ready*'
zpty -w -n z "$1"$'\t\x18'
zpty -r z out '*<*>*'
print -r -- "$out"
zpty -d z`,
      '-',
      line,
    ]),
  )?.groups?.['line'] ?? '';

describe.skipIf(!existsSync(shells.bash))('in bash', () => {
  it('completes commands, and the flags of the command typed', () => {
    expect(inBash('')).toEqual(namedCommands.map(({ name }) => name));
    expect(inBash('--')).toEqual(long(monitorCommand.flags));
    expect(inBash('demo', '--')).toEqual(long(demoCommand.flags));
  });

  it('completes fixed values, after a space or =', () => {
    expect(inBash('--theme', '')).toEqual(themeNames);
    expect(inBash('demo', '--scenario', '=')).toEqual(scenarioNames);
    expect(inBash('demo', '--scenario', '=', 'sl')).toEqual(['slow-consumer']);
    expect(inBash('--user', '')).toEqual([]);
  });

  it('completes arguments once, and files', () => {
    expect(inBash('completion', '')).toEqual(shellNames);
    expect(inBash('completion', 'bash', '')).toEqual([]);
    expect(inBash('--ca', 'my')).toEqual(['my ca.pem']);
  });
});

describe.each(['bash', 'zsh', 'fish'] as const)('contexts', (shell) => {
  it.skipIf(!existsSync(shells[shell]))(`are completed by ${shell}, behind -c, --context and commands`, () => {
    const complete = {
      bash: (words: readonly string[]) => inBash(...words),
      fish: (words: readonly string[]) => inFish(`brokertop ${words.join(' ')}`),
      zsh: (words: readonly string[]) => [
        inZsh(`brokertop ${words.join(' ')}`)
          .split(' ')
          .at(-2) ?? '',
      ],
    }[shell];
    for (const words of [
      ['-c', 'pr'],
      ['list', 'clients', '--context', 'pr'],
      ['context', 'use', 'pr'],
    ])
      expect(complete(words)).toEqual(['prod']);
  });
});

describe.skipIf(!existsSync(shells.fish))('in fish', () => {
  it('completes commands, flags, values, arguments and files', () => {
    expect(inFish('brokertop ').toSorted()).toEqual(namedCommands.map(({ name }) => name).toSorted());
    expect(inFish('brokertop --th')).toEqual(['--theme']);
    expect(inFish('brokertop demo --').toSorted()).toEqual(long(demoCommand.flags).toSorted());
    expect(inFish('brokertop demo --scenario ').toSorted()).toEqual(scenarioNames.toSorted());
    expect(inFish('brokertop completion ').toSorted()).toEqual(shellNames.toSorted());
    expect(inFish('brokertop completion bash ')).toEqual([]);
    expect(inFish('brokertop --ca my')).toEqual(['my ca.pem']);
  });
});

describe.skipIf(!existsSync(shells.zsh))('in zsh', () => {
  it.each([
    ['brokertop comp', 'brokertop completion '],
    ['brokertop --th', 'brokertop --theme='],
    ['brokertop demo --scenario sl', 'brokertop demo --scenario slow-consumer '],
    ['brokertop completion f', 'brokertop completion fish '],
    ['brokertop --ca my', String.raw`brokertop --ca my\ ca.pem `],
  ])('completes %j', (typed, completed) => {
    expect(inZsh(typed).trimEnd()).toBe(completed.trimEnd());
  });
});

describe('arguments', () => {
  it('takes a known shell', () => {
    expect(parseArguments(['completion', 'zsh']).arguments).toEqual(['zsh']);
  });

  it.each([
    ['SHELL is missing', ['completion']],
    ['"tcsh" is not a valid SHELL', ['completion', 'tcsh']],
  ])('%s', (problem, argv) => {
    expect(() => parseArguments(argv)).toThrow(`${problem}: use bash, zsh, fish. See brokertop completion --help.`);
  });

  it('refuses further ones', () => {
    expect(() => parseArguments(['completion', 'zsh', 'x'])).toThrow('Unexpected argument "x".');
  });
});
