import { runSliced } from '../../../domain/sliced-task.ts';
import type { HttpRequest, Transport } from '../../dialect.ts';
import { AbortedError, NotFoundError, type RequestLine, NotSupportedError } from '../../errors.ts';
import type { CallOptions, Capabilities, Page, PageRequest } from '../../management-api.ts';
import { tooManyValues } from '../../transport/http.ts';
import { UnusableTally } from '../records.ts';
import { asBadAnswer, decodeInSlices, hasTooManyValues, orBadAnswer, refuseBrokenText } from '../rows.ts';
import { decodePage } from './decode.ts';
import type { PathParams } from '../endpoints.ts';
import { buildPageQuery, type Endpoint, endpoints } from './paths.ts';
import { evidenceOfStats, type VariantDetector, type VariantRules, variantTexts } from './variants.ts';

const guarded = {
  unsubscribe: 'remove a subscription',
  settings: 'read or change settings',
  nodeSubscriptionsOfClient: 'list the subscriptions of one client on one node',
} as const satisfies Partial<Record<keyof Capabilities, string>>;

export interface ReadOptions extends CallOptions, Pick<HttpRequest, 'deadlineMs' | 'waitsForNodes'> {}

interface Call<Pattern extends string> extends ReadOptions {
  readonly endpoint: Endpoint<Pattern>;
  readonly params: PathParams<Pattern>;
  readonly query?: string;
  readonly body?: unknown;
}

export class Caller {
  readonly #transport: Transport;
  readonly #detector: VariantDetector;

  constructor(transport: Transport, detector: VariantDetector) {
    this.#transport = transport;
    this.#detector = detector;
  }

  /** Reads and decodes. @throws ApiError; BadAnswerError if `decode` finds another shape */
  async read<Pattern extends string, T>(
    call: Call<Pattern>,
    decode: (result: unknown, tally: UnusableTally) => T,
  ): Promise<T> {
    const { endpoint, params, query = '', signal, deadlineMs, waitsForNodes } = call;
    const path = endpoint.build(params) + query;
    const result = await this.#send(endpoint, { method: endpoint.method, path, signal, deadlineMs, waitsForNodes });
    const request: RequestLine = { method: endpoint.method, path: this.#transport.prefix + path };
    if (hasTooManyValues(result)) throw tooManyValues(request);
    const tally = new UnusableTally();
    const value = orBadAnswer(request, () => decode(result, tally));
    if (tally.rows !== undefined) call.onUnusable?.(tally.rows);
    return value;
  }

  async readPage<Pattern extends string, T>(
    call: Omit<Call<Pattern>, 'query'>,
    page: PageRequest,
    decodeItems: (list: unknown, tally: UnusableTally) => readonly T[],
  ): Promise<Page<T>> {
    const { endpoint, params, signal, deadlineMs } = call;
    const path = endpoint.build(params) + buildPageQuery(page);
    const request: RequestLine = { method: endpoint.method, path: this.#transport.prefix + path };
    const result = await this.#send(endpoint, { method: endpoint.method, path, signal, deadlineMs });
    let rows: readonly unknown[] = [];
    const head = orBadAnswer(request, () =>
      decodePage(result, page, (list): readonly T[] => {
        if (Array.isArray(list)) rows = list;
        return [];
      }),
    );
    const tally = new UnusableTally();
    try {
      const items = await runSliced(
        decodeInSlices(rows, (portion) => decodeItems(portion, tally)),
        { signal },
      );
      if (tally.rows !== undefined) call.onUnusable?.(tally.rows);
      return { ...head, items };
    } catch (error) {
      throw signal?.aborted === true && error === signal.reason
        ? new AbortedError({ request })
        : asBadAnswer(error, request);
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

  /**
   * Returns the rules of the variant; reads the statistics if it is not known yet. @throws NotSupportedError if it
   * stays unknown
   */
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
