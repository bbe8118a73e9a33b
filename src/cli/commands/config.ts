import { problemLines, type ConfigProblem, parseConfig, readConfigText } from '../config/config-file.ts';
import { configFile } from '../config/context.ts';
import { exampleConfig } from '../config/example.ts';
import { type ConfigSettings, settingsAsFlags } from '../config/settings.ts';
import { tomlLocator } from '../config/toml-position.ts';
import { escapeText } from '../../terminal/safe-text.ts';
import { UsageError } from '../errors.ts';
import { monitorConfig } from '../options/config.ts';
import type { ConfigAction } from '../options/commands.ts';
import type { FlagValues } from '../options/flags.ts';
import { configTexts } from '../texts.ts';

export interface ConfigProcess {
  readonly stdout: { readonly isTTY?: boolean | undefined; write(text: string): unknown };
  readonly env: NodeJS.ProcessEnv;
}

/** Runs `config`. Returns the exit code. @throws UsageError for a file that is missing or wrong, with all problems */
export async function runConfig(
  action: ConfigAction,
  flags: FlagValues,
  { stdout, env }: ConfigProcess,
): Promise<number> {
  if (action === 'example') {
    stdout.write(exampleConfig);
    return 0;
  }
  const file = configFile(flags, env);
  if (action === 'path') {
    stdout.write(`${stdout.isTTY === true ? escapeText(file) : file}\n`);
    return 0;
  }
  const text = await readConfigText(file);
  const { settings, problems } = await parseConfig(text);
  const all = [...problems, ...contextProblems(text, settings)];
  if (all.length > 0) throw new UsageError(problemLines(file, all).join('\n'));
  stdout.write(
    `${configTexts.isFine(escapeText(file))} ${configTexts.contexts(Object.keys(settings.contexts ?? {}))}\n`,
  );
  return 0;
}

/** Returns what a context would be refused for when it is used. */
function contextProblems(text: string, { defaults, contexts = {} }: ConfigSettings): readonly ConfigProblem[] {
  let locate: ReturnType<typeof tomlLocator> | undefined;
  return Object.entries(contexts).flatMap(([name, settings]) => {
    try {
      monitorConfig(settingsAsFlags(defaults, settings), false);
      return [];
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      locate ??= tomlLocator(text);
      return [{ ...locate(['contexts', name]), message: error.message }];
    }
  });
}
