import path from 'node:path';
import { closestMatch } from 'leven';
import { parse, TomlError } from 'smol-toml';
import type * as z from 'zod';
import { UsageError } from '../errors.ts';
import { homeFolder } from '../files/ownership.ts';
import { readTrustedFile } from '../files/text-files.ts';
import { configTexts } from '../texts.ts';
import { configSchema, type ConfigSettings, withWholePaths } from './settings.ts';
import type { Position } from './toml-position.ts';

const maxBytes = 1_048_576;
/** Limits the problems that are reported. Each takes time to find, and a file with more is not a configuration. */
const maxProblems = 50;

export interface ConfigProblem extends Position {
  readonly message: string;
}

/**
 * @throws UsageError if it cannot be read, or others can change it: it names commands to run and where the password
 * goes
 */
export const readConfigText = (file: string): Promise<string> =>
  readTrustedFile({ path: file, name: configTexts.file, maxBytes, content: configTexts.content });

/** @throws UsageError if it cannot be read, or with all problems and their positions */
export async function readConfig(file: string): Promise<ConfigSettings> {
  const result = await parseConfig(await readConfigText(file));
  if (result.problems.length > 0) throw new UsageError(problemLines(file, result.problems).join('\n'));
  return withWholePaths(result.settings, path.dirname(path.resolve(file)), homeFolder(process.env));
}

export const problemLines = (file: string, problems: readonly ConfigProblem[]): readonly string[] =>
  problems.map(({ line, column, message }) => `${file}:${line}:${column}: ${message}`);

export interface ParsedConfig {
  /** Empty if there are problems. */
  readonly settings: ConfigSettings;
  readonly problems: readonly ConfigProblem[];
}

export async function parseConfig(text: string): Promise<ParsedConfig> {
  let value;
  try {
    value = parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    return {
      settings: {},
      problems: [{ line: error.line, column: error.column, message: configTexts.notToml(tomlReason(error)) }],
    };
  }
  const result = configSchema.safeParse(value);
  const wrong = [
    ...prototypeProblems(value),
    ...(result.success
      ? await keyProblems(result.data.keys)
      : result.error.issues.slice(0, maxProblems).flatMap(problemsOf)),
  ];
  if (result.success && wrong.length === 0) return { settings: result.data, problems: [] };
  const { tomlLocator } = await import('./toml-position.ts');
  const locate = tomlLocator(text);
  const problems = wrong.slice(0, maxProblems).map(({ at, message }): ConfigProblem => ({ ...locate(at), message }));
  return {
    settings: {},
    problems: problems.toSorted((one, other) => one.line - other.line || one.column - other.column),
  };
}

/** Returns the parser's reason without its prefix and the excerpt of the file. */
const tomlReason = ({ message }: TomlError): string =>
  /^Invalid TOML document: (?<reason>[^\n]*)/u.exec(message)?.groups?.['reason'] ?? message;

const secretName = /passw|secret|token|passphrase/iu;

interface Wrong {
  readonly at: readonly PropertyKey[];
  readonly message: string;
}

const name = (key: PropertyKey): string => JSON.stringify(String(key));

/** A key that Zod leaves out of a table with keys of any name, without a problem. */
const prototypeKey = '__proto__';

const prototypeProblems = (value: object): readonly Wrong[] =>
  Object.entries(value)
    .filter(
      ([table, names]) =>
        (table === 'contexts' || table === 'keys') &&
        typeof names === 'object' &&
        names !== null &&
        Object.hasOwn(names, prototypeKey),
    )
    .map(([table]) => ({
      at: [table, prototypeKey],
      message:
        table === 'keys'
          ? configTexts.unknownCommand(name(prototypeKey), undefined)
          : `${name(prototypeKey)} ${configTexts.badContextName}.`,
    }));

/** Loads the key table only if there are keys. */
async function keyProblems(keys: ConfigSettings['keys']): Promise<readonly Wrong[]> {
  if (keys === undefined) return [];
  const { extraKeyProblem, keyCommands } = await import('../../screens/keys.ts');
  const { commandName } = await import('../../tui/keys/keymap.ts');
  const commands = [...new Set(keyCommands.map(commandName))];
  return Object.entries(keys).flatMap(([command, added]): readonly Wrong[] => {
    const at = ['keys', command];
    if (!commands.includes(command))
      return [
        { at, message: configTexts.unknownCommand(name(command), closestMatch(command, commands, { maxDistance: 3 })) },
      ];
    return added.flatMap((key) => {
      const problem = extraKeyProblem(command, key, keys);
      if (problem === undefined) return [];
      return [
        {
          at,
          message:
            problem === 'not a key'
              ? configTexts.notKey(name(key))
              : problem === 'for a shell'
                ? configTexts.shellKey(name(key))
                : configTexts.takenKey(name(key), problem.takenBy),
        },
      ];
    });
  });
}

function problemsOf(issue: z.core.$ZodIssue): readonly Wrong[] {
  const { path: at } = issue;
  if (issue.code === 'unrecognized_keys') {
    const known = knownKeys(at);
    return issue.keys.slice(0, maxProblems).map((key) => {
      const meant = closestMatch(key, known, { maxDistance: 3 });
      return {
        at: [...at, key],
        message:
          secretName.test(key) && meant === undefined
            ? configTexts.noSecrets(name(key))
            : configTexts.unknown(name(key), meant),
      };
    });
  }
  // The name of a context.
  if (issue.code === 'invalid_key')
    return [{ at, message: `${name(at.at(-1) ?? '')} ${issue.issues[0]?.message ?? ''}.` }];
  const inList = typeof at.at(-1) === 'number' ? at.slice(0, -1) : at;
  return [{ at, message: `${name(inList.at(-1) ?? '')} ${issue.message}.` }];
}

/** Returns the settings that a table can have. */
function knownKeys(at: readonly PropertyKey[]): readonly string[] {
  const { contexts, defaults, lists, thresholds } = configSchema.shape;
  switch (at[0]) {
    case undefined:
      return Object.keys(configSchema.shape);
    case 'defaults':
      return Object.keys(defaults.unwrap().shape);
    case 'contexts':
      return Object.keys(contexts.unwrap().valueType.shape);
    case 'thresholds':
      return at.length === 1 ? Object.keys(thresholds.unwrap().shape) : ['warning', 'critical'];
    case 'lists':
      return at.length === 1 ? Object.keys(lists.unwrap().shape) : ['columns', 'sort'];
    default:
      return [];
  }
}
