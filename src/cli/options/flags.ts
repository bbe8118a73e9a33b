/** All commands and flags. The parser, `--help` and the README's tables are derived from them. */

export interface Flag {
  readonly name: string;
  readonly short?: string;
  /** Placeholder for the value; a flag without one is a switch. */
  readonly value?: string;
  /** Shown in help; `config.ts` applies it. */
  readonly default?: string;
  readonly help: string;
  /** May be given several times. */
  readonly isRepeatable?: true;
}

export interface Command {
  readonly name: string;
  readonly summary: string;
  readonly flags: readonly Flag[];
  /** Started by the program itself; left out of help. */
  readonly isInternal?: boolean;
}

/** Behaviors of the demo's fleet. */
export const scenarioNames = ['mixed', 'calm', 'reconnect-storm', 'slow-consumer', 'node-down', 'hot-topic'] as const;
export type ScenarioName = (typeof scenarioNames)[number];

const help: Flag = { name: 'help', short: 'h', help: 'show this help' };
const version: Flag = { name: 'version', short: 'V', help: 'show the version' };

const behaviour: readonly Flag[] = [
  { name: 'interval', value: 'SECONDS', default: '2', help: 'time between refreshes, 0.5 to 60' },
  { name: 'read-only', help: 'take every action out of keys, menus and help' },
  { name: 'no-audit', help: 'keep no audit file; otherwise an action that cannot be recorded is refused' },
  { name: 'plain-render', help: 'draw in the plainest way, at more cost; by itself where nothing better works (TERM=dumb)' },
];

const brokerSize: readonly Flag[] = [
  { name: 'nodes', value: 'N', default: '3', help: 'nodes of the cluster, 1 to 16' },
  { name: 'variant', value: 'a|b', default: 'b', help: 'variant of the management interface to serve' },
];

export const monitorCommand: Command = {
  name: '',
  summary: 'watch a broker cluster',
  flags: [
    { name: 'url', value: 'URL', default: 'http://127.0.0.1:8080', help: 'management interface; given again: asked when that one is gone', isRepeatable: true },
    { name: 'user', value: 'NAME', default: 'admin', help: 'administrator of the management interface' },
    { name: 'password-file', value: 'FILE', help: 'file that holds the password in one line; only its owner may read it' },
    { name: 'password-command', value: 'CMD', help: 'command whose output is the password, in one line' },
    { name: 'variant', value: 'auto|a|b', default: 'auto', help: 'variant of the interface; auto finds out from the answers' },
    ...behaviour,
    { name: 'max-rows', value: 'N', default: '1000000', help: 'rows kept of each list, 1,000 to 5,000,000; the rest is left out' },
    { name: 'insecure-http', help: 'allow http:// to another machine: the password can be read on the way' },
    { name: 'ca', value: 'FILE', help: 'https: trust the authorities in this PEM file, and no others' },
    { name: 'cert', value: 'FILE', help: 'https: client certificate (PEM), with the chain behind it if there is one' },
    { name: 'key', value: 'FILE', help: 'https: its key (PEM, without a passphrase); only its owner may read it' },
    { name: 'servername', value: 'NAME', help: "https: name that the server's certificate must have, when it is not the one in the URL" },
    { name: 'insecure-tls', help: 'https: take any certificate: whoever is on the way can read the password' },
    { name: 'once', help: 'print one summary as plain text and exit; takes a second, for the rates, and at most 10 s' },
    { name: 'json', help: 'with --once: print one JSON document with every figure' },
    help,
    version,
  ],
};

export const demoCommand: Command = {
  name: 'demo',
  summary: 'start a cluster, some 300 MQTT clients, and the monitor on them; all ends with the monitor',
  flags: [
    ...brokerSize,
    { name: 'clients', value: 'N', default: '300', help: 'MQTT clients of the fleet, 1 to 2,000' },
    { name: 'seed', value: 'N', default: '1', help: 'same seed, same fleet' },
    { name: 'scenario', value: 'NAME', default: 'mixed', help: `what goes on: ${scenarioNames.join(', ')}; mixed has a little of everything, calm nothing wrong` },
    ...behaviour,
    help,
  ],
};

export const brokerCommand: Command = {
  name: 'broker',
  summary: 'run the embedded MQTT broker cluster with its management interface',
  flags: [
    ...brokerSize,
    { name: 'host', value: 'ADDRESS', default: '127.0.0.1', help: 'address to listen on' },
    { name: 'port', value: 'PORT', default: '8080', help: 'management interface; 0 takes a free port' },
    { name: 'mqtt-port', value: 'PORT', default: '1883', help: 'MQTT over TCP; node n listens on this port + n - 1; 0 takes free ports' },
    { name: 'ws-port', value: 'PORT', default: '8083', help: 'MQTT over WebSocket; node n listens on this port + n - 1; 0 takes free ports' },
    { name: 'user', value: 'NAME', default: 'admin', help: 'first administrator' },
    { name: 'password-file', value: 'FILE', help: 'file with its password in one line; without it a random one is printed once at start' },
    { name: 'data', value: 'DIR', help: 'keep administrators, retained messages, persistent sessions, settings and plugins in this folder, made with 0700; without it they are in memory and end with the broker' },
    { name: 'stop-last-node', value: 'SECONDS', help: 'stop the last node so long after the start, to see what that looks like' },
    help,
  ],
};

export const fleetCommand: Command = {
  name: 'fleet',
  summary: 'connect a fleet of MQTT clients to a cluster on this machine',
  isInternal: true,
  flags: [
    { name: 'mqtt-ports', value: 'LIST', help: 'MQTT ports of the nodes, separated by commas' },
    { name: 'ws-ports', value: 'LIST', help: 'WebSocket ports of the nodes, separated by commas' },
    { name: 'clients', value: 'N', default: '300', help: 'MQTT clients, 1 to 2,000' },
    { name: 'seed', value: 'N', default: '1', help: 'same seed, same fleet' },
    { name: 'scenario', value: 'NAME', default: 'mixed', help: 'what goes on in it' },
    help,
  ],
};

export const commands: readonly Command[] = [monitorCommand, demoCommand, brokerCommand, fleetCommand];
