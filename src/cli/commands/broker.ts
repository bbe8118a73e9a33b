import { randomBytes } from 'node:crypto';
import type { DialectServer } from '../../api/dialect.ts';
import { dialectOfApi } from '../../api/dialects/registry.ts';
import { BrokerError } from '../../api/errors.ts';
import { DataError } from '../../broker/data/files.ts';
import { type EmbeddedBroker, startEmbeddedBroker } from '../../broker/embedded-broker.ts';
import { sinkSetup } from '../../broker/integrations/topic-sinks.ts';
import { ListenError } from '../../broker/engine/listener.ts';
import { StateError } from '../../broker/management/changes.ts';
import { reasonText } from '../../domain/error-code.ts';
import { version } from '../../version.ts';
import { safeLines } from '../errors.ts';
import type { BrokerConfig } from '../options/config.ts';
import { readPasswordFile } from '../options/password.ts';
import { type CommandProcess, tellParent, waitForStop } from '../process/child.ts';
import type { BrokerReport } from './demo.ts';

export const brokerTexts = {
  requestFailed: (stack: string): string => `internal error in a management request: ${stack}`,
  lastChangesLost: (reason: string): string => `The last changes were lost: ${reason}`,
  dataTrouble: (message: string): string =>
    `${message} No acknowledged data is lost. Changes are refused until the folder is writable again.`,
  dataRecovered: 'The data folder is writable again.',
  nodeStopped: (node: string): string => `${node}  stopped (--stop-last-node)`,
  badAddress: (address: string, reason: string): string =>
    `Cannot listen on ${address} (${reasonText(reason)}). Choose another address with --host.`,
  cannotListen: (address: string, port: number, protocol: string, reason: string, flag: string): string =>
    `Cannot listen on port ${port} of ${address} for ${protocol} (${reasonText(reason)}). Choose another with ${flag}.`,
  node: (name: string, mqtt: string, webSocket: string): string => `${name}  mqtt ${mqtt}  websocket ${webSocket}`,
  management: (url: string, variant: string | undefined): string =>
    `management  ${url}${variant === undefined ? '' : `  variant ${variant}`}`,
  inMemory: 'data        in memory only (use --data DIR to keep it)',
  inFolder: (folder: string): string =>
    `data        in ${JSON.stringify(folder)}; acknowledged data survives a crash or power failure`,
  existingUsers: 'users       as stored (--user and --password-file only apply to a new folder)',
  user: (name: string): string => `user        ${name}`,
  randomPassword: (password: string): string => `password    ${password}  (random, shown only once)`,
  passwordFrom: (file: string): string => `password    from ${JSON.stringify(file)}`,
  apiKey: (key: string): string => `API key     ${key}  (for scripts, until the broker stops)`,
  apiSecret: (secret: string): string => `secret      ${secret}  (random, shown only once)`,
  tryIt: (user: string, url: string): string => `try         curl --user ${user} ${url}`,
};

/** Codes of a wrong address. Others are about the port. */
const addressCodes: ReadonlySet<string> = new Set(['EADDRNOTAVAIL', 'EAI_AGAIN', 'EINVAL', 'ENOTFOUND']);

const portFlags: Readonly<Record<string, string>> = {
  'mqtt:tcp': '--mqtt-port',
  'mqtt:ws': '--ws-port',
  'mqtt:api': '--port',
};

/** Runs until a signal or the end of the parent. @throws UsageError for a bad password file */
export async function runBroker(config: BrokerConfig, process: CommandProcess): Promise<number> {
  const stopped = waitForStop(process);
  const password =
    config.passwordFile === undefined
      ? randomBytes(18).toString('base64url')
      : await readPasswordFile(config.passwordFile);
  const dialect = await dialectOfApi(config.api).loadServer();
  let broker: EmbeddedBroker;
  try {
    broker = await startEmbeddedBroker({
      ...config,
      dialect,
      integrations: sinkSetup(config.rules),
      version,
      password,
      onError: (error) => process.stderr.write(`brokertop: ${brokerTexts.requestFailed(safeLines(stackOf(error)))}\n`),
      log: (line) => process.stderr.write(`${line}\n`),
      onDataFailure: (error) => process.stderr.write(`brokertop: ${safeLines(dataErrorText(error))}\n`),
    });
  } catch (error) {
    const message = startErrorText(error);
    if (message === undefined) throw error;
    process.stderr.write(`brokertop: ${safeLines(message)}\n`);
    return 1;
  }
  await begin(config.faults, broker);
  const key = dialect.hasApiKeys ? await addKey(broker) : undefined;
  process.stdout.write(
    startLines(config, dialect, broker, password, key)
      .map((line) => `${line}\n`)
      .join(''),
  );
  tellParent(process, report(config, broker, broker.hasStoredUsers ? '' : password));
  const timer = scheduleNodeStop(config, broker, process);
  await stopped;
  clearTimeout(timer);
  try {
    await broker.close();
  } catch (error) {
    if (!(error instanceof DataError)) throw error;
    process.stderr.write(`brokertop: ${brokerTexts.lastChangesLost(safeLines(error.message))}\n`);
    return 1;
  }
  return 0;
}

