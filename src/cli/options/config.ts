import * as z from 'zod';
import { withThousands } from '../../domain/text.ts';
import { UsageError } from '../errors.ts';
import type { FlagValues } from './arguments.ts';
import { type ScenarioName, scenarioNames } from './flags.ts';
import { isLoopback, isLoopbackName } from './proxy.ts';

/** Where the password comes from. */
export type PasswordSource =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'command'; readonly command: string }
  | { readonly kind: 'environment' }
  | { readonly kind: 'prompt' };

/** The TLS flags: paths of PEM files, or what is in them once `readTlsFiles` has read them. */
export interface TlsConfig {
  readonly ca: string | undefined;
  readonly cert: string | undefined;
  readonly key: string | undefined;
  readonly servername: string | undefined;
  /** Certificates are not verified; the header says so. */
  readonly isInsecure: boolean;
}

/** The monitor's settings. Never holds the password itself. */
export interface MonitorConfig {
  /** Origin and path prefix in front of `/api/v2`, without a trailing slash. */
  readonly url: string;
  /** Further addresses of the same cluster, each like `url`. */
  readonly otherUrls: readonly string[];
  readonly user: string;
  readonly passwordSource: PasswordSource;
  readonly variant: 'auto' | 'a' | 'b';
  readonly intervalSeconds: number;
  /** Maximum rows kept of each paged list. */
  readonly maxRows: number;
  readonly isReadOnly: boolean;
  /** Actions are recorded in the audit file. */
  readonly hasAudit: boolean;
  /** Drawn by Ink only, without the painter. */
  readonly isPlainRender: boolean;
  /** `http://` to another machine is allowed, with the password unencrypted; the header says so. */
  readonly isInsecure: boolean;
  readonly tls: TlsConfig;
  /** Print once in this format instead of showing the screen. */
  readonly once: 'text' | 'json' | undefined;
}

export interface BrokerConfig {
  readonly nodes: number;
  readonly variant: 'a' | 'b';
  readonly host: string;
  readonly port: number;
  readonly mqttPort: number;
  readonly wsPort: number;
  readonly user: string;
  readonly passwordFile: string | undefined;
  /** Folder for data that survives a restart. */
  readonly data: string | undefined;
  /** Seconds after which the last node is stopped. */
  readonly stopLastNodeAfter: number | undefined;
}

export interface FleetConfig {
  readonly clients: number;
  readonly seed: number;
  readonly scenario: ScenarioName;
}

export interface DemoConfig extends FleetConfig {
  readonly nodes: number;
  readonly variant: 'a' | 'b';
  readonly intervalSeconds: number;
  readonly isReadOnly: boolean;
  /** Actions are recorded in the audit file. */
  readonly hasAudit: boolean;
  /** Drawn by Ink only, without the painter. */
  readonly isPlainRender: boolean;
}

interface FleetPorts {
  readonly mqttPort: number;
  readonly wsPort: number;
}

export interface FleetCommandConfig extends FleetConfig {
  /** One per node. */
  readonly targets: readonly [FleetPorts, ...FleetPorts[]];
}

/** Parses a plain decimal number in a range. */
function number(fallback: number, min: number, max: number, isWhole = true): z.ZodType<number, string | undefined> {
  const pattern = isWhole ? /^\d{1,15}$/u : /^\d{1,6}(\.\d{1,6})?$/u;
  const error = `must be a ${isWhole ? 'whole ' : ''}number from ${min} to ${withThousands(max)}`;
  return z
    .string()
    .default(String(fallback))
    .refine((text) => pattern.test(text), { error })
    .transform(Number)
    .refine((value) => value >= min && value <= max, { error });
}

const port = (fallback: number): z.ZodType<number, string | undefined> => number(fallback, 0, 65_535);
const toggle = z.literal(true).default(false as never).transform((value) => value === true);
const interval = number(2, 0.5, 60, false);
const maxRows = number(1_000_000, 1_000, 5_000_000);
const nodes = number(3, 1, 16);
const clients = number(300, 1, 2000);
const seed = number(1, 0, 4_294_967_295);
const scenario = z.enum(scenarioNames, `must be one of ${scenarioNames.join(', ')}`).default('mixed');
const served = z.enum(['a', 'b'], 'must be a or b').default('b');
const user = z.string().min(1, 'must not be empty').max(256).default('admin')
  .refine((name) => !name.includes(':'), 'must not hold a colon: HTTP Basic authentication cannot carry one');
