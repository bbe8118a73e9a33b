import path from 'node:path';
import { parseArgs, type ParseArgsConfig } from 'node:util';
import { errorCodeOf } from '../../domain/error-code.ts';
import { UsageError } from '../errors.ts';
import { homeFolder } from '../files/ownership.ts';
import { flagTexts } from '../texts.ts';
import { type Argument, type Command, commands, type Flag, monitorCommand } from './commands.ts';

export type FlagValues = Readonly<Record<string, string | true | readonly string[] | undefined>>;

export interface ParsedArguments {
  readonly command: Command;
  /** One value for each argument of the command. */
  readonly arguments: readonly string[];
  readonly flags: FlagValues;
}

/** Flags of any command that a word follows as their value, as they are written. */
const withValue: ReadonlySet<string> = new Set(
  commands
    .flatMap(({ flags }) => flags)
    .filter(({ value }) => value !== undefined)
    .flatMap(({ name, short, aliases = [] }) => [
      ...[name, ...aliases].map((word) => `--${word}`),
      ...(short === undefined ? [] : [`-${short}`]),
    ]),
);

/** Flags whose value may be left out, as they are written. */
const withOptionalValue: ReadonlySet<string> = new Set(
  commands
    .flatMap(({ flags }) => flags)
    .filter(({ isValueOptional }) => isValueOptional)
    .map(({ name }) => `--${name}`),
);

const hasNoValue = (arg: string, next: string | undefined): boolean =>
  withOptionalValue.has(arg) && (next === undefined || next.startsWith('-'));

/** Returns where the first word stands that is neither a flag nor its value; -1 without one. */
function firstWordAt(argv: readonly string[]): number {
  for (let index = 0; index < argv.length; index += 1) {
    const arg = argv[index] ?? '';
    if (arg === '--') return -1;
    if (!arg.startsWith('-')) return index;
    if (withValue.has(arg) && !hasNoValue(arg, argv[index + 1])) index += 1;
  }
  return -1;
}

/**
 * Returns the command that is named first, or behind flags; the monitor if none is. `undefined` for an unknown word in
 * first place.
 */
export function commandOf(argv: readonly string[]): Command | undefined {
  const at = firstWordAt(argv);
  return commands.find(({ name }) => name === argv[at] && at !== -1) ?? (at === 0 ? undefined : monitorCommand);
}

/** Parses a command line. Values stay text, so that a user `007` keeps the zeros. @throws UsageError */
export function parseArguments(argv: readonly string[]): ParsedArguments {
  const found = commandOf(argv);
  if (found === undefined) throw new UsageError(flagTexts.seeHelp(flagTexts.unknownCommand(argv[0] ?? ''), ''));
  const at = found === monitorCommand ? argv.length : firstWordAt(argv);
  return { command: found, ...parseWords(found, argv.toSpliced(at, 1)) };
}

function parseWords(
  { name: commandName, flags: known, arguments: expected }: Command,
  args: readonly string[],
): Omit<ParsedArguments, 'command'> {
  const options: NonNullable<ParseArgsConfig['options']> = {};
  const nameOf = new Map(
    known.flatMap(({ name, aliases = [] }) => [name, ...aliases].map((word) => [word, name] as const)),
  );
  for (const { name, value, short, aliases = [] } of known) {
    const type = value === undefined ? 'boolean' : 'string';
    options[name] = { type, multiple: true, ...(short === undefined ? {} : { short }) };
    for (const alias of aliases) options[alias] = { type, multiple: true };
  }
  let parsed;
  try {
    parsed = parseArgs({ args: joinDashes(known, args), options, strict: true, allowPositionals: expected.length > 0 });
  } catch (error) {
    throw new UsageError(flagTexts.seeHelp(parseProblem(error), commandName), { cause: error });
  }
  const flags: Record<string, FlagValues[string]> = Object.create(null);
  const fileFlags = new Set(known.filter(({ kind }) => kind === 'file' || kind === 'folder').map(({ name }) => name));
  const repeatable = new Set(known.filter(({ isRepeatable }) => isRepeatable).map(({ name }) => name));
  for (const [word, values] of Object.entries(parsed.values)) {
    const name = nameOf.get(word) ?? word;
    if (repeatable.has(name) && Array.isArray(values)) {
      flags[name] = values.filter((value) => typeof value === 'string');
      continue;
    }
    const [value, second] = Array.isArray(values) ? values : [values];
    if (second !== undefined || name in flags) throw new UsageError(flagTexts.repeated(name));
    flags[name] =
      typeof value !== 'string' || (value === '' && withOptionalValue.has(`--${name}`))
        ? true
        : fileFlags.has(name)
          ? withHomeFolder(value)
          : value;
  }
  if (flags['help'] !== true) checkArguments(parsed.positionals, expected, commandName);
  return { flags, arguments: parsed.positionals };
}

/** Expands `~`, because most shells do so in `--flag ~/file`, but not in `--flag=~/file`. */
function withHomeFolder(value: string): string {
  const home = /^~(?=\/|$)/u.test(value) ? homeFolder(process.env) : undefined;
  return home === undefined ? value : path.join(home, value.slice(1));
}

function checkArguments(words: readonly string[], expected: readonly Argument[], commandName: string): void {
  const [extra] = words.slice(expected.length);
  if (extra !== undefined) throw new UsageError(flagTexts.seeHelp(flagTexts.unexpectedArgument(extra), commandName));
  for (const [index, { name, values, isOptional }] of expected.entries()) {
    const word = words[index];
    if (word === undefined ? isOptional !== true : values?.includes(word) === false)
      throw new UsageError(flagTexts.seeHelp(flagTexts.argument(name, word, values ?? []), commandName));
  }
}

/** Writes `--sort -queue` as `--sort=-queue` and `--record` as `--record=`, which Node requires. */
function joinDashes(known: readonly Flag[], args: readonly string[]): string[] {
  const joined: string[] = [];
  const dashing = new Set(known.filter(({ takesDash }) => takesDash).map(({ name }) => `--${name}`));
  for (const [index, arg] of args.entries()) {
    if (hasNoValue(arg, args[index + 1])) {
      joined.push(`${arg}=`);
      continue;
    }
    const last = joined.at(-1);
    if (last !== undefined && dashing.has(last) && /^-[^-]/u.test(arg)) joined[joined.length - 1] = `${last}=${arg}`;
    else joined.push(arg);
  }
  return joined;
}

/**
 * Describes the problem in our words: Node calls flags options, and adds advice about `--` that does not apply here.
 */
function parseProblem(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const quoted = /'(?<word>.*?)'(?: |\.|$)/su.exec(text)?.groups?.['word'] ?? '';
  const flag = /--[\w-]+/u.exec(quoted)?.[0] ?? quoted;
  switch (errorCodeOf(error)) {
    case 'ERR_PARSE_ARGS_UNKNOWN_OPTION':
      return quoted === '--password' ? flagTexts.noPasswordFlag : flagTexts.unknownFlag(quoted);
    case 'ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL':
      return flagTexts.unexpectedArgument(quoted);
    default:
      return text.includes('does not take') ? flagTexts.takesNoValue(flag) : flagTexts.needsValue(flag);
  }
}
