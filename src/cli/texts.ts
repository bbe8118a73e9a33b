import { reasonText } from '../domain/error-code.ts';
import { pluralize, withThousands } from '../domain/text.ts';

const quoted = (text: string): string => JSON.stringify(text);

export const flagTexts = {
  unknownCommand: (word: string): string => `Unknown command ${quoted(word)}.`,
  unknownFlag: (flag: string): string => `Unknown flag ${quoted(flag)}.`,
  noPasswordFlag:
    'There is no --password flag, because other users could see the password in the process list. Use --password-file or --password-command.',
  unexpectedArgument: (argument: string): string => `Unexpected argument ${quoted(argument)}.`,
  argument: (name: string, word: string | undefined, values: readonly string[]): string =>
    `${word === undefined ? `${name} is missing` : `${quoted(word)} is not a valid ${name}`}: use ${values.join(', ')}.`,
  needsValue: (flag: string): string => `${flag} requires a value.`,
  takesNoValue: (flag: string): string => `${flag} takes no value.`,
  seeHelp: (problem: string, command: string): string =>
    `${problem} See brokertop ${command === '' ? '' : `${command} `}--help.`,
  repeated: (flag: string): string => `--${flag} can be used only once.`,
  invalid: (flag: string, problem: string): string => `--${flag} ${problem}.`,
  isWrong: 'is invalid',
  isNeeded: 'is required',
  mustNotBeEmpty: 'must not be empty',
  mustBeCommand: 'must be a command',
  mustBeHostName: 'must be a host name',
  mustNameFile: 'must name a file',
  mustNameFolder: 'must name a folder',
  mustBeSize: 'must be a size from 1M to 1000G, such as 500M or 2G',
  mustBeAge: 'must be a time from 1h to 1000d, such as 12h or 7d',
  mustBePorts: 'must be a comma-separated list of ports',
  variantOfApi: (apis: readonly string[], api: string): string =>
    `--variant is for API ${apis.join(', ')}, not ${api}.`,
  profileOfApi: (profile: string, api: string): string => `--profile ${profile} is for API ${api}.`,
  profileOfVariant: (profile: string, variant: string): string => `--profile ${profile} is for variant ${variant}.`,
  needsApi: (flag: string, api: string): string => `--${flag} requires --api ${api}.`,
  mustBeRule: 'must be a topic filter, =, and an http URL',
  needsProfile: (flag: string): string => `--${flag} requires --profile.`,
  mustBeOneOf: (names: readonly string[]): string => `must be one of ${names.join(', ')}`,
  mustBeNumber: (min: string, max: string, isWhole: boolean): string =>
    `must be a ${isWhole ? 'whole ' : ''}number from ${min} to ${max}`,
  mustHoldNoColon: 'must not contain a colon (HTTP Basic authentication does not allow it)',
  atMost: (times: number): string => `can be used at most ${times} times`,
  notTogether: (one: string, other: string): string => `--${one} and --${other} cannot be used together.`,
  needsOnce: (flag: string): string => `--${flag} requires --once.`,
  needsEvents: (flag: string): string =>
    `--${flag} is for the events of a recording: brokertop replay RECORDING events.`,
  notForEvents: (flag: string): string => `--${flag} is for a moment, not for the events. --since says which events.`,
  sameUrl: 'The same --url is specified twice.',
  insecureHttp:
    'http:// to another machine sends the password unencrypted. Use https:// or an SSH tunnel, or add --insecure-http.',
  needsHttps: (flag: string): string => `--${flag} requires a --url that starts with https://.`,
  certAndKey: '--cert and --key must be used together.',
  insecureTlsWithCa: '--insecure-tls skips certificate verification, so --ca has no effect. Remove one of them.',
  passwordTwice: '--password-file and --password-command cannot be used together.',
  urlNotWhole: 'must be a complete URL, such as http://127.0.0.1:8080',
  urlNotHttp: 'must start with http:// or https://',
  urlWithLogin: 'must not contain a username or password (use user and password-file)',
  urlWithQuery: 'must not contain a query or a fragment',
  noRoomForPorts: (flag: string, port: number, nodes: number): string =>
    `--${flag} ${port} is too high for ${nodes} nodes: each needs its own port, and the max is 65535.`,
  needsTwoNodes: (flag: string): string => `--${flag} requires at least 2 nodes.`,
  unknownCheck: (flag: string, check: string, checks: readonly string[]): string =>
    `--${flag}: no check ${quoted(check)}. Checks: ${checks.join(', ')}.`,
  samePortCount: '--mqtt-ports and --ws-ports must have the same length.',
  unknownColumn: (flag: string, column: string, columns: readonly string[]): string =>
    `--${flag}: no column ${quoted(column)}. Columns: ${columns.join(', ')}.`,
  sameColumn: (column: string): string => `--columns names ${quoted(column)} twice.`,
  invalidFilter: (problem: string): string => `--filter: ${problem}`,
  needsTerminal: 'A terminal is required. In scripts, use brokertop --once.',
};

