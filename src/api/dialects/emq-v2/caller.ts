import { runSliced, type SlicedTask } from '../../../domain/sliced-task.ts';
import type { HttpRequest, Transport } from '../../dialect.ts';
import { AbortedError, BadAnswerError, NotFoundError, RefusedError, type RequestLine, NotSupportedError } from '../../errors.ts';
import { isObject } from '../../json.ts';
import type { CallOptions, Capabilities, Page, PageRequest } from '../../management-api.ts';
import { notSentTexts } from '../../texts.ts';
import { httpDefaults, tooManyValues } from '../../transport/http.ts';
import { decodePage } from './decode.ts';
import { buildPageQuery, type Endpoint, endpoints, type PathParams } from './paths.ts';
import { ShapeError, UnusableTally } from './records.ts';
import { evidenceOfStats, type VariantDetector, type VariantRules, variantTexts } from './variants.ts';

const guarded = {
  unsubscribe: 'remove a subscription',
  settings: 'read or change settings',
  nodeSubscriptionsOfClient: 'list the subscriptions of one client on one node',
} as const satisfies Partial<Record<keyof Capabilities, string>>;

interface Call<Pattern extends string> extends CallOptions {
  readonly endpoint: Endpoint<Pattern>;
  readonly params: PathParams<Pattern>;
  readonly query?: string;
  readonly body?: unknown;
}

const portionRows = 64;
/** If none of the first rows can be decoded, the answer is not this list. */
const maxUnreadable = 1_000;

function hasMoreValues(json: unknown, max: number): boolean {
  const open: unknown[] = [json];
  let count = 0;
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    const values: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
    count += values.length;
    if (count > max) return true;
    for (const each of values) open.push(each);
  }
  return false;
}

function asBadAnswer(error: unknown, request: RequestLine): unknown {
  return error instanceof ShapeError ? new BadAnswerError(error.message, { request }) : error;
}

function orBadAnswer<T>(request: RequestLine, decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    throw asBadAnswer(error, request);
  }
}

/** Brokers read half of a surrogate pair as another character: the request would address another id. */
function refuseBrokenText(body: unknown): void {
  if (!isObject(body)) return;
  if (Object.entries(body).flat().every((part) => typeof part !== 'string' || part.isWellFormed())) return;
  throw new RefusedError(notSentTexts.brokenText);
}

/** @throws ShapeError if no row near the start can be decoded */
function* decodeInSlices<T>(rows: readonly unknown[], decode: (portion: readonly unknown[]) => readonly T[]): SlicedTask<readonly T[]> {
  const items: T[] = [];
  for (let start = 0; start < rows.length; start += portionRows) {
    const end = start + portionRows;
    try {
      for (const item of decode(rows.slice(start, end))) items.push(item);
    } catch (error) {
      const isTolerable = error instanceof ShapeError && (items.length > 0 || end < Math.min(rows.length, maxUnreadable));
      if (!isTolerable) throw error;
    }
    yield;
  }
  return items;
}

export class Caller {
  readonly #transport: Transport;
  readonly #detector: VariantDetector;

  constructor(transport: Transport, detector: VariantDetector) {
    this.#transport = transport;
    this.#detector = detector;
  }

  /** @throws ApiError; BadAnswerError if `decode` finds another shape */
  async read<Pattern extends string, T>(call: Call<Pattern>, decode: (result: unknown, tally: UnusableTally) => T): Promise<T> {
    const { endpoint, params, query = '', signal } = call;
    const path = endpoint.build(params) + query;
    const result = await this.#send(endpoint, { method: endpoint.method, path, signal });
    const request: RequestLine = { method: endpoint.method, path: this.#transport.prefix + path };
    if (hasMoreValues(result, httpDefaults.maxValues)) throw tooManyValues(request);
    const tally = new UnusableTally();
    const value = orBadAnswer(request, () => decode(result, tally));
    if (tally.rows !== undefined) call.onUnusable?.(tally.rows);
    return value;
  }

  async readPage<Pattern extends string, T>(call: Omit<Call<Pattern>, 'query'>, page: PageRequest, decodeItems: (list: unknown, tally: UnusableTally) => readonly T[]): Promise<Page<T>> {
    const { endpoint, params, signal } = call;
    const path = endpoint.build(params) + buildPageQuery(page);
    const request: RequestLine = { method: endpoint.method, path: this.#transport.prefix + path };
    const result = await this.#send(endpoint, { method: endpoint.method, path, signal });
    let rows: readonly unknown[] = [];
    const head = orBadAnswer(request, () => decodePage(result, page, (list): readonly T[] => {
      if (Array.isArray(list)) rows = list;
      return [];
    }));
    const tally = new UnusableTally();
    try {
      const items = await runSliced(decodeInSlices(rows, (portion) => decodeItems(portion, tally)), { signal });
      if (tally.rows !== undefined) call.onUnusable?.(tally.rows);
      return { ...head, items };
    } catch (error) {
      throw signal?.aborted === true && error === signal.reason ? new AbortedError({ request }) : asBadAnswer(error, request);
    }
  }

  /** Sends an action; its result is empty (§2.1). @throws ApiError; RefusedError for a text that cannot be sent */
  async act<Pattern extends string>(call: Call<Pattern>): Promise<void> {
    const { endpoint, params, body, signal } = call;
    const path = endpoint.build(params);
    refuseBrokenText(body);
    await this.#send(endpoint, { method: endpoint.method, path, body, signal });
  }

  async #send(endpoint: Endpoint, request: HttpRequest): Promise<unknown> {
    try {
      return await this.#transport.send(request);
    } catch (error) {
      const hint = error instanceof NotFoundError ? this.#detector.hintOf(endpoint) : undefined;
      if (!(error instanceof NotFoundError) || hint === undefined) throw error;
      throw new NotFoundError({ request: error.request, cause: error, hint });
    }
  }

  /** Reads the statistics if the variant is not known yet. @throws NotSupportedError if it stays unknown */
  async rules(task: string, options: CallOptions): Promise<VariantRules> {
    if (!this.#detector.rules) {
      await this.read({ endpoint: endpoints.listStats, params: {}, ...options }, (result) => {
        this.#detector.observe(evidenceOfStats(result));
      });
    }
    const rules = this.#detector.rules;
    if (!rules) throw new NotSupportedError(task, {}, variantTexts.undetected(task));
    return rules;
  }

  /** @throws NotSupportedError before the request itself is sent */
  async require(capability: keyof typeof guarded, options: CallOptions): Promise<void> {
    const rules = await this.rules(guarded[capability], options);
    if (!rules.capabilities[capability]) throw new NotSupportedError(guarded[capability]);
  }
}
