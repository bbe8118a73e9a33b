import type { RegisteredDialect } from '../../api/dialect.ts';
import {
  apiChoices,
  apiNames,
  dialects,
  firstDialect,
  newestProfile,
  profileNames,
  variantNames,
  variantsOf,
} from '../../api/dialects/registry.ts';
import { reportFormats } from '../../report/formats.ts';
import { themeNames } from '../../terminal/theme-name.ts';
import { contextColors } from '../config/context-colors.ts';
import { listFormats, listResources } from '../list/resources.ts';
import { startScreens } from './start-screens.ts';
import { helpLineWidth, wrapPlain } from './wrap.ts';

export interface Flag {
  readonly name: string;
  readonly short?: string;
  /** The placeholder of the value. A flag without one is a switch. */
  readonly value?: string;
  readonly default?: string;
  readonly help: string;
  readonly isRepeatable?: true;
  /** The only valid values. */
  readonly values?: readonly string[];
  /** What the value names. */
  readonly kind?: 'file' | 'folder' | 'context';
  /** Older names, which stay valid but are not shown. */
  readonly aliases?: readonly string[];
  /** The value may be left out. */
  readonly isValueOptional?: true;
  /** The value may start with a dash. */
  readonly takesDash?: true;
}

interface FlagSection {
  readonly title: string;
  readonly flags: readonly Flag[];
}

/** A word after the command's name. */
export interface Argument {
  readonly name: string;
  /** The words that are valid; any if left out. */
  readonly values?: readonly string[];
  readonly kind?: 'context';
  readonly isOptional?: true;
}

interface Note {
  readonly title: string;
  /** A function where they would load too much at the start of the program. */
  readonly lines: readonly string[] | (() => Promise<readonly string[]>);
  /** The section of the man page; by default the note stays with its command. */
  readonly manSection?: 'ENVIRONMENT' | 'FILES' | 'EXIT STATUS' | 'EXAMPLES';
}

export interface Command {
  readonly name: string;
  readonly summary: string;
  readonly arguments: readonly Argument[];
  readonly sections: readonly FlagSection[];
  readonly flags: readonly Flag[];
  /** More sections of the help, as lines. */
  readonly notes: readonly Note[];
  readonly isInternal: boolean;
}

/** Writes the notes of a command with their lines. */
export const notesOf = async ({ notes }: Command): Promise<readonly (Note & { readonly lines: readonly string[] })[]> =>
  Promise.all(
    notes.map(async (note) => ({ ...note, lines: typeof note.lines === 'function' ? await note.lines() : note.lines })),
  );

const command = ({
  sections,
  notes = [],
  isInternal = false,
  ...rest
}: Pick<Command, 'name' | 'summary' | 'sections'> & Partial<Command>): Command => ({
  arguments: [],
  ...rest,
  sections,
  notes,
  isInternal,
  flags: sections.flatMap(({ flags }) => flags),
});

export const scenarioNames = [
  'mixed',
  'calm',
  'reconnect-storm',
  'slow-consumer',
  'node-down',
  'split-brain',
  'shared-id',
  'hot-topic',
  'dead-sink',
] as const;
export type ScenarioName = (typeof scenarioNames)[number];

/** Faults of a cluster with a profile. */
export const servedFaults = ['busy', 'frozen-node', 'listener-down', 'split-brain'] as const;
export type ServedFault = (typeof servedFaults)[number];
export const variantChoices = ['auto', ...variantNames] as const;
/** The names for `--api` of those APIs to which `--variant` applies. */
export const apisWithVariants: readonly string[] = dialects
  .filter(({ variants }) => variants.length > 0)
  .map(({ api }) => api);

/** The name for `--api` of the API that `--rule` is for. */
export const apiWithRules: string =
  (dialects as readonly RegisteredDialect[]).find(({ hasRules }) => hasRules === true)?.api ?? '';

type Dialect = (typeof dialects)[number];

/** Tells a default of the first API, and how it differs with the others: `8080, with --api v5 18083`. */
const byApi = (of: (dialect: Dialect) => string | number, word = ''): string =>
  dialects
    .map((dialect) => (dialect === firstDialect ? of(dialect) : `with --api ${dialect.api} ${word}${of(dialect)}`))
    .join(', ');