export const alertTexts = {
  notification: (place: string, title: string): string => `${place}: ${title}`,
  commandFailed: (reason: string, lastLine = ''): string =>
    `The command of --on-problem failed (${reason}${lastLine === '' ? '' : `: ${lastLine}`}).`,
  commandKilled: (seconds: number): string => `The command of --on-problem was killed after ${seconds} s.`,
  commandsSkipped: (count: number, max: number): string =>
    `The command of --on-problem was not run for ${pluralize(count, 'problem')}: ${max} were waiting.`,
  exitCode: (code: number): string => `exit code ${code}`,
};

export const manTexts = {
  /** The date of the last change to the commands or their flags. */
  date: '2026-11-26',
  manual: 'User Commands',
  name: 'interactive monitor for MQTT broker clusters',
  description: [
    'brokertop shows the nodes, clients, sessions, traffic and problems of an MQTT broker cluster in the terminal, and lets you act on them.',
    "It uses the broker's management REST API.",
    'Without a command, it monitors a cluster; press ? for help.',
  ],
} as const;

export const configTexts = {
  file: 'The configuration file',
  content: 'a configuration',
  notToml: (reason: string): string => `Not valid TOML: ${reason}.`,
  unknown: (name: string, meant: string | undefined): string =>
    `${name} is not a setting.${meant === undefined ? '' : ` Did you mean ${meant}?`}`,
  noSecrets: (name: string): string =>
    `${name} is not allowed: the file must not contain secrets. Use password-file or password-command.`,
  unknownCommand: (name: string, meant: string | undefined): string =>
    `${name} is not a command. ${meant === undefined ? 'brokertop config example lists them.' : `Did you mean ${meant}?`}`,
  notKey: (key: string): string =>
    `${key} is not a key. Use one character, or a name such as Space, PageDown, Ctrl-G or Alt-g.`,
  shellKey: (key: string): string => `${key} is reserved by the shell and cannot be used for an action.`,
  takenKey: (key: string, command: string): string => `${key} is already bound to ${command}.`,
  mustNotBeNegative: 'must not be negative',
  mustBeThreshold: 'must be a table with warning and critical',
  criticalBelowWarning: (warning: number, critical: number): string =>
    `has a critical value (${critical}) below its warning (${warning})`,
  mustBeText: 'must be a quoted string',
  mustBeNumber: 'must be a number',
  mustBeToggle: 'must be true or false',
  mustBeTextOrList: 'must be a quoted string or a list of them',
  mustBeTable: 'must be a table',
  mustBeOneOf: (names: readonly string[]): string => `must be one of ${names.join(', ')}`,
  mustBeList: 'must be a list of columns, such as ["id", "node"]',
  badContextName: 'is not a valid name: use up to 64 letters, digits, dots, hyphens and underscores',
  proxyLogin: 'must not contain a username or password: set https_proxy in the environment instead',
  notProxy: 'must be the URL of a proxy, such as http://proxy.example:3128, or empty for none',
  unknownContext: (name: string, names: readonly string[]): string =>
    `Context ${quoted(name)} does not exist. ${names.length === 0 ? 'The configuration has no contexts.' : `Contexts: ${names.join(', ')}.`}`,
  notOwnTable: (name: string): string =>
    `Context ${name} does not have its own [contexts.${name}] table. Remove it by hand.`,
  noHome: 'No home folder found. Specify the configuration file with --config.',
  isFine: (file: string): string => `${file}: no problems found.`,
  contexts: (names: readonly string[]): string =>
    names.length === 0 ? 'No contexts.' : `Contexts: ${names.join(', ')}.`,
  chooseContext: (names: readonly string[]): string => `Choose a context with -c NAME: ${names.join(', ')}.`,
};

