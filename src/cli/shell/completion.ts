import {
  type Command,
  type Flag,
  monitorCommand,
  namedCommands,
  publicCommands,
  type ShellName,
} from '../options/commands.ts';

/** Writes the completion script of a shell, from the table of commands. */
export function completionScript(shell: ShellName): string {
  return { bash: bashScript, zsh: zshScript, fish: fishScript }[shell]();
}

const flagWords = ({ name, short }: Flag): string[] => [...(short === undefined ? [] : [`-${short}`]), `--${name}`];

const withValue = ({ flags }: Command): string[] => flags.filter(({ value }) => value !== undefined).flatMap(flagWords);

const quote = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

function bashScript(): string {
  const values = publicCommands.flatMap((command) =>
    command.flags
      .filter(({ value }) => value !== undefined)
      .map(
        (flag) =>
          `    ${flagWords(flag)
            .map((word) => `'${command.name} ${word}'`)
            .join('|')}) ${bashValues(flag)}; return ;;`,
      ),
  );
  const skipped = publicCommands.flatMap((command) => withValue(command).map((word) => `'${command.name} ${word}'`));
  const places = publicCommands.flatMap((command) =>
    command.arguments.map(
      (argument, index) =>
        `    '${command.name} ${index}') words=${argument.kind === 'context' ? bashContexts : `'${(argument.values ?? []).join(' ')}'`} ;;`,
    ),
  );
  const flags = publicCommands.map(
    (command) => `      ${quote(command.name)}) words='${command.flags.flatMap(flagWords).join(' ')}' ;;`,
  );
  return `# bash completion of brokertop
_brokertop() {
  local IFS=$' \\t\\n' word=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} command='' words='' place=0 i
  COMPREPLY=()
  # Bash splits --flag=value into three words.
  if [[ $word == '=' ]]; then word=''
  elif [[ $previous == '=' ]]; then previous=\${COMP_WORDS[COMP_CWORD-2]}
  fi
  if ((COMP_CWORD > 1)) && [[ \${COMP_WORDS[1]} != -* ]]; then command=\${COMP_WORDS[1]}; fi
  case "$command $previous" in
${values.join('\n')}
  esac
  for ((i = 2; i < COMP_CWORD; i++)); do
    case "$command \${COMP_WORDS[i]}" in
      ${skipped.join('|')})
        i=$((i + 1))
        if [[ \${COMP_WORDS[i]} == '=' ]]; then i=$((i + 1)); fi ;;
      *' -'*) ;;
      *) place=$((place + 1)) ;;
    esac
  done
  if [[ $word == -* ]]; then
    case "$command" in
${flags.join('\n')}
    esac
  elif ((COMP_CWORD == 1)); then
    words='${namedCommands.map(({ name }) => name).join(' ')}'
  else
    case "$command $place" in
${places.join('\n')}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -F _brokertop brokertop
`;
}

/** Asks the program that is typed for its contexts. */
const bashContexts = '"$("${COMP_WORDS[0]}" context names 2>/dev/null)"';

function bashValues({ values, kind }: Flag): string {
  if (values !== undefined) return `COMPREPLY=($(compgen -W '${values.join(' ')}' -- "$word"))`;
  if (kind === undefined) return ':';
  if (kind === 'context') return `COMPREPLY=($(compgen -W ${bashContexts} -- "$word"))`;
  return `compopt -o filenames 2>/dev/null; IFS=$'\\n'; COMPREPLY=($(compgen -${kind === 'file' ? 'f' : 'd'} -- "$word"))`;
}