const fileName = z.string().min(1, 'must name a file').optional();
const ports = z.string({ error: 'is needed' })
  .refine((text) => /^\d{1,5}(,\d{1,5})*$/u.test(text), 'must be ports separated by commas')
  .transform((text) => text.split(',').map(Number));

const defaultUrl = 'http://127.0.0.1:8080';

const monitorFlags = z.object({
  url: z.array(z.string()).max(16, 'may be given 16 times at most').default([defaultUrl]),
  user,
  'password-file': fileName,
  'password-command': z.string().min(1, 'must be a command').optional(),
  variant: z.enum(['auto', 'a', 'b'], 'must be auto, a or b').default('auto'),
  interval,
  'max-rows': maxRows,
  'read-only': toggle,
  'no-audit': toggle,
  'plain-render': toggle,
  'insecure-http': toggle,
  ca: fileName,
  cert: fileName,
  key: fileName,
  servername: z.string().regex(/^(?![\d.]+$)[\w.-]{1,253}$/u, 'must be a host name').optional(),
  'insecure-tls': toggle,
  once: toggle,
  json: toggle,
});
const demoFlags = z.object({ nodes, variant: served, clients, seed, scenario, interval, 'read-only': toggle, 'no-audit': toggle, 'plain-render': toggle });
const brokerFlags = z.object({
  nodes,
  variant: served,
  host: z.string().min(1, 'must not be empty').default('127.0.0.1'),
  port: port(8080),
  'mqtt-port': port(1883),
  'ws-port': port(8083),
  user,
  'password-file': fileName,
  data: z.string().min(1, 'must name a folder').optional(),
  'stop-last-node': z.string().regex(/^[1-9]\d{0,4}$/u, 'must be a whole number from 1 to 99,999').transform(Number).optional(),
});
const fleetFlags = z.object({ 'mqtt-ports': ports, 'ws-ports': ports, clients, seed, scenario });

function read<Schema extends z.ZodType>(schema: Schema, flags: FlagValues): z.output<Schema> {
  const result = schema.safeParse({ ...flags });
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new UsageError(`--${String(issue?.path[0])} ${issue?.message ?? 'is wrong'}.`);
}

/**
 * Reads the monitor's settings from its flags.
 *
 * @throws UsageError that names the flag and its valid values
 */
export function monitorConfig(flags: FlagValues, hasPasswordInEnvironment: boolean): MonitorConfig {
  const values = read(monitorFlags, flags);
  if (values.json && !values.once) throw new UsageError('--json goes with --once.');
  const urls = values.url.map(readUrl);
  const [url = defaultUrl, ...otherUrls] = new Set(urls.map((each) => each.url));
  if (otherUrls.length + 1 < urls.length) throw new UsageError('--url was given twice with the same address.');
  const isRemotePlain = urls.some((each) => each.isRemotePlain);
  if (isRemotePlain && !values['insecure-http']) {
    throw new UsageError('http:// to another machine would send the password unencrypted; use https:// or an SSH tunnel, or add --insecure-http.');
  }
  const tls = { ca: values.ca, cert: values.cert, key: values.key, servername: values.servername, isInsecure: values['insecure-tls'] };
  checkTlsConfig(tls, urls.some((each) => each.url.startsWith('https:')));
  return {
    url,
    otherUrls,
    user: values.user,
    passwordSource: passwordSource(values['password-file'], values['password-command'], hasPasswordInEnvironment),
    variant: values.variant,
    intervalSeconds: values.interval,
    maxRows: values['max-rows'],
    isReadOnly: values['read-only'],
    hasAudit: !values['no-audit'],
    isPlainRender: values['plain-render'],
    isInsecure: values['insecure-http'] && urls.some((each) => each.isPlainByName || each.isRemotePlain),
    tls,
    once: values.once ? (values.json ? 'json' : 'text') : undefined,
  };
}

