import { randomBytes } from 'node:crypto';
import { BrokerError } from '../../api/errors.ts';
import { DataError } from '../../broker/data/data-error.ts';
import { StateError } from '../../broker/data/operator-state.ts';
import { type EmbeddedBroker, startEmbeddedBroker } from '../../broker/embedded-broker.ts';
import { ListenError } from '../../broker/engine/listener.ts';
import { version } from '../../version.ts';
import { safeLines } from '../errors.ts';
import type { BrokerConfig } from '../options/config.ts';
import { readPasswordFile } from '../password/password.ts';
import { type CommandProcess, tellParent, waitForStop } from '../process/child.ts';
import type { BrokerReport } from './demo.ts';

/** The flag that sets a listener's port. */
const portFlags: Readonly<Record<string, string>> = { 'mqtt:tcp': '--mqtt-port', 'mqtt:ws': '--ws-port', 'mqtt:api': '--port' };

/**
 * Runs the embedded cluster and its management API until a signal arrives or the parent process is gone.
 * Prints all addresses, and the administrator's password when it was generated; it is printed nowhere else.
 *
 * @returns the exit code: 0, or 1 when a port or the data folder cannot be used
 * @throws UsageError for an unusable password file
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
      onError: (error) => process.stderr.write(`brokertop: a management request failed inside: ${safeLines(stackOf(error))}\n`),
      log: (line) => process.stderr.write(`${line}\n`),
      onDataTrouble: (error) => process.stderr.write(`brokertop: ${safeLines(dataErrorText(error))}\n`),
    });
  } catch (error) {
    const message = startErrorText(error);
    if (message === undefined) throw error;
    process.stderr.write(`brokertop: ${safeLines(message)}\n`);
    return 1;
  }
  process.stdout.write(startLines(config, broker, password).map((line) => `${line}\n`).join(''));
  tellParent(process, report(config, broker, broker.hasKeptUsers ? '' : password));
  const timer = scheduleNodeStop(config, broker, process);
  await stopped;
  clearTimeout(timer);
  try {
    await broker.close();
  } catch (error) {
    if (!(error instanceof DataError)) throw error;
    process.stderr.write(`brokertop: The last changes are lost: ${safeLines(error.message)}\n`);
    return 1;
  }
  return 0;
}

function scheduleNodeStop({ stopLastNodeAfter }: BrokerConfig, { cluster }: EmbeddedBroker, process: CommandProcess): NodeJS.Timeout | undefined {
  const name = cluster.nodes.at(-1)?.name;
  if (stopLastNodeAfter === undefined || name === undefined) return undefined;
  return setTimeout(() => {
    void cluster.stopNode(name).then(() => process.stdout.write(`${name}  stopped, as --stop-last-node asked\n`));
  }, stopLastNodeAfter * 1000);
}

function startErrorText(error: unknown): string | undefined {
  if (error instanceof DataError || error instanceof StateError) return error.message;
  // The name of the first administrator was refused.
  if (error instanceof BrokerError) return error.brokerMessage;
  if (!(error instanceof ListenError)) return undefined;
  const { address, port, protocol, code } = error;
  const why = code === 'EADDRINUSE' ? 'is in use' : `cannot be opened (${code})`;
  return `Port ${port} of ${address} for ${protocol} ${why}; choose another with ${portFlags[protocol] ?? 'its flag'}.`;
}

function stackOf(error: unknown): string {
  return error instanceof Error ? error.stack ?? error.message : String(error);
}

function dataErrorText(error: DataError | undefined): string {
  if (error === undefined) return 'The data folder can be written again.';
  return `${error.message} Nothing acknowledged is lost. What cannot be stored is refused until it can be.`;
}

function startLines(config: BrokerConfig, { cluster, server, dataPath, hasKeptUsers }: EmbeddedBroker, password: string): string[] {
  const { variant, host, user } = config;
  return [
    ...cluster.nodes.map(({ name, ports }) => `${name}  mqtt ${host}:${ports.tcp}  websocket ${host}:${ports.ws}`),
    `management  ${server.url}/api/v2  variant ${variant}`,
    dataPath === undefined
      ? 'data        in memory alone: it ends with the broker; --data DIR keeps it'
      : `data        kept in ${JSON.stringify(dataPath)}; what the broker acknowledges outlives a kill or power cut`,
    ...credentialLines(config, hasKeptUsers, password),
    `try         curl --user ${quote(user)} ${server.url}/api/v2/management/nodes`,
  ];
}

function credentialLines({ user, passwordFile }: BrokerConfig, hasKeptUsers: boolean, password: string): string[] {
  if (hasKeptUsers) return ['users       as kept; --user and --password-file only make the first one'];
  return [
    `user        ${user}`,
    passwordFile === undefined ? `password    ${password}  (random, shown this once)` : `password    from ${JSON.stringify(passwordFile)}`,
  ];
}

/** Quotes a word for a shell. */
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
