import { isUtf8 } from 'node:buffer';
import { createHash, timingSafeEqual } from 'node:crypto';
import type { AclAction, AuthenticateResult, ClientIdentity, ConnectRequest } from '../engine/hooks.ts';
import { probe } from './probe.ts';
import { type Log, quote } from '../log.ts';
import { FailureReport, type HttpRequest, HttpSender, type HttpSenderOptions, readUrl } from './http-sender.ts';
import {
  type PluginDefinition,
  PluginError,
  type PluginSettingDefinition,
  type PluginValues,
  requireSettings,
} from './plugin.ts';

interface StoredOptions {
  readonly name: string;
  readonly description: string;
  readonly prefix: string;
  readonly field: string;
  readonly nameOf: (request: ConnectRequest) => string | undefined;
}

function digest(password: string | Buffer): Buffer {
  return createHash('sha256').update(password).digest();
}

const dummyDigest = digest('');

/** Defines a plugin whose settings hold names (`<prefix>.<n>.<field>`) and passwords (`<prefix>.<n>.password`). */
function createStoredAuth({ name, description, prefix, field, nameOf }: StoredOptions): PluginDefinition {
  const define = (number: string, last: string): PluginSettingDefinition => ({
    key: `${prefix}.${number}.${last}`,
    initial: '',
    description:
      last === 'password' ? `Password of entry ${number}` : `Name of entry ${number}; more entries have higher numbers`,
    required: false,
  });
  const pattern = new RegExp(
    String.raw`^${prefix.replaceAll('.', String.raw`\.`)}\.([1-9]\d{0,4})\.(${field}|password)$`,
    'u',
  );

  return {
    name,
    description,
    activeByDefault: false,
    settings: [define('1', field), define('1', 'password')],
    dynamicSetting: (key) => {
      const [, number, last] = pattern.exec(key) ?? [];
      return number === undefined || last === undefined ? undefined : define(number, last);
    },
    start: (_, values) => {
      const passwords = readPairs(values, pattern, prefix, field);
      return {
        authenticate: (request): AuthenticateResult => {
          const name = nameOf(request);
          const expected = name === undefined ? undefined : passwords.get(name);
          // Also for unknown names, so that timing does not reveal which names exist.
          const isRight = timingSafeEqual(digest(request.password ?? ''), expected ?? dummyDigest);
          if (expected === undefined) return 'ignore';
          return isRight ? 'accept' : 'bad-credentials';
        },
        stop: () => undefined,
      };
    },
  };
}

function readPairs(values: PluginValues, pattern: RegExp, prefix: string, field: string): ReadonlyMap<string, Buffer> {
  const numbers = new Set([...values.keys()].flatMap((key) => pattern.exec(key)?.[1] ?? []));
  const passwords = new Map<string, Buffer>();
  for (const number of numbers) {
    const [nameKey, passwordKey] = [`${prefix}.${number}.${field}`, `${prefix}.${number}.password`];
    const [name, password] = [values.get(nameKey), values.get(passwordKey)];
    if (name === '' && password === '') continue;
    if (name === '' || password === '') throw new PluginError(`${name === '' ? nameKey : passwordKey} is not set.`);
    if (passwords.has(name)) throw new PluginError(`${nameKey} repeats another entry.`);
    passwords.set(name, digest(password));
  }
  if (passwords.size === 0) throw new PluginError(`${prefix}.1.${field} is not set: no client could connect.`);
  return passwords;
}

export const authUsername = createStoredAuth({
  name: 'auth_username',
  description: 'Authentication with username and password',
  prefix: 'auth.user',
  field: 'username',
  nameOf: ({ username }) => username,
});

export const authClientId = createStoredAuth({
  name: 'auth_clientid',
  description: 'Authentication with client ID and password',
  prefix: 'auth.client',
  field: 'clientid',
  nameOf: ({ clientId }) => clientId,
});

const defaultLimits: HttpSenderOptions = { connections: 16, waiting: 1000, timeoutMs: 5000 };

/** An HTTP service answers yes with 200 and no with 4xx. Everything else is `failed`, including no response. */
type Answer = 'yes' | 'no' | 'failed';
type HttpQuery = (subject: TemplateSubject) => Promise<Answer>;

const settings: readonly PluginSettingDefinition[] = [
  ...describe('auth_req', 'post', 'clientid=%c,username=%u,password=%P', 'who may connect', true),
  ...describe('super_req', 'post', 'clientid=%c,username=%u', 'who is a superuser; empty: nobody', false),
  ...describe(
    'acl_req',
    'get',
    'access=%A,username=%u,clientid=%c,ipaddr=%a,topic=%t',
    'who may publish and subscribe; empty: the access rules decide',
    false,
  ),
];

function describe(
  name: string,
  method: string,
  params: string,
  about: string,
  required: boolean,
): PluginSettingDefinition[] {
  const key = `auth.http.${name}`;
  return [
    { key, initial: '', description: `URL that decides ${about}`, required },
    { key: `${key}.method`, initial: method, description: 'get or post', required: false },
    {
      key: `${key}.params`,
      initial: params,
      description: '%c client ID, %u username, %P password, %A access (1 subscribe, 2 publish), %a address, %t topic',
      required: false,
    },
  ];
}