/** @throws UsageError for TLS flags that contradict each other or have no effect */
function checkTlsConfig({ ca, cert, key, servername, isInsecure }: TlsConfig, hasHttpsUrl: boolean): void {
  const [flag] = Object.entries({ ca, cert, key, servername, 'insecure-tls': isInsecure || undefined }).find(([, value]) => value !== undefined) ?? [];
  if (flag !== undefined && !hasHttpsUrl) throw new UsageError(`--${flag} needs a --url that begins with https://.`);
  if ((cert === undefined) !== (key === undefined)) throw new UsageError('--cert and --key go together.');
  if (isInsecure && ca !== undefined) throw new UsageError('--insecure-tls trusts every certificate, so --ca has no meaning beside it; leave one of them out.');
}

function passwordSource(path: string | undefined, command: string | undefined, hasEnvironment: boolean): PasswordSource {
  if (path !== undefined && command !== undefined) {
    throw new UsageError('Give --password-file or --password-command, not both.');
  }
  if (path !== undefined) return { kind: 'file', path };
  if (command !== undefined) return { kind: 'command', command };
  return { kind: hasEnvironment ? 'environment' : 'prompt' };
}

/** `isRemotePlain`: `http:` to another machine. `isPlainByName`: `http:` to a local name, which may resolve to another machine. */
function readUrl(text: string): { url: string; isRemotePlain: boolean; isPlainByName: boolean } {
  let url: URL;
  try {
    url = new URL(text);
  } catch (error) {
    throw new UsageError('--url must be a whole URL such as http://127.0.0.1:8080.', { cause: error });
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new UsageError('--url must begin with http:// or https://.');
  }
  // The message never quotes the URL: it may hold a password.
  if (url.username !== '' || url.password !== '') {
    throw new UsageError('--url must not hold a user name or password; use --user and --password-file.');
  }
  if (url.search !== '' || url.hash !== '') throw new UsageError('--url must not hold a query or a fragment.');
  const prefix = url.pathname.replace(/\/+$/u, '').replace(/\/api\/v2$/u, '');
  const isPlain = url.protocol === 'http:';
  return { url: url.origin + prefix, isRemotePlain: isPlain && !isLoopback(url.hostname), isPlainByName: isPlain && isLoopbackName(url.hostname) };
}

/** @throws UsageError that names the flag and its valid values */
export function brokerConfig(flags: FlagValues): BrokerConfig {
  const values = read(brokerFlags, flags);
  for (const [name, first] of [['mqtt-port', values['mqtt-port']], ['ws-port', values['ws-port']]] as const) {
    if (first !== 0 && first + values.nodes - 1 > 65_535) {
      throw new UsageError(`--${name} ${first} leaves no room for ${values.nodes} nodes; the last port is 65535.`);
    }
  }
  if (values['stop-last-node'] !== undefined && values.nodes < 2) throw new UsageError('--stop-last-node needs at least 2 nodes.');
  return {
    nodes: values.nodes,
    variant: values.variant,
    host: values.host,
    port: values.port,
    mqttPort: values['mqtt-port'],
    wsPort: values['ws-port'],
    user: values.user,
    passwordFile: values['password-file'],
    data: values.data,
    stopLastNodeAfter: values['stop-last-node'],
  };
}

/** @throws UsageError that names the flag and its valid values */
export function demoConfig(flags: FlagValues): DemoConfig {
  const values = read(demoFlags, flags);
  if (values.scenario === 'node-down' && values.nodes < 2) throw new UsageError('--scenario node-down needs at least 2 nodes.');
  return {
    nodes: values.nodes,
    variant: values.variant,
    clients: values.clients,
    seed: values.seed,
    scenario: values.scenario,
    intervalSeconds: values.interval,
    isReadOnly: values['read-only'],
    hasAudit: !values['no-audit'],
    isPlainRender: values['plain-render'],
  };
}

/** @throws UsageError that names the flag and its valid values */
export function fleetConfig(flags: FlagValues): FleetCommandConfig {
  const values = read(fleetFlags, flags);
  const { 'mqtt-ports': mqttPorts, 'ws-ports': wsPorts } = values;
  const [first, ...rest] = mqttPorts.flatMap((mqttPort, index) => {
    const wsPort = wsPorts[index];
    return wsPort === undefined ? [] : [{ mqttPort, wsPort }];
  });
  if (first === undefined || mqttPorts.length !== wsPorts.length) throw new UsageError('--mqtt-ports and --ws-ports must name the same number of nodes.');
  return { targets: [first, ...rest], clients: values.clients, seed: values.seed, scenario: values.scenario };
}
