import { reasonText } from '../domain/error-code.ts';
import { withThousands } from '../domain/text.ts';

const capitalize = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);
const secondsText = (ms: number): string => `${ms / 1000} s`;

export const refusalTexts = {
  'node-unreachable': 'the node is not responding (badrpc)',
  failed: 'unknown error',
  'wrong-credentials': 'wrong username or password',
  'empty-credentials': 'empty username or password',
  'unknown-user': 'user does not exist',
  'protected-user': 'admin cannot be deleted',
  invalid: 'a request parameter has the wrong type',
  'already-started': 'plugin is already loaded',
  'not-started': 'plugin is already unloaded',
  'not-connected': 'client is offline',
  exists: 'user already exists',
  'wrong-old-password': 'wrong old password',
  'does-not-exist': 'it does not exist',
  'not-allowed': 'this login is not allowed to do that',
} as const;

export const errorTexts = {
  refused: (meaning = 'undocumented error', code?: number | string) =>
    `The broker refused: ${meaning}${code === undefined ? '' : ` (code ${code})`}.`,
  refusedWithReason: (code?: number | string) => `The broker refused${code === undefined ? '' : ` (code ${code})`}.`,
  unauthorized: 'The broker rejected the username or password (401).',
  loginFailed: (message: string) => `Login failed: ${message}`,
  loginLocked: 'The broker refused the login (401).',
  notFound: 'Not found (404). The node may be down, the URL may be wrong, or the broker may lack this feature.',
  notAvailable: (what: string) => `Not available on this broker: ${what} (404).`,
  notSupported: (task: string) => `This broker's API cannot ${task}.`,
  notRecorded: 'This was not recorded.',
  readOnly: (task: string) => `Read-only mode: cannot ${task}.`,
  notSent: (why: string) => `Nothing was sent: ${why}.`,
  unusableId: (why: string) => `This ID cannot be used: ${why}.`,
  busy: 'The broker limits the request rate (429). Polling slows down.',
  redirect: (status: number, target: string | undefined) =>
    `The broker redirects${target === undefined ? '' : ` to ${target}`} (HTTP ${status}). Redirects are not followed: pass the final URL with --url.`,
  otherProtocol: (status: number) =>
    `The server does not accept HTTP/1.1 (HTTP ${status}). Enable it on the server or on the proxy in front of it.`,
  requestTooLarge: 'The request is too large for the broker (HTTP 413).',
  overloaded: (status: number) => `The broker or a proxy in front of it is overloaded or unavailable (HTTP ${status}).`,
  httpStatus: (status: number) => `Unexpected status: HTTP ${status}. Check that the URL is the management API.`,
  badAnswer: (what: string) => `Unexpected response (${what}). Check that the URL is the management API.`,
  tooLarge: (what: string) => `The response is too large (${what}).`,
  aborted: 'The request was canceled before the broker responded.',
  noAnswer:
    'The broker closed the connection without a response. The node may be down, or its management listener may be at its connection limit.',
  timeout: (deadlineMs: number) =>
    `The broker did not respond within ${secondsText(deadlineMs)}. It may be overloaded, or a node may be hung.`,
  unreachable: (reason: string) =>
    `Cannot connect to the management API (${reasonText(reason)}). Check the URL and that the broker is running.`,
  insecureHttp: (host: string, address: string) =>
    `${host === address ? host : `${host} (${address})`} is another machine, and http:// sends the password unencrypted. Use https:// or an SSH tunnel, or add --insecure-http.`,
  noTls: (reason: string) =>
    `The server does not speak TLS on this port (${reason}). Check the port, or use http:// in the URL.`,
  tls: ({ brief, advice }: TlsProblem, reason: string) => `${capitalize(brief)} (${reason}). ${advice}`,
  proxyUnreachable: (url: string, variable: string, reason: string) =>
    `Cannot connect to the proxy ${url} (${reasonText(reason)}). Check ${variable}, or exclude the broker's host with NO_PROXY.`,
  proxyRefused: (url: string, status: number) =>
    `The proxy ${url} does not forward to the broker (HTTP ${status}). Check the URL, or exclude the broker's host with NO_PROXY.`,
  proxyLogin: (url: string, variable: string, hasLogin: boolean) =>
    hasLogin
      ? `The proxy ${url} rejected the login (407). Correct the username and password in ${variable}, then restart.`
      : `The proxy ${url} requires a login (407). Add a username and password to ${variable}, then restart.`,
};

export const detectTexts = {
  unknown: 'API unknown',
  noApi: (paths: readonly string[]) =>
    `No management API was found at ${paths.join(' or ')}. If a proxy hides it, set --api.`,
  notOffered: 'Not available on this broker.',
};

