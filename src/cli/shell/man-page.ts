import {
  type Command,
  type Flag,
  monitorCommand,
  namedCommands,
  notesOf,
  publicCommands,
} from '../options/commands.ts';
import { flagHelp, flagText, lowerFirst, usageOf } from '../options/help.ts';
import { manTexts } from '../texts.ts';

/** Writes the man page in roff, from the table of commands. */
export async function manPage(version: string): Promise<string> {
  const notes = await notesOf(monitorCommand);
  const noted = (section: string): string[] =>
    notes
      .filter(({ manSection }) => manSection === section)
      .flatMap(({ title, lines }) => ['.SS ' + escaped(title), ...literal(lines)]);
  return [
    `.TH BROKERTOP 1 "${manTexts.date}" "brokertop ${version}" "${manTexts.manual}"`,
    '.SH NAME',
    `brokertop \\- ${escaped(manTexts.name)}`,
    '.SH SYNOPSIS',
    '.nf',
    ...publicCommands.map((command) => `\\fB${escaped(usageOf(command))}\\fR`),
    '.fi',
    '.SH DESCRIPTION',
    ...manTexts.description.map(escaped),
    '.SH COMMANDS',
    ...namedCommands.flatMap(({ name, summary }) => ['.TP', `\\fB${name}\\fR`, escaped(`${summary}.`)]),
    ...(await Promise.all(publicCommands.map(commandLines))).flat(),
    ...(['ENVIRONMENT', 'FILES', 'EXIT STATUS', 'EXAMPLES'] as const).flatMap((section) => [
      `.SH ${section === 'EXIT STATUS' ? `"${section}"` : section}`,
      ...noted(section),
    ]),
    '',
  ].join('\n');
}

async function commandLines(command: Command): Promise<string[]> {
  const { name, sections } = command;
  const notes = await notesOf(command);
  return [
    `.SH "${[...(name === '' ? [] : [name.toUpperCase()]), 'FLAGS'].join(' ')}"`,
    ...sections.flatMap(({ title, flags }) => [
      ...(sections.length === 1 ? [] : [`.SS "${escaped(title)}"`]),
      ...flags.flatMap(flagLines),
    ]),
    ...command.arguments.flatMap((argument) => [
      '.TP',
      `\\fI${escaped(argument.name)}\\fR`,
      escaped(argument.values?.join(', ') ?? lowerFirst(argument.name)),
    ]),
    ...notes
      .filter(({ manSection }) => manSection === undefined)
      .flatMap(({ title, lines }) => [`.SS "${escaped(title)}"`, ...literal(lines)]),
  ];
}

const flagLines = (flag: Flag): string[] => ['.TP', `\\fB${escaped(flagText(flag))}\\fR`, escaped(flagHelp(flag))];

const literal = (lines: readonly string[]): string[] => ['.nf', ...lines.map(escaped), '.fi'];

/** Escapes a text: flags must stay ASCII hyphens, and no text may start a request. */
function escaped(text: string): string {
  return text
    .replaceAll('\\', String.raw`\e`)
    .replaceAll('-', String.raw`\-`)
    .replaceAll("'", String.raw`\(aq`)
    .replace(/^(?=\.)/u, String.raw`\&`);
}
