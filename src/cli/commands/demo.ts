import { escapeText } from '../../terminal/safe-text.ts';
import type { DemoConfig } from '../options/config.ts';
import { type Child, type ChildExit, startChild } from '../process/child.ts';

/** Sent by the embedded broker to its parent process when it is ready. Holds the password, so it is never printed. */
export interface BrokerReport {
  readonly ready: true;
  /** URL of the management API, without the path prefix. */
  readonly url: string;
  readonly variant: 'a' | 'b';
  readonly user: string;
  /** Empty when the users were kept from an earlier run: only hashes are stored. */
  readonly password: string;
  /** One per node, in node order, as are the ports. */
  readonly nodes: readonly string[];
  readonly mqttPorts: readonly number[];
  readonly wsPorts: readonly number[];
}

function isListOf(type: 'string' | 'number', value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === type);
}

export function isBrokerReport(message: unknown): message is BrokerReport {
  if (typeof message !== 'object' || message === null) return false;
  const { ready, url, variant, user, password, nodes, mqttPorts, wsPorts }: Partial<Record<keyof BrokerReport, unknown>> = message;
  return ready === true
    && typeof url === 'string' && (variant === 'a' || variant === 'b')
    && typeof user === 'string' && typeof password === 'string'
    && isListOf('string', nodes) && isListOf('number', mqttPorts) && isListOf('number', wsPorts);
}

/** How the monitor reaches the demo's broker. */
export interface DemoBroker {
  readonly url: string;
  readonly user: string;
  readonly password: string;
}

export interface DemoOptions {
  /** This program's entry file, which the children run. */
  readonly entry: string;
  /** Runs the monitor until the operator quits; resolves with its exit code. */
  readonly runMonitor: (broker: DemoBroker) => Promise<number>;
}

/** The parts of `process` that the demo uses. */
export interface DemoProcess {
  readonly stderr: { write(text: string): unknown };
  /** Node's flags, passed on to the children. */
  readonly execArgv: readonly string[];
}

/**
 * Runs a broker cluster in one child process, a fleet of MQTT clients in another, and the monitor in
 * this one. The children end with the monitor, also when it is killed: their channel to it closes.
 *
 * @returns the monitor's exit code, or 1 when a child failed to start or exited early
 */
export async function runDemo(config: DemoConfig, { entry, runMonitor }: DemoOptions, process: DemoProcess): Promise<number> {
  const execArgv = process.execArgv;
  const children: Child<unknown>[] = [];
  const ended: string[] = [];
  const note = (name: string) => (exit: ChildExit): void => {
    ended.push(`The demo's ${name} ended by itself (${escapeText(exit.lastMessage ?? exit.how)}).`);
  };
  try {
    const broker = startChild({ entry, execArgv, args: brokerArgs(config), isReport: isBrokerReport });
    children.push(broker);
    const started = await broker.started;
    if ('exit' in started) {
      note('broker')(started.exit);
      return 1;
    }
    const { url, user, password, mqttPorts, wsPorts } = started.report;
    const fleet = startChild({ entry, execArgv, args: fleetArgs(config, mqttPorts, wsPorts), isReport: isAnything });
    children.push(fleet);
    void broker.exited.then(note('broker'));
    void fleet.exited.then(note('fleet'));
    const exitCode = await runMonitor({ url, user, password });
    return ended.length === 0 ? exitCode : 1;
  } finally {
    // Before `stop`: only children that exited early.
    const sentences = ended.splice(0);
    await Promise.all(children.map((child) => child.stop()));
    for (const sentence of sentences) process.stderr.write(`brokertop: ${sentence}\n`);
  }
}

/** Time to see the whole cluster before one of its nodes stops. */
const nodeDownSeconds = 15;

function brokerArgs({ nodes, variant, scenario }: DemoConfig): string[] {
  return [
    'broker', '--nodes', String(nodes), '--variant', variant, '--port', '0', '--mqtt-port', '0', '--ws-port', '0',
    ...(scenario === 'node-down' ? ['--stop-last-node', String(nodeDownSeconds)] : []),
  ];
}

function fleetArgs({ clients, seed, scenario }: DemoConfig, mqttPorts: readonly number[], wsPorts: readonly number[]): string[] {
  return [
    'fleet', '--clients', String(clients), '--seed', String(seed), '--scenario', scenario,
    '--mqtt-ports', mqttPorts.join(','), '--ws-ports', wsPorts.join(','),
  ];
}

/** The monitor does not wait for the fleet; clients appear as they connect. */
function isAnything(message: unknown): message is unknown {
  return message !== undefined;
}
