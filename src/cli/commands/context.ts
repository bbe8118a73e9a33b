import { mkdir, realpath, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { errorCodeOf } from '../../domain/error-code.ts';
import { escapeText, safe, type SafeText } from '../../terminal/safe-text.ts';
import { fit, widthOf } from '../../terminal/text-width.ts';
import { parseConfig, problemLines, readConfig, readConfigText } from '../config/config-file.ts';
import { appendContext, preferContext, removeContext } from '../config/edit.ts';
import { type ConfigSettings, contextName, flagsAsSettings } from '../config/settings.ts';
import type { TestStep } from '../config/connection-test.ts';
import { errorCodeOrMessage, safeLines, UsageError } from '../errors.ts';
import type { ContextAction } from '../options/commands.ts';
import type { FlagValues } from '../options/flags.ts';
import { configTexts, contextTexts } from '../texts.ts';
import type { MonitorSession } from './monitor-session.ts';

export interface ContextCommand {
  readonly action: ContextAction;
  readonly name: string | undefined;
  readonly flags: FlagValues;
  readonly file: string;
  /** Opens the session of a context, with its password. */
  readonly openSession: (config: ConfigSettings, name: string) => Promise<MonitorSession>;
}

export interface ContextStreams {
  readonly stdout: { write(text: string): unknown };
}

/** Runs `context`. Returns the exit code. @throws UsageError */
export async function runContext(
  { action, name, flags, file, openSession }: ContextCommand,
  { stdout }: ContextStreams,
): Promise<number> {
  const print = (text: string): void => {
    stdout.write(`${text}\n`);
  };
  switch (action) {
    case 'list': {
      const { context, contexts = {} } = await readIfThere(file);
      for (const line of listLines(contexts, context)) print(line);
      return 0;
    }
    case 'names': {
      for (const each of Object.keys((await readIfThere(file)).contexts ?? {})) print(each);
      return 0;
    }
    case 'add': {
      const added = contextName.safeParse(required(name, action));
      if (!added.success)
        throw new UsageError(contextTexts.badName(required(name, action), added.error.issues[0]?.message ?? ''));
      if (Object.hasOwn((await readIfThere(file)).contexts ?? {}, added.data))
        throw new UsageError(contextTexts.exists(added.data));
      await change(file, (text) => appendContext(text, added.data, flagsAsSettings(flags)));
      print(contextTexts.added(added.data));
      return 0;
    }
    case 'remove': {
      const known = knownContext(await readConfig(file), required(name, action));
      if ((await readConfig(file)).context === known) throw new UsageError(contextTexts.isPreferred(known));
      await change(file, (text) => removeContext(text, known));
      print(contextTexts.removed(known));
      return 0;
    }
    case 'use': {
      const known = knownContext(await readConfig(file), required(name, action));
      await change(file, (text) => preferContext(text, known));
      print(contextTexts.used(known));
      return 0;
    }
    case 'test': {
      const config = await readConfig(file);
      const names = name === undefined ? Object.keys(config.contexts ?? {}) : [knownContext(config, name)];
      let isFine = true;
      for (const each of names) isFine = (await testContext(each, () => openSession(config, each), print)) && isFine;
      return isFine ? 0 : 1;
    }
  }
}

function required(name: string | undefined, action: ContextAction): string {
  if (name === undefined) throw new UsageError(contextTexts.nameMissing(action));
  return name;
}

function knownContext({ contexts = {} }: ConfigSettings, name: string): string {
  if (!Object.hasOwn(contexts, name)) throw new UsageError(configTexts.unknownContext(name, Object.keys(contexts)));
  return name;
}

async function readIfThere(file: string): Promise<ConfigSettings> {
  return (await textIfThere(file)) === '' ? {} : readConfig(file);
}

async function textIfThere(file: string): Promise<string> {
  try {
    return await readConfigText(file);
  } catch (error) {
    if (error instanceof UsageError && errorCodeOf(error.cause) === 'ENOENT') return '';
    throw error;
  }
}

/** Replaces the file as a whole, and only with one that can be read. A link stays one. */
async function change(file: string, edit: (text: string) => string): Promise<void> {
  const text = edit(await textIfThere(file));
  const { problems } = await parseConfig(text);
  if (problems.length > 0) throw new UsageError(problemLines(file, problems).join('\n'));
  let draft: string | undefined;
  try {
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    const target = await realpath(file).catch(() => file);
    draft = `${target}.new`;
    await writeFile(draft, text, { flag: 'wx', mode: 0o600 });
    await rename(draft, target);
  } catch (error) {
    if (draft !== undefined && errorCodeOf(error) !== 'EEXIST') await rm(draft, { force: true });
    throw new UsageError(contextTexts.cannotWrite(draft ?? file, errorCodeOrMessage(error)), { cause: error });
  }
}

const gap = '  ';

const shownCell = (cell: string): SafeText => (cell === '' ? safe`` : escapeText(cell));

function listLines(
  contexts: NonNullable<ConfigSettings['contexts']>,
  preferred: string | undefined,
): readonly string[] {
  const rows = Object.entries(contexts).map(([name, { url = [], api = 'auto', user = '' }]) =>
    [name === preferred ? '*' : '', name, typeof url === 'string' ? url : url.join(' '), api, user].map(shownCell),
  );
  if (rows.length === 0) return [configTexts.contexts([])];
  const table = [contextTexts.columns.map(shownCell), ...rows];
  const widths = contextTexts.columns.map((_, column) =>
    Math.max(...table.map((row) => widthOf(row[column] ?? safe``))),
  );
  return table.map((row) =>
    row
      .map((cell, column) => fit(cell, widths[column] ?? 0))
      .join(gap)
      .trimEnd(),
  );
}

async function testContext(
  name: string,
  open: () => Promise<MonitorSession>,
  print: (text: string) => void,
): Promise<boolean> {
  const { testConnection } = await import('../config/connection-test.ts');
  let session;
  try {
    session = await open();
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    print(`${name}\n  ${'failed'.padEnd(8)}${safeLines(error.message)}`);
    return false;
  }
  let isFine = true;
  for (const url of [session.url, ...(session.otherUrls ?? [])]) {
    print(`${name}  ${url}${contextTexts.proxy(session.proxyFor?.(url)?.url)}`);
    isFine =
      (await testConnection({ ...session, url }, (step) => {
        print(stepLine(step));
      })) && isFine;
  }
  return isFine;
}

const stepLine = ({ name, isDone, text, milliseconds }: TestStep): string =>
  `  ${isDone ? 'ok' : 'failed'}`.padEnd(10) +
  name.padEnd(7) +
  `${Math.round(milliseconds)} ms`.padStart(9) +
  gap +
  escapeText(text);
