import { constants } from 'node:fs';
import { access, lstat } from 'node:fs/promises';
import path from 'node:path';
import { createTheme, type Depth } from '../../terminal/theme.ts';
import { smallestSize } from '../../tui/hooks/use-terminal.ts';
import { version } from '../../version.ts';
import { configFile, loadConfig } from '../config/context.ts';
import { errorCodeOrMessage, UsageError } from '../errors.ts';
import { auditPath } from '../files/audit-file.ts';
import { folderFault } from '../files/ownership.ts';
import { stateFilePath } from '../files/state-file.ts';
import type { FlagValues } from '../options/flags.ts';
import { doctorTexts } from '../texts.ts';
import { expectedWidth, type TerminalAnswers, sampleCharacters } from './terminal-probe.ts';

export interface DoctorLine {
  readonly label: string;
  readonly text: string;
  /** Something does not work. */
  readonly isWrong?: true | undefined;
}

export interface DoctorSection {
  readonly title: string;
  readonly lines: readonly DoctorLine[];
}

export interface DoctorInput {
  readonly flags: FlagValues;
  readonly environment: NodeJS.ProcessEnv;
  /** `undefined` without a terminal. */
  readonly terminal: { readonly columns: number; readonly rows: number; readonly probe: TerminalAnswers } | undefined;
}

const wrong = (label: string, text: string): DoctorLine => ({ label, text, isWrong: true });

/**
 * Finds out what a bug report needs: the terminal, the files and the environment. Holds no secrets, and no text of a
 * file.
 */
export async function examine(input: DoctorInput): Promise<readonly DoctorSection[]> {
  return [
    {
      title: doctorTexts.program,
      lines: [
        {
          label: doctorTexts.version,
          text: doctorTexts.versions(version, process.versions.node, `${process.platform}-${process.arch}`),
        },
      ],
    },
    { title: doctorTexts.terminal, lines: terminalLines(input) },
    { title: doctorTexts.files, lines: await fileLines(input) },
  ];
}

function terminalLines({ environment, terminal }: DoctorInput): readonly DoctorLine[] {
  const { depth, charset } = createTheme(environment);
  const names = ['TERM', 'COLORTERM', 'NO_COLOR', 'FORCE_COLOR', 'LC_ALL', 'LC_CTYPE', 'LANG'].flatMap((name) =>
    environment[name] ? [`${name}=${JSON.stringify(environment[name])}`] : [],
  );
  const layers = (
    [
      ['SSH_CONNECTION', 'SSH'],
      ['TMUX', 'tmux'],
      ['STY', 'screen'],
    ] as const
  ).flatMap(([name, text]) => (environment[name] ? [text] : []));
  const known: readonly DoctorLine[] = [
    { label: doctorTexts.environment, text: names.join(' ') || doctorTexts.none },
    { label: doctorTexts.session, text: layers.join(', ') || doctorTexts.local },
    { label: doctorTexts.colors, text: doctorTexts.depths[depth satisfies Depth] },
    { label: doctorTexts.characters, text: doctorTexts.charsets[charset] },
  ];
  if (terminal === undefined) return [{ label: doctorTexts.size, text: doctorTexts.noTerminal }, ...known];
  const {
    columns,
    rows,
    probe: { widths, background, hasAnswered },
  } = terminal;
  const size = `${columns}x${rows}`;
  const odd = sampleCharacters.flatMap((character, index) => {
    const width = widths[index];
    return width === undefined || width === expectedWidth(character)
      ? []
      : [doctorTexts.oddWidth(character, width, expectedWidth(character))];
  });
  return [
    columns < smallestSize.columns || rows < smallestSize.rows
      ? wrong(doctorTexts.size, doctorTexts.tooSmall(size, `${smallestSize.columns}x${smallestSize.rows}`))
      : { label: doctorTexts.size, text: size },
    ...known,
    {
      label: doctorTexts.background,
      text: background === undefined ? doctorTexts.backgroundUnknown : doctorTexts.backgrounds[background],
    },
    charset === 'ascii'
      ? { label: doctorTexts.widths, text: doctorTexts.asciiOnly }
      : !hasAnswered || widths.includes(undefined)
        ? { label: doctorTexts.widths, text: doctorTexts.widthsUnknown }
        : odd.length === 0
          ? { label: doctorTexts.widths, text: doctorTexts.widthsFine }
          : wrong(doctorTexts.widths, doctorTexts.oddWidths(odd)),
    { label: doctorTexts.mouse, text: doctorTexts.unanswered },
    { label: doctorTexts.clipboard, text: doctorTexts.clipboardNote },
  ];
}

async function fileLines({ flags, environment }: DoctorInput): Promise<readonly DoctorLine[]> {
  const proxies = ['https_proxy', 'http_proxy', 'all_proxy', 'no_proxy'].filter(
    (name) => environment[name] || environment[name.toUpperCase()],
  );
  return [
    await configLine(flags, environment),
    await writableLine(doctorTexts.state, stateFilePath(environment)),
    await writableLine(doctorTexts.audit, auditPath(environment)),
    { label: doctorTexts.proxies, text: proxies.join(', ') || doctorTexts.none },
  ];
}

async function configLine(flags: FlagValues, environment: NodeJS.ProcessEnv): Promise<DoctorLine> {
  try {
    const file = configFile(flags, environment);
    const config = await loadConfig(flags, environment);
    if (config === undefined) return { label: doctorTexts.config, text: doctorTexts.absent(file) };
    const names = Object.keys(config.contexts ?? {}).map((name) =>
      name === config.context ? doctorTexts.preferred(name) : name,
    );
    return { label: doctorTexts.config, text: doctorTexts.contexts(file, names) };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return wrong(doctorTexts.config, error.message);
  }
}

/** Says whether a file can be written. Where it does not exist, the nearest folder above it counts. */
async function writableLine(label: string, file: string | undefined): Promise<DoctorLine> {
  if (file === undefined) return wrong(label, doctorTexts.noHome);
  const folder = path.dirname(file);
  const stats = await lstat(folder).catch(() => undefined);
  if (stats !== undefined && folderFault(stats) !== undefined) return wrong(label, doctorTexts.notPrivate(folder));
  for (let place = stats === undefined ? path.dirname(folder) : folder; ; place = path.dirname(place)) {
    try {
      await access(place, constants.W_OK);
      return { label, text: file };
    } catch (error) {
      if (errorCodeOrMessage(error) !== 'ENOENT' || path.dirname(place) === place)
        return wrong(label, doctorTexts.notWritable(file, place));
    }
  }
}

const gap = '  ';

/** Writes the sections as plain text; `!` marks what is wrong. */
export function doctorText(sections: readonly DoctorSection[]): string {
  const width = Math.max(...sections.flatMap(({ lines }) => lines.map(({ label }) => label.length)));
  return sections
    .map(({ title, lines }) =>
      [
        title,
        ...lines.flatMap(({ label, text, isWrong }) =>
          text
            .split('\n')
            .map(
              (line, index) =>
                `${index === 0 && isWrong === true ? '! ' : gap}${(index === 0 ? label : '').padEnd(width)}${gap}${line}`,
            ),
        ),
      ].join('\n'),
    )
    .join('\n\n');
}
