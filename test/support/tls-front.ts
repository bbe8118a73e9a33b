import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import { createServer, type SecureVersion, type TlsOptions, type TLSSocket } from 'node:tls';
import { listenOnLoopback } from './loopback.ts';

/**
 * Certificates of test/fixtures/tls, which .tools/tls-fixtures.ts makes; `server`, `expired`, `not-yet` and
 * `other-authority` are for `broker.test` and 127.0.0.1.
 */
export type FixtureName =
  | 'ca'
  | 'other-ca'
  | 'server'
  | 'expired'
  | 'not-yet'
  | 'self-signed'
  | 'client'
  | 'stranger'
  | 'other-authority'
  | 'other-name';

/** The path of a file in test/fixtures/tls, such as `ca.pem` or `client.key`. */
export function tlsFile(name: string): string {
  return path.join(import.meta.dirname, '..', 'fixtures', 'tls', name);
}

/** A certificate as PEM. */
export function certificate(name: FixtureName): string {
  return readFileSync(tlsFile(`${name}.pem`), 'utf8');
}

/** The key of a certificate as PEM. */
export function privateKey(name: ServerCertificate): string {
  return readFileSync(tlsFile(`${name}.key`), 'utf8');
}

export type ServerCertificate = Exclude<FixtureName, 'ca' | 'other-ca'>;

export interface TlsFrontOptions {
  readonly certificate?: ServerCertificate | undefined;
  /** Accepts only clients with a certificate of `ca`. */
  readonly asksClients?: boolean | undefined;
  readonly maxVersion?: SecureVersion | undefined;
}

/** A TLS-terminating proxy in front of a plain server. */
export interface TlsFront {
  readonly port: number;
  readonly url: string;
  /** Decrypted bytes from accepted clients. */
  readonly received: { readonly bytes: number };
  /** Negotiated TLS version and requested server name of each accepted client. */
  readonly sessions: readonly { readonly version: string | null; readonly servername: string | false | null }[];
  /** Ends every connection and shows another certificate from now on, with the same ticket keys. */
  show(certificate: ServerCertificate): void;
  close(): Promise<void>;
}

/** Listens on a free port of 127.0.0.1 and forwards decrypted bytes to `targetPort`. */
export async function startTlsFront(targetPort: number, options: TlsFrontOptions = {}): Promise<TlsFront> {
  const { certificate: name = 'server', asksClients = false, maxVersion = 'TLSv1.3' } = options;
  const received = { bytes: 0 };
  const sessions: { version: string | null; servername: string | false | null }[] = [];
  const clients = new Set<TLSSocket>();
  const ticketKeys = randomBytes(48);
  const settings = (shown: ServerCertificate): TlsOptions => ({
    cert: certificate(shown),
    key: privateKey(shown),
    minVersion: 'TLSv1',
    maxVersion,
    ciphers: 'DEFAULT@SECLEVEL=0',
    ticketKeys,
    ...(asksClients && { requestCert: true, ca: certificate('ca') }),
  });
  const server = createServer(settings(name), (client) => {
    clients.add(client);
    client.once('close', () => clients.delete(client));
    sessions.push({ version: client.getProtocol(), servername: client.servername ?? null });
    const target = connect(targetPort, '127.0.0.1');
    for (const [socket, other] of [
      [client, target],
      [target, client],
    ] as const) {
      track(socket);
      socket.once('close', () => other.destroy());
    }
    client.on('data', (chunk: Buffer) => {
      received.bytes += chunk.length;
    });
    client.pipe(target).pipe(client);
  });
  const { port, track, close } = await listenOnLoopback(server);
  return {
    port,
    url: `https://127.0.0.1:${port}`,
    received,
    sessions,
    show(next) {
      server.setSecureContext(settings(next));
      for (const client of clients) client.destroy();
    },
    close,
  };
}
