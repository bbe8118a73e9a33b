import type { NodeName } from '../domain/node.ts';
import { forgetOldest } from './forget-oldest.ts';

/** What a scan has to know about its rows. */
export interface RowIdentity<T> {
  /** Text that no two rows share. */
  identity(row: T): string;
  /** Nothing that is shown differs: the old object stays, so that nothing is drawn or sorted anew. */
  isSame(a: T, b: T): boolean;
  /** For one identity seen on two nodes: `candidate` is the truer one. */
  isPreferred(candidate: T, over: T): boolean;
}

/** The rows of a scanned list, one per identity, over many scans. */
export interface RowTable<T> {
  /** A scan of these nodes begins. Rows of other nodes are gone. */
  begin(nodes: readonly NodeName[]): void;
  /** A page is asked for. What it holds is newer than all removals before, and older than any after. */
  beginPage(): void;
  /** Rows of one node, in any portions; the answer is how many of them this scan had not seen on this node. */
  merge(node: NodeName, rows: readonly T[], start: number, end: number): number;
  /**
   * All of the node's list has been read. Rows of it that were not seen are gone; when the reading
   * may have had gaps (`isSure` false), only those that were not seen the time before either.
   */
  endNode(node: NodeName, isSure: boolean): void;
  /** A row that is known to be gone, without a scan; the page that is being read does not bring it back. `true` when there was one. */
  remove(id: string): boolean;
  /** The scan is over: `added` becomes what it found. */
  finish(): void;
  forgetGone(): void;
  /** The same object as before when nothing changed. */
  rows(): readonly T[];
  added(): ReadonlySet<string>;
  gone(): readonly T[];
}

interface Entry<T> {
  readonly id: string;
  row: T;
  node: NodeName;
  /** Number of the scan that saw it last. */
  seenIn: number;
  missed: number;
}

/** Nodes remembered as read, of those that are gone too. */
const mostNodes = 256;

const nothingAdded: ReadonlySet<string> = new Set();

/** See `RowTable`. Work per call is proportional to the portion, and to all rows for `begin`, `endNode` and a changed `rows()`. */
export function createRowTable<T>(describe: RowIdentity<T>): RowTable<T> {
  const byId = new Map<string, Entry<T>>();
  const readCompletely = new Set<NodeName>();
  let entries: Entry<T>[] = [];
  let scan = 0;
  let listedNodes = 0;
  let pending = new Set<NodeName>();
  let others = new Map<string, { readonly row: T; readonly node: NodeName }>();
  let newIds = new Set<string>();
  let gone = new Map<string, T>();
  /** Since the page was asked for that is being read. */
  const removed = new Set<string>();
  let rowsShown: readonly T[] | undefined = [];
  let goneShown: readonly T[] | undefined = [];
  let added = nothingAdded;

  function replace(entry: Entry<T>, row: T, node: NodeName): void {
    entry.node = node;
    entry.seenIn = scan;
    entry.missed = 0;
    if (describe.isSame(entry.row, row)) return;
    entry.row = row;
    rowsShown = undefined;
  }

  function add(id: string, row: T, node: NodeName): void {
    const entry: Entry<T> = { id, row, node, seenIn: scan, missed: 0 };
    entries.push(entry);
    byId.set(id, entry);
    rowsShown = undefined;
    // A row that left one node and turned up on another during this scan is not new.
    if (gone.delete(id)) goneShown = undefined;
    else if (readCompletely.has(node)) newIds.add(id);
  }

  function mergeRow(node: NodeName, row: T): boolean {
    const id = describe.identity(row);
    // Read, and no longer true.
    if (removed.has(id)) return true;
    const entry = byId.get(id);
    if (entry === undefined) {
      add(id, row, node);
      return true;
    }
    if (entry.node === node) {
      const isFirstSight = entry.seenIn !== scan;
      replace(entry, row, node);
      return isFirstSight;
    }
    if (entry.seenIn === scan) {
      if (describe.isPreferred(row, entry.row)) replace(entry, row, node);
    } else if (pending.has(entry.node) && describe.isPreferred(entry.row, row)) {
      // The other node has still to be read: only then is it known which of the two is right.
      others.set(id, { row, node });
    } else {
      replace(entry, row, node);
    }
    return true;
  }

  function removeWhere(isRemoved: (entry: Entry<T>) => boolean): void {
    // Copied only when something is removed: most scans remove nothing.
    let kept: Entry<T>[] | undefined;
    for (let at = 0; at < entries.length; at += 1) {
      const entry = entries[at];
      if (entry === undefined) continue;
      if (!isRemoved(entry)) {
        kept?.push(entry);
        continue;
      }
      kept ??= entries.slice(0, at);
      byId.delete(entry.id);
      newIds.delete(entry.id);
      gone.set(entry.id, entry.row);
    }
    if (kept === undefined) return;
    entries = kept;
    rowsShown = undefined;
    goneShown = undefined;
  }

  function isMissing(entry: Entry<T>, isSure: boolean): boolean {
    const other = others.get(entry.id);
    if (other !== undefined) {
      replace(entry, other.row, other.node);
      return false;
    }
    entry.missed += 1;
    return isSure || entry.missed > 1;
  }

  function forgetGone(): void {
    if (gone.size === 0) return;
    gone = new Map();
    goneShown = [];
  }

  return {
    begin(nodes) {
      scan += 1;
      pending = new Set(nodes);
      listedNodes = nodes.length;
      others = new Map();
      forgetGone();
      const listed = new Set(nodes);
      removeWhere((entry) => !listed.has(entry.node));
    },
    beginPage() {
      removed.clear();
    },
    merge(node, rows, start, end) {
      let fresh = 0;
      for (let index = start; index < end; index += 1) {
        const row = rows[index];
        if (row !== undefined && mergeRow(node, row)) fresh += 1;
      }
      return fresh;
    },
    endNode(node, isSure) {
      pending.delete(node);
      removeWhere((entry) => entry.node === node && entry.seenIn !== scan && isMissing(entry, isSure));
      readCompletely.delete(node);
      readCompletely.add(node);
      forgetOldest(readCompletely, Math.max(mostNodes, 2 * listedNodes));
    },
    remove(id) {
      const isThere = byId.has(id);
      if (isThere) removeWhere((entry) => entry.id === id);
      others.delete(id);
      removed.add(id);
      return isThere;
    },
    finish() {
      for (const [id, other] of others) {
        const entry = byId.get(id);
        if (entry !== undefined && entry.seenIn !== scan) replace(entry, other.row, other.node);
      }
      others = new Map();
      if (newIds.size > 0 || added.size > 0) added = newIds.size > 0 ? newIds : nothingAdded;
      newIds = new Set();
    },
    forgetGone,
    rows() {
      rowsShown ??= entries.map((entry) => entry.row);
      return rowsShown;
    },
    added: () => added,
    gone() {
      goneShown ??= [...gone.values()];
      return goneShown;
    },
  };
}
