import { access } from 'node:fs/promises';
import path from 'node:path';
import { UsageError } from '../errors.ts';
import { baseFolder, homeFolder } from '../files/ownership.ts';
import type { FlagValues } from '../options/flags.ts';
import { configTexts } from '../texts.ts';
import type { ContextColor } from './context-colors.ts';
import { type ConfigSettings, settingsAsFlags } from './settings.ts';

/**
 * Returns the configuration file that is used without `--config`: `$XDG_CONFIG_HOME/brokertop/config.toml`. `undefined`
 * without a home folder.
 */
export function configPath(environment: NodeJS.ProcessEnv): string | undefined {
  const folder = baseFolder(environment['XDG_CONFIG_HOME'], homeFolder(environment), '.config');
  return folder === undefined ? undefined : path.join(folder, 'brokertop', 'config.toml');
}

/** Settings of the command line, the environment and the configuration file together. */
export interface Resolved {
  readonly flags: FlagValues;
  readonly context: string | undefined;
  readonly color: ContextColor | undefined;
  /** The context's proxy; empty for none. `undefined`: that of the environment. */
  readonly proxy: string | undefined;
}

const given = (flags: FlagValues, name: string): string | undefined => {
  const value = flags[name];
  return typeof value === 'string' ? value : undefined;
};

/**
 * Returns the file of `--config`, or the usual one, whether it exists or not. @throws UsageError without a home folder
 */
export function configFile(flags: FlagValues, environment: NodeJS.ProcessEnv): string {
  const file = given(flags, 'config') ?? configPath(environment);
  if (file === undefined) throw new UsageError(configTexts.noHome);
  return file;
}

/**
 * Reads the settings of the configuration file; `undefined` if there is none. @throws UsageError for a file that is not
 * there although it was named, or is wrong
 */
export async function loadConfig(
  flags: FlagValues,
  environment: NodeJS.ProcessEnv,
): Promise<ConfigSettings | undefined> {
  const named = given(flags, 'config');
  const file = named ?? configPath(environment);
  if (file === undefined || (named === undefined && !(await exists(file)))) return undefined;
  const { readConfig } = await import('./config-file.ts');
  return readConfig(file);
}

const exists = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  );

/**
 * Adds the settings of a context and the defaults to the flags. The command line beats the environment, which beats the
 * file. Without `--context` and `--url` it is the context of `BROKERTOP_CONTEXT`, else the one that the file names,
 * else the only one.
 *
 * @throws UsageError for a context that is not in the file
 */
export function resolve(
  config: ConfigSettings = {},
  flags: FlagValues,
  environment: NodeJS.ProcessEnv,
  hasPasswordInEnvironment: boolean,
): Resolved {
  const context = chooseContext(config, flags, environment);
  const settings = context === undefined ? undefined : config.contexts?.[context];
  const fromFile = { ...settingsAsFlags(config.defaults, settings) };
  if (hasPasswordInEnvironment || flags['password-file'] !== undefined || flags['password-command'] !== undefined) {
    delete fromFile['password-file'];
    delete fromFile['password-command'];
  }
  return {
    flags: { ...fromFile, ...flags },
    context,
    color: settings?.color,
    proxy: settings?.proxy ?? config.defaults?.proxy,
  };
}

/** Whether there are several contexts, and nothing chooses one of them. */
export const wantsClusters = (
  { context, contexts = {} }: ConfigSettings = {},
  flags: FlagValues,
  environment: NodeJS.ProcessEnv,
): boolean =>
  Object.keys(contexts).length > 1 &&
  context === undefined &&
  !environment['BROKERTOP_CONTEXT'] &&
  ['context', 'url', 'once'].every((flag) => flags[flag] === undefined);

function chooseContext(
  { context: preferred, contexts = {} }: ConfigSettings,
  flags: FlagValues,
  environment: NodeJS.ProcessEnv,
): string | undefined {
  const names = Object.keys(contexts);
  const wanted =
    given(flags, 'context') ?? (flags['url'] === undefined ? environment['BROKERTOP_CONTEXT'] || preferred : undefined);
  if (wanted === undefined) {
    if (flags['url'] !== undefined || names.length === 0) return undefined;
    if (names.length > 1) throw new UsageError(configTexts.chooseContext(names));
    return names[0];
  }
  if (!Object.hasOwn(contexts, wanted)) throw new UsageError(configTexts.unknownContext(wanted, names));
  return wanted;
}
