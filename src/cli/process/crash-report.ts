import { constants } from 'node:fs';
import { type FileHandle, open, readdir, unlink } from 'node:fs/promises';
import path from 'node:path';
import { escapeText } from '../../terminal/safe-text.ts';
import { version } from '../../version.ts';
import { errorCodeOrMessage } from '../errors.ts';
import { FolderError, requirePrivateFolder, statePath } from '../files/state-folder.ts';
import { crashTexts, stateFolderTexts } from '../texts.ts';

export interface Crash {
  readonly error: unknown;
  readonly env: NodeJS.ProcessEnv;
  readonly hide?: ((text: string) => string) | undefined;
  readonly terminal?: { readonly columns: number; readonly rows: number } | undefined;
  /** Names of the last commands, oldest first; no ids, no typed text. */
  readonly commands?: readonly string[] | undefined;
}

const maxReports = 5;
/** Limits writing: a hanging disk must not delay the exit. */
const writeTimeoutMs = 2_000;
/** Limits a message: an error may quote a whole answer of the broker. */
const maxMessageLength = 400;
const maxCauses = 3;
const maxStackLines = 8;

const reportName = /^crash-\d{8}T\d{9}Z-\d+\.txt$/;

export async function reportCrash(crash: Crash): Promise<string> {
  const [what = ''] = errorLines(crash.error, crash.hide);
  let place: readonly string[];
  try {
    const file = await withTimeout(writeTimeoutMs, writeReport(crash));
    place = [crashTexts.reportIn(escapeText(file)), crashTexts.noPassword, crashTexts.nextStep];
  } catch (thrown) {
    place = [
      crashTexts.noReport(escapeText(errorCodeOrMessage(thrown).replace(/\.$/u, ''))),
      ...errorLines(crash.error, crash.hide).slice(1, 1 + maxStackLines),
    ];
  }
  return [`brokertop: ${crashTexts.title}: ${what}`, ...place, ''].join('\n');
}

async function writeReport(crash: Crash): Promise<string> {
  const now = new Date();
  const folder = path.dirname(fileOf(crash.env, now));
  await requirePrivateFolder(folder);
  const { file, handle } = await createReport(crash.env, now);
  try {
    await handle.writeFile(reportText(crash, now));
  } finally {
    await handle.close();
  }
  await removeOld(folder).catch(() => undefined);
  return file;
}

function fileOf(env: NodeJS.ProcessEnv, at: Date): string {
  const file = statePath(env, `crash-${at.toISOString().replaceAll(/[-:.]/gu, '')}-${process.pid}.txt`);
  if (file === undefined) throw new FolderError(stateFolderTexts.noHome);
  return file;
}

async function createReport(
  env: NodeJS.ProcessEnv,
  at: Date,
): Promise<{ readonly file: string; readonly handle: FileHandle }> {
  const file = fileOf(env, at);
  try {
    return {
      file,
      handle: await open(
        file,
        constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0),
        0o600,
      ),
    };
  } catch (error) {
    if (errorCodeOrMessage(error) !== 'EEXIST') throw error;
    return createReport(env, new Date(at.getTime() + 1));
  }
}

async function removeOld(folder: string): Promise<void> {
  const reports = (await readdir(folder)).filter((entry) => reportName.test(entry)).toSorted();
  await Promise.all(reports.slice(0, -maxReports).map((entry) => unlink(path.join(folder, entry))));
}

function reportText({ error, env, hide, terminal, commands = [] }: Crash, now: Date): string {
  const kind = ['TERM', 'COLORTERM', 'LANG', 'NO_COLOR'].flatMap((name) =>
    env[name] === undefined ? [] : [`${name}=${escapeText(env[name]).slice(0, 40)}`],
  );
  return [
    `brokertop ${crashTexts.title}`,
    '',
    `when      ${now.toISOString()}, ${Math.round(process.uptime())} s after start`,
    `version   brokertop ${version}, Node ${process.version}, ${process.platform} ${process.arch}`,
    `terminal  ${[terminal === undefined ? 'none' : `${terminal.columns}x${terminal.rows}`, ...kind].join(', ')}`,
    `commands  ${commands.length === 0 ? 'none' : commands.join(', ')}`,
    '',
    ...errorLines(error, hide),
    '',
  ].join('\n');
}

function errorLines(error: unknown, hide: (text: string) => string = (text) => text, depth = 0): readonly string[] {
  const clean = (text: string): string => escapeText(withoutCredentials(hide(text)));
  if (!(error instanceof Error)) return [clean(shorten(String(error)))];
  const name = `${error.name === '' ? 'Error' : error.name}: `;
  const frames = (error.stack ?? '')
    .split('\n')
    .filter((line) => /^\s+at /u.test(line))
    .map((line) => `    ${clean(line.trim())}`);
  const cause =
    error.cause === undefined || depth === maxCauses
      ? []
      : errorLines(error.cause, hide, depth + 1).map((line, index) => (index === 0 ? `caused by ${line}` : line));
  return [clean(name + shorten(hide(error.message))), ...frames, ...cause];
}

/** Shortens a text. Must be called after secrets were removed: part of a secret is still one. */
function shorten(text: string): string {
  const line = text.replaceAll(/\s+/gu, ' ');
  return line.length <= maxMessageLength ? line : `${line.slice(0, maxMessageLength)}... (${line.length} characters)`;
}

/** Removes credentials in headers and URLs, including unknown ones. */
function withoutCredentials(text: string): string {
  return text
    .replaceAll(/\b(Basic|Bearer|Digest)\s+[\w+/=.~-]{4,}/giu, '$1 (hidden)')
    .replaceAll(/:\/\/[^\s/@]*:[^\s/@]*@/gu, '://(hidden)@');
}

async function withTimeout<T>(timeMs: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(crashTexts.diskHangs)), timeMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
