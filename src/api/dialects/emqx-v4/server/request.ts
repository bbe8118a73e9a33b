import type { Qos } from '../../../../domain/client.ts';
import type { CallOptions, PageRequest } from '../../../management-api.ts';
import type { JsonObject } from '../../../server/request.ts';
import { type Answer, internalError, refusal, RefusalError } from './answer.ts';

export interface ServedRequest {
  param(name: string): string;
  readonly query: URLSearchParams;
  readonly body: JsonObject;
  readonly options: CallOptions;
}

export type Handler = (request: ServedRequest) => Promise<Answer>;

const integer = /^-?\d{1,15}$/u;

/** Reads a number as the broker does, which fails for other texts. @throws RefusalError */
export function readInteger(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  if (!integer.test(text)) throw new RefusalError(internalError);
  return Number(text);
}

/** The size of a page that is not given. There is no limit to one that is. */
const defaultLimit = 10_000;

/** @throws RefusalError */
export const readPage = (query: URLSearchParams): PageRequest => ({
  page: Math.max(1, readInteger(query, '_page') ?? 1),
  pageSize: Math.max(0, readInteger(query, '_limit') ?? defaultLimit),
});

/** Returns a field. Names of the prototype are none. */
export const fieldOf = (body: JsonObject, name: string): unknown =>
  Object.hasOwn(body, name) ? (body[name] ?? undefined) : undefined;

/** @throws RefusalError */
export function readText(body: JsonObject, name: string, missing: Answer = refusal(107, `missing ${name}`)): string {
  const value = fieldOf(body, name);
  if (typeof value !== 'string') throw new RefusalError(missing);
  return value;
}

export function optionalText(body: JsonObject, name: string): string | undefined {
  const value = fieldOf(body, name);
  return typeof value === 'string' ? value : undefined;
}

/** @throws RefusalError */
export function readQos(body: JsonObject): Qos {
  const value = fieldOf(body, 'qos') ?? 0;
  if (value === 0 || value === 1 || value === 2) return value;
  throw new RefusalError(refusal(116, 'bad_qos'));
}