export const contextTexts = {
  passwordMustBeTyped:
    'A password is required: press Enter to open the cluster and enter it, or set password-file or password-command.',
  none: 'The configuration has no contexts. Add one with: brokertop context add NAME --url URL',
  nameMissing: (action: string): string => `Context name missing. Use brokertop context ${action} NAME.`,
  badName: (name: string, problem: string): string => `${quoted(name)} ${problem}.`,
  exists: (name: string): string => `Context ${name} already exists. Remove it first, or change it in the file.`,
  isPreferred: (name: string): string =>
    `${name} is the context to start with. Choose another first, with brokertop context use NAME.`,
  added: (name: string): string => `Added ${name}. Try it with: brokertop context test ${name}`,
  removed: (name: string): string => `Removed ${name}.`,
  used: (name: string): string => `${name} is now the default context.`,
  cannotWrite: (file: string, reason: string): string =>
    `The configuration cannot be written to ${quoted(file)} (${reasonText(reason)}). Nothing has changed.`,
  columns: ['', 'NAME', 'URL', 'API', 'USER'],
  proxy: (url: string | undefined): string => (url === undefined ? '' : `  via proxy ${url}`),
};

export const proxyTexts = {
  notUrl: (variable: string): string => `${variable} is not a valid proxy URL, such as http://proxy.example:3128.`,
  notSupported: (variable: string): string =>
    `${variable} has an unsupported scheme: use http:// or https://, or exclude the broker with NO_PROXY.`,
  strayPercent: (variable: string): string =>
    `${variable} has an unescaped % in the username or password. Write it as %25.`,
};

export const unknownReason = 'unknown reason';

export const fileTexts = {
  source: (name: string, path: string): string => `${name} ${quoted(path)}`,
  passwordFile: 'The password file',
  flagFile: (flag: string): string => `The --${flag} file`,
  cannotBeOpened: (source: string, reason: string): string => `${source} cannot be opened (${reasonText(reason)}).`,
  notPlain: (source: string): string => `${source} is not a regular file.`,
  ofAnotherUser: (source: string): string => `${source} belongs to another user. Use your own copy with mode 600.`,
  cannotBeRead: (source: string, reason: string): string => `${source} cannot be read (${reasonText(reason)}).`,
  openToOthers: (source: string, path: string): string =>
    `${source} is accessible to other users. Run: chmod 600 ${quoted(path)}`,
  writableByOthers: (source: string, path: string): string =>
    `${source} is writable by other users. Run: chmod go-w ${quoted(path)}`,
  folderOfAnotherUser: (source: string): string =>
    `${source} is in a folder of another user. Use your own copy in your own folder.`,
  folderWritableByOthers: (source: string, folder: string): string =>
    `${source} is in a folder that other users can write to. Run: chmod go-w ${quoted(folder)}`,
  tooLarge: (source: string, content: string): string => `${source} is too large for ${content}.`,
  notUtf8: (source: string): string => `${source} is not UTF-8 text.`,
  certificates: 'certificates',
  key: 'a key',
  password: 'a password',
  badCertificate: (source: string): string => `${source} contains an invalid certificate.`,
  noCertificate: (source: string): string => `${source} contains no PEM certificate (-----BEGIN CERTIFICATE-----).`,
  noKey: (source: string): string => `${source} contains no PEM private key (-----BEGIN PRIVATE KEY-----).`,
  lockedKey: (source: string): string =>
    `${source} has a passphrase, which is not supported. Remove it: (umask 077; openssl pkey -in FILE -out NEW).`,
  otherKey: (key: string, cert: string): string =>
    `The key in ${quoted(key)} does not match the first certificate in ${quoted(cert)}.`,
};

