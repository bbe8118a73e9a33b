import { type ApiName, apiNames, type VariantName, variantNames } from '../../api/dialects/registry.ts';
import { escapeText } from '../../terminal/safe-text.ts';
import { type Sink, startSink } from '../../broker/fleet/sink.ts';
import type { DemoConfig } from '../options/config.ts';
import { type Child, type ChildExit, startChild } from '../process/child.ts';
import { endingTexts } from '../texts.ts';

/** Sent to the parent when the broker is ready. Contains the password, so it is never printed. */
export interface BrokerReport {
  readonly ready: true;
  readonly url: string;
  /** URLs of all nodes that serve the API, with `url` first. */
  readonly urls: readonly string[];
  readonly api: ApiName;
  /** The variant of the API; absent where it has none. */
  readonly variant: VariantName | undefined;
  readonly user: string;
  readonly password: string;
  readonly nodes: readonly string[];
  readonly mqttPorts: readonly number[];
  readonly wsPorts: readonly number[];
}

function isListOf(type: 'string' | 'number', value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === type);
}

export function isBrokerReport(message: unknown): message is BrokerReport {
  if (typeof message !== 'object' || message === null) return false;
  const {
    ready,
    url,
    urls,
    api,
    variant,
    user,
    password,
    nodes,
    mqttPorts,
    wsPorts,
  }: Partial<Record<keyof BrokerReport, unknown>> = message;
  return (
    ready === true &&
    typeof url === 'string' &&
    apiNames.some((name) => name === api) &&
    (variant === undefined || variantNames.some((name) => name === variant)) &&
    typeof user === 'string' &&
    typeof password === 'string' &&
    isListOf('string', urls) &&
    isListOf('string', nodes) &&
    isListOf('number', mqttPorts) &&
    isListOf('number', wsPorts)
  );
}

export interface DemoBroker {
  readonly url: string;
  readonly otherUrls: readonly string[];
  readonly user: string;
  readonly password: string;
}

export interface DemoOptions {
  readonly entry: string | undefined;
  readonly runMonitor: (broker: DemoBroker) => Promise<number>;
}

export interface DemoProcess {
  readonly stderr: { write(text: string): unknown };
  readonly execArgv: readonly string[];
}

/** Runs the demo. The children end when their channel closes. Returns 1 when a child exited early. */
export async function runDemo(
  config: DemoConfig,
  { entry, runMonitor }: DemoOptions,
  process: DemoProcess,
): Promise<number> {
  const execArgv = process.execArgv;
  const children: Child<unknown>[] = [];
  const ended: string[] = [];
  let sink: Sink | undefined;
  const note =
    (name: string) =>
    (exit: ChildExit): void => {
      ended.push(endingTexts.childEnded(name, escapeText(exit.lastMessage ?? exit.how)));
    };
  try {
    const rules = config.scenario === 'dead-sink' ? deadSinkRules((sink = await startSink())) : [];
    const broker = startChild({ entry, execArgv, args: [...brokerArgs(config), ...rules], isReport: isBrokerReport });
    children.push(broker);
    const started = await broker.started;
    if ('exit' in started) {
      note('broker')(started.exit);
      return 1;
    }
    const { url, urls, user, password, mqttPorts, wsPorts } = started.report;
    const fleet = startChild({ entry, execArgv, args: fleetArgs(config, mqttPorts, wsPorts), isReport: isAnything });
    children.push(fleet);
    void broker.exited.then(note('broker'));
    void fleet.exited.then(note('fleet'));
    const exitCode = await runMonitor({ url, otherUrls: urls.slice(1), user, password });
    return ended.length === 0 ? exitCode : 1;
  } finally {
    // Before `stop`: only children that exited early.
    sink?.close();
    const sentences = ended.splice(0);
    await Promise.all(children.map((child) => child.stop()));
    for (const sentence of sentences) process.stderr.write(`brokertop: ${sentence}\n`);
  }
}

/** A node is down for so long, to see it with its clients. */
const nodeDownSeconds = 8;

/** Messages go to a service that is there, and to a port that nothing listens on. */
const deadSinkRules = ({ url }: Sink): readonly string[] =>
  [`work/#=${url}`, 'audit/#=http://127.0.0.1:9/in'].flatMap((rule) => ['--rule', rule]);

function brokerArgs({ nodes, api, variant, profile, scenario }: DemoConfig): string[] {
  return [
    'broker',
    '--nodes',
    String(nodes),
    '--api',
    api,
    ...(variant === undefined ? [] : ['--variant', variant]),
    ...(profile === undefined ? [] : ['--profile', profile]),
    '--port',
    '0',
    '--mqtt-port',
    '0',
    '--ws-port',
    '0',
    ...(scenario === 'split-brain' ? ['--fault', 'split-brain'] : []),
    ...(scenario === 'node-down' ? ['--stop-last-node', String(nodeDownSeconds)] : []),
  ];
}

function fleetArgs(
  { clients, seed, scenario }: DemoConfig,
  mqttPorts: readonly number[],
  wsPorts: readonly number[],
): string[] {
  return [
    'fleet',
    '--clients',
    String(clients),
    '--seed',
    String(seed),
    '--scenario',
    scenario,
    '--mqtt-ports',
    mqttPorts.join(','),
    '--ws-ports',
    wsPorts.join(','),
  ];
}

/** Accepts any report of the fleet. The monitor does not wait for it; clients appear as they connect. */
function isAnything(message: unknown): message is unknown {
  return message !== undefined;
}