export const hintTexts = {
  mayBeTls: 'If the port expects TLS, use https:// in the URL.',
  http2: 'Enable HTTP/1.1 on the server or on the proxy in front of it.',
  compressed: 'Turn off compression in the proxy in front of the broker.',
  decodedSlash:
    'The path contains %2F: if a proxy in front of the broker decodes it, names with a slash cannot be used through it.',
  mayBePlain: 'If the port does not use TLS, use http:// in the URL.',
  silentProxy: (url: string) => `Or the proxy ${url} does not respond.`,
  failingProxy: (url: string) => `Or the proxy ${url} cannot reach the broker.`,
};

export const silentNodeTexts = {
  brief: (nodes: readonly string[]) => `${nodes.join(', ')} ${nodes.length === 1 ? 'is' : 'are'} not responding`,
  notRead: (nodes: readonly string[]) => `Not read: ${silentNodeTexts.brief(nodes)}.`,
  silent: 'the node is not responding',
  status: 'silent',
};

export const briefTexts = {
  refused: (code?: number | string) => (code === undefined ? 'refused' : `refused (code ${code})`),
  silentNode: 'a node is not responding',
  unauthorized: 'wrong password (401)',
  loginLocked: 'login locked (401)',
  notFound: 'not found (404)',
  notAvailable: 'not available (404)',
  notSupported: 'not supported',
  notRecorded: 'not recorded',
  readOnly: 'read-only',
  notSent: 'not sent',
  unusableId: 'unusable ID',
  busy: 'rate limited (429)',
  httpStatus: (status: number) => `HTTP ${status}`,
  badAnswer: 'unexpected response',
  tooLarge: 'response too large',
  aborted: 'canceled',
  noAnswer: 'closed without a response',
  timeout: (deadlineMs: number) => `no response within ${secondsText(deadlineMs)}`,
  unreachable: (reason: string) => (reasonText(reason) === reason ? `unreachable (${reason})` : reasonText(reason)),
  insecureHttp: 'another machine',
  proxy: (reason: string) => `proxy failed (${reasonText(reason)})`,
  proxyLogin: (variable: string) => `proxy login rejected (407): correct ${variable} and restart`,
};

export interface TlsProblem {
  readonly brief: string;
  readonly advice: string;
}

const problem = (brief: string, advice: string): TlsProblem => ({ brief, advice });

export const tlsTexts = {
  unknownAuthority: problem(
    'certificate signed by an unknown authority',
    'If you trust it, pass its CA certificate with --ca FILE.',
  ),
  selfSigned: problem('self-signed certificate', 'If you trust it, pass it with --ca FILE.'),
  expired: problem('certificate expired', "Renew it, or correct this machine's clock."),
  notYetValid: problem('certificate not valid yet', 'Check the clocks of this machine and the server.'),
  revoked: problem('certificate revoked', 'Renew it.'),
  otherName: problem(
    'certificate does not match the host name',
    'Use a host name from the certificate in the URL, or pass one with --servername NAME.',
  ),
  otherFault: problem('certificate invalid', 'Check the certificate of the server.'),
  clientCertificateRequired: problem('client certificate required', 'Pass one with --cert FILE and --key FILE.'),
  clientCertificateRefused: problem('client certificate rejected', 'Pass a valid one with --cert FILE and --key FILE.'),
  handshakeFailure: problem(
    'TLS handshake failed',
    'The server may require a client certificate (--cert FILE and --key FILE).',
  ),
  http2Only: problem('HTTP/1.1 not supported by the server', hintTexts.http2),
  tooOld: problem('TLS version too old', 'Enable TLS 1.2 or newer on the server.'),
};

export const badAnswerTexts = {
  empty: 'empty body',
  html: 'HTML, not JSON',
  cutJson: 'truncated JSON',
  cut: 'truncated',
  notJson: 'not JSON',
  notHttp: 'not HTTP',
  http2: 'HTTP/2, not HTTP/1.1',
  compressed: 'compressed, which was not requested',
};

export const tooLargeTexts = {
  headers: 'headers',
  bytes: (max: number) => `more than ${withThousands(max)} bytes`,
  values: (max: number) => `more than ${withThousands(max)} values`,
  nesting: (max: number) => `more than ${max} levels deep`,
};

export const unreachableTexts = {
  unknown: 'unknown reason',
  notUrl: 'not an http:// or https:// URL',
  otherMachine: 'another machine',
  noProxyAnswer: 'not a proxy',
  ended: 'canceled',
  late: (deadlineMs: number) => `no response within ${secondsText(deadlineMs)}`,
};

export const notSentTexts = {
  emptyId: 'it is empty',
  brokenId: 'it contains an unpaired surrogate',
  brokenText: 'a value contains an unpaired surrogate',
  emptyPassword: 'the password is empty',
  emptyUsername: 'the username is empty',
  emptyTopic: 'the topic is empty',
  wildcard: 'a topic to publish to must not contain wildcards (+, #)',
  messageTooLarge: 'the message exceeds the limit of 1 MiB',
  noNode: 'this broker starts and stops plugins on a single node only',
  otherUrl: (url: string) => `${url} is not one of the addresses passed with --url`,
};