const brokersByApi = (of: (dialect: Dialect) => string): string =>
  dialects.map((dialect) => `${dialect.api} of ${of(dialect)}`).join(', ');
const demoProfiles = [
  byApi((dialect) => newestProfile(dialect, dialect.servedVariant)?.name ?? 'none'),
  ...dialects.flatMap((dialect) =>
    variantsOf(dialect)
      .filter((variant) => variant !== dialect.servedVariant)
      .map((variant) => `with --variant ${variant} ${newestProfile(dialect, variant)?.name ?? 'none'}`),
  ),
].join(', ');

const scenarioHelp: Readonly<Record<ScenarioName, string>> = {
  mixed: 'several problems at once',
  calm: 'no problems',
  'reconnect-storm': 'half of the clients reconnect every 7 s',
  'slow-consumer': 'three clients do not acknowledge their messages',
  'node-down': 'the last node stops after 15 s',
  'split-brain': 'the last node and the others lose touch with each other',
  'shared-id': 'two devices fight for one client ID (on Linux)',
  'hot-topic': 'half of the clients subscribe to one busy topic',
  'dead-sink': `a rule sends messages to a service that is away (--api ${apiWithRules})`,
};

const help: Flag = { name: 'help', short: 'h', help: 'show this help' };
const version: Flag = { name: 'version', short: 'V', help: 'show the version' };

const screen: FlagSection = {
  title: 'Screen',
  flags: [
    { name: 'screen', value: 'NAME', values: startScreens, default: 'overview', help: 'initial screen' },
    { name: 'interval', value: 'SECONDS', default: '2', help: 'time between refreshes, 0.5 to 60' },
    {
      name: 'theme',
      value: 'NAME',
      values: themeNames,
      default: 'auto',
      help: `${themeNames.join(', ')}; auto follows the terminal background`,
    },
    { name: 'no-mouse', help: 'leave the mouse to the terminal (to select text)' },
    {
      name: 'screen-reader',
      help: 'lines of text instead of a screen: says what changes, with the same keys; Ctrl-L reads the whole screen',
    },
    { name: 'plain-render', help: 'simple renderer: slower, works on any terminal; the default if TERM is dumb' },
  ],
};

const acting: FlagSection = {
  title: 'Actions',
  flags: [
    { name: 'read-only', help: 'disable all actions' },
    { name: 'no-audit', help: 'do not record actions; by default, actions that cannot be recorded are refused' },
  ],
};

const clusterSize: readonly Flag[] = [
  { name: 'nodes', value: 'N', default: '3', help: 'number of nodes, 1 to 16' },
  {
    name: 'api',
    value: apiNames.join('|'),
    values: apiNames,
    default: firstDialect.api,
    help: `REST API to serve: ${brokersByApi(({ servedBroker }) => servedBroker)}`,
  },
  {
    name: 'variant',
    value: variantNames.join('|'),
    values: variantNames,
    default: firstDialect.servedVariant,
    help: `variant of API ${apisWithVariants.join(', ')} to serve`,
  },
];

const profile = (fallback: string): Flag => ({
  name: 'profile',
  value: profileNames.join('|'),
  values: profileNames,
  help: `behave as this release of a real broker; default: ${fallback}`,
});

const fleetFlags: readonly Flag[] = [
  { name: 'clients', value: 'N', default: '300', help: 'number of simulated MQTT clients, 1 to 2,000' },
  { name: 'seed', value: 'N', default: '1', help: 'random seed for the simulated clients' },
  {
    name: 'scenario',
    value: 'NAME',
    values: scenarioNames,
    default: 'mixed',
    help: `scenario to simulate: ${scenarioNames.join(', ')}`,
  },
];

const configFlag: Flag = {
  name: 'config',
  value: 'FILE',
  kind: 'file',
  default: '~/.config/brokertop/config.toml',
  help: 'configuration file',
};

