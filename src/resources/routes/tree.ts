import type { Route } from '../../domain/client.ts';
import { memoise } from '../../domain/memoise.ts';
import { compareNatural } from '../../domain/natural-order.ts';
import type { NodeName } from '../../domain/node.ts';
import { routeIdentity } from './resource.ts';

/** A topic filter or a topic level. */
export interface RouteTreeRow {
  /** The levels down to this one, joined. Unique. */
  readonly id: string;
  /** The last level; in a plain list the whole filter. */
  readonly label: string;
  readonly depth: number;
  /** `undefined` if nothing subscribes to exactly this filter. */
  readonly route: TopicRoutes | undefined;
  /** The number of topic filters at and below this level. */
  readonly filters: number;
  /** `undefined` without children. */
  readonly isOpen: boolean | undefined;
}

export const plainRow = (route: TopicRoutes): RouteTreeRow => ({
  id: route.topic,
  label: route.topic,
  depth: 0,
  route,
  filters: 1,
  isOpen: undefined,
});

interface Branch {
  readonly id: string;
  readonly label: string;
  readonly depth: number;
  route: TopicRoutes | undefined;
  filters: number;
  children: Map<string, Branch> | undefined;
  sorted: readonly Branch[] | undefined;
}

/** Deeper levels are joined into one. */
const maxLevels = 40;

interface RouteTree {
  /** Adds or replaces a topic filter. */
  put(route: TopicRoutes): void;
  /** Returns the visible rows, depth first, in natural order. */
  rows(isOpen: (id: string) => boolean): readonly RouteTreeRow[];
}

const branch = (id: string, label: string, depth: number): Branch => ({
  id,
  label,
  depth,
  route: undefined,
  filters: 0,
  children: undefined,
  sorted: undefined,
});

function levelsOf(topic: string): readonly string[] {
  const levels = topic.split('/', maxLevels + 1);
  if (levels.length <= maxLevels) return levels;
  const kept = levels.slice(0, maxLevels - 1);
  return [...kept, topic.slice(kept.reduce((sum, level) => sum + level.length + 1, 0))];
}

export function createRouteTree(topics: readonly TopicRoutes[] = []): RouteTree {
  const root = branch('', '', -1);

  function put(route: TopicRoutes): void {
    let at = root;
    let end = -1;
    const breadcrumbs: Branch[] = [];
    for (const [depth, label] of levelsOf(route.topic).entries()) {
      end += 1 + label.length;
      at.children ??= new Map();
      let child = at.children.get(label);
      if (child === undefined) {
        child = branch(route.topic.slice(0, end), label, depth);
        at.children.set(label, child);
        at.sorted = undefined;
      }
      breadcrumbs.push(child);
      at = child;
    }
    if (at.route === undefined) for (const passed of breadcrumbs) passed.filters += 1;
    at.route = route;
  }
  for (const route of topics) put(route);

  // Sorted when first shown: most of a large tree never is.
  function childrenOf(parent: Branch): readonly Branch[] {
    parent.sorted ??= [...(parent.children?.values() ?? [])].toSorted((a, b) => compareNatural(a.label, b.label));
    return parent.sorted;
  }

  return {
    put,
    rows(isOpen) {
      const rows: RouteTreeRow[] = [];
      const waiting: Branch[] = childrenOf(root).toReversed();
      for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
        const { id, label, depth, route, filters, children } = next;
        const open = children === undefined ? undefined : isOpen(id);
        rows.push({ id, label, depth, route, filters, isOpen: open });
        if (open === true) for (const child of childrenOf(next).toReversed()) waiting.push(child);
      }
      return rows;
    },
  };
}

/** Unfolded branches: `opened`, or while a filter is set all except `closed`. */
export interface Folds {
  readonly opened: ReadonlySet<string>;
  readonly closed: ReadonlySet<string>;
}

export const allFolded: Folds = { opened: new Set(), closed: new Set() };

const toggled = (ids: ReadonlySet<string>, id: string): ReadonlySet<string> => {
  const next = new Set(ids);
  if (!next.delete(id)) next.add(id);
  return next;
};

export const toggleFold = (folds: Folds, id: string, isFiltered: boolean): Folds =>
  isFiltered ? { ...folds, closed: toggled(folds.closed, id) } : { ...folds, opened: toggled(folds.opened, id) };

/** Unfolds the levels above a topic. */
export const unfoldTo = (folds: Folds, topic: string): Folds => {
  const levels = levelsOf(topic);
  const above = levels.slice(1).map((_, index) => levels.slice(0, index + 1).join('/'));
  return {
    opened: new Set([...folds.opened, ...above]),
    closed: new Set([...folds.closed].filter((id) => !above.includes(id))),
  };
};

/** A tree that is updated incrementally. */
interface RouteTreeView {
  show(rows: readonly RouteTreeRow[], isFiltered: boolean, folds: Folds): readonly RouteTreeRow[];
  /** Returns the row one level up, among those shown last. */
  parentOf(id: string): string | undefined;
  /** Returns the next row, among those shown last. */
  nextOf(id: string): string | undefined;
  isFiltered(): boolean;
}

