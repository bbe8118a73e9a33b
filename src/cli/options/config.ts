import * as z from 'zod';
import {
  type ApiChoice,
  apiChoices,
  type ApiName,
  apiNames,
  dialectOfApi,
  dialectOfVariant,
  dialects,
  firstDialect,
  newestProfile,
  profileNamed,
  type ProfileName,
  profileNames,
  type VariantName,
  variantNames,
  variantsOf,
} from '../../api/dialects/registry.ts';
import { isValidFilter } from '../../domain/topics.ts';
import type { TopicSink } from '../../broker/integrations/topic-sinks.ts';
import { withThousands } from '../../domain/text.ts';
import { type ThemeName, themeNames } from '../../terminal/theme-name.ts';
import type { CheckSeverities } from '../check/check.ts';
import type { DiffCommand } from '../diff/command.ts';
import type { ReplayCommand } from '../replay/place.ts';
import type { EventsCommand } from '../events/command.ts';
import { reportFormats } from '../../report/formats.ts';
import { UsageError } from '../errors.ts';
import type { AlertConfig } from '../process/alerts.ts';
import type { RecordingConfig } from '../record/cluster-recorder.ts';
import type { RecordCommand } from '../record/command.ts';
import type { ReportCommand } from '../report/command.ts';
import { eventsTexts, flagTexts } from '../texts.ts';
import type { ListCommand } from '../list/command.ts';
import { listFormats, listResources } from '../list/resources.ts';
import {
  apisWithVariants,
  eventFlags,
  apiWithRules,
  type ScenarioName,
  scenarioNames,
  type ServedFault,
  servedFaults,
  variantChoices,
} from './commands.ts';
import type { FlagValues, ParsedArguments } from './flags.ts';
import { type StartScreen, startScreens } from './start-screens.ts';
import { isLoopback, isLoopbackName } from './proxy.ts';

export type PasswordSource =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'command'; readonly command: string }
  | { readonly kind: 'environment' }
  | { readonly kind: 'prompt' };

export interface TlsConfig {
  readonly ca: string | undefined;
  readonly cert: string | undefined;
  readonly key: string | undefined;
  readonly servername: string | undefined;
  readonly isInsecure: boolean;
}

/** Flags for how the program is drawn and used. */
interface ScreenConfig {
  readonly isPlainRender: boolean;
  readonly isScreenReader: boolean;
  readonly themeName: ThemeName;
  readonly firstScreen: StartScreen;
  readonly hasMouse: boolean;
}

/** The configuration of the monitor. It never contains the password itself. */
export interface MonitorConfig extends ScreenConfig {
  readonly url: string;
  readonly otherUrls: readonly string[];
  readonly user: string;
  readonly passwordSource: PasswordSource;
  readonly api: ApiChoice;
  readonly variant: 'auto' | VariantName;
  readonly intervalSeconds: number;
  readonly maxRows: number;
  readonly isReadOnly: boolean;
  readonly hasAudit: boolean;
  readonly alerts: AlertConfig;
  /** Allows `http://` to another machine, with the password unencrypted; the header shows it. */
  readonly isInsecure: boolean;
  readonly tls: TlsConfig;
  readonly recording: RecordingConfig;
  readonly once: 'text' | 'json' | undefined;
  /** Skips lists, plugins and settings, with `once`. */
  readonly isQuick: boolean;
}

export interface ServedApiConfig {
  readonly api: ApiName;
  /** The variant of the API; `undefined` where it has none. */
  readonly variant: VariantName | undefined;
  readonly profile: ProfileName | undefined;
}

export interface BrokerConfig extends ServedApiConfig {
  readonly nodes: number;
  readonly host: string;
  readonly port: number;
  readonly mqttPort: number;
  readonly wsPort: number;
  readonly user: string;
  readonly passwordFile: string | undefined;
  readonly data: string | undefined;
  readonly faults: readonly ServedFault[];
  readonly rules: readonly TopicSink[];
  readonly stopLastNodeAfter: number | undefined;
}

export interface FleetConfig {
  readonly clients: number;
  readonly seed: number;
  readonly scenario: ScenarioName;
}

export interface DemoConfig extends FleetConfig, ServedApiConfig, ScreenConfig {
  readonly nodes: number;
  readonly intervalSeconds: number;
  readonly isReadOnly: boolean;
  readonly hasAudit: boolean;
}

interface FleetPorts {
  readonly mqttPort: number;
  readonly wsPort: number;
}