const connection: readonly Flag[] = [
  {
    name: 'url',
    value: 'URL',
    default: `http://127.0.0.1:${byApi(({ defaultPort }) => defaultPort, 'port ')}`,
    help: 'URL of the management API; repeatable, further URLs are fallbacks',
    isRepeatable: true,
  },
  {
    name: 'api',
    value: apiChoices.join('|'),
    values: apiChoices,
    default: 'auto',
    help: `REST API: ${brokersByApi(({ brokers }) => brokers)}; auto detects it`,
  },
  { name: 'user', value: 'NAME', default: 'admin', help: 'username, or API key' },
  { name: 'password-file', value: 'FILE', kind: 'file', help: 'file with the password on one line, mode 600' },
  { name: 'password-command', value: 'CMD', help: 'command that prints the password on one line' },
  {
    name: 'variant',
    value: variantChoices.join('|'),
    values: variantChoices,
    default: 'auto',
    help: `variant of API ${apisWithVariants.join(', ')}; auto detects it`,
  },
  { name: 'max-rows', value: 'N', default: '1000000', help: 'max rows to read per list, 1,000 to 5,000,000' },
];

const tls: FlagSection = {
  title: 'TLS',
  flags: [
    { name: 'ca', value: 'FILE', kind: 'file', help: 'trust only the CA certificates in this PEM file' },
    { name: 'cert', value: 'FILE', kind: 'file', help: 'client certificate, with its chain if needed (PEM)' },
    { name: 'key', value: 'FILE', kind: 'file', help: 'private key for --cert (PEM, no passphrase), mode 600' },
    {
      name: 'servername',
      value: 'NAME',
      help: "host name in the server's certificate, if different from the one in the URL",
    },
    { name: 'insecure-tls', help: 'skip certificate verification (exposes the password to interception)' },
    { name: 'insecure-http', help: 'allow http:// to another machine (exposes the password to interception)' },
  ],
};

const connectionNotes: Command['notes'] = [
  {
    title: 'Password',
    manSection: 'ENVIRONMENT',
    lines: [
      'Read from --password-file, --password-command, the environment variable',
      'BROKERTOP_PASSWORD or a prompt, in that order.',
    ],
  },
  {
    title: 'Configuration',
    lines: [
      'Contexts and defaults, in TOML: see brokertop config example.',
      'Flags override environment variables, which override the file.',
      'BROKERTOP_CONTEXT selects a context, like -c.',
    ],
  },
  {
    title: 'Proxy',
    manSection: 'ENVIRONMENT',
    lines: [
      'Read from https_proxy, http_proxy, all_proxy and no_proxy (or upper case).',
      'Loopback addresses are never proxied.',
    ],
  },
];

const contextFlag: Flag = {
  name: 'context',
  short: 'c',
  value: 'NAME',
  kind: 'context',
  help: 'cluster in the configuration file',
};

const alerts: FlagSection = {
  title: 'Alerts for new critical problems',
  flags: [
    { name: 'bell', help: 'ring the terminal bell' },
    { name: 'notify', help: 'show a terminal notification (OSC 9, 99 or 777)' },
    {
      name: 'on-problem',
      aliases: ['on-finding'],
      value: 'CMD',
      help: 'run a command, with BROKERTOP_PROBLEM, _EVIDENCE, _CHECK, _CONTEXT and _URL in its environment',
    },
  ],
};

const retention: readonly Flag[] = [
  { name: 'max-size', value: 'SIZE', default: '1G', help: 'delete the oldest hours of a recording beyond this size' },
  { name: 'max-age', value: 'TIME', default: '7d', help: 'delete hours of a recording that are older' },
];

const recording: FlagSection = {
  title: 'Recording',
  flags: [
    {
      name: 'record',
      value: '[DIR]',
      kind: 'folder',
      isValueOptional: true,
      help: 'record the cluster while it is monitored; default folder: in the state folder',
    },
    ...retention,
  ],
};

