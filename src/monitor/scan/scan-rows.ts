import type { NodeName } from '../../domain/node.ts';
import { forgetOldest } from '../forget-oldest.ts';

export interface RowIdentity<T> {
  /** Unique among the rows. */
  identity(row: T): string;
  /** Nothing visible differs: the old object is kept, so that nothing is redrawn or re-sorted. */
  isSame(a: T, b: T): boolean;
  /** For one identity on two nodes: `candidate` is the more recent one. */
  isPreferred(candidate: T, over: T): boolean;
  /** Number of characters in the row's texts. */
  textLength(row: T): number;
}

/** The rows of a scanned list, one per identity, over many scans. */
export interface RowTable<T> {
  /** Begins a scan of these nodes; rows of others are gone. */
  begin(nodes: readonly NodeName[]): void;
  /** Called as a page is requested: it is newer than all removals before. */
  beginPage(): void;
  /** Merges rows of one node; returns how many of them this scan had not seen on this node. */
  merge(node: NodeName, rows: readonly T[], start: number, end: number): number;
  /**
   * Ends a node's list: its unseen rows are gone. When the reading may have gaps (`isSure` false), only those that
   * the previous scan missed too.
   */
  endNode(node: NodeName, isSure: boolean): void;
  /** Ends a node's list before its end: its unseen rows are dropped, without being reported as gone. */
  cutNode(node: NodeName): void;
  /** Rows and characters of this scan so far, on all nodes. */
  seen(): { readonly rows: number; readonly textLength: number };
  /** Removes a row; the page in flight does not bring it back. `true` if there was one. */
  remove(id: string): boolean;
  /** Ends the scan and sets `added`. */
  finish(): void;
  forgetGone(): void;
  /** The same array while nothing changed. */
  rows(): readonly T[];
  added(): ReadonlySet<string>;
  gone(): readonly T[];
}

/** Nodes remembered as completely read, including gone ones. */
const maxNodes = 256;

const nothingAdded: ReadonlySet<string> = new Set();