export interface FleetCommandConfig extends FleetConfig {
  readonly targets: readonly [FleetPorts, ...FleetPorts[]];
}

function number(
  fallback: number,
  min: number,
  max: number,
  isWhole = true,
  shownMax = withThousands(max),
): z.ZodType<number, string | undefined> {
  const pattern = isWhole ? /^\d{1,15}$/u : /^\d{1,6}(\.\d{1,6})?$/u;
  const error = flagTexts.mustBeNumber(isWhole ? withThousands(min) : String(min), shownMax, isWhole);
  return z
    .string()
    .default(String(fallback))
    .refine((text) => pattern.test(text), { error })
    .transform(Number)
    .refine((value) => value >= min && value <= max, { error });
}

const maxPort = 65_535;
const port = (fallback: number): z.ZodType<number, string | undefined> =>
  number(fallback, 0, maxPort, true, String(maxPort));
const toggle = z
  .literal(true)
  .default(false as never)
  .transform((value) => value === true);
const interval = number(2, 0.5, 60, false);
const screen = z.enum(startScreens, flagTexts.mustBeOneOf(startScreens)).default('overview');
const theme = z.enum(themeNames, flagTexts.mustBeOneOf(themeNames)).default('auto');
const maxRows = number(1_000_000, 1_000, 5_000_000);
const nodes = number(3, 1, 16);
const clients = number(300, 1, 2000);
const seed = number(1, 0, 4_294_967_295);
const scenario = z.enum(scenarioNames, flagTexts.mustBeOneOf(scenarioNames)).default('mixed');
const servedApi = z.enum(apiNames, flagTexts.mustBeOneOf(apiNames)).optional();
const servedProfile = z.enum(profileNames, flagTexts.mustBeOneOf(profileNames)).optional();
const servedVariant = z.enum(variantNames, flagTexts.mustBeOneOf(variantNames)).optional();
const user = z
  .string()
  .min(1, flagTexts.mustNotBeEmpty)
  .max(256)
  .default('admin')
  .refine((name) => !name.includes(':'), flagTexts.mustHoldNoColon);
const fileName = z.string().min(1, flagTexts.mustNameFile).optional();
const command = z
  .string()
  .min(1, flagTexts.mustBeCommand)
  .refine((text) => !text.includes('\0'), flagTexts.mustBeCommand)
  .optional();
const ports = z
  .string({ error: flagTexts.isNeeded })
  .refine((text) => /^\d{1,5}(,\d{1,5})*$/u.test(text), flagTexts.mustBePorts)
  .transform((text) => text.split(',').map(Number));

const maxUrls = 16;
const defaultPort = (api: ApiChoice): number => (api === 'auto' ? firstDialect : dialectOfApi(api)).defaultPort;
const defaultUrl = (api: ApiChoice): string => `http://127.0.0.1:${defaultPort(api)}`;

const sizeUnits: Readonly<Record<string, number>> = { M: 2 ** 20, G: 2 ** 30 };
const size = z
  .string()
  .default('1G')
  .refine((text) => /^[1-9]\d{0,3}[MG]$/u.test(text) && Number(text.slice(0, -1)) <= 1_000, flagTexts.mustBeSize)
  .transform((text) => Number(text.slice(0, -1)) * (sizeUnits[text.slice(-1)] ?? NaN));
const ageUnits: Readonly<Record<string, number>> = { h: 3_600_000, d: 86_400_000 };
const age = z
  .string()
  .default('7d')
  .refine((text) => /^[1-9]\d{0,3}[hd]$/u.test(text) && Number(text.slice(0, -1)) <= 1_000, flagTexts.mustBeAge)
  .transform((text) => Number(text.slice(0, -1)) * (ageUnits[text.slice(-1)] ?? NaN));

const screenFlags = z.object({
  'plain-render': toggle,
  'screen-reader': toggle,
  theme,
  screen,
  'no-mouse': toggle,
});