export const monitorCommand: Command = command({
  name: '',
  summary: 'Monitor an MQTT broker cluster',
  sections: [
    {
      title: 'Connection',
      flags: [
        contextFlag,
        { name: 'all', help: 'show all clusters in the configuration file; the default without a default context' },
        configFlag,
        ...connection,
      ],
    },
    tls,
    screen,
    alerts,
    acting,
    recording,
    {
      title: 'Scripts',
      flags: [
        { name: 'once', help: 'print a summary as plain text and exit (takes 1 to 10 s)' },
        { name: 'quick', help: 'with --once: skip sessions, clients, alarms, plugins and settings' },
        { name: 'json', help: 'with --once: print all values as one line of JSON' },
      ],
    },
    { title: 'Other', flags: [help, version] },
  ],
  notes: [
    ...connectionNotes,
    {
      title: 'Audit log',
      manSection: 'FILES',
      lines: ['$XDG_STATE_HOME/brokertop/audit.log', '(default ~/.local/state/brokertop/audit.log)'],
    },
    {
      title: 'Exit codes',
      manSection: 'EXIT STATUS',
      lines: [
        '0      success',
        '1      error',
        '2      usage error, or no terminal',
        '3      an action was only partly completed, or its outcome is unknown',
        '128+N  ended by signal N',
      ],
    },
    {
      title: 'Examples',
      manSection: 'EXAMPLES',
      lines: [
        'brokertop demo',
        'brokertop --url https://broker:8080 --user ops',
        "brokertop --url https://broker:8080 --password-command 'pass show broker'",
        'brokertop --once --json',
      ],
    },
  ],
});

/** Flags of commands that print a list. */
const outputFlags: readonly Flag[] = [
  {
    name: 'format',
    value: listFormats.join('|'),
    values: listFormats,
    default: 'table',
    help: 'table as on the screen; the others have raw values and times in UTC',
  },
  { name: 'filter', value: 'TEXT', help: 'only rows that match, as with / on the screen' },
  { name: 'sort', value: 'COLUMN', help: 'sort by this column; -COLUMN: largest first', takesDash: true },
  { name: 'columns', value: 'A,B,C', help: 'only these columns, in this order' },
  { name: 'limit', value: 'N', help: 'max rows to print' },
];

export const listCommand: Command = command({
  name: 'list',
  summary: 'Print a list from the broker, for scripts',
  arguments: [{ name: 'RESOURCE', values: listResources }],
  sections: [
    { title: 'Output', flags: outputFlags },
    { title: 'Connection', flags: [contextFlag, configFlag, ...connection] },
    tls,
    { title: 'Other', flags: [help] },
  ],
  notes: [
    { title: 'Resources', lines: wrapPlain(listResources.join(', '), helpLineWidth) },
    ...connectionNotes,
    {
      title: 'Exit codes',
      lines: ['0  success', '1  nothing could be read', '2  usage error', '3  some of the data could not be read'],
    },
    {
      title: 'Examples',
      lines: [
        "brokertop list clients --filter 'node:broker1' --format csv",
        'brokertop list sessions --sort -queue --limit 10',
        'brokertop list nodes --format json',
      ],
    },
  ],
});

export const recordCommand: Command = command({
  name: 'record',
  summary: 'Record the cluster without a terminal, until a signal ends it',
  sections: [
    {
      title: 'Recording',
      flags: [
        { name: 'out', value: 'DIR', kind: 'folder', help: 'folder to record to; one for each cluster' },
        { name: 'interval', value: 'SECONDS', default: '2', help: 'time between samples, 0.5 to 60' },
        ...retention,
      ],
    },
    { title: 'Connection', flags: [contextFlag, configFlag, ...connection] },
    tls,
    { title: 'Other', flags: [help] },
  ],
  notes: [
    ...connectionNotes,
    {
      title: 'What is recorded',
      lines: [
        'Everything that the screens show, with all lists read once a minute (those of',
        'more than 20,000 rows every 15 minutes). Never passwords, tokens or payloads.',
      ],
    },
    {
      title: 'Exit codes',
      lines: [
        '0  ended by SIGTERM, SIGINT or SIGHUP',
        '1  the login was rejected',
        '2  usage error, or the folder cannot be used',
      ],
    },
    {
      title: 'Examples',
      lines: [
        'brokertop record -c prod --out /var/lib/brokertop/prod --max-age 30d',
        'brokertop replay /var/lib/brokertop/prod',
      ],
    },
  ],
});

const checkLines = async (): Promise<readonly string[]> => {
  const { checkIds } = await import('../../checks/registry.ts');
  return wrapPlain(checkIds.join(', '), helpLineWidth);
};