function zshScript(): string {
  const escaped = (text: string): string => text.replaceAll(/[[\]\\:]/gu, String.raw`\$&`);
  const action = ({ values, kind }: Flag): string => {
    if (values !== undefined) return `(${values.join(' ')})`;
    return kind === undefined ? ' ' : { file: '_files', folder: '_files -/', context: '_brokertop_contexts' }[kind];
  };
  const specs = (flag: Flag): string[] => {
    const words = flagWords(flag);
    const once = flag.isRepeatable === true ? '*' : `(${words.join(' ')})`;
    const value = flag.value === undefined ? '' : `:${escaped(flag.value)}:${action(flag)}`;
    return words.map((word) =>
      quote(
        `${once}${word}${flag.value !== undefined && word.startsWith('--') ? '=' : ''}[${escaped(flag.help)}]${value}`,
      ),
    );
  };
  const call = (command: Command): string =>
    [
      '_arguments',
      ...command.flags.flatMap(specs),
      ...(command === monitorCommand ? [quote('1:command:_brokertop_commands')] : []),
      ...command.arguments.map(({ name, values = [], kind, isOptional }, index) =>
        quote(
          `${index + 1}${isOptional === true ? '::' : ':'}${name}:${kind === 'context' ? '_brokertop_contexts' : `(${values.join(' ')})`}`,
        ),
      ),
    ].join(' \\\n        ');
  return `#compdef brokertop
_brokertop_commands() {
  local -a commands=(
${namedCommands.map(({ name, summary }) => `    ${quote(`${name}:${escaped(summary)}`)}`).join('\n')}
  )
  _describe command commands
}
_brokertop_contexts() {
  local -a names=(\${(f)"$(_call_program contexts brokertop context names 2>/dev/null)"})
  compadd -a names
}
_brokertop() {
  local command=
  if (( CURRENT > 2 )) && [[ $words[2] != -* ]]; then
    command=$words[2]
    shift words
    (( CURRENT-- ))
  fi
  case $command in
${publicCommands.map((command) => `    ${quote(command.name)})\n      ${call(command)} ;;`).join('\n')}
  esac
}
if [[ $funcstack[1] == _brokertop ]]; then _brokertop "$@"; else compdef _brokertop brokertop; fi
`;
}

const fishContexts = '(brokertop context names 2>/dev/null)';

function fishScript(): string {
  const fishQuote = (text: string): string => `'${text.replaceAll(/[\\']/gu, String.raw`\$&`)}'`;
  const value = (flag: Flag): string => {
    if (flag.value === undefined) return '';
    if (flag.values !== undefined) return ` -x -a ${fishQuote(flag.values.join(' '))}`;
    return flag.kind === undefined
      ? ' -x'
      : { file: ' -r -F', folder: " -x -a '(__fish_complete_directories)'", context: ` -x -a '${fishContexts}'` }[
          flag.kind
        ];
  };
  const flagLines = (command: Command): string[] =>
    command.flags.map(
      (flag) =>
        `complete -c brokertop -n ${fishQuote(`__brokertop_command "${command.name}"`)}${flag.short === undefined ? '' : ` -s ${flag.short}`} -l ${flag.name}${value(flag)} -d ${fishQuote(flag.help)}`,
    );
  const argumentLines = (command: Command): string[] =>
    command.arguments.map(
      ({ values = [], kind }, index) =>
        `complete -c brokertop -n ${fishQuote(['__brokertop_argument', command.name, String(index), ...withValue(command)].join(' '))} -a ${fishQuote(kind === 'context' ? fishContexts : values.join(' '))}`,
    );
  return `# fish completion of brokertop
function __brokertop_command
  set -l words (commandline -opc)
  if set -q words[2]; and not string match -q -- '-*' $words[2]
    test "$words[2]" = "$argv[1]"
  else
    test -z "$argv[1]"
  end
end
# Whether an argument of a command is next: COMMAND POSITION FLAGS-WITH-VALUE...
function __brokertop_argument
  __brokertop_command $argv[1]; or return 1
  set -l place 0
  set -l skip 0
  for word in (commandline -opc)[3..-1]
    if test $skip = 1
      set skip 0
    else if contains -- $word $argv[3..-1]
      set skip 1
    else if not string match -q -- '-*' $word
      set place (math $place + 1)
    end
  end
  test $place = $argv[2]
end
complete -c brokertop -f
${namedCommands.map(({ name, summary }) => `complete -c brokertop -n 'test (count (commandline -opc)) = 1' -a ${name} -d ${fishQuote(summary)}`).join('\n')}
${publicCommands.flatMap((command) => [...flagLines(command), ...argumentLines(command)]).join('\n')}
`;
}
