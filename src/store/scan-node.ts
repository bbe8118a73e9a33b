import type { ApiError } from '../api/errors.ts';
import type { CallOptions, Page, PageRequest } from '../api/management-api.ts';
import type { NodeName } from '../domain/node.ts';
import { toApiError } from './backoff.ts';
import { sleep } from './clock.ts';
import { forgetOldest } from './forget-oldest.ts';
import type { Clock } from './clock.ts';
import type { RowTable } from './scan-rows.ts';
import type { ScanCoverage } from './state.ts';

/**
 * Rows asked for at once. Page n costs the broker (n − 1) pages of skipped rows, so few large pages;
 * a page of 5,000 rows takes a real broker 50 ms, so a smaller first one would show nothing sooner,
 * and would not fit: page numbers depend on the size. The smaller sizes are for a broker that cannot
 * answer a large page in time; each divides the one before, so reading goes on at the same row.
 */
const pageSizes = [5_000, 1_000, 200] as const;

/** Nodes whose page size is remembered; one that is forgotten is found out again. */
const mostSizes = 256;

/** How long rows are merged without letting anything else run, and how many of them without looking at the clock. */
const sliceMs = 4;
const portionRows = 64;

/** A broker that repeats the same rows for ever does not hold us longer than this many pages without a new row. */
const longestStall = 2;

/** A node to be read. */
export interface ScanNode {
  readonly name: NodeName;
  /** Rows that it is said to hold. */
  readonly expected: number | undefined;
}

export interface NodeReader<T> {
  readonly clock: Clock;
  readonly table: RowTable<T>;
  readonly signal: AbortSignal;
  readonly list: (node: NodeName, page: PageRequest, options: CallOptions) => Promise<Page<T>>;
  /** Page sizes found out in earlier scans, by node. */
  readonly sizes: Map<NodeName, number>;
  readonly onRequest: () => void;
  readonly onProgress: (node: NodeName, coverage: ScanCoverage) => void;
}

/**
 * Until when to leave the broker alone: from the end of the last page as long as that took, so that it is never
 * busy with us more than half of the time. Its rows are merged meanwhile.
 */
export interface Pace {
  readonly startedMs: number;
  restUntilMs: number;
  /** Of the time since the start: waited for answers that never came, and then left alone. That was no load. */
  lostMs: number;
  /** The last request got no usable answer. */
  hasFailed: boolean;
}

export const beginPace = (nowMs: number): Pace => ({ startedMs: nowMs, restUntilMs: nowMs, lostMs: 0, hasFailed: false });

/** Nothing of a node read yet. */
export const unreadCoverage: ScanCoverage = { read: 0, expected: undefined, isComplete: false, error: undefined };

/**
 * Reads all pages of one node's list into the table. Resolves early when the signal ends; rejects
 * with the `ApiError` of a page that could not be read, leaving what was read before.
 */
export async function readNode<T>(reader: NodeReader<T>, node: ScanNode, pace: Pace): Promise<void> {
  const { clock, signal, table } = reader;
  let pageSize = reader.sizes.get(node.name) ?? pageSizes[0];
  let page = 1;
  let pages = 0;
  let stalled = 0;
  let isSteady = true;
  let coverage = unreadCoverage;
  let beganAtMs: number | undefined;

  for (;;) {
    const restMs = pace.restUntilMs - clock.monotonicMs();
    if (restMs > 0) {
      await sleep(clock, restMs, signal);
      if (pace.hasFailed) pace.lostMs += restMs;
    }
    if (signal.aborted) return;
    const startedMs = clock.monotonicMs();
    beganAtMs ??= clock.nowMs();
    let answer: Page<T>;
    try {
      reader.onRequest();
      table.beginPage();
      pace.hasFailed = false;
      answer = await reader.list(node.name, { page, pageSize }, { signal });
    } catch (thrown) {
      pace.hasFailed = true;
      pace.lostMs += clock.monotonicMs() - startedMs;
      if (signal.aborted) return;
      const error = toApiError(thrown);
      const smaller = smallerSize(error, pageSize, coverage.expected ?? node.expected);
      if (smaller === undefined) throw error;
      page = (page - 1) * (pageSize / smaller) + 1;
      pageSize = smaller;
      reader.sizes.set(node.name, smaller);
      forgetOldest(reader.sizes, mostSizes);
      continue;
    } finally {
      const endedMs = clock.monotonicMs();
      pace.restUntilMs = endedMs + (endedMs - startedMs);
    }
    if (signal.aborted) return;

    pages += 1;
    pageSize = grantedSize(answer, pageSize);
    const fresh = await mergeInSlices(reader, node.name, answer.items);
    if (signal.aborted) return;
    stalled = fresh === 0 ? stalled + 1 : 0;
    if (pages > 1 && answer.totalItems !== coverage.expected) isSteady = false;
    const isLast = stalled >= longestStall || isLastPage(answer, page, pageSize);
    coverage = {
      read: coverage.read + fresh,
      expected: answer.totalItems ?? coverage.expected,
      isComplete: isLast,
      error: undefined,
      readAtMs: isLast ? clock.monotonicMs() : undefined,
      beganAtMs: isLast ? beganAtMs : undefined,
    };
    // A list that changed while it was read in pages may have shifted rows past us: they are not gone for certain.
    if (isLast) table.endNode(node.name, isSteady && (coverage.expected === undefined || coverage.read >= coverage.expected));
    reader.onProgress(node.name, coverage);
    if (isLast) return;
    page += 1;
  }
}

/** The next smaller size when a page was too much and a smaller one would be less. */
function smallerSize(error: ApiError, pageSize: number, expected: number | undefined): number | undefined {
  if (error.kind !== 'timeout' && error.kind !== 'too-large') return undefined;
  const smaller = pageSizes.find((size) => size < pageSize && pageSize % size === 0);
  return smaller !== undefined && (expected ?? 0) > smaller ? smaller : undefined;
}

/** The size that the broker counts pages by, when it allows less than was asked for. */
function grantedSize<T>(answer: Page<T>, asked: number): number {
  const isCut = answer.pageSize > 0 && answer.pageSize < asked && answer.items.length <= answer.pageSize;
  return isCut ? answer.pageSize : asked;
}

function isLastPage<T>(answer: Page<T>, page: number, pageSize: number): boolean {
  if (answer.items.length === 0) return true;
  if (answer.totalPages !== undefined) return page >= answer.totalPages;
  if (answer.totalItems !== undefined) return page * pageSize >= answer.totalItems;
  return answer.items.length < pageSize;
}

async function mergeInSlices<T>({ clock, signal, table }: NodeReader<T>, node: NodeName, items: readonly T[]): Promise<number> {
  let fresh = 0;
  let sinceMs = clock.monotonicMs();
  for (let start = 0; start < items.length; start += portionRows) {
    if (clock.monotonicMs() - sinceMs >= sliceMs) {
      await sleep(clock, 0, signal);
      if (signal.aborted) return fresh;
      sinceMs = clock.monotonicMs();
    }
    fresh += table.merge(node, items, start, Math.min(items.length, start + portionRows));
  }
  return fresh;
}