export const checkCommand: Command = command({
  name: 'check',
  summary: 'Check the cluster once, as a Nagios or Icinga plugin',
  sections: [
    {
      title: 'Severity',
      flags: [
        { name: 'warn', value: 'CHECKS', help: "report these checks' problems as warnings" },
        { name: 'crit', value: 'CHECKS', help: "report these checks' problems as critical" },
      ],
    },
    { title: 'Connection', flags: [contextFlag, configFlag, ...connection] },
    tls,
    { title: 'Other', flags: [help] },
  ],
  notes: [
    { title: 'Checks', lines: checkLines },
    ...connectionNotes,
    {
      title: 'Exit codes',
      lines: ['0  OK', '1  WARNING', '2  CRITICAL', '3  UNKNOWN, also for connection, login and usage errors'],
    },
  ],
});

export const eventFlags: readonly Flag[] = [
  { name: 'since', value: 'TIME', help: 'only later events: 14:02, "27 Nov 14:02" or 10m (ago)' },
  ...outputFlags,
];

/** The word behind a recording whose events are printed. */
export const replayedEvents = 'events';

export const eventsCommand: Command = command({
  name: 'events',
  summary: 'Print what happened to a cluster, as its monitors have seen it',
  sections: [
    {
      title: 'Output',
      flags: [{ name: 'follow', help: 'go on with what happens next, until interrupted' }, ...eventFlags],
    },
    { title: 'Cluster', flags: [contextFlag, configFlag, ...connection] },
    tls,
    { title: 'Other', flags: [help] },
  ],
  notes: [
    ...connectionNotes,
    {
      title: 'Exit codes',
      lines: ['0  success', '1  the events could not be read', '2  usage error'],
    },
    {
      title: 'Examples',
      lines: ['brokertop events --since 1h', 'brokertop events --follow --filter severity:critical --format ndjson'],
    },
  ],
});

export const diffCommand: Command = command({
  name: 'diff',
  summary: 'Print what differs between two moments of a recording',
  arguments: [{ name: 'BEFORE' }, { name: 'AFTER' }],
  sections: [
    {
      title: 'Recording',
      flags: [{ name: 'recording', value: 'DIR', kind: 'folder', help: 'recording of moments that are only a time' }],
    },
    { title: 'Output', flags: outputFlags },
    { title: 'Other', flags: [help] },
  ],
  notes: [
    {
      title: 'Moments',
      lines: [
        'A time, such as 14:02, "27 Nov 14:02:31", 10m (ago), start or end;',
        'DIR@TIME, a time of that recording; or DIR, its last moment.',
      ],
    },
    {
      title: 'Exit codes',
      lines: ['0  success, whether something differs or not', '1  internal error', '2  usage error, or not recorded'],
    },
    {
      title: 'Examples',
      lines: [
        'brokertop diff --recording ~/rec 14:00 14:10',
        'brokertop diff --recording ~/rec start end',
        'brokertop diff ~/rec@13:00 ~/rec --filter change:gone --format csv',
      ],
    },
  ],
});

const replayScreen: FlagSection = {
  ...screen,
  // A recording has its own interval.
  flags: screen.flags.filter(({ name }) => name !== 'interval'),
};

export const replayCommand: Command = command({
  name: 'replay',
  summary: 'Show a recording in the screens of the monitor, or print its events',
  arguments: [{ name: 'RECORDING' }, { name: 'events', values: [replayedEvents], isOptional: true }],
  sections: [
    {
      title: 'Recording',
      flags: [
        { name: 'at', value: 'TIME', takesDash: true, help: 'the first moment; by default the last one recorded' },
        { name: 'once', help: 'print the moment as text and exit' },
        { name: 'json', help: 'with --once: print one JSON document' },
      ],
    },
    { title: 'With events', flags: eventFlags },
    replayScreen,
    { title: 'Other', flags: [configFlag, help] },
  ],
  notes: [
    { title: 'Recording', lines: ['A folder that brokertop has recorded to, or one file of it.'] },
    { title: 'Events', lines: ['RECORDING events prints what happened, as brokertop events does.'] },
    {
      title: 'Times',
      lines: ['14:02, 14:02:31, "27 Nov 14:02", 2026-11-27T14:02, or 10m before the end of', 'the recording.'],
    },
    {
      title: 'Exit codes',
      lines: ['0  success', '1  internal error', '2  usage error, or not recorded'],
    },
    {
      title: 'Examples',
      lines: [
        'brokertop replay ~/rec --at 14:02',
        'brokertop replay ~/rec --at "27 Nov 14:02:31" --once --json',
        'brokertop replay ~/rec events --since 14:00 --format ndjson',
      ],
    },
  ],
});

