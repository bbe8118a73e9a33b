import type { NodeName } from '../domain/node.ts';
import type { Route } from '../domain/route.ts';
import { memoise } from './memoise.ts';
import { compareNatural } from './natural-order.ts';
import { routeIdentity } from './route-scan.ts';

/** A topic filter with all nodes that have subscribers for it. */
export interface TopicRoutes {
  readonly topic: string;
  /** In natural order. */
  readonly nodes: readonly NodeName[];
}

/** Turns routes into topics; a topic whose nodes are the same stays the same object. */
export interface RouteGrouper {
  group(routes: readonly Route[]): readonly TopicRoutes[];
}

const isSameList = (a: readonly string[], b: readonly string[]): boolean => a.length === b.length && a.every((item, at) => item === b[at]);

export function createRouteGrouper(): RouteGrouper {
  let known = new Map<string, TopicRoutes>();
  let lastRoutes: readonly Route[] | undefined;
  let result: readonly TopicRoutes[] = [];
  return {
    group(routes) {
      if (routes === lastRoutes) return result;
      const nodes = new Map<string, NodeName[]>();
      for (const { topic, node } of routes) {
        const list = nodes.get(topic);
        if (list === undefined) nodes.set(topic, [node]);
        else if (!list.includes(node)) list.push(node);
      }
      const next = new Map<string, TopicRoutes>();
      for (const [topic, list] of nodes) {
        const sorted = list.length > 1 ? list.toSorted(compareNatural) : list;
        const before = known.get(topic);
        next.set(topic, before !== undefined && isSameList(before.nodes, sorted) ? before : { topic, nodes: sorted });
      }
      known = next;
      lastRoutes = routes;
      result = [...next.values()];
      return result;
    },
  };
}

/** The wildcards in a topic filter, in words: `no`, `+`, `#` or `+ #`. */
export function wildcardsOf(topic: string): 'no' | '+' | '#' | '+ #' {
  const hasSingle = /(?:^|\/)\+(?:\/|$)/.test(topic);
  const hasRest = topic === '#' || topic.endsWith('/#');
  if (hasSingle) return hasRest ? '+ #' : '+';
  return hasRest ? '#' : 'no';
}

/** The routes of a scan as a list of topics. */
export interface TopicList {
  /** Those that are gone come last. */
  readonly topics: readonly TopicRoutes[];
  /** Topics of which no node had a route before. */
  readonly added: ReadonlySet<string>;
  /** Topics of which no node has a route any more. */
  readonly gone: ReadonlySet<string>;
}

const noTopics: ReadonlySet<string> = new Set();

/** Follows the scan of the routes; answers the same object while nothing changed. */
export function createTopicList(): (rows: readonly Route[], added: ReadonlySet<string>, gone: readonly Route[]) => TopicList {
  const grouper = createRouteGrouper();
  return memoise((rows: readonly Route[], added: ReadonlySet<string>, gone: readonly Route[]): TopicList => {
    const topics = grouper.group(rows);
    const present = gone.length === 0 ? undefined : new Set(topics.map(({ topic }) => topic));
    const lost = present === undefined ? [] : createRouteGrouper().group(gone.filter(({ topic }) => !present.has(topic)));
    return {
      topics: lost.length === 0 ? topics : [...topics, ...lost],
      added: added.size === 0 ? noTopics : wholeTopics(rows, added),
      gone: lost.length === 0 ? noTopics : new Set(lost.map(({ topic }) => topic)),
    };
  });
}

function wholeTopics(rows: readonly Route[], added: ReadonlySet<string>): ReadonlySet<string> {
  const topics = new Set<string>();
  const old = new Set<string>();
  for (const route of rows) (added.has(routeIdentity(route)) ? topics : old).add(route.topic);
  for (const topic of old) topics.delete(topic);
  return topics;
}
