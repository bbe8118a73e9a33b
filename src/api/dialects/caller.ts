import { runSliced } from '../../domain/sliced-task.ts';
import type { HttpMethod, HttpRequest, Transport } from '../dialect.ts';
import { AbortedError, BadAnswerError, type RequestLine } from '../errors.ts';
import { isObject } from '../json.ts';
import type { CallOptions, Page, PageRequest } from '../management-api.ts';
import { tooManyValues } from '../transport/http.ts';
import { buildQuery, type Query } from './endpoints.ts';
import { decodeRows, type Fields } from './fields.ts';
import { UnusableTally } from './records.ts';
import { asBadAnswer, decodeInSlices, hasTooManyValues, orBadAnswer, refuseBrokenText } from './rows.ts';

/** The result of a dialect's `openAnswer` for a success. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
  /** The broker's clock, in seconds. */
  readonly sentAt: number | undefined;
}

/** @throws BadAnswerError */
export function openedAnswer(answer: unknown): Answer {
  if (isObject(answer) && typeof answer['status'] === 'number')
    return {
      status: answer['status'],
      body: answer['body'],
      sentAt: typeof answer['sentAt'] === 'number' ? answer['sentAt'] : undefined,
    };
  throw new BadAnswerError('not an answer');
}

export interface OpenedPage {
  readonly rows: readonly unknown[];
  readonly head: Omit<Page<never>, 'items'>;
}

/** The way in which an API asks for a page, and answers with one. */
export interface PageFormat {
  query(page: PageRequest): Query;
  /** @throws ShapeError */
  open(body: unknown, request: PageRequest): OpenedPage;
}

export interface CallTarget {
  readonly method: HttpMethod;
  /** The path below the base path, with its query. */
  readonly path: string;
}

export interface ReadOptions extends CallOptions {
  readonly deadlineMs?: number | undefined;
  readonly waitsForNodes?: boolean | undefined;
}

export interface AnswerDetails {
  readonly tally: UnusableTally;
  readonly sentAt: number | undefined;
}

const sendingOf = ({ signal, deadlineMs, waitsForNodes }: ReadOptions = {}): Pick<
  HttpRequest,
  'signal' | 'deadlineMs' | 'waitsForNodes'
> => ({ signal, deadlineMs, waitsForNodes });

/** The page that a list without pages is. */
const wholeList: PageRequest = { page: 1, pageSize: Number.MAX_SAFE_INTEGER };

/** Sends the calls of a dialect, and decodes their answers. */
export class Caller {
  readonly #transport: Transport;
  readonly #pages: PageFormat;

  constructor(transport: Transport, pages: PageFormat) {
    this.#transport = transport;
    this.#pages = pages;
  }

  get hasToken(): boolean {
    return this.#transport.hasToken === true;
  }

  lineOf({ method, path }: CallTarget): RequestLine {
    return { method, path: this.#transport.prefix + path };
  }

  /** Reads and decodes. @throws ApiError; BadAnswerError if `decode` finds another shape */
  async read<T>(
    path: string,
    options: ReadOptions | undefined,
    decode: (body: unknown, reading: AnswerDetails) => T,
  ): Promise<T> {
    const target = { method: 'GET', path } as const;
    const request = this.lineOf(target);
    const { body, sentAt } = openedAnswer(await this.#transport.send({ ...target, ...sendingOf(options) }));
    if (hasTooManyValues(body)) throw tooManyValues(request);
    const tally = new UnusableTally();
    const value = orBadAnswer(request, () => decode(body, { tally, sentAt }));
    if (tally.rows !== undefined) options?.onUnusable?.(tally.rows);
    return value;
  }

  /**
   * Reads a page and decodes it in slices: 5,000 clients have 2 MB.
   * @param page `whole` asks for no page: the answer is the whole list
   */
  async readPage<T>(
    path: string,
    query: Query,
    page: PageRequest | 'whole',
    options: ReadOptions | undefined,
    decode: (fields: Fields) => T | undefined,
  ): Promise<Page<T>> {
    const asked = page === 'whole' ? {} : this.#pages.query(page);
    const target = { method: 'GET', path: path + buildQuery({ ...query, ...asked }) } as const;
    const request = this.lineOf(target);
    const signal = options?.signal;
    const { body } = openedAnswer(await this.#transport.send({ ...target, ...sendingOf(options) }));
    const { rows, head } = orBadAnswer(request, () => this.#pages.open(body, page === 'whole' ? wholeList : page));
    const tally = new UnusableTally();
    try {
      const items = await runSliced(
        decodeInSlices(rows, (portion) => decodeRows(portion, 'list', decode, tally)),
        { signal },
      );
      if (tally.rows !== undefined) options?.onUnusable?.(tally.rows);
      return { ...head, items };
    } catch (error) {
      throw signal?.aborted === true && error === signal.reason
        ? new AbortedError({ request })
        : asBadAnswer(error, request);
    }
  }

  /** Sends an action. @throws ApiError; RefusedError for a text that cannot be sent */
  async act(target: CallTarget, options: CallOptions | undefined, body?: unknown): Promise<Answer> {
    refuseBrokenText(body);
    return openedAnswer(await this.#transport.send({ ...target, body, signal: options?.signal }));
  }
}