export const doctorTexts = {
  program: 'Program',
  version: 'version',
  versions: (own: string, node: string, platform: string): string => `${own}, Node ${node}, ${platform}`,
  terminal: 'Terminal',
  size: 'size',
  noTerminal: 'no terminal: only the commands for scripts work',
  tooSmall: (size: string, min: string): string => `${size} is too small: at least ${min}`,
  environment: 'environment',
  none: 'none',
  session: 'session',
  local: 'local (no SSH, tmux or screen)',
  colors: 'colors',
  depths: {
    none: 'none (TERM is dumb)',
    attributes: 'none, only bold and inverse (NO_COLOR)',
    color: '16',
    palette: '256',
  },
  characters: 'characters',
  charsets: { unicode: 'Unicode', ascii: 'ASCII (because of the locale or TERM)' },
  background: 'background',
  backgrounds: { dark: 'dark', light: 'light' },
  backgroundUnknown: 'unknown: the terminal does not respond to OSC 11. Use --theme to choose.',
  widths: 'widths',
  widthsFine: 'as expected',
  widthsUnknown: 'unknown: the terminal does not report the cursor position',
  asciiOnly: 'not relevant for ASCII',
  oddWidth: (character: string, width: number, expected: number): string =>
    `${character} is ${width} wide, not ${expected}`,
  oddWidths: (all: readonly string[]): string =>
    `${all.join(', ')}. Choose another font, or a width of 1 for ambiguous characters.`,
  mouse: 'mouse',
  unanswered: 'unknown: terminals do not report this. Click a tab to try it; --no-mouse turns it off.',
  clipboard: 'clipboard',
  clipboardNote: 'unknown: terminals do not report this. y copies with OSC 52; in tmux, set-clipboard must be on.',
  files: 'Files and network',
  config: 'configuration',
  absent: (file: string): string => `${file} (does not exist)`,
  contexts: (file: string, names: readonly string[]): string =>
    `${file}, ${names.length === 0 ? 'no contexts' : `contexts: ${names.join(', ')}`}`,
  preferred: (name: string): string => `${name} (default)`,
  state: 'state',
  audit: 'audit log',
  noHome: 'no home folder: nothing is saved, and actions require --no-audit',
  notPrivate: (folder: string): string => `${folder} must be a folder that only you can read and write`,
  notWritable: (file: string, folder: string): string => `${file} cannot be written: no write permission for ${folder}`,
  proxies: 'proxies',
};

export const saveTexts = {
  exists: 'This file already exists. Choose another name, or set Replace to yes.',
  isFolder: 'This is a folder. Add a file name.',
  notFile: 'This is not a regular file. Choose another name.',
  cannotBeWritten: (reason: string): string => `The file cannot be written (${reasonText(reason)}).`,
  noHome: 'No home folder found. Type the full path.',
};

export const payloadTexts = {
  notFile: 'Not a file.',
  tooLarge: 'The file is larger than the limit of 1 MiB.',
  cannotBeRead: (reason: string): string => `The file cannot be read (${reasonText(reason)}).`,
  notUtf8: 'The file is not UTF-8 text. The API accepts text only.',
  noHome: 'No home folder found. Type the full path.',
};

const promptStart = (user: string): string => `Password for ${user}`;

