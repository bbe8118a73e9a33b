import { type ApiError, asApiError } from '../../api/errors.ts';
import type { CallOptions, Page, PageRequest, UnusableRows } from '../../api/management-api.ts';
import type { NodeName } from '../../domain/node.ts';
import { type Clock, sleep } from '../clock.ts';
import { forgetOldest, type RowTable } from './scan-rows.ts';
import type { ScanCoverage, ScanCut } from '../state.ts';
import { addUnusable, type ScanLimits } from './missing-rows.ts';

/**
 * Sizes of pages. Large ones, because page n costs the broker n - 1 skipped ones. Each size divides the previous one,
 * so reading can continue.
 */
const pageSizes = [5_000, 1_000, 200] as const;

const maxSizes = 256;

const sliceMs = 4;
const portionRows = 64;

const maxStalledPages = 2;

/** A page with fewer new rows is followed by a pause. */
const minUsefulRows = 50;
const thinPageRestMs = 250;

/** A list that grows by more while it is read is endless. */
const maxGrowth = 1.5;

export interface ScanNode {
  readonly name: NodeName;
  readonly expected: number | undefined;
}

export interface NodeReader<T> {
  readonly clock: Clock;
  readonly table: RowTable<T>;
  readonly signal: AbortSignal;
  readonly limits: ScanLimits;
  readonly list: (node: NodeName, page: PageRequest, options: CallOptions) => Promise<Page<T>>;
  readonly sizes: Map<NodeName, number>;
  readonly onRequest: () => void;
  readonly onProgress: (node: NodeName, coverage: ScanCoverage) => void;
}

/**
 * The times of a scan, which pauses after each page for as long as the page took, and so occupies the broker at most
 * half of the time.
 */
export interface ScanTiming {
  startedMs: number;
  restUntilMs: number;
  lostMs: number;
  hasFailed: boolean;
  /** Ends the pause at once. */
  wake: AbortController;
}

export const beginTiming = (nowMs: number): ScanTiming => ({
  startedMs: nowMs,
  restUntilMs: nowMs,
  lostMs: 0,
  hasFailed: false,
  wake: new AbortController(),
});

/** Ends the pause because the API, or a node, is back: what was waited for until now was no load on it. */
export function restartTiming(timing: ScanTiming, nowMs: number): void {
  timing.wake.abort();
  Object.assign(timing, beginTiming(nowMs));
}

export const unreadCoverage: ScanCoverage = { read: 0, expected: undefined, isComplete: false, error: undefined };

function reachedLimit<T>({ clock, table, limits }: NodeReader<T>, timing: ScanTiming): ScanCut | undefined {
  const { rows, textLength } = table.seen();
  if (rows >= limits.maxRows) return 'rows';
  if (textLength >= limits.maxTextLength) return 'text';
  return clock.monotonicMs() - timing.startedMs >= limits.maxMs ? 'time' : undefined;
}

function promisedRows<T>({ totalItems, totalPages }: Page<T>, pageSize: number): number | undefined {
  return totalItems ?? (totalPages === undefined ? undefined : totalPages * pageSize);
}

/**
 * Reads one node's list to its end or a limit; resolves early on abort. @throws ApiError of a page; rows read before
 * stay
 */
