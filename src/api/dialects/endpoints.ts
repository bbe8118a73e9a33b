import type { HttpMethod } from '../dialect.ts';
import { UnusableIdError } from '../errors.ts';
import { notSentTexts } from '../texts.ts';

type ParamNames<Pattern extends string> = Pattern extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParamNames<`/${Rest}`>
  : Pattern extends `${string}:${infer Name}`
    ? Name
    : never;

export type PathParams<Pattern extends string> = Readonly<Record<ParamNames<Pattern>, string>>;

export interface Endpoint<Pattern extends string = string> {
  readonly method: HttpMethod;
  /** The path below the base path; a segment that starts with `:` is a parameter. */
  readonly pattern: Pattern;
  /** Builds the encoded path below the base path. @throws UnusableIdError if a parameter cannot be sent in a path */
  build(params: PathParams<Pattern>): string;
}

/** Whether proxies or brokers may remove a segment from a path. */
export const isDotSegment = (id: string): boolean => id === '.' || id === '..';

/** Encodes a segment that is not a dot segment. @throws UnusableIdError for an empty id and half of a surrogate pair */
export function encodeSegment(id: string): string {
  if (id === '') throw new UnusableIdError(notSentTexts.emptyId);
  return encoded(id).replaceAll('%40', '@').replaceAll('%3A', ':');
}

function encoded(text: string): string {
  try {
    return encodeURIComponent(text);
  } catch (cause) {
    throw new UnusableIdError(notSentTexts.brokenId, { cause });
  }
}

const parameter = /:([a-zA-Z]+)/gu;

/** Returns a function that makes the endpoints of a dialect, which says how a segment is encoded. */
export const endpointsWith =
  (encode: (segment: string) => string) =>
  <const Pattern extends string>(method: HttpMethod, pattern: Pattern): Endpoint<Pattern> => ({
    method,
    pattern,
    build(params) {
      const values: Readonly<Record<string, string>> = params;
      return pattern.replace(parameter, (_, name: string) => encode(values[name] ?? ''));
    },
  });

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** Builds a query without values that are `undefined`. @throws UnusableIdError for half of a surrogate pair */
export function buildQuery(values: Query): string {
  const pairs = Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encoded(String(value)).replaceAll('%40', '@').replaceAll('%2C', ',')}`],
  );
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}