export const passwordTexts = {
  promptStart,
  prompt: (user: string, url: string): string => `${promptStart(user)} at ${url}: `,
  noTerminal: 'No terminal to prompt for the password. Use --password-file, --password-command or BROKERTOP_PASSWORD.',
  noneGiven: 'No password was entered.',
  nothingToReread: 'The password cannot be read again.',
  command: (problem: string): string => `The password command ${problem}.`,
  commandOutput: 'The output of the password command',
  didNotFinish: (seconds: number): string => `did not finish within ${seconds} s`,
  printedTooMuch: 'printed too much output',
  couldNotBeStarted: 'did not start',
  failed: (code: number | null): string => `failed (exit code ${code})`,
  endedBySignal: (signal: string): string => `was killed by ${signal}`,
  isEmpty: (source: string): string => `${source} is empty.`,
  severalLines: (source: string): string => `${source} has more than one line. It must contain only the password.`,
  hasNul: (source: string): string => `${source} contains a NUL character.`,
};

const noHome = 'no home folder; set HOME or XDG_STATE_HOME';

export const stateFolderTexts = {
  noHome,
  notFolder: (folder: string): string => `${folder} is not a folder. Remove it or set XDG_STATE_HOME.`,
  ofAnotherUser: (folder: string): string =>
    `The folder ${folder} belongs to another user. Remove it or set XDG_STATE_HOME.`,
  openToOthers: (folder: string): string =>
    `The folder ${folder} is writable by other users. Run: chmod 700 ${quoted(folder)}`,
};

export const auditFileTexts = {
  off: 'Actions are not recorded (--no-audit).',
  on: (file: string): string => `Actions are recorded in ${file}.`,
  noHome: `Actions cannot be recorded: ${noHome}, or use --no-audit.`,
  cannotBeWritten: (file: string, reason: string): string =>
    `The audit file ${file} cannot be written (${reasonText(reason)}).`,
  isLink: (file: string): string => `The audit file ${file} is a symbolic link. Remove it.`,
  notFile: (file: string): string => `The audit file ${file} is not a regular file. Remove it.`,
  ofAnotherUser: (file: string): string =>
    `The audit file ${file} belongs to another user. Remove it or set XDG_STATE_HOME.`,
  secondName: (file: string): string => `The audit file ${file} has another hard link. Remove it.`,
  openToOthers: (file: string): string =>
    `The audit file ${file} is accessible to other users. Run: chmod 600 ${quoted(file)}`,
};

export const onceErrorTexts = {
  failover: (url: string, insteadOf: string, why: string): string => `${insteadOf}: ${why} Using ${url} instead.`,
  /** @param parts what was not read; empty if nothing was */
  failed: (url: string | undefined, why: string, parts: readonly string[]): string =>
    `${url === undefined ? '' : `${url}: `}${why}${parts.length === 0 ? '' : ` Not read: ${parts.join(', ')}.`}`,
};

/** Removes the full stop. */
export const withoutStop = (text: string): string => text.replace(/\.$/u, '');

export const listOutputTexts = {
  settings: 'settings',
  tooLong: 'not read (limit: --max-rows)',
  onlyFirst: (count: number): string => `only the first ${withThousands(count)} were read`,
  clients: 'clients',
  notRead: (part: string | undefined, why: string): string =>
    `${part === undefined ? '' : `${part}: `}${withoutStop(why)}`,
  failed: (url: string | undefined, reasons: readonly string[]): string =>
    `${url === undefined ? '' : `${url}: `}${reasons.length === 0 ? 'no node is running' : reasons.join('; ')}.`,
  incomplete: (reasons: readonly string[]): string => `The list is incomplete: ${reasons.join('; ')}.`,
};

/** Reasons why a moment of a recording cannot be shown. */
export const momentTexts = {
  noTime: (typed: string): string =>
    `${quoted(typed)} is not a time. Examples: 14:02, 27 Nov 14:02:31, 10m, start, end.`,
  noRecording: 'Which recording? Add --recording DIR, or write the time as DIR@TIME.',
  isEmpty: (place: string): string => `${place} has no moments yet.`,
  isEarlier: (place: string, from: string): string => `${place} begins at ${from}.`,
};