export function createRouteTreeView(): RouteTreeView {
  let tree = createRouteTree();
  let known: readonly RouteTreeRow[] = [];

  /** Adds to the tree; rebuilds it only when a topic is gone. */
  function take(rows: readonly RouteTreeRow[]): void {
    if (rows === known) return;
    if (!known.every((row, at) => row === rows[at] || row.id === rows[at]?.id)) {
      tree = createRouteTree();
      known = [];
    }
    for (const [at, row] of rows.entries()) if (row !== known[at] && row.route !== undefined) tree.put(row.route);
    known = rows;
  }

  const rowsOf = memoise((rows: readonly RouteTreeRow[], isFiltered: boolean, folds: Folds) => {
    take(rows);
    return tree.rows((id) => (isFiltered ? !folds.closed.has(id) : folds.opened.has(id)));
  });
  let shown: readonly RouteTreeRow[] = [];
  let wasFiltered = false;
  return {
    show(rows, isFiltered, folds) {
      wasFiltered = isFiltered;
      shown = rowsOf(rows, isFiltered, folds);
      return shown;
    },
    parentOf(id) {
      const at = shown.findIndex((row) => row.id === id);
      const depth = shown[at]?.depth ?? 0;
      return shown.slice(0, Math.max(0, at)).findLast((row) => row.depth === depth - 1)?.id;
    },
    nextOf: (id) => shown[shown.findIndex((row) => row.id === id) + 1]?.id,
    isFiltered: () => wasFiltered,
  };
}

/** A topic filter with the nodes that it is routed to. */
export interface TopicRoutes {
  readonly topic: string;
  /** Nodes in natural order. */
  readonly nodes: readonly NodeName[];
}

/** Groups routes by topic; reuses the object of an unchanged topic. */
interface RouteGrouper {
  group(routes: readonly Route[]): readonly TopicRoutes[];
}

export function createRouteGrouper(): RouteGrouper {
  let places = new Map<string, number>();
  let lastRoutes: readonly Route[] = [];
  let result: readonly TopicRoutes[] = [];

  function add(topics: TopicRoutes[], { topic, node }: Route): void {
    const place = places.get(topic);
    const known = place === undefined ? undefined : topics[place];
    if (place === undefined || known === undefined) {
      places.set(topic, topics.length);
      topics.push({ topic, nodes: [node] });
    } else if (!known.nodes.includes(node)) {
      topics[place] = { topic, nodes: [...known.nodes, node].toSorted(compareNatural) };
    }
  }

  function regroup(routes: readonly Route[]): readonly TopicRoutes[] {
    const before = places;
    const known = result;
    places = new Map();
    const topics: TopicRoutes[] = [];
    for (const route of routes) add(topics, route);
    return topics.map((topic) => {
      const place = before.get(topic.topic);
      const same = place === undefined ? undefined : known[place];
      return same !== undefined && areEqual(same.nodes, topic.nodes) ? same : topic;
    });
  }

  return {
    group(routes) {
      if (routes === lastRoutes) return result;
      if (lastRoutes.every((route, at) => route === routes[at])) {
        // The first scan only adds.
        const topics = [...result];
        for (const route of routes.slice(lastRoutes.length)) add(topics, route);
        result = topics;
      } else {
        result = regroup(routes);
      }
      lastRoutes = routes;
      return result;
    },
  };
}

const areEqual = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((item, at) => item === b[at]);
interface TopicList {
  /** Topics. Those that are gone come last. */
  readonly topics: readonly TopicRoutes[];
  /** Topics that had no route before. */
  readonly added: ReadonlySet<string>;
  /** Topics that have no route any more. */
  readonly gone: ReadonlySet<string>;
}

const noTopics: ReadonlySet<string> = new Set();

/** Groups the routes of a scan; memoised. */
export function createTopicList(): (
  rows: readonly Route[],
  added: ReadonlySet<string>,
  gone: readonly Route[],
) => TopicList {
  const grouper = createRouteGrouper();
  return memoise((rows: readonly Route[], added: ReadonlySet<string>, gone: readonly Route[]): TopicList => {
    const topics = grouper.group(rows);
    const present = gone.length === 0 ? undefined : new Set(topics.map(({ topic }) => topic));
    const lost =
      present === undefined ? [] : createRouteGrouper().group(gone.filter(({ topic }) => !present.has(topic)));
    return {
      topics: lost.length === 0 ? topics : [...topics, ...lost],
      added: added.size === 0 ? noTopics : fullyAdded(rows, added),
      gone: lost.length === 0 ? noTopics : new Set(lost.map(({ topic }) => topic)),
    };
  });
}

function fullyAdded(rows: readonly Route[], added: ReadonlySet<string>): ReadonlySet<string> {
  const topics = new Set<string>();
  const old = new Set<string>();
  for (const route of rows) (added.has(routeIdentity(route)) ? topics : old).add(route.topic);
  for (const topic of old) topics.delete(topic);
  return topics;
}