/** Work per call is proportional to the portion; for `begin`, `endNode` and a changed `rows()` to all rows. */
export function createRowTable<T>(describe: RowIdentity<T>): RowTable<T> {
  /** By id, the row's position in each of the arrays below. */
  let positions = new Map<string, number>();
  let nextPosition = 0;
  const readCompletely = new Set<NodeName>();
  // Parallel arrays: one object per row would double the time of garbage collection.
  let rows: T[] = [];
  let nodes: NodeName[] = [];
  /** Number of the scan that saw the row last. */
  let seenIn: number[] = [];
  let missed: number[] = [];
  let scan = 0;
  let listedNodes = 0;
  let pending = new Set<NodeName>();
  let others = new Map<string, { readonly row: T; readonly node: NodeName }>();
  let newIds = new Set<string>();
  let gone = new Map<string, T>();
  /** Since the page in flight was requested. */
  const removed = new Set<string>();
  let rowsShown: readonly T[] | undefined = [];
  let goneShown: readonly T[] | undefined = [];
  let added = nothingAdded;
  let seenRows = 0;
  let seenText = 0;
  /** Ids on node `repeatedOn` that an earlier node has too: each counts as fresh once. */
  const repeatedIds = new Set<string>();
  let repeatedOn: NodeName | undefined;

  function isFirstRepeat(node: NodeName, id: string): boolean {
    if (repeatedOn !== node) repeatedIds.clear();
    repeatedOn = node;
    if (repeatedIds.has(id)) return false;
    repeatedIds.add(id);
    return true;
  }

  function replace(place: number, over: T, row: T, node: NodeName): void {
    nodes[place] = node;
    seenIn[place] = scan;
    missed[place] = 0;
    if (describe.isSame(over, row)) return;
    rows[place] = row;
    rowsShown = undefined;
  }

  function add(id: string, row: T, node: NodeName): void {
    rows.push(row);
    nodes.push(node);
    seenIn.push(scan);
    missed.push(0);
    rowsShown = undefined;
    // A row that left one node and turned up on another during this scan is not new.
    if (gone.size > 0 && gone.delete(id)) goneShown = undefined;
    else if (readCompletely.has(node)) newIds.add(id);
  }

  /** A rescan lists rows in the order of the last scan: looking at the next row first spares most of the lookups. */
  function positionOf(id: string): number | undefined {
    const next = nextPosition < rows.length ? rows[nextPosition] : undefined;
    const position = next !== undefined && describe.identity(next) === id ? nextPosition : positions.get(id);
    if (position !== undefined) nextPosition = position + 1;
    return position;
  }

  function mergeRow(node: NodeName, row: T): boolean {
    const id = describe.identity(row);
    if (removed.size > 0 && removed.has(id)) return true;
    const place = positionOf(id);
    if (place === undefined) {
      positions.set(id, rows.length);
      if (nextPosition === rows.length) nextPosition += 1;
      add(id, row, node);
      return true;
    }
    const known = rows[place] ?? row;
    const knownNode = nodes[place] ?? node;
    const isSeen = seenIn[place] === scan;
    if (knownNode === node) {
      replace(place, known, row, node);
      return !isSeen;
    }
    if (isSeen) {
      if (describe.isPreferred(row, known)) replace(place, known, row, node);
      return isFirstRepeat(node, id);
    }
    if (pending.has(knownNode) && describe.isPreferred(known, row)) {
      const isFresh = others.get(id)?.node !== node;
      // Which one is right is known only when the other node has been read.
      others.set(id, { row, node });
      return isFresh;
    }
    replace(place, known, row, node);
    return true;
  }

  function removeWhere(isRemoved: (place: number, row: T) => boolean, isGone = true): void {
    const places = new Set<number>();
    for (let place = 0; place < rows.length; place += 1) {
      const row = rows[place];
      if (row !== undefined && isRemoved(place, row)) places.add(place);
    }
    removePlaces(places, isGone);
  }

  function removePlaces(places: ReadonlySet<number>, isGone = true): void {
    if (places.size === 0) return;
    for (const place of places) {
      const row = rows[place];
      if (row === undefined) continue;
      const id = describe.identity(row);
      newIds.delete(id);
      if (isGone) gone.set(id, row);
    }
    const isKept = (_: unknown, place: number): boolean => !places.has(place);
    rows = rows.filter(isKept);
    nodes = nodes.filter(isKept);
    seenIn = seenIn.filter(isKept);
    missed = missed.filter(isKept);
    positions = new Map();
    for (const [position, row] of rows.entries()) positions.set(describe.identity(row), position);
    nextPosition = 0;
    rowsShown = undefined;
    if (isGone) goneShown = undefined;
  }

  /** A row that its node no longer lists may be on a node that was read before. */
  function takeOther(place: number, row: T): boolean {
    const other = others.get(describe.identity(row));
    if (other !== undefined) replace(place, row, other.row, other.node);
    return other !== undefined;
  }

  function isMissing(place: number, row: T, isSure: boolean): boolean {
    if (takeOther(place, row)) return false;
    const times = (missed[place] ?? 0) + 1;
    missed[place] = times;
    return isSure || times > 1;
  }

  function forgetGone(): void {
    if (gone.size === 0) return;
    gone = new Map();
    goneShown = [];
  }

  return {
    begin(names) {
      scan += 1;
      seenRows = seenText = 0;
      repeatedOn = undefined;
      repeatedIds.clear();
      pending = new Set(names);
      listedNodes = names.length;
      others = new Map();
      forgetGone();
      const listed = new Set(names);
      removeWhere((place) => !listed.has(nodes[place] ?? ''));
    },
    beginPage() {
      removed.clear();
    },
    merge(node, page, start, end) {
      let fresh = 0;
      for (let at = start; at < end; at += 1) {
        const row = page[at];
        if (row === undefined || !mergeRow(node, row)) continue;
        fresh += 1;
        seenText += describe.textLength(row);
      }
      seenRows += fresh;
      return fresh;
    },
    endNode(node, isSure) {
      pending.delete(node);
      removeWhere((place, row) => seenIn[place] !== scan && nodes[place] === node && isMissing(place, row, isSure));
      readCompletely.delete(node);
      readCompletely.add(node);
      forgetOldest(readCompletely, Math.max(maxNodes, 2 * listedNodes));
    },
    cutNode(node) {
      pending.delete(node);
      readCompletely.delete(node);
      removeWhere((place, row) => seenIn[place] !== scan && nodes[place] === node && !takeOther(place, row), false);
    },
    seen: () => ({ rows: seenRows, textLength: seenText }),
    remove(id) {
      const place = positions.get(id);
      if (place !== undefined) removePlaces(new Set([place]));
      others.delete(id);
      removed.add(id);
      return place !== undefined;
    },
    finish() {
      for (const [id, other] of others) {
        const place = positions.get(id);
        const known = place === undefined ? undefined : rows[place];
        if (place !== undefined && known !== undefined && seenIn[place] !== scan) replace(place, known, other.row, other.node);
      }
      others = new Map();
      if (newIds.size > 0 || added.size > 0) added = newIds.size > 0 ? newIds : nothingAdded;
      newIds = new Set();
    },
    forgetGone,
    rows() {
      rowsShown ??= [...rows];
      return rowsShown;
    },
    added: () => added,
    gone() {
      goneShown ??= [...gone.values()];
      return goneShown;
    },
  };
}
