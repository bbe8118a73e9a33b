import { NotFoundError } from '../../../errors.ts';
import type { CallOptions, PageRequest } from '../../../management-api.ts';
import { BadBodyError, type JsonObject, parseJsonObject } from '../../../server/request.ts';
import { errorOfCode } from '../envelope.ts';
import { defaultPage, pageQueryNames } from '../paths.ts';

export interface ServedRequest {
  param(name: string): string;
  readonly query: URLSearchParams;
  readonly body: JsonObject;
  readonly options: CallOptions;
}

/** @throws BrokerError 109 unless the body is a JSON object without repeated names */
export function parseBody(body: Buffer): JsonObject {
  try {
    return parseJsonObject(body);
  } catch (error) {
    if (error instanceof BadBodyError) throw errorOfCode(109, error.message, { cause: error.cause });
    throw error;
  }
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

/** Returns `undefined` for an absent field. Names of the prototype are not fields. */
function fieldOf(body: JsonObject, name: string): unknown {
  return Object.hasOwn(body, name) ? body[name] : undefined;
}

export function requireFields(body: JsonObject, ...names: readonly string[]): void {
  for (const name of names) {
    if (fieldOf(body, name) === undefined) throw errorOfCode(107, `${name} is missing`);
  }
}

/** Returns `fallback` when the field is absent. @throws BrokerError 108 when it has another type */
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

/** Reads a field that `requireFields` has checked. @throws BrokerError 108 */
export function readString(body: JsonObject, name: string): string {
  return readField(body, name, 'string', '');
}

export function readAllStrings(body: JsonObject): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.keys(body).map((name) => [name, readString(body, name)]));
}

/** Whether a page parameter is repeated: programs disagree on which value counts. */
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

/**
 * Reads the page (§4). A page below 1 is page 1. @throws NotFoundError where real brokers crash: not a number, or a
 * size below 1
 */
export function readPage(query: URLSearchParams): RequestedPage {
  const requestedPage = readInteger(query, pageQueryNames.page, defaultPage.page);
  const pageSize = readInteger(query, pageQueryNames.pageSize, defaultPage.pageSize);
  if (pageSize < 1) throw new NotFoundError();
  return { requestedPage, page: Math.max(1, requestedPage), pageSize };
}
