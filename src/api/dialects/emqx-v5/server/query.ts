import type { Qos } from '../../../../domain/client.ts';
import { isObject } from '../../../json.ts';
import type { CallOptions, PageRequest } from '../../../management-api.ts';
import type { JsonObject } from '../../../server/request.ts';
import type { Answer } from './answer.ts';
import { invalid } from './answer.ts';

export interface ServedRequest {
  param(name: string): string;
  readonly query: URLSearchParams;
  /** `undefined` for a request without a body. */
  readonly body: unknown;
  readonly options: CallOptions;
  /** The user of a token; `undefined` for an API key. */
  readonly user: string | undefined;
}

export type Handler = (request: ServedRequest) => Promise<Answer>;

export const maxLimit = 10_000;
const integer = /^-?\d{1,15}$/u;

/** @throws RefusalError */
export function readInteger(
  query: URLSearchParams,
  name: string,
  fallback: number,
  max: number,
  expected: string,
): number {
  const text = query.get(name);
  if (text === null) return fallback;
  const value = integer.test(text) ? Number(text) : text;
  if (typeof value === 'string' || value < 1 || value > max) throw invalid(name, { expected }, value);
  return value;
}

export const readLimit = (query: URLSearchParams): number =>
  readInteger(query, 'limit', 100, maxLimit, `1..${maxLimit}`);

/** @throws RefusalError */
export function readPage(query: URLSearchParams): PageRequest {
  return { page: readInteger(query, 'page', 1, Number.MAX_SAFE_INTEGER, 'pos_integer()'), pageSize: readLimit(query) };
}

/** @throws RefusalError */
export function readBoolean(query: URLSearchParams, name: string): boolean | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  if (text !== 'true' && text !== 'false') throw invalid(name, 'Unable to parse boolean value', text);
  return text === 'true';
}

/** @throws RefusalError */
export function readChoice<const T extends string>(
  query: URLSearchParams,
  name: string,
  choices: readonly T[],
  reason = 'unable_to_convert_to_enum_symbol',
): T | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  const found = choices.find((choice) => choice === text);
  if (found === undefined) throw invalid(name, reason, text);
  return found;
}

/** @throws RefusalError unless the body is an object */
export function bodyOf({ body }: Pick<ServedRequest, 'body'>): JsonObject {
  if (!isObject(body)) throw invalid('root', 'bad_value_for_struct');
  return body;
}

/** Reads a required text. @param prefix of the field's name in messages @throws RefusalError */
export function readText(body: JsonObject, name: string, prefix = 'root.'): string {
  const value = optionalText(body, name, prefix);
  if (value === undefined) throw invalid(prefix + name, 'required_field');
  return value;
}

/** @throws RefusalError */
export function optionalText(body: JsonObject, name: string, prefix = 'root.'): string | undefined {
  const value = fieldOf(body, name);
  if (value === undefined) return undefined;
  if (typeof value !== 'string') throw invalid(prefix + name, { expected: 'binary()' }, value);
  return value;
}

/** @throws RefusalError */
export function optionalFlag(body: JsonObject, name: string): boolean | undefined {
  const value = fieldOf(body, name);
  if (value === undefined || typeof value === 'boolean') return value;
  throw invalid(`root.${name}`, { expected: 'boolean()' }, value);
}

/** @throws RefusalError */
export function readQos(body: JsonObject): Qos {
  const value = fieldOf(body, 'qos') ?? 0;
  if (value === 0 || value === 1 || value === 2) return value;
  throw invalid('root.qos', 'Unable to parse string', value);
}

/** Reads a field. Names of the prototype are none. */
export function fieldOf(body: JsonObject, name: string): unknown {
  return Object.hasOwn(body, name) ? (body[name] ?? undefined) : undefined;
}
