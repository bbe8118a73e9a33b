import type { IncomingMessage, ServerResponse } from 'node:http';
import { NotFoundError } from '../../../errors.ts';
import { isObject } from '../../../json.ts';
import type { CallOptions, PageRequest } from '../../../management-api.ts';
import { errorOfCode } from '../envelope.ts';
import { defaultPage, pageQueryNames } from '../paths.ts';
import { BrokenRequestError } from './pipeline.ts';

export interface ServedRequest {
  param(name: string): string;
  readonly query: URLSearchParams;
  readonly body: JsonObject;
  readonly options: CallOptions;
}

export type JsonObject = Readonly<Record<string, unknown>>;

/** Checks the head only; `undefined` when it is acceptable. */
export function refusalStatus(request: IncomingMessage): 400 | 403 | 417 | undefined {
  if (!isUnambiguous(request)) return 400;
  const { expect } = request.headers;
  if (expect !== undefined && expect.toLowerCase() !== '100-continue') return 417;
  return isForged(request) ? 403 : undefined;
}

/** Whether proxies cannot read the request differently (request smuggling). */
function isUnambiguous({ httpVersion, headers, headersDistinct, url = '' }: IncomingMessage): boolean {
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return false;
  if ((headersDistinct['host']?.length ?? 0) > 1) return false;
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && (httpVersion === '1.0' || coding.toLowerCase() !== 'chunked')) return false;
  // An absolute URL names the host a second time.
  const [, authority] = /^https?:\/\/([^/?]*)/iu.exec(url) ?? [];
  if (authority !== undefined && authority.toLowerCase() !== headers.host?.toLowerCase()) return false;
  // Everything after `#` would be lost, such as the end of an id.
  return !url.includes('#');
}

/** Whether a page of another site may have sent it (CSRF). Reads are harmless; programs send neither header. */
function isForged({ method, headers }: IncomingMessage): boolean {
  if (method === 'GET' || method === 'HEAD') return false;
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  const { origin, host } = headers;
  return origin !== undefined && origin.toLowerCase() !== `http://${host ?? ''}`.toLowerCase()
    && origin.toLowerCase() !== `https://${host ?? ''}`.toLowerCase();
}

interface Credentials {
  readonly username: string;
  readonly password: string;
}

const basic = /^basic +([a-z0-9+/_=-]+) *$/iu;
const utf8WithBom = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** `undefined` unless there is exactly one header, of the Basic scheme in UTF-8 (§5). */
export function parseAuthorization(headers: readonly string[] | undefined): Credentials | undefined {
  // A proxy may have checked the other one.
  if (headers?.length !== 1) return undefined;
  const encoded = basic.exec(headers[0] ?? '')?.[1];
  if (encoded === undefined) return undefined;
  let text: string;
  try {
    text = utf8WithBom.decode(Buffer.from(encoded, 'base64'));
  } catch {
    // Replaced by U+FFFD, different invalid bytes would be the same password.
    return undefined;
  }
  const colon = text.indexOf(':');
  if (colon < 1) return undefined;
  return { username: text.slice(0, colon), password: text.slice(colon + 1) };
}

/** Sends 100 Continue if awaited. @throws BrokenRequestError 413 above `maxBytes`, and the reason of `broken` when that is aborted */
export async function readBody(request: IncomingMessage, maxBytes: number, response: ServerResponse, broken: AbortSignal): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw new BrokenRequestError(413);
  if (request.headers.expect !== undefined) response.writeContinue();
  const chunks: Buffer[] = [];
  let size = 0;
  // Not `for await`: leaving that loop early would destroy the socket before the answer is out.
  await new Promise<void>((resolve, reject) => {
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) {
        request.pause();
        reject(new BrokenRequestError(413));
      } else {
        chunks.push(chunk);
      }
    });
    request.once('end', resolve);
    request.once('error', reject);
    broken.addEventListener('abort', () => { if (!request.complete) reject(broken.reason); }, { once: true });
  });
  return Buffer.concat(chunks);
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Whether an object contains a name twice: some programs use the first value, some the last. */
function hasRepeatedName(json: string): boolean {
  const open: Set<string>[] = [];
  for (const [token] of json.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"\s*:?|[{}]/gu)) {
    if (token === '{') open.push(new Set());
    else if (token === '}') open.pop();
    else if (token.endsWith(':')) {
      const names = open.at(-1);
      const name = String(JSON.parse(token.slice(0, -1)));
      if (names?.has(name) === true) return true;
      names?.add(name);
    }
  }
  return false;
}

