import { BadAnswerError, NotFoundError, UnsupportedError } from '../errors.ts';
import type { CallOptions, Capabilities } from '../management-api.ts';
import { ShapeError } from './records.ts';
import type { Http } from './http.ts';
import { endpoints } from './paths.ts';
import type { Endpoint, PathParams } from './paths.ts';
import { evidenceOfStats } from './variant-detector.ts';
import type { VariantDetector } from './variant-detector.ts';
import type { VariantRules } from './variants.ts';

/** Capabilities that an operation may stand or fall with, and how it is named to the operator. */
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

/** Calls endpoints and reads their answers, for the operations of the port. */
export class Caller {
  readonly #http: Http;
  readonly #detector: VariantDetector;

  constructor(http: Http, detector: VariantDetector) {
    this.#http = http;
    this.#detector = detector;
  }

  /** Asks for data. @throws ApiError; BadAnswerError where `decode` finds another shape */
  async read<Pattern extends string, T>(call: Call<Pattern>, decode: (result: unknown) => T): Promise<T> {
    const { endpoint, params, query = '', signal } = call;
    const path = endpoint.build(params) + query;
    const result = await this.#send(endpoint, { method: endpoint.method, path, signal });
    try {
      return decode(result);
    } catch (error) {
      if (!(error instanceof ShapeError)) throw error;
      throw new BadAnswerError(error.message, { request: { method: endpoint.method, path: this.#http.prefix + path } });
    }
  }

  /** Does something; the result of a success says nothing (§2.1). @throws ApiError */
  async act<Pattern extends string>(call: Call<Pattern>): Promise<void> {
    const { endpoint, params, body, signal } = call;
    await this.#send(endpoint, { method: endpoint.method, path: endpoint.build(params), body, signal });
  }

  /** A 404 says what it may come from. */
  async #send(endpoint: Endpoint, request: Parameters<Http['send']>[0]): Promise<unknown> {
    try {
      return await this.#http.send(request);
    } catch (error) {
      const hint = error instanceof NotFoundError ? this.#detector.hintOf(endpoint) : undefined;
      if (!(error instanceof NotFoundError) || hint === undefined) throw error;
      throw new NotFoundError({ request: error.request, cause: error, hint });
    }
  }

  /**
   * The rules of the broker's variant. Asks for the statistics, the smallest answer that tells,
   * when no answer has told yet.
   * @throws UnsupportedError when even that does not tell
   */
  async rules(task: string, options: CallOptions): Promise<VariantRules> {
    if (!this.#detector.rules) {
      await this.read({ endpoint: endpoints.listStats, params: {}, ...options }, (result) => {
        this.#detector.observe(evidenceOfStats(result));
      });
    }
    const rules = this.#detector.rules;
    if (!rules) throw new UnsupportedError(`be told from its answers, so it is not known how to ${task}; start with --variant a or b`);
    return rules;
  }

  /** @throws UnsupportedError before anything but the probe is sent */
  async require(capability: keyof typeof guarded, options: CallOptions): Promise<void> {
    const rules = await this.rules(guarded[capability], options);
    if (!rules.capabilities[capability]) throw new UnsupportedError(guarded[capability]);
  }
}