export async function readNode<T>(reader: NodeReader<T>, node: ScanNode, timing: ScanTiming): Promise<void> {
  const { clock, signal, table } = reader;
  let pageSize = reader.sizes.get(node.name) ?? pageSizes[0];
  let page = 1;
  let pages = 0;
  let stalled = 0;
  let isSteady = true;
  let coverage = unreadCoverage;
  let beganAtMs: number | undefined;
  let maxGrown = Number.POSITIVE_INFINITY;
  let unusable: UnusableRows | undefined;

  function leaveOut(cut: ScanCut): void {
    coverage = { ...coverage, cut };
    table.cutNode(node.name);
    reader.onProgress(node.name, coverage);
  }

  for (;;) {
    const limit = reachedLimit(reader, timing);
    if (limit !== undefined) {
      leaveOut(limit);
      return;
    }
    const restMs = timing.restUntilMs - clock.monotonicMs();
    if (restMs > 0) {
      await sleep(clock, restMs, AbortSignal.any([signal, timing.wake.signal]));
      if (timing.hasFailed) timing.lostMs += restMs;
    }
    if (signal.aborted) return;
    const startedMs = clock.monotonicMs();
    beganAtMs ??= clock.nowMs();
    let answer: Page<T>;
    try {
      reader.onRequest();
      table.beginPage();
      timing.hasFailed = false;
      answer = await reader.list(
        node.name,
        { page, pageSize },
        {
          signal,
          onUnusable: (rows) => {
            unusable = addUnusable(unusable, rows);
          },
        },
      );
    } catch (thrown) {
      timing.hasFailed = true;
      timing.lostMs += clock.monotonicMs() - Math.max(startedMs, timing.startedMs);
      if (signal.aborted) return;
      const error = asApiError(thrown);
      const smaller = smallerSize(error, pageSize, coverage.expected ?? node.expected);
      if (smaller === undefined) throw error;
      page = (page - 1) * (pageSize / smaller) + 1;
      pageSize = smaller;
      reader.sizes.set(node.name, smaller);
      forgetOldest(reader.sizes, maxSizes);
      continue;
    } finally {
      const endedMs = clock.monotonicMs();
      timing.restUntilMs = endedMs + (endedMs - Math.max(startedMs, timing.startedMs));
    }
    if (signal.aborted) return;

    pages += 1;
    pageSize = grantedSize(answer, pageSize);
    if (pages === 1) maxGrown = maxGrowth * (promisedRows(answer, pageSize) ?? Number.POSITIVE_INFINITY) + pageSize;
    const { fresh, isMerged } = await mergeInSlices(reader, node.name, answer.items);
    if (signal.aborted) return;
    stalled = fresh === 0 ? stalled + 1 : 0;
    if (pages > 1 && answer.totalItems !== coverage.expected) isSteady = false;
    const read = coverage.read + fresh;
    const missing = answer.totalItems === undefined ? undefined : answer.totalItems - read - (unusable?.count ?? 0);
    const isAtEnd = isLastPage(answer, page, pageSize);
    // With routes, repeated rows may be all there are.
    const isRepeating =
      (stalled >= maxStalledPages && (missing ?? 1) > 0) || (isAtEnd && fresh === 0 && (missing ?? 0) >= minUsefulRows);
    const isLast = isMerged && !isRepeating && (isAtEnd || stalled >= maxStalledPages);
    coverage = {
      read,
      expected: answer.totalItems ?? coverage.expected,
      isComplete: isLast,
      error: undefined,
      readAtMs: isLast ? clock.monotonicMs() : undefined,
      beganAtMs: isLast ? beganAtMs : undefined,
      unusable,
    };
    // A change between pages may have shifted rows; a missing row may be one that was not decoded.
    if (isLast)
      table.endNode(
        node.name,
        isSteady && unusable === undefined && (coverage.expected === undefined || coverage.read >= coverage.expected),
      );
    reader.onProgress(node.name, coverage);
    if (isLast) return;
    if (isMerged && (isRepeating || read > maxGrown)) {
      leaveOut(isRepeating ? 'repeats' : 'growth');
      return;
    }
    if (fresh < minUsefulRows) timing.restUntilMs = Math.max(timing.restUntilMs, clock.monotonicMs() + thinPageRestMs);
    page += 1;
  }
}

function smallerSize(error: ApiError, pageSize: number, expected: number | undefined): number | undefined {
  if (error.kind !== 'timeout' && error.kind !== 'too-large') return undefined;
  const smaller = pageSizes.find((size) => size < pageSize && pageSize % size === 0);
  return smaller !== undefined && (error.kind === 'too-large' || (expected ?? 0) > smaller) ? smaller : undefined;
}

/** Returns the page size of an answer: the broker may use a smaller one than requested. */
function grantedSize<T>(answer: Page<T>, requested: number): number {
  const isCut = answer.pageSize > 0 && answer.pageSize < requested && answer.items.length <= answer.pageSize;
  return isCut ? answer.pageSize : requested;
}

function isLastPage<T>(answer: Page<T>, page: number, pageSize: number): boolean {
  if (answer.hasNext !== undefined) return !answer.hasNext;
  if (answer.items.length === 0) return true;
  if (answer.totalPages !== undefined) return page >= answer.totalPages;
  if (answer.totalItems !== undefined) return page * pageSize >= answer.totalItems;
  return answer.items.length < pageSize;
}

async function mergeInSlices<T>(
  { clock, signal, table, limits }: NodeReader<T>,
  node: NodeName,
  items: readonly T[],
): Promise<{ readonly fresh: number; readonly isMerged: boolean }> {
  let fresh = 0;
  let sinceMs = clock.monotonicMs();
  for (let start = 0; start < items.length;) {
    const seen = table.seen();
    const room = limits.maxRows - seen.rows;
    if (room <= 0 || seen.textLength >= limits.maxTextLength) return { fresh, isMerged: false };
    if (clock.monotonicMs() - sinceMs >= sliceMs) {
      await sleep(clock, 0, signal);
      if (signal.aborted) break;
      sinceMs = clock.monotonicMs();
    }
    const end = Math.min(items.length, start + Math.min(portionRows, room));
    fresh += table.merge(node, items, start, end);
    start = end;
  }
  return { fresh, isMerged: true };
}