export const reportCommand: Command = command({
  name: 'report',
  summary: 'Write an incident report from a recording, ready to send',
  arguments: [{ name: 'RECORDING' }],
  sections: [
    {
      title: 'Time',
      flags: [
        { name: 'from', value: 'TIME', help: 'begin of the report (default: an hour before --to)' },
        { name: 'to', value: 'TIME', help: 'end of the report (default: the end of the recording)' },
      ],
    },
    {
      title: 'Output',
      flags: [
        {
          name: 'format',
          value: reportFormats.join('|'),
          values: reportFormats,
          help: 'default: markdown if FILE ends with .md, otherwise html',
        },
        { name: 'out', value: 'FILE', kind: 'file', help: 'file to write (default: standard output)' },
        { name: 'force', help: 'replace FILE if it exists' },
        { name: 'redact', help: 'replace client IDs, users, addresses and nodes by other names' },
      ],
    },
    { title: 'Other', flags: [help] },
  ],
  notes: [
    {
      title: 'Times',
      lines: [
        '14:02, 14:02:31, "27 Nov 14:02", 2026-11-27T14:02, or 10m before the end of',
        'the recording, start or end (of the recording).',
      ],
    },
    {
      title: 'Content',
      lines: [
        'Summary, problems with their evidence at their worst, timeline, graphs,',
        'clients concerned, actions and what followed, what changed from the',
        'beginning to the end, and what is not known. One file, without scripts.',
      ],
    },
    {
      title: 'Exit codes',
      lines: [
        '0  success',
        '1  internal error',
        '2  usage error, no recording, or FILE cannot be written',
        '3  nothing was recorded in that time',
      ],
    },
    {
      title: 'Examples',
      lines: [
        'brokertop report ~/rec --from 14:00 --to 14:40 --out incident.html',
        'brokertop report ~/rec --from 30m --redact --out incident.md',
      ],
    },
  ],
});

export const demoCommand: Command = command({
  name: 'demo',
  summary: 'Run a local cluster with simulated MQTT clients, and monitor it',
  sections: [
    {
      title: 'Cluster',
      flags: [...clusterSize, profile(demoProfiles), ...fleetFlags],
    },
    screen,
    acting,
    { title: 'Other', flags: [help] },
  ],
  notes: [{ title: 'Scenarios', lines: scenarioNames.map((name) => `${name.padEnd(16)} ${scenarioHelp[name]}`) }],
});

export const brokerCommand: Command = command({
  name: 'broker',
  summary: 'Run the embedded MQTT broker cluster with its management API',
  sections: [
    {
      title: 'Cluster',
      flags: [
        ...clusterSize,
        profile('as the API is specified'),
        {
          name: 'fault',
          value: servedFaults.join('|'),
          values: servedFaults,
          isRepeatable: true,
          help: 'with --profile: answer 503 now and then, freeze the last node, run WebSocket on the first node only, or cut the last node off',
        },
        {
          name: 'rule',
          value: 'FILTER=URL',
          isRepeatable: true,
          help: `with --api ${apiWithRules}: post the messages of these topics to an HTTP service; those that wait for 5 s are lost`,
        },
        { name: 'stop-last-node', value: 'SECONDS', help: 'stop the last node after this time, to simulate a failure' },
      ],
    },
    {
      title: 'Listeners',
      flags: [
        { name: 'host', value: 'ADDRESS', default: '127.0.0.1', help: 'address to listen on' },
        {
          name: 'port',
          value: 'PORT',
          default: byApi(({ defaultPort }) => defaultPort),
          help: 'management API; 0 = any free port',
        },
        {
          name: 'mqtt-port',
          value: 'PORT',
          default: '1883',
          help: 'MQTT port of the first node; further nodes use the next ports; 0 = any free ports',
        },
        { name: 'ws-port', value: 'PORT', default: '8083', help: 'the same, for MQTT over WebSocket' },
      ],
    },
    {
      title: 'Users and data',
      flags: [
        { name: 'user', value: 'NAME', default: 'admin', help: 'username of the first administrator' },
        {
          name: 'password-file',
          value: 'FILE',
          kind: 'file',
          help: 'file that contains only the password, on one line, mode 600; default: a random password, printed once',
        },
        {
          name: 'data',
          value: 'DIR',
          kind: 'folder',
          help: 'folder for users, API keys, bans, stopped listeners, retained messages, persistent sessions, settings and plugins, created with mode 700; default: in memory only',
        },
      ],
    },
    { title: 'Other', flags: [help] },
  ],
});