export const eventsTexts = {
  noTime: (typed: string): string => `${quoted(typed)} is not a time. Examples: 14:02, 27 Nov 14:02:31, 10m.`,
  notKept: (file: string, code: string): string => `What happens is not kept: ${file} cannot be written (${code}).`,
  keptAgain: (file: string): string => `What happens is kept in ${file} again.`,
  notRead: (file: string, code: string): string =>
    `What happened before is not known: ${file} cannot be read (${code}).`,
  unreadable: (file: string, code: string): string => `The events cannot be read: ${file} (${code}).`,
  noSortOfFollowed: '--sort cannot be used with --follow: events are printed as they come.',
  started: 'brokertop started',
  stopped: 'brokertop stopped',
  none: 'No events are kept of this cluster yet. A monitor keeps them while it runs; a demo keeps none.',
};

export const diffTexts = {
  head: (cluster: string, from: string, to: string, span: string): string => `${cluster}: ${from} → ${to} (${span})`,
};

export const reportCommandTexts = {
  progress: (percent: number): string => `brokertop: ${percent} % of the recording read`,
  nothing: (from: string, to: string, place: string, begin: string, end: string): string =>
    `Nothing was recorded from ${from} to ${to}. ${place} is from ${begin} to ${end}.`,
  notBefore: (from: string, to: string): string => `--from (${from}) must be before --to (${to}).`,
  exists: (file: string): string => `${file} already exists. Choose another name, or add --force to replace it.`,
  saved: (file: string): string => `Saved the report to ${file}.`,
};

export const recordTexts = {
  started: (cluster: string, folder: string): string =>
    `Recording ${cluster} in ${folder}. End it with Ctrl-C or SIGTERM.`,
  rejected: 'The broker rejected the password, so recording has ended.',
  noHome: `There is no folder to record to: ${noHome}, or name one.`,
  notPrivate: (folder: string): string => `${folder} must be a folder of yours that others cannot change (mode 700).`,
  inUse: (folder: string): string => `Another brokertop is recording to ${folder}. Choose another folder, or end it.`,
  otherCluster: (folder: string, cluster: string): string =>
    `${folder} has a recording of another cluster, ${cluster}. Choose another folder.`,
  cannotBeUsed: (folder: string, reason: string): string => `${folder} cannot be used to record (${reason}).`,
  failing: (folder: string, reason: string): string =>
    `Recording to ${folder} failed (${reasonText(reason)}). What was recorded is kept. Trying again every minute.`,
  begun: (folder: string): string => `Recording to ${folder}`,
  again: (folder: string): string => `Recording to ${folder} again.`,
  notEncoded: (reason: string): string => `This state cannot be recorded: ${reason}`,
};

export const checkCommandTexts = {
  noProblems: 'no problems',
  andMore: (problem: string, count: number): string => `${problem} (${count} problems)`,
  notRead: (parts: readonly string[], why: string): string => `${withoutStop(why)}. Not read: ${parts.join(', ')}`,
  internalError: 'internal error',
};

export const demoTexts = {
  login: ({ url, user }: { readonly url: string; readonly user: string }): string =>
    `Demo broker: ${url}, user ${user} (? shows the password)`,
};

export const crashTexts = {
  title: 'internal error',
  reportIn: (file: string): string => `Crash report: ${file}`,
  noPassword: 'It contains no passwords, but review it before you share it.',
  nextStep: 'Restart brokertop. If this happens again, report it with that file.',
  noReport: (reason: string): string =>
    `The crash report could not be written (${reasonText(reason)}). If this happens again, report this:`,
  diskHangs: 'the disk does not respond',
};

export const endingTexts = {
  signal: (signal: string): string => `brokertop was stopped by ${signal}.`,
  error: 'brokertop stopped after an internal error.',
  gone: 'brokertop stopped because its terminal was closed.',
  quit: 'brokertop was quit.',
  childEnded: (name: string, how: string): string => `The demo's ${name} exited unexpectedly (${how}).`,
  outputFailed: (reason: string): string => `Writing to standard output failed (${reasonText(reason)}).`,
  moreFailures: (count: number): string => `and ${count} more`,
};
