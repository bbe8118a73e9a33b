import { toAscii } from '../api/json.ts';
import type { NodeName } from '../domain/node.ts';
import type { BrokerCluster } from './cluster.ts';
import type { CloseReason } from './engine/hooks.ts';
import { type LogLevel, logLevels } from './engine/settings.ts';

/** Logs one line. Text from clients must go through `quote`. */
export type Log = (level: Exclude<LogLevel, 'none'>, text: string) => void;

const maxQuotedLength = 200;

export function createLog(source: string, threshold: () => LogLevel, write: (line: string) => void): Log {
  return (level, text) => {
    if (logLevels.indexOf(level) < logLevels.indexOf(threshold())) return;
    write(`${new Date().toISOString()} ${level} ${source} ${text}`);
  };
}

/** Quotes text from a client: printable ASCII, cut to 200 characters. */
export function quote(word: string): string {
  const quoted = toAscii(JSON.stringify(word.slice(0, maxQuotedLength)));
  return word.length <= maxQuotedLength ? quoted : `${quoted}...`;
}

const ordinaryReasons: ReadonlySet<CloseReason> = new Set([
  'client-disconnect',
  'closed',
  'node-stopped',
  'listener-stopped',
  'taken-over',
  'kicked',
]);

function peerOf({
  ipAddress,
  port,
}: {
  readonly ipAddress: string | undefined;
  readonly port: number | undefined;
}): string {
  return `${ipAddress ?? 'unknown address'} port ${port ?? 0}`;
}

export function logConnections(cluster: BrokerCluster, logOf: (node: NodeName) => Log): void {
  cluster.events.on('connected', (client) => {
    const user = client.username === undefined ? 'without a username' : `as ${quote(client.username)}`;
    logOf(client.node)('info', `client ${quote(client.clientId)} connected ${user} from ${peerOf(client)}`);
  });
  cluster.events.on('disconnected', (client, reason) => {
    if (reason === 'not-stored') {
      return logOf(client.node)(
        'error',
        `client ${quote(client.clientId)} disconnected: its message cannot be stored in the data folder`,
      );
    }
    logOf(client.node)(
      ordinaryReasons.has(reason) ? 'info' : 'warning',
      `client ${quote(client.clientId)} disconnected: ${reason}`,
    );
  });
  cluster.events.on('subscriptionRefused', (clientId, filter, node) => {
    logOf(node)(
      'warning',
      `client ${quote(clientId)} has too many subscriptions: ${quote(filter)} was refused, and possibly others`,
    );
  });
  cluster.events.on('rejected', (peer, reason) => {
    const who = peer.clientId === undefined ? 'a connection' : `client ${quote(peer.clientId)}`;
    const why = peer.returnCode === undefined ? reason : `CONNACK ${peer.returnCode}`;
    logOf(peer.node)(
      ordinaryReasons.has(reason) ? 'debug' : 'warning',
      `${who} from ${peerOf(peer)} was rejected: ${why}`,
    );
  });
}
