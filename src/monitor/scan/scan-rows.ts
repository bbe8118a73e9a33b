import type { NodeName } from '../../domain/node.ts';
import { isSameRow, textLengthOf } from '../../domain/row.ts';

export interface RowIdentity<T> {
  identity(row: T): string;
  /** Whether `candidate` is more recent, for one identity on two nodes. */
  isPreferred(candidate: T, over: T): boolean;
}

export interface RowTable<T> {
  /** Begins a scan. Rows of other nodes are gone. */
  begin(nodes: readonly NodeName[]): void;
  /** Begins a page, which is newer than all earlier removals. */
  beginPage(): void;
  merge(node: NodeName, rows: readonly T[], start: number, end: number): number;
  /**
   * Ends a node: unseen rows are gone; with `isGapless` false (possible gaps), only if the previous scan missed them too.
   */
  endNode(node: NodeName, isGapless: boolean): void;
  /** Ends a node early: unseen rows are removed, but not reported as gone. */
  cutNode(node: NodeName): void;
  seen(): { readonly rows: number; readonly textLength: number };
  /** Removes a row, which the page in flight does not restore. Returns `true` if there was one. */
  remove(id: string): boolean;
  finish(): void;
  forgetGone(): void;
  rows(): readonly T[];
  added(): ReadonlySet<string>;
  gone(): readonly T[];
}

const maxNodes = 256;

const maxMisses = 2;

function withRoom(bytes: Uint8Array): Uint8Array {
  const longer = new Uint8Array(Math.max(1_024, 2 * bytes.length));
  longer.set(bytes);
  return longer;
}

const nothingAdded: ReadonlySet<string> = new Set();

/**
 * Holds the rows of a scan. `endNode`, a changed `rows()`, and `begin` with fewer nodes take time proportional to all
 * rows, other calls to their portion.
 */
