import { randomBytes } from 'node:crypto';
import { startEmbeddedBroker, type EmbeddedBroker } from '../broker/embedded-broker.ts';
import { ListenError } from '../broker/listener.ts';
import type { BrokerConfig } from '../config/config.ts';
import { readPasswordFile } from '../config/password-file.ts';
import { version } from '../version.ts';
import type { BrokerReport } from './broker-report.ts';
import { tellParent, waitForStop, type CommandProcess } from './command-process.ts';

/** Which flag moves a listener to another port. */
const portFlags: Readonly<Record<string, string>> = { 'mqtt:tcp': '--mqtt-port', 'mqtt:ws': '--ws-port', 'mqtt:api': '--port' };

/**
 * Runs the embedded cluster with its management interface until a signal comes, or the process that
 * started it is gone. Prints where everything listens, and the administrator's password when it was
 * made up here: this once, and nowhere else.
 *
 * @returns the exit code: 0, or 1 when a port cannot be bound.
 * @throws UsageError when the password file is of no use.
 */
export async function runBroker(config: BrokerConfig, process: CommandProcess): Promise<number> {
  const stopped = waitForStop(process);
  const password = config.passwordFile === undefined ? randomBytes(18).toString('base64url') : await readPasswordFile(config.passwordFile);
  let broker: EmbeddedBroker;
  try {
    broker = await startEmbeddedBroker({
      ...config,
      version,
      password,
      onError: (error) => process.stderr.write(`brokertop: a management request failed inside: ${describe(error)}\n`),
    });
  } catch (error) {
    if (!(error instanceof ListenError)) throw error;
    process.stderr.write(`brokertop: ${listenFailure(error)}\n`);
    return 1;
  }
  process.stdout.write(startLines(config, broker, password).map((line) => `${line}\n`).join(''));
  tellParent(process, report(config, broker, password));
  await stopped;
  await broker.close();
  return 0;
}

function listenFailure({ address, port, protocol, code }: ListenError): string {
  const why = code === 'EADDRINUSE' ? 'is in use' : `cannot be opened (${code})`;
  return `Port ${port} of ${address} for ${protocol} ${why}; choose another with ${portFlags[protocol] ?? 'its flag'}.`;
}

function describe(error: unknown): string {
  return error instanceof Error ? error.stack ?? error.message : String(error);
}

function startLines({ variant, host, user, passwordFile }: BrokerConfig, { cluster, server }: EmbeddedBroker, password: string): string[] {
  return [
    ...cluster.nodes.map(({ name, ports }) => `${name}  mqtt ${host}:${ports.tcp}  websocket ${host}:${ports.ws}`),
    `management  ${server.url}/api/v2  variant ${variant}`,
    `user        ${user}`,
    passwordFile === undefined ? `password    ${password}  (random, shown this once)` : `password    from ${JSON.stringify(passwordFile)}`,
    `try         curl --user ${quote(user)} ${server.url}/api/v2/management/nodes`,
  ];
}

/** For a shell. */
function quote(word: string): string {
  return /^[\w.@-]+$/u.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

function report({ variant, user }: BrokerConfig, { cluster, server }: EmbeddedBroker, password: string): BrokerReport {
  return {
    ready: true,
    url: server.url,
    variant,
    user,
    password,
    nodes: cluster.nodes.map(({ name }) => name),
    mqttPorts: cluster.nodes.map(({ ports }) => ports.tcp),
    wsPorts: cluster.nodes.map(({ ports }) => ports.ws),
  };
}
