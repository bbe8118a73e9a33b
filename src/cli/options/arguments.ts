import { parseArgs, type ParseArgsConfig } from 'node:util';
import { UsageError } from '../errors.ts';
import { type Command, commands, type Flag, monitorCommand } from './flags.ts';

/** Flags as given: text, a list for repeatable ones, or `true` for switches. */
export type FlagValues = Readonly<Record<string, string | true | readonly string[] | undefined>>;

export interface ParsedArguments {
  readonly command: Command;
  readonly flags: FlagValues;
}

/**
 * Parses the command line without the program's name. Values stay text, so a user named `007` keeps the zeros.
 *
 * @throws UsageError for an unknown command or flag, a missing or repeated value, or a stray word
 */
export function parseArguments(argv: readonly string[]): ParsedArguments {
  const [first] = argv;
  const named = first !== undefined && !first.startsWith('-');
  const command = named ? commands.find(({ name }) => name === first) : monitorCommand;
  if (command === undefined) {
    const names = commands.filter(({ name, isInternal }) => name !== '' && isInternal !== true).map(({ name }) => name);
    throw new UsageError(`There is no command ${JSON.stringify(first)}; the commands are ${names.join(', ')}, and none for the monitor.`);
  }
  return { command, flags: parseFlags(command, named ? argv.slice(1) : argv) };
}

function parseFlags(command: Command, args: readonly string[]): FlagValues {
  const options: NonNullable<ParseArgsConfig['options']> = {};
  for (const { name, value, short } of command.flags) {
    options[name] = { type: value === undefined ? 'boolean' : 'string', multiple: true, ...(short === undefined ? {} : { short }) };
  }
  let parsed;
  try {
    parsed = parseArgs({ args: [...args], options, strict: true, allowPositionals: false });
  } catch (error) {
    throw new UsageError(`${firstSentence(error)} See brokertop ${command.name === '' ? '' : `${command.name} `}--help.`, { cause: error });
  }
  const flags: Record<string, FlagValues[string]> = Object.create(null);
  const repeatable = new Set(command.flags.filter(({ isRepeatable }) => isRepeatable).map(({ name }) => name));
  for (const [name, values] of Object.entries(parsed.values)) {
    if (repeatable.has(name) && Array.isArray(values)) {
      flags[name] = values.filter((value) => typeof value === 'string');
      continue;
    }
    const [value, second] = Array.isArray(values) ? values : [values];
    if (second !== undefined) throw new UsageError(`--${name} was given more than once.`);
    flags[name] = typeof value === 'string' ? value : true;
  }
  return flags;
}

/** The first sentence of the parser's message: the rest is advice about `--` that does not apply here. */
function firstSentence(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const [sentence = text] = text.split(/\. |\n/u);
  return sentence.endsWith('.') ? sentence : `${sentence}.`;
}

function flagText({ name, short, value }: Flag): string {
  return `${short === undefined ? '' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`;
}

function flagHelp(flag: Flag): string {
  return flag.default === undefined ? flag.help : `${flag.help} (default ${flag.default})`;
}

/** The text of `--help` for a command; ends with a newline. */
export function helpText(command: Command): string {
  const width = Math.max(...command.flags.map((flag) => flagText(flag).length));
  const lines = [`brokertop${command.name === '' ? '' : ` ${command.name}`}: ${command.summary}`, ''];
  if (command.name === '') {
    lines.push('Usage: brokertop [FLAGS], or brokertop COMMAND [FLAGS]', '', 'Commands:');
    for (const { name, summary, isInternal } of commands) {
      if (name !== '' && isInternal !== true) lines.push(`  ${name.padEnd(8)} ${summary}`);
    }
    lines.push('');
  }
  lines.push('Flags:');
  for (const flag of command.flags) lines.push(`  ${flagText(flag).padEnd(width)}  ${flagHelp(flag)}`);
  if (command.name === '') {
    lines.push(
      '',
      'The password comes from --password-file, --password-command, the environment variable',
      'BROKERTOP_PASSWORD, or a prompt, in this order. It is never a flag, nor part of the URL.',
      '',
      'Proxies are taken from https_proxy, http_proxy, all_proxy and no_proxy, never for this machine.',
      'The names may be in capitals; an empty variable counts as not set.',
      '',
      'Actions are recorded in $XDG_STATE_HOME/brokertop/audit.log, by default in ~/.local/state/brokertop/audit.log.',
      '',
      'Exit codes: 0 done, 1 failed, 2 wrong usage or no terminal, 3 partly done, or not known whether it is.',
    );
  }
  return `${lines.join('\n')}\n`;
}

/** The tables of commands and flags for the README. */
export function flagsMarkdown(): string {
  const cell = (text: string): string => text.replaceAll('|', '\\|');
  return commands
    .filter(({ isInternal }) => isInternal !== true)
    .map((command) => [
      `**\`brokertop${command.name === '' ? '' : ` ${command.name}`}\`**: ${command.summary}.`,
      '',
      '| flag | meaning |',
      '|---|---|',
      ...command.flags.map((flag) => `| \`${cell(flagText(flag))}\` | ${cell(flagHelp(flag))} |`),
      '',
    ].join('\n'))
    .join('\n');
}