const monitorFlags = z.object({
  url: z.array(z.string()).max(maxUrls, flagTexts.atMost(maxUrls)).optional(),
  api: z.enum(apiChoices, flagTexts.mustBeOneOf(apiChoices)).default('auto'),
  user,
  'password-file': fileName,
  'password-command': command,
  variant: z.enum(variantChoices, flagTexts.mustBeOneOf(variantChoices)).default('auto'),
  interval,
  'max-rows': maxRows,
  'read-only': toggle,
  'no-audit': toggle,
  ...screenFlags.shape,
  'insecure-http': toggle,
  bell: toggle,
  notify: toggle,
  'on-problem': command,
  ca: fileName,
  cert: fileName,
  key: fileName,
  servername: z
    .string()
    .regex(/^(?![\d.]+$)[\w.-]{1,253}$/u, flagTexts.mustBeHostName)
    .optional(),
  'insecure-tls': toggle,
  record: z.union([z.literal(true), z.string().min(1, flagTexts.mustNameFolder)]).optional(),
  'max-size': size,
  'max-age': age,
  once: toggle,
  quick: toggle,
  json: toggle,
});
const demoFlags = z.object({
  nodes,
  api: servedApi,
  variant: servedVariant,
  profile: servedProfile,
  clients,
  seed,
  scenario,
  interval,
  'read-only': toggle,
  'no-audit': toggle,
  ...screenFlags.shape,
});
const replayFlags = z.object({
  at: z.string().optional(),
  once: toggle,
  json: toggle,
  ...screenFlags.shape,
});
const maxRuleLevels = 128;
const rule = z.string().transform((text, context): TopicSink => {
  const [, filter = '', address = ''] = /^([^="]+)=(.+)$/u.exec(text) ?? [];
  const url = URL.parse(address);
  if (url?.protocol === 'http:' && isValidFilter(filter, maxRuleLevels)) return { filter, url };
  context.addIssue({ code: 'custom', message: flagTexts.mustBeRule });
  return z.NEVER;
});
const brokerFlags = z.object({
  nodes,
  api: servedApi,
  variant: servedVariant,
  profile: servedProfile,
  fault: z.array(z.enum(servedFaults, flagTexts.mustBeOneOf(servedFaults))).optional(),
  host: z.string().min(1, flagTexts.mustNotBeEmpty).default('127.0.0.1'),
  port: port(0),
  'mqtt-port': port(1883),
  'ws-port': port(8083),
  user,
  'password-file': fileName,
  data: z.string().min(1, flagTexts.mustNameFolder).optional(),
  rule: z.array(rule).optional(),
  'stop-last-node': z
    .string()
    .regex(/^[1-9]\d{0,4}$/u, flagTexts.mustBeNumber('1', withThousands(99_999), true))
    .transform(Number)
    .optional(),
});
const fleetFlags = z.object({ 'mqtt-ports': ports, 'ws-ports': ports, clients, seed, scenario });

const resource = z.enum(listResources);
const checkFlags = z.object({ warn: z.string().optional(), crit: z.string().optional() });
const recordFlags = z.object({
  out: z.string({ error: flagTexts.isNeeded }).min(1, flagTexts.mustNameFolder),
  'max-size': size,
  'max-age': age,
});
const reportFlags = z.object({
  from: z.string().optional(),
  to: z.string().optional(),
  format: z.enum(reportFormats, flagTexts.mustBeOneOf(reportFormats)).optional(),
  out: z.string().min(1, flagTexts.mustNameFile).optional(),
  force: toggle,
  redact: toggle,
});
const listFlags = z.object({
  format: z.enum(listFormats, flagTexts.mustBeOneOf(listFormats)).default('table'),
  filter: z.string().optional(),
  sort: z
    .string()
    .regex(/^-?[^-]/u, flagTexts.mustNotBeEmpty)
    .optional(),
  columns: z
    .string()
    .min(1, flagTexts.mustNotBeEmpty)
    .transform((text) => text.split(',').map((id) => id.trim()))
    .optional(),
  limit: z
    .string()
    .regex(/^[1-9]\d{0,6}$/u, flagTexts.mustBeNumber('1', withThousands(9_999_999), true))
    .transform(Number)
    .optional(),
});

function read<Schema extends z.ZodType>(schema: Schema, flags: FlagValues): z.output<Schema> {
  const result = schema.safeParse({ ...flags });
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new UsageError(flagTexts.invalid(String(issue?.path[0]), issue?.message ?? flagTexts.isWrong));
}

const screenConfig = (values: z.output<typeof screenFlags>): ScreenConfig => ({
  isPlainRender: values['plain-render'],
  isScreenReader: values['screen-reader'],
  themeName: values.theme,
  firstScreen: values.screen,
  hasMouse: !values['no-mouse'],
});

/** @throws UsageError that names the flag and its valid values */
export function monitorConfig(flags: FlagValues, hasPasswordInEnvironment: boolean): MonitorConfig {
  const values = read(monitorFlags, flags);
  if (values.json && !values.once) throw new UsageError(flagTexts.needsOnce('json'));
  if (values.quick && !values.once) throw new UsageError(flagTexts.needsOnce('quick'));
  const { variant } = values;
  if (values.api !== 'auto' && variant !== 'auto' && !variantsOf(dialectOfApi(values.api)).includes(variant))
    throw new UsageError(flagTexts.variantOfApi(apisWithVariants, values.api));
  const api = dialectOfVariant(variant)?.api ?? values.api;
  const urls = (values.url ?? [defaultUrl(api)]).map(readUrl);
  const [url = defaultUrl(api), ...otherUrls] = new Set(urls.map((each) => each.url));
  if (otherUrls.length + 1 < urls.length) throw new UsageError(flagTexts.sameUrl);
  const isRemotePlain = urls.some((each) => each.isRemotePlain);
  if (isRemotePlain && !values['insecure-http']) {
    throw new UsageError(flagTexts.insecureHttp);
  }
  const tls = {
    ca: values.ca,
    cert: values.cert,
    key: values.key,
    servername: values.servername,
    isInsecure: values['insecure-tls'],
  };
  checkTlsConfig(
    tls,
    urls.some((each) => each.url.startsWith('https:')),
  );
  return {
    url,
    otherUrls,
    user: values.user,
    passwordSource: passwordSource(values['password-file'], values['password-command'], hasPasswordInEnvironment),
    api,
    variant: values.variant,
    intervalSeconds: values.interval,
    maxRows: values['max-rows'],
    isReadOnly: values['read-only'],
    hasAudit: !values['no-audit'],
    ...screenConfig(values),
    alerts: { hasBell: values.bell, hasNotification: values.notify, command: values['on-problem'] },
    isInsecure: values['insecure-http'] && urls.some((each) => each.isPlainByName || each.isRemotePlain),
    tls,
    recording: {
      isOn: values.record !== undefined,
      folder: typeof values.record === 'string' ? values.record : undefined,
      limits: { maxBytes: values['max-size'], maxAgeMs: values['max-age'] },
    },
    once: values.once ? (values.json ? 'json' : 'text') : undefined,
    isQuick: values.quick,
  };
}

/** @throws UsageError for TLS flags that contradict each other or have no effect */
function checkTlsConfig({ ca, cert, key, servername, isInsecure }: TlsConfig, hasHttpsUrl: boolean): void {
  const [flag] =
    Object.entries({ ca, cert, key, servername, 'insecure-tls': isInsecure || undefined }).find(
      ([, value]) => value !== undefined,
    ) ?? [];
  if (flag !== undefined && !hasHttpsUrl) throw new UsageError(flagTexts.needsHttps(flag));
  if ((cert === undefined) !== (key === undefined)) throw new UsageError(flagTexts.certAndKey);
  if (isInsecure && ca !== undefined) throw new UsageError(flagTexts.insecureTlsWithCa);
}

function passwordSource(
  path: string | undefined,
  command: string | undefined,
  hasEnvironment: boolean,
): PasswordSource {
  if (path !== undefined && command !== undefined) {
    throw new UsageError(flagTexts.passwordTwice);
  }
  if (path !== undefined) return { kind: 'file', path };
  if (command !== undefined) return { kind: 'command', command };
  return { kind: hasEnvironment ? 'environment' : 'prompt' };
}

/** Says what is wrong with a URL. Never quotes it: it may contain a password. */
function urlProblem(url: URL | null): string | undefined {
  if (url === null) return flagTexts.urlNotWhole;
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return flagTexts.urlNotHttp;
  if (url.username !== '' || url.password !== '') return flagTexts.urlWithLogin;
  return url.search !== '' || url.hash !== '' ? flagTexts.urlWithQuery : undefined;
}

/** Says what is wrong with the value of a flag, without its name; `undefined` if nothing is. */
export function flagProblem(name: MonitorFlagName, value: FlagValues[string]): string | undefined {
  const result = monitorFlags.shape[name].safeParse(value);
  if (!result.success) return result.error.issues[0]?.message;
  const urls = name === 'url' && Array.isArray(value) ? value : [];
  return urls.map((url) => urlProblem(URL.parse(url))).find((problem) => problem !== undefined);
}

export type MonitorFlagName = keyof typeof monitorFlags.shape;

/** Reads a URL. `isPlainByName`: `http:` to a local name, which may resolve to another machine. */
function readUrl(text: string): { url: string; isRemotePlain: boolean; isPlainByName: boolean } {
  const url = URL.parse(text);
  const problem = urlProblem(url);
  if (url === null || problem !== undefined)
    throw new UsageError(flagTexts.invalid('url', problem ?? flagTexts.isWrong));
  const path = url.pathname.replace(/\/+$/u, '');
  const basePath = dialects.map(({ basePath }) => basePath).find((each) => path.endsWith(each)) ?? '';
  const prefix = path.slice(0, path.length - basePath.length);
  const isPlain = url.protocol === 'http:';
  return {
    url: url.origin + prefix,
    isRemotePlain: isPlain && !isLoopback(url.hostname),
    isPlainByName: isPlain && isLoopbackName(url.hostname),
  };
}

interface ServedFlags {
  readonly api?: ApiName | undefined;
  readonly variant?: VariantName | undefined;
  readonly profile?: ProfileName | undefined;
}

/** @throws UsageError for a variant of an API without variants, and for a profile of another API or variant */
function served({ api, variant, profile }: ServedFlags): ServedApiConfig {
  const imitated = profile === undefined ? undefined : profileNamed(profile);
  const dialect = api === undefined ? (imitated?.dialect ?? firstDialect) : dialectOfApi(api);
  if (variant !== undefined && !variantsOf(dialect).includes(variant))
    throw new UsageError(flagTexts.variantOfApi(apisWithVariants, dialect.api));
  if (imitated !== undefined && imitated.dialect !== dialect)
    throw new UsageError(flagTexts.profileOfApi(imitated.profile.name, imitated.dialect.api));
  const needed = imitated?.profile.variant;
  if (needed !== undefined && variant !== undefined && variant !== needed)
    throw new UsageError(flagTexts.profileOfVariant(imitated?.profile.name ?? '', needed));
  return { api: dialect.api, variant: variant ?? dialect.servedVariant, profile };
}

export function brokerConfig(flags: FlagValues): BrokerConfig {
  const values = read(brokerFlags, flags);
  const api = served(values);
  const apiPort = flags['port'] === undefined ? defaultPort(api.api) : values.port;
  for (const [name, first] of [
    ['port', api.profile === undefined ? 0 : apiPort],
    ['mqtt-port', values['mqtt-port']],
    ['ws-port', values['ws-port']],
  ] as const) {
    if (first !== 0 && first + values.nodes - 1 > maxPort) {
      throw new UsageError(flagTexts.noRoomForPorts(name, first, values.nodes));
    }
  }
  if (values['stop-last-node'] !== undefined && values.nodes < 2)
    throw new UsageError(flagTexts.needsTwoNodes('stop-last-node'));
  const rules = values.rule ?? [];
  if (rules.length > 0 && api.api !== apiWithRules) throw new UsageError(flagTexts.needsApi('rule', apiWithRules));
  const faults = values.fault ?? [];
  if (faults.length > 0 && values.profile === undefined) throw new UsageError(flagTexts.needsProfile('fault'));
  if (faults.some((fault) => fault !== 'busy') && values.nodes < 2)
    throw new UsageError(flagTexts.needsTwoNodes('fault'));
  return {
    ...api,
    faults,
    rules,
    nodes: values.nodes,
    host: values.host,
    port: apiPort,
    mqttPort: values['mqtt-port'],
    wsPort: values['ws-port'],
    user: values.user,
    passwordFile: values['password-file'],
    data: values.data,
    stopLastNodeAfter: values['stop-last-node'],
  };
}

/** Configures a demo that behaves as real brokers do: a kinder one would promise too much. */
export function demoConfig(flags: FlagValues): DemoConfig {
  const values = read(demoFlags, flags);
  const api = served(values);
  if (values.scenario === 'dead-sink' && api.api !== apiWithRules)
    throw new UsageError(flagTexts.needsApi('scenario dead-sink', apiWithRules));
  if ((values.scenario === 'node-down' || values.scenario === 'split-brain') && values.nodes < 2)
    throw new UsageError(flagTexts.needsTwoNodes(`scenario ${values.scenario}`));
  return {
    ...api,
    profile: api.profile ?? newestProfile(dialectOfApi(api.api), api.variant)?.name,
    nodes: values.nodes,
    clients: values.clients,
    seed: values.seed,
    scenario: values.scenario,
    intervalSeconds: values.interval,
    isReadOnly: values['read-only'],
    hasAudit: !values['no-audit'],
    ...screenConfig(values),
  };
}

/** @throws UsageError that names the flag and its valid values */
export function listConfig({
  flags,
  arguments: [argument],
}: Pick<ParsedArguments, 'flags' | 'arguments'>): ListCommand {
  return { resource: resource.parse(argument), ...outputConfig(flags) };
}

function outputConfig(flags: FlagValues): Omit<ListCommand, 'resource'> {
  const { format, filter, sort, columns, limit } = read(listFlags, flags);
  const twice = columns?.find((id, at) => columns.indexOf(id) !== at);
  if (twice !== undefined) throw new UsageError(flagTexts.sameColumn(twice));
  return { format, filter, sort, columns, limit };
}

/** @throws UsageError that names the flag and its valid values */
export function eventsConfig(flags: FlagValues): EventsCommand {
  const { since, follow } = flags;
  const output = outputConfig(flags);
  if (follow === true && output.sort !== undefined) throw new UsageError(eventsTexts.noSortOfFollowed);
  return { since: typeof since === 'string' ? since : undefined, follow: follow === true, ...output };
}

/** @throws UsageError that names the flag and its valid values */
export function diffConfig({
  flags,
  arguments: [before = '', after = ''],
}: Pick<ParsedArguments, 'flags' | 'arguments'>): DiffCommand {
  const recording = flags['recording'];
  return { before, after, recording: typeof recording === 'string' ? recording : undefined, ...outputConfig(flags) };
}

/** @throws UsageError that names the flag and its valid values */
export function recordConfig(flags: FlagValues): RecordCommand {
  const { out, 'max-size': maxBytes, 'max-age': maxAgeMs } = read(recordFlags, flags);
  return { folder: out, maxBytes, maxAgeMs };
}

/** @throws UsageError that names the flag and its valid values */
export function replayedEventsConfig({
  flags,
  arguments: [, what],
}: Pick<ParsedArguments, 'flags' | 'arguments'>): EventsCommand | undefined {
  const isForEvents = (name: string): boolean => eventFlags.some((flag) => flag.name === name);
  const named = Object.keys(flags).filter((name) => flags[name] !== undefined);
  if (what === undefined) {
    const extra = named.find(isForEvents);
    if (extra !== undefined) throw new UsageError(flagTexts.needsEvents(extra));
    return undefined;
  }
  const unused = ['at', 'once', 'json'].find((name) => named.includes(name));
  if (unused !== undefined) throw new UsageError(flagTexts.notForEvents(unused));
  return eventsConfig(flags);
}

/** @throws UsageError that names the flag and its valid values */
export function replayConfig({
  flags,
  arguments: [place = ''],
}: Pick<ParsedArguments, 'flags' | 'arguments'>): ReplayCommand {
  const values = read(replayFlags, flags);
  if (values.json && !values.once) throw new UsageError(flagTexts.needsOnce('json'));
  return {
    place,
    at: values.at,
    once: values.once ? (values.json ? 'json' : 'text') : undefined,
    ...screenConfig(values),
  };
}

/** @throws UsageError that names the flag and its valid values */
export function reportConfig({
  flags,
  arguments: [recording = ''],
}: Pick<ParsedArguments, 'flags' | 'arguments'>): ReportCommand {
  const { from, to, format, out, force, redact } = read(reportFlags, flags);
  return {
    recording,
    from,
    to,
    format: format ?? (out?.toLowerCase().endsWith('.md') === true ? 'markdown' : 'html'),
    file: out,
    mayReplace: force,
    isRedacted: redact,
  };
}

/** @throws UsageError that names all checks */
export function checkConfig(flags: FlagValues, checkIds: readonly string[]): CheckSeverities {
  const { warn, crit } = read(checkFlags, flags);
  return { warn: readChecks('warn', warn, checkIds), crit: readChecks('crit', crit, checkIds) };
}

function readChecks(flag: string, text: string | undefined, checkIds: readonly string[]): readonly string[] {
  return (text ?? '')
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '')
    .map((word) => {
      const check = checkIds.find((id) => id === word);
      if (check === undefined) throw new UsageError(flagTexts.unknownCheck(flag, word, checkIds));
      return check;
    });
}

export function fleetConfig(flags: FlagValues): FleetCommandConfig {
  const values = read(fleetFlags, flags);
  const { 'mqtt-ports': mqttPorts, 'ws-ports': wsPorts } = values;
  const [first, ...rest] = mqttPorts.flatMap((mqttPort, index) => {
    const wsPort = wsPorts[index];
    return wsPort === undefined ? [] : [{ mqttPort, wsPort }];
  });
  if (first === undefined || mqttPorts.length !== wsPorts.length) throw new UsageError(flagTexts.samePortCount);
  return { targets: [first, ...rest], clients: values.clients, seed: values.seed, scenario: values.scenario };
}