export function createRowTable<T>(describe: RowIdentity<T>): RowTable<T> {
  let positions = new Map<string, number>();
  let nextPosition = 0;
  const readCompletely = new Set<NodeName>();
  // Parallel arrays: one object per row would double the garbage collection time.
  let rows: T[] = [];
  let nodes: NodeName[] = [];
  /** Whether this scan has seen each row, and how many scans in a row missed it. May be longer than the rows. */
  let isSeen: Uint8Array = new Uint8Array(0);
  let misses: Uint8Array = new Uint8Array(0);
  let listed: ReadonlySet<NodeName> = new Set();
  let pending = new Set<NodeName>();
  let others = new Map<string, { readonly row: T; readonly node: NodeName }>();
  let newIds = new Set<string>();
  let gone = new Map<string, T>();
  /** Ids removed since the page in flight was requested. */
  const removed = new Set<string>();
  let rowsShown: readonly T[] | undefined = [];
  let goneShown: readonly T[] | undefined = [];
  let added = nothingAdded;
  let seenRows = 0;
  let seenText = 0;
  /** Ids that another node has too: each counts as new once. */
  const repeatedIds = new Set<string>();
  let repeatedOn: NodeName | undefined;

  function isFirstRepeat(node: NodeName, id: string): boolean {
    if (repeatedOn !== node) repeatedIds.clear();
    repeatedOn = node;
    if (repeatedIds.has(id)) return false;
    repeatedIds.add(id);
    return true;
  }

  function markSeen(place: number): void {
    isSeen[place] = 1;
    misses[place] = 0;
  }

  function replace(place: number, over: T, row: T, node: NodeName): void {
    nodes[place] = node;
    markSeen(place);
    // The old object stays, so that nothing is drawn or sorted again.
    if (isSameRow(over, row)) return;
    rows[place] = row;
    rowsShown = undefined;
  }

  function add(id: string, row: T, node: NodeName): void {
    if (rows.length === misses.length) [isSeen, misses] = [withRoom(isSeen), withRoom(misses)];
    markSeen(rows.length);
    rows.push(row);
    nodes.push(node);
    rowsShown = undefined;
    // A row that moved to another node during this scan is not new.
    if (gone.size > 0 && gone.delete(id)) goneShown = undefined;
    else if (readCompletely.has(node)) newIds.add(id);
  }

  /** Finds a row. Rescans keep the order: trying the next position first saves most lookups. */
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
    const wasSeen = isSeen[place] === 1;
    if (knownNode === node) {
      replace(place, known, row, node);
      return !wasSeen;
    }
    if (wasSeen) {
      if (describe.isPreferred(row, known)) replace(place, known, row, node);
      return isFirstRepeat(node, id);
    }
    if (pending.has(knownNode) && describe.isPreferred(known, row)) {
      const isFresh = others.get(id)?.node !== node;
      // Which one is right is known only after the other node was read.
      others.set(id, { row, node });
      return isFresh;
    }
    replace(place, known, row, node);
    return true;
  }

  /** Returns rows of nodes that are not listed. */
  function unlistedPlaces(): ReadonlySet<number> {
    const places = new Set<number>();
    let last: NodeName | undefined;
    let isListed = false;
    for (let place = 0; place < rows.length; place += 1) {
      const node = nodes[place];
      if (node !== last) isListed = listed.has(node ?? '');
      last = node;
      if (!isListed) places.add(place);
    }
    return places;
  }

  /**
   * Returns rows of the node that this scan has not seen, if `isRemoved`. A plain loop: this runs seldom, and so
   * uncompiled.
   */
  function unseenPlaces(node: NodeName, isRemoved: (place: number, row: T) => boolean): ReadonlySet<number> {
    const places = new Set<number>();
    for (let place = 0; place < rows.length; place += 1) {
      if (isSeen[place] === 1 || nodes[place] !== node) continue;
      const row = rows[place];
      if (row !== undefined && isRemoved(place, row)) places.add(place);
    }
    return places;
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
    isSeen = isSeen.filter(isKept);
    misses = misses.filter(isKept);
    positions = new Map();
    for (const [position, row] of rows.entries()) positions.set(describe.identity(row), position);
    nextPosition = 0;
    rowsShown = undefined;
    if (isGone) goneShown = undefined;
  }

  function takeFromOtherNode(place: number, row: T): boolean {
    const other = others.get(describe.identity(row));
    if (other !== undefined) replace(place, row, other.row, other.node);
    return other !== undefined;
  }

  function isMissing(place: number, row: T, isGapless: boolean): boolean {
    if (takeFromOtherNode(place, row)) return false;
    const times = (misses[place] ?? 0) + 1;
    misses[place] = Math.min(times, maxMisses);
    return isGapless || times > 1;
  }

  function forgetGone(): void {
    if (gone.size === 0) return;
    gone = new Map();
    goneShown = [];
  }

  return {
    begin(names) {
      isSeen.fill(0);
      seenRows = seenText = 0;
      repeatedOn = undefined;
      repeatedIds.clear();
      pending = new Set(names);
      others = new Map();
      forgetGone();
      const before = listed;
      listed = new Set(names);
      if (![...before].every((name) => listed.has(name))) removePlaces(unlistedPlaces());
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
        seenText += textLengthOf(row);
      }
      seenRows += fresh;
      return fresh;
    },
    endNode(node, isGapless) {
      pending.delete(node);
      removePlaces(unseenPlaces(node, (place, row) => isMissing(place, row, isGapless)));
      readCompletely.delete(node);
      readCompletely.add(node);
      forgetOldest(readCompletely, Math.max(maxNodes, 2 * listed.size));
    },
    cutNode(node) {
      pending.delete(node);
      readCompletely.delete(node);
      removePlaces(
        unseenPlaces(node, (place, row) => !takeFromOtherNode(place, row)),
        false,
      );
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
        if (place !== undefined && known !== undefined && isSeen[place] !== 1)
          replace(place, known, other.row, other.node);
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

export function forgetOldest(entries: Map<string, unknown> | Set<string>, max: number): void {
  for (const key of entries.keys()) {
    if (entries.size <= max) return;
    entries.delete(key);
  }
}
