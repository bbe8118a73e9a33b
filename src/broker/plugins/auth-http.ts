import { isUtf8 } from 'node:buffer';
import type { AclAction, AuthenticateResult, ClientIdentity } from '../engine/hooks.ts';
import { type Log, quote } from '../log.ts';
import { FailureReport, type HttpRequest, HttpSender, type HttpSenderOptions, readUrl } from './http-sender.ts';
import { type PluginDefinition, PluginError, type PluginSettingDefinition, type PluginValues, requireSettings } from './plugin.ts';

const defaultLimits: HttpSenderOptions = { connections: 16, waiting: 1000, timeoutMs: 5000 };

/** 200 is yes and 4xx is no; `failed` is every other answer, and none. */
type Answer = 'yes' | 'no' | 'failed';
type HttpQuery = (subject: TemplateSubject) => Promise<Answer>;

const settings: readonly PluginSettingDefinition[] = [
  ...describe('auth_req', 'post', 'clientid=%c,username=%u,password=%P', 'who may connect', true),
  ...describe('super_req', 'post', 'clientid=%c,username=%u', 'who may do everything; empty: nobody', false),
  ...describe('acl_req', 'get', 'access=%A,username=%u,clientid=%c,ipaddr=%a,topic=%t', 'who may publish and subscribe what; empty: the access rules decide', false),
];

function describe(name: string, method: string, params: string, about: string, required: boolean): PluginSettingDefinition[] {
  const key = `auth.http.${name}`;
  return [
    { key, initial: '', description: `URL that is asked ${about}`, required },
    { key: `${key}.method`, initial: method, description: 'get or post', required: false },
    { key: `${key}.params`, initial: params, description: 'c client id, u user name, P password, A access (1 subscribe, 2 publish), a address, t topic', required: false },
  ];
}

/** @throws PluginError */
function createQuery(values: PluginValues, name: string, sender: HttpSender, log: Log): HttpQuery | undefined {
  const key = `auth.http.${name}`;
  const url = readUrl(values, key);
  const word = values.get(`${key}.method`);
  if (word !== 'get' && word !== 'post' && word !== '') throw new PluginError(`${key}.method must be get or post.`);
  const method = word === 'get' ? 'GET' : 'POST';
  const fill = readTemplate(values.get(`${key}.params`), `${key}.params`);
  if (url === undefined) return undefined;
  const report = new FailureReport(log, key);
  return async (subject) => {
    try {
      const status = await sender.send(buildRequest(url, method, fill(subject)));
      if (status === 200 || (status >= 400 && status < 500)) {
        report.worked();
        return status === 200 ? 'yes' : 'no';
      }
      report.failed(`HTTP ${status}`);
    } catch (error) {
      report.failed(error instanceof Error ? error.message : String(error));
    }
    return 'failed';
  };
}

/**
 * Asks a service over HTTP who may connect, who may do everything, and who may publish and subscribe
 * what. Whoever it cannot be asked about is refused.
 */
export function createAuthHttp(bounds: HttpSenderOptions = defaultLimits): PluginDefinition {
  return {
    name: 'auth_http',
    description: 'Authentication and access control by an HTTP service',
    activeByDefault: false,
    runsLast: true,
    settings,
    start: ({ node, log }, values) => {
      requireSettings({ settings }, values);
      const sender = new HttpSender(bounds);
      const [mayConnect, isSuper, mayAct] = ['auth_req', 'super_req', 'acl_req'].map((name) => createQuery(values, name, sender, log));
      /** Asked once a connection, at the client's first packet that needs it. */
      const superusers = new WeakMap<ClientIdentity, Promise<boolean>>();

      const isSuperuser = (client: ClientIdentity, ask: HttpQuery): Promise<boolean> => {
        const known = superusers.get(client);
        if (known !== undefined) return known;
        const asked = ask({ client }).then((answer) => {
          // What could not be asked will be asked again.
          if (answer === 'failed') superusers.delete(client);
          return answer === 'yes';
        });
        superusers.set(client, asked);
        return asked;
      };

      const authorize = async (client: ClientIdentity, action: AclAction, topic: string): Promise<boolean | undefined> => {
        if (isSuper !== undefined && await isSuperuser(client, isSuper)) return true;
        if (mayAct === undefined) return undefined;
        const answer = await mayAct({ client, action, topic });
        // Refused as well, but not remembered.
        if (answer === 'failed') throw new Error('the service cannot be asked');
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
        stop: () => {
          sender.close();
          node.clearAclCaches();
        },
      };
    },
  };
}

/** What a question to an HTTP service is about. Superuser and authentication ask about no topic. */
export interface TemplateSubject {
  readonly client: ClientIdentity;
  readonly password?: Buffer | undefined;
  readonly action?: AclAction | undefined;
  readonly topic?: string | undefined;
}

/** Writes parameters in the form that both a query and a form body have. */
export type Template = (subject: TemplateSubject) => string;

/** The letters of §2.13. What there is none of is empty. */
const letters: Readonly<Record<string, (subject: TemplateSubject) => string | Buffer | undefined>> = {
  c: ({ client }) => client.clientId,
  u: ({ client }) => client.username,
  P: ({ password }) => password,
  A: ({ action }) => (action === undefined ? undefined : action === 'subscribe' ? '1' : '2'),
  a: ({ client }) => client.ipAddress,
  t: ({ topic }) => topic,
};

/**
 * Reads a template such as `clientid=%c,username=%u` (§2.13). What is filled in is encoded and never
 * read again, so that no client can write a parameter of its own.
 * @throws PluginError that names the setting.
 */
export function readTemplate(text: string, key: string): Template {
  const pairs = text === '' ? [] : text.split(',').map((pair) => {
    const at = pair.indexOf('=');
    if (at < 1) throw new PluginError(`${key} has to be made of name=value pairs with commas between them.`);
    const value = pair.slice(at + 1).trim();
    for (const [mark, letter] of value.matchAll(/%(.?)/gsu)) {
      if (letter === undefined || !Object.hasOwn(letters, letter)) throw new PluginError(`${key} holds ${quote(mark)}, which stands for nothing.`);
    }
    return { name: encode(pair.slice(0, at).trim()), parts: value.split(/(%[cuPAat])/u) };
  });
  return (subject) => pairs.map(({ name, parts }) => {
    // Every other part is a mark: that is how a split with a group answers.
    const value = parts.map((part, index) => encode(index % 2 === 0 ? part : letters[part.slice(1)]?.(subject) ?? ''));
    return `${name}=${value.join('')}`;
  }).join('&');
}

/** The request that carries the parameters: in the query of GET, in the body of POST. */
export function buildRequest(url: URL, method: 'GET' | 'POST', parameters: string): HttpRequest {
  if (method === 'POST') return { url, method, body: { type: 'application/x-www-form-urlencoded', text: parameters } };
  const asked = new URL(url);
  asked.search = [url.search.slice(1), parameters].filter((part) => part !== '').join('&');
  asked.hash = '';
  return { url: asked, method };
}

/** Percent-encoded; bytes that are no text come out as they are. */
function encode(value: string | Buffer): string {
  if (typeof value === 'string') return encodeURIComponent(value.toWellFormed());
  if (isUtf8(value)) return encodeURIComponent(value.toString());
  return value.toString('hex').replace(/../gu, '%$&');
}