/** @throws PluginError */
function createQuery(values: PluginValues, name: string, sender: HttpSender, log: Log): HttpQuery | undefined {
  const key = `auth.http.${name}`;
  const url = readUrl(values, key);
  const methodText = values.get(`${key}.method`);
  if (methodText !== 'get' && methodText !== 'post' && methodText !== '')
    throw new PluginError(`${key}.method must be get or post.`);
  const method = methodText === 'get' ? 'GET' : 'POST';
  const fill = readTemplate(values.get(`${key}.params`), `${key}.params`);
  if (url === undefined) return undefined;
  const report = new FailureReport(log, key);
  return async (subject) => {
    try {
      const status = await sender.send(buildRequest(url, method, fill(subject)));
      if (status === 200 || (status >= 400 && status < 500)) {
        report.succeeded();
        return status === 200 ? 'yes' : 'no';
      }
      report.failed(`HTTP ${status}`);
    } catch (error) {
      report.failed(error instanceof Error ? error.message : String(error));
    }
    return 'failed';
  };
}

const healthMs = 5_000;

/** Looks now and then whether a service can be reached. */
function watchService(url: URL): { isConnected(): boolean; close(): void } {
  let isConnected = true;
  const look = async (): Promise<void> => {
    isConnected = (await probe(url)) === undefined;
  };
  void look();
  const timer = setInterval(() => void look(), healthMs).unref();
  return { isConnected: () => isConnected, close: () => clearInterval(timer) };
}

/** Defines a plugin that asks an HTTP service. When that fails, the client is refused. */
export function createAuthHttp(limits: HttpSenderOptions = defaultLimits): PluginDefinition {
  return {
    name: 'auth_http',
    description: 'Authentication and access control by an HTTP service',
    activeByDefault: false,
    runsLast: true,
    settings,
    start: ({ node, log }, values) => {
      requireSettings({ settings }, values);
      const sender = new HttpSender(limits);
      const [mayConnect, isSuper, mayAct] = ['auth_req', 'super_req', 'acl_req'].map((name) =>
        createQuery(values, name, sender, log),
      );
      const service = readUrl(values, 'auth.http.auth_req');
      const health = service && watchService(service);
      const superusers = new WeakMap<ClientIdentity, Promise<boolean>>();

      const isSuperuser = (client: ClientIdentity, query: HttpQuery): Promise<boolean> => {
        const known = superusers.get(client);
        if (known !== undefined) return known;
        const answer = query({ client }).then((result) => {
          // Retried with the next packet.
          if (result === 'failed') superusers.delete(client);
          return result === 'yes';
        });
        superusers.set(client, answer);
        return answer;
      };

      const authorize = async (
        client: ClientIdentity,
        action: AclAction,
        topic: string,
      ): Promise<boolean | undefined> => {
        if (isSuper !== undefined && (await isSuperuser(client, isSuper))) return true;
        if (mayAct === undefined) return undefined;
        const answer = await mayAct({ client, action, topic });
        // Refused, but not cached.
        if (answer === 'failed') throw new Error('the service failed');
        return answer === 'yes';
      };

      node.clearAclCaches();
      return {
        authenticate: async (client): Promise<AuthenticateResult> => {
          const answer = await mayConnect?.({ client, password: client.password });
          if (answer === 'yes') return 'accept';
          return answer === 'no' ? 'bad-credentials' : 'not-authorized';
        },
        ...(isSuper === undefined && mayAct === undefined ? {} : { authorize }),
        isConnected: () => health?.isConnected() ?? true,
        stop: () => {
          health?.close();
          sender.close();
          node.clearAclCaches();
        },
      };
    },
  };
}

/** The subject of a query. Only publish and subscribe have an action and a topic. */
interface TemplateSubject {
  readonly client: ClientIdentity;
  readonly password?: Buffer | undefined;
  readonly action?: AclAction | undefined;
  readonly topic?: string | undefined;
}

type Template = (subject: TemplateSubject) => string;

/** Values of the placeholders. Missing ones are empty. */
const placeholders: Readonly<Record<string, (subject: TemplateSubject) => string | Buffer | undefined>> = {
  c: ({ client }) => client.clientId,
  u: ({ client }) => client.username,
  P: ({ password }) => password,
  A: ({ action }) => (action === undefined ? undefined : action === 'subscribe' ? '1' : '2'),
  a: ({ client }) => client.ipAddress,
  t: ({ topic }) => topic,
};

/** Reads a template. Values are encoded and not expanded again: no client can add a parameter. @throws PluginError */
export function readTemplate(text: string, key: string): Template {
  const pairs =
    text === ''
      ? []
      : text.split(',').map((pair) => {
          const at = pair.indexOf('=');
          if (at < 1) throw new PluginError(`${key} must be name=value pairs, separated by commas.`);
          const value = pair.slice(at + 1).trim();
          for (const [placeholder, letter] of value.matchAll(/%(.?)/gsu)) {
            if (letter === undefined || !Object.hasOwn(placeholders, letter))
              throw new PluginError(`${key} contains the unknown placeholder ${quote(placeholder)}.`);
          }
          return { name: encode(pair.slice(0, at).trim()), parts: value.split(/(%[cuPAat])/u) };
        });
  return (subject) =>
    pairs
      .map(({ name, parts }) => {
        const value = parts.map((part, index) =>
          encode(index % 2 === 0 ? part : (placeholders[part.slice(1)]?.(subject) ?? '')),
        );
        return `${name}=${value.join('')}`;
      })
      .join('&');
}

function buildRequest(url: URL, method: 'GET' | 'POST', parameters: string): HttpRequest {
  if (method === 'POST') return { url, method, body: { type: 'application/x-www-form-urlencoded', text: parameters } };
  const withQuery = new URL(url);
  withQuery.search = [url.search.slice(1), parameters].filter((part) => part !== '').join('&');
  withQuery.hash = '';
  return { url: withQuery, method };
}

/** Percent-encodes text, and bytes that are not UTF-8 as they are. */
function encode(value: string | Buffer): string {
  if (typeof value === 'string') return encodeURIComponent(value.toWellFormed());
  if (isUtf8(value)) return encodeURIComponent(value.toString());
  return value.toString('hex').replace(/../gu, '%$&');
}