/** @throws BrokerError 109 unless the body is a JSON object without repeated names */
export function parseBody(body: Buffer): JsonObject {
  let value: unknown;
  let text: string;
  try {
    text = utf8.decode(body);
    value = JSON.parse(text);
  } catch (cause) {
    throw errorOfCode(109, 'the body is not JSON', { cause });
  }
  if (!isObject(value)) throw errorOfCode(109, 'the body is not a JSON object');
  if (hasRepeatedName(text)) throw errorOfCode(109, 'an object in the body contains a name twice');
  return value;
}

interface FieldTypes {
  readonly string: string;
  readonly integer: number;
  readonly boolean: boolean;
}

type FieldType = keyof FieldTypes;

const isOfType: { readonly [Type in FieldType]: (value: unknown) => value is FieldTypes[Type] } = {
  string: (value) => typeof value === 'string',
  integer: (value): value is number => Number.isInteger(value),
  boolean: (value) => typeof value === 'boolean',
};

/** `undefined` when it is absent. Names of the prototype are not fields. */
function fieldOf(body: JsonObject, name: string): unknown {
  return Object.hasOwn(body, name) ? body[name] : undefined;
}

export function requireFields(body: JsonObject, ...names: readonly string[]): void {
  for (const name of names) {
    if (fieldOf(body, name) === undefined) throw errorOfCode(107, `${name} is missing`);
  }
}

/** `fallback` when the field is absent. @throws BrokerError 108 when it has another type */
export function readField<Type extends FieldType, Fallback>(
  body: JsonObject,
  name: string,
  type: Type,
  fallback: Fallback,
): FieldTypes[Type] | Fallback {
  const value = fieldOf(body, name);
  if (value === undefined) return fallback;
  const test: (value: unknown) => value is FieldTypes[Type] = isOfType[type];
  if (!test(value)) throw errorOfCode(108, `${name} must be of type ${type}`);
  return value;
}

/** Call `requireFields` first. @throws BrokerError 108 */
export function readString(body: JsonObject, name: string): string {
  return readField(body, name, 'string', '');
}

export function readAllStrings(body: JsonObject): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.keys(body).map((name) => [name, readString(body, name)]));
}

/** Programs disagree on which value of a repeated parameter counts. */
export function repeatsPage(query: URLSearchParams): boolean {
  return Object.values(pageQueryNames).some((name) => query.getAll(name).length > 1);
}

export interface RequestedPage extends PageRequest {
  readonly requestedPage: number;
}

const integer = /^[+-]?\d{1,15}$/u;

function readInteger(query: URLSearchParams, name: string, fallback: number): number {
  const text = query.get(name);
  if (text === null) return fallback;
  if (!integer.test(text)) throw new NotFoundError();
  return Number(text);
}

/** §4. A page below 1 is page 1. @throws NotFoundError where real brokers crash: not a number, or a size below 1 */
export function readPage(query: URLSearchParams): RequestedPage {
  const requestedPage = readInteger(query, pageQueryNames.page, defaultPage.page);
  const pageSize = readInteger(query, pageQueryNames.pageSize, defaultPage.pageSize);
  if (pageSize < 1) throw new NotFoundError();
  return { requestedPage, page: Math.max(1, requestedPage), pageSize };
}
