import type { IncomingMessage, ServerResponse } from 'node:http';
import { isObject } from '../json.ts';
import { BrokenRequestError } from './pipeline.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

/** Checks the head only; `undefined` when it is acceptable. */
export function refusalStatus(request: IncomingMessage): 400 | 403 | 417 | undefined {
  if (!isUnambiguous(request)) return 400;
  const { expect } = request.headers;
  if (expect !== undefined && expect.toLowerCase() !== '100-continue') return 417;
  return isForged(request) ? 403 : undefined;
}

/** Whether proxies can only read the request as this server does; otherwise requests can be smuggled. */
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
  return (
    origin !== undefined &&
    origin.toLowerCase() !== `http://${host ?? ''}`.toLowerCase() &&
    origin.toLowerCase() !== `https://${host ?? ''}`.toLowerCase()
  );
}

export interface Credentials {
  readonly username: string;
  readonly password: string;
}

const basic = /^basic +([a-z0-9+/_=-]+) *$/iu;
const utf8WithBom = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Reads name and password. `undefined` unless there is exactly one header, of the Basic scheme in UTF-8. */
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

/**
 * Sends 100 Continue if awaited. @throws BrokenRequestError 413 above `maxBytes`, and the reason of `broken` when that
 * is aborted
 */
export async function readBody(
  request: IncomingMessage,
  maxBytes: number,
  response: ServerResponse,
  broken: AbortSignal,
): Promise<Buffer> {
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
    broken.addEventListener(
      'abort',
      () => {
        if (!request.complete) reject(broken.reason);
      },
      { once: true },
    );
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

/** The body cannot be used; the message is for the client. */
export class BadBodyError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'BadBodyError';
  }
}

/** @throws BadBodyError unless it is JSON in UTF-8 without repeated names */
export function parseJson(body: Buffer): unknown {
  let value: unknown;
  let text: string;
  try {
    text = utf8.decode(body);
    value = JSON.parse(text);
  } catch (cause) {
    throw new BadBodyError('the body is not JSON', { cause });
  }
  if (hasRepeatedName(text)) throw new BadBodyError('an object in the body contains a name twice');
  return value;
}

/** @throws BadBodyError unless it is a JSON object */
export function parseJsonObject(body: Buffer): JsonObject {
  const value = parseJson(body);
  if (!isObject(value)) throw new BadBodyError('the body is not a JSON object');
  return value;
}
