import { commands, type Command, type Flag } from './flags.ts';

function flagText({ name, short, value }: Flag): string {
  return `${short === undefined ? '' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`;
}

function flagHelp(flag: Flag): string {
  return flag.default === undefined ? flag.help : `${flag.help} (default ${flag.default})`;
}

/** What `--help` prints for a command; plain text that ends with a newline. */
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

/** The README's tables of commands and flags. */
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
