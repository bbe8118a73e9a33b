import {
  type Argument,
  type Command,
  type Flag,
  monitorCommand,
  namedCommands,
  notesOf,
  publicCommands,
} from './commands.ts';
import { helpIndent, helpWidth, wrapPlain } from './wrap.ts';

export function flagText({ name, short, value }: Flag): string {
  return `${short === undefined ? '' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`;
}

export function flagHelp(flag: Flag): string {
  return flag.default === undefined ? flag.help : `${flag.help} (default ${flag.default})`;
}

/** Writes the help of a command, in 80 columns. */
export async function helpText(shown: Command): Promise<string> {
  const width = Math.max(...shown.flags.map((flag) => flagText(flag).length));
  const sections = shown.sections.map(({ title, flags }) => ({
    title,
    lines: flags.flatMap((flag) => {
      const [first = '', ...more] = wrapPlain(flagHelp(flag), helpWidth - width - 2 * helpIndent.length);
      return [
        `${flagText(flag).padEnd(width)}${helpIndent}${first}`,
        ...more.map((line) => `${' '.repeat(width)}${helpIndent}${line}`),
      ];
    }),
  }));
  const others = shown === monitorCommand ? namedCommands : [];
  const commandList = {
    title: 'Commands',
    lines: others.map(({ name, summary }) => `${name.padEnd(6)}${helpIndent}${lowerFirst(summary)}`),
  };
  return [
    `${shown.summary}.`,
    '',
    `Usage: ${usageOf(shown)}`,
    ...(others.length === 0 ? [] : ['       brokertop COMMAND [flags]']),
    ...[...(others.length === 0 ? [] : [commandList]), ...sections, ...(await notesOf(shown))].flatMap(
      ({ title, lines }) => ['', `${title}:`, ...lines.map((line) => `${helpIndent}${line}`)],
    ),
    '',
  ].join('\n');
}

/** The longest list of choices in a line; longer ones stand in the notes. */
const maxArgumentWidth = 40;

const argumentText = ({ name, values, isOptional }: Argument): string => {
  const all = values?.join('|') ?? name;
  const text = all.length > maxArgumentWidth ? name : all;
  return isOptional === true ? `[${text}]` : text;
};

export const usageOf = ({ name, arguments: words }: Command): string =>
  ['brokertop', ...(name === '' ? [] : [name]), ...words.map(argumentText), '[flags]'].join(' ');

export const lowerFirst = (text: string): string => text.slice(0, 1).toLowerCase() + text.slice(1);

/** Writes the flags of all commands for a README. */
export function flagsMarkdown(): string {
  const cell = (text: string): string => text.replaceAll('|', '\\|');
  return publicCommands
    .map(({ name, summary, flags }) =>
      [
        `**\`brokertop${name === '' ? '' : ` ${name}`}\`**: ${lowerFirst(summary)}.`,
        '',
        '| flag | meaning |',
        '|---|---|',
        ...flags.map((flag) => `| \`${cell(flagText(flag))}\` | ${cell(flagHelp(flag))} |`),
        '',
      ].join('\n'),
    )
    .join('\n');
}
