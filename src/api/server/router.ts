import type { HttpMethod } from '../dialect.ts';

export interface Route<Handler> {
  readonly method: HttpMethod;
  /** The path below the base path; a segment that starts with `:` is a parameter. */
  readonly pattern: string;
  readonly handler: Handler;
}

export type MatchedRoute<Handler> =
  | {
      readonly kind: 'found';
      readonly handler: Handler;
      readonly pattern: string;
      readonly params: ReadonlyMap<string, string>;
    }
  | { readonly kind: 'other-method'; readonly allowed: readonly HttpMethod[] }
  | { readonly kind: 'bad-url' | 'unknown' };

export interface RouterOptions {
  /** Removes the segments `.` and `..` after decoding. */
  readonly removesDots: boolean;
}

/** Splits a path; `undefined` for one that cannot be decoded. */
function segmentsOf(path: string, { removesDots }: RouterOptions): readonly string[] | undefined {
  const segments: string[] = [];
  // One trailing slash is tolerated.
  for (const part of path.slice(1).replace(/\/$/u, '').split('/')) {
    let segment: string;
    try {
      segment = decodeURIComponent(part);
    } catch {
      return undefined;
    }
    if (!removesDots || (segment !== '.' && segment !== '..')) segments.push(segment);
    else if (segment === '..') segments.pop();
  }
  return segments;
}

export function createRouter<Handler>(
  routes: readonly Route<Handler>[],
  options: RouterOptions,
): (method: string, path: string) => MatchedRoute<Handler> {
  const compiled = routes.map((route) => ({ ...route, parts: route.pattern.slice(1).split('/') }));
  return (method, path) => {
    const segments = segmentsOf(path, options);
    if (segments === undefined) return { kind: 'bad-url' };
    const fitting = compiled.filter(
      ({ parts }) =>
        parts.length === segments.length &&
        parts.every((part, index) => part.startsWith(':') || part === segments[index]),
    );
    // A fixed segment wins over a parameter: it comes first in the table.
    const found = fitting.find((route) => route.method === method);
    if (found === undefined)
      return fitting.length === 0
        ? { kind: 'unknown' }
        : { kind: 'other-method', allowed: [...new Set(fitting.map((route) => route.method))] };
    const params = found.parts.flatMap((part, index): [string, string][] =>
      part.startsWith(':') ? [[part.slice(1), segments[index] ?? '']] : [],
    );
    return { kind: 'found', handler: found.handler, pattern: found.pattern, params: new Map(params) };
  };
}