const keyName = 'brokertop';

/** Adds a key with a new secret for each run: the old one is not known. */
async function addKey({ api }: EmbeddedBroker): Promise<{ readonly key: string; readonly secret: string }> {
  if ((await api.listApiKeys()).some(({ name }) => name === keyName)) await api.deleteApiKey(keyName);
  return api.addApiKey({ name: keyName });
}

/** Answers one request in so many with 503. */
const busyEvery = 25;

async function begin(faults: BrokerConfig['faults'], { cluster, faults: served }: EmbeddedBroker): Promise<void> {
  if (faults.includes('busy')) served.busyEvery = busyEvery;
  if (faults.includes('frozen-node')) served.frozen = cluster.nodes.at(-1)?.name;
  if (faults.includes('split-brain')) cluster.cutOff = new Set(cluster.nodes.slice(-1).map(({ name }) => name));
  if (faults.includes('listener-down')) for (const node of cluster.nodes.slice(1)) await node.stopListener('mqtt:ws');
}

function scheduleNodeStop(
  { stopLastNodeAfter }: BrokerConfig,
  { cluster }: EmbeddedBroker,
  process: CommandProcess,
): NodeJS.Timeout | undefined {
  const name = cluster.nodes.at(-1)?.name;
  if (stopLastNodeAfter === undefined || name === undefined) return undefined;
  return setTimeout(() => {
    void cluster.stopNode(name).then(() => process.stdout.write(`${brokerTexts.nodeStopped(name)}\n`));
  }, stopLastNodeAfter * 1000);
}

function startErrorText(error: unknown): string | undefined {
  if (error instanceof DataError || error instanceof StateError) return error.message;
  // The name of the first administrator was refused.
  if (error instanceof BrokerError) return error.brokerMessage;
  if (!(error instanceof ListenError)) return undefined;
  const { address, port, protocol, code } = error;
  if (addressCodes.has(code)) return brokerTexts.badAddress(address, code);
  return brokerTexts.cannotListen(address, port, protocol, code, portFlags[protocol] ?? '--port');
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function dataErrorText(error: DataError | undefined): string {
  return error === undefined ? brokerTexts.dataRecovered : brokerTexts.dataTrouble(error.message);
}

function startLines(
  config: BrokerConfig,
  { firstPath }: DialectServer,
  { cluster, server, servers, dataPath, hasStoredUsers }: EmbeddedBroker,
  password: string,
  key: { readonly key: string; readonly secret: string } | undefined,
): string[] {
  const { api, variant, host, user } = config;
  const { basePath } = dialectOfApi(api);
  return [
    ...cluster.nodes.map(({ name, ports }) => brokerTexts.node(name, `${host}:${ports.tcp}`, `${host}:${ports.ws}`)),
    ...servers.map(({ url }) => brokerTexts.management(url + basePath, variant)),
    dataPath === undefined ? brokerTexts.inMemory : brokerTexts.inFolder(dataPath),
    ...credentialLines(config, hasStoredUsers, password),
    ...(key === undefined ? [] : [brokerTexts.apiKey(key.key), brokerTexts.apiSecret(key.secret)]),
    brokerTexts.tryIt(key?.key ?? quote(user), server.url + basePath + firstPath),
  ];
}

function credentialLines({ user, passwordFile }: BrokerConfig, hasStoredUsers: boolean, password: string): string[] {
  if (hasStoredUsers) return [brokerTexts.existingUsers];
  return [
    brokerTexts.user(user),
    passwordFile === undefined ? brokerTexts.randomPassword(password) : brokerTexts.passwordFrom(passwordFile),
  ];
}

function quote(word: string): string {
  return /^[\w.@-]+$/u.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

function report(
  { api, variant, user }: BrokerConfig,
  { cluster, server, servers }: EmbeddedBroker,
  password: string,
): BrokerReport {
  return {
    ready: true,
    url: server.url,
    urls: servers.map(({ url }) => url),
    api,
    variant,
    user,
    password,
    nodes: cluster.nodes.map(({ name }) => name),
    mqttPorts: cluster.nodes.map(({ ports }) => ports.tcp),
    wsPorts: cluster.nodes.map(({ ports }) => ports.ws),
  };
}
