import type { IncomingMessage, ServerResponse } from 'node:http';
import { NotFoundError } from '../../../errors.ts';
import { isObject } from '../../../json.ts';
import type { CallOptions, PageRequest } from '../../../management-api.ts';
import { errorOfCode } from '../codes.ts';
import { defaultPage, pageQueryNames } from '../paths.ts';

/** A request whose path has been understood. */
export interface ServedRequest {
  /** A parameter of the path, decoded; never empty. */
  param(name: string): string;
  readonly query: URLSearchParams;
  /** The JSON object of the body; empty for methods that carry none. */
  readonly body: JsonObject;
  readonly options: CallOptions;
}

export type JsonObject = Readonly<Record<string, unknown>>;

/** Reading a body failed in a way that has its own HTTP status. */
export class BodyTooLargeError extends Error {}

/**
 * Reads a whole body, and asks for it where the caller waits for that.
 * @throws BodyTooLargeError as soon as it is over `limitBytes`, or the reason of `broken` when that is aborted.
 */
export async function readBody(request: IncomingMessage, limitBytes: number, response: ServerResponse, broken: AbortSignal): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > limitBytes) throw new BodyTooLargeError();
  if (request.headers.expect !== undefined) response.writeContinue();
  const chunks: Buffer[] = [];
  let size = 0;
  // Not `for await`: leaving that loop early would destroy the socket before the answer is out.
  await new Promise<void>((resolve, reject) => {
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > limitBytes) {
        request.pause();
        reject(new BodyTooLargeError());
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

/** Whether an object of the JSON text has a name twice: some programs take the first value, some the last. */
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

/** @throws BrokerError 109 for anything but a JSON object in which each name stands once. */
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
  if (hasRepeatedName(text)) throw errorOfCode(109, 'a name stands twice in an object of the body');
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

/** A field's value; `undefined` when it is absent. The prototype's names are no fields. */
function fieldOf(body: JsonObject, name: string): unknown {
  return Object.hasOwn(body, name) ? body[name] : undefined;
}

/** Checks that all of `names` are there. @throws BrokerError 107 */
export function requireFields(body: JsonObject, ...names: readonly string[]): void {
  for (const name of names) {
    if (fieldOf(body, name) === undefined) throw errorOfCode(107, `${name} is missing`);
  }
}

/** The field, or `fallback` when it is absent. @throws BrokerError 108 when it has another type. */
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

/** A text field that must be there; call `requireFields` for all of them before. @throws BrokerError 108 */
export function readString(body: JsonObject, name: string): string {
  return readField(body, name, 'string', '');
}

/** Every property of the body as text. @throws BrokerError 108 */
export function readAllStrings(body: JsonObject): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.keys(body).map((name) => [name, readString(body, name)]));
}

/** A page request, and the page number as it was asked, which the answer echoes. */
export interface AskedPage extends PageRequest {
  readonly askedPage: number;
}

const integer = /^[+-]?\d{1,15}$/u;

function readInteger(query: URLSearchParams, name: string, fallback: number): number {
  const text = query.get(name);
  if (text === null) return fallback;
  if (!integer.test(text)) throw new NotFoundError();
  return Number(text);
}

/**
 * §4 "Pagination". A page below 1 is page 1.
 * @throws NotFoundError where real brokers crash: no number, or a size below 1 (field notes, "Lists").
 */
export function readPage(query: URLSearchParams): AskedPage {
  const askedPage = readInteger(query, pageQueryNames.page, defaultPage.page);
  const pageSize = readInteger(query, pageQueryNames.pageSize, defaultPage.pageSize);
  if (pageSize < 1) throw new NotFoundError();
  return { askedPage, page: Math.max(1, askedPage), pageSize };
}