export const fleetCommand: Command = command({
  name: 'fleet',
  summary: 'Connect simulated MQTT clients to a cluster on this machine',
  isInternal: true,
  sections: [
    {
      title: 'Flags',
      flags: [
        { name: 'mqtt-ports', value: 'LIST', help: 'MQTT ports of the nodes, separated by commas' },
        { name: 'ws-ports', value: 'LIST', help: 'WebSocket ports of the nodes, separated by commas' },
        ...fleetFlags,
        help,
      ],
    },
  ],
});

const configActions = ['path', 'check', 'example'] as const;
export type ConfigAction = (typeof configActions)[number];

export const configCommand: Command = command({
  name: 'config',
  summary: 'Show the path of the configuration file, check it, or print an example',
  arguments: [{ name: 'ACTION', values: configActions }],
  sections: [{ title: 'Flags', flags: [configFlag, help] }],
  notes: [
    {
      title: 'Actions',
      lines: [
        'path     print the path to the configuration file',
        'check    check the file, and print its contexts',
        'example  print an example with comments: brokertop config example > FILE',
      ],
    },
  ],
});

const contextActions = ['list', 'names', 'add', 'remove', 'use', 'test'] as const;
export type ContextAction = (typeof contextActions)[number];

export const contextCommand: Command = command({
  name: 'context',
  summary: 'List, change and test the clusters in the configuration file',
  arguments: [
    { name: 'ACTION', values: contextActions },
    { name: 'NAME', kind: 'context', isOptional: true },
  ],
  sections: [
    { title: 'Flags', flags: [configFlag, help] },
    {
      title: 'Of a new context',
      flags: [
        ...connection,
        {
          name: 'color',
          value: contextColors.join('|'),
          values: contextColors,
          help: 'color of the name in the header',
        },
        { name: 'read-only', help: 'disable all actions' },
      ],
    },
    tls,
  ],
  notes: [
    {
      title: 'Actions',
      lines: [
        'list         list the contexts',
        'names        print only the names',
        'add NAME     add a context with the flags above',
        'remove NAME  remove a context',
        'use NAME     make this the default context',
        'test [NAME]  connect to one or all, and time each step',
      ],
    },
  ],
});

export const doctorCommand: Command = command({
  name: 'doctor',
  summary: 'Check the terminal and the configuration',
  sections: [{ title: 'Flags', flags: [configFlag, help] }],
  notes: [{ title: 'Exit codes', lines: ['0  no problems', '1  something does not work, marked with !'] }],
});

export const shellNames = ['bash', 'zsh', 'fish'] as const;
export type ShellName = (typeof shellNames)[number];

export const completionCommand: Command = command({
  name: 'completion',
  summary: `Print the completion script for a shell: ${shellNames.join(', ')}`,
  arguments: [{ name: 'SHELL', values: shellNames }],
  sections: [{ title: 'Flags', flags: [help] }],
});

export const manCommand: Command = command({
  name: 'man',
  summary: 'Print the man page',
  sections: [{ title: 'Flags', flags: [help] }],
});

export const commands: readonly Command[] = [
  monitorCommand,
  listCommand,
  checkCommand,
  replayCommand,
  eventsCommand,
  diffCommand,
  recordCommand,
  reportCommand,
  demoCommand,
  brokerCommand,
  configCommand,
  contextCommand,
  doctorCommand,
  completionCommand,
  manCommand,
  fleetCommand,
];
export const publicCommands: readonly Command[] = commands.filter(({ isInternal }) => !isInternal);
export const namedCommands: readonly Command[] = publicCommands.filter(({ name }) => name !== '');
