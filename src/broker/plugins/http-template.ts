import { isUtf8 } from 'node:buffer';
import type { AclAction, ClientIdentity } from '../engine/hooks.ts';
import { quote } from '../log.ts';
import type { HttpRequest } from './http-sender.ts';
import { PluginError } from './plugin.ts';

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
