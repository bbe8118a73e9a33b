import type { NodeName } from '../../../domain/node.ts';
import type { Route } from '../../../domain/route.ts';
import { memoise } from '../../../domain/memoise.ts';
import { compareNatural } from '../../../domain/natural-order.ts';
import { routeIdentity } from '../../../monitor/scan/route-scan.ts';

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

  function groupAnew(routes: readonly Route[]): readonly TopicRoutes[] {
    const before = places;
    const known = result;
    places = new Map();
    const topics: TopicRoutes[] = [];
    for (const route of routes) add(topics, route);
    return topics.map((topic) => {
      const place = before.get(topic.topic);
      const same = place === undefined ? undefined : known[place];
      return same !== undefined && isSameList(same.nodes, topic.nodes) ? same : topic;
    });
  }

  return {
    group(routes) {
      if (routes === lastRoutes) return result;
      if (lastRoutes.every((route, at) => route === routes[at])) {
        // While a list is first read it only grows.
        const topics = [...result];
        for (const route of routes.slice(lastRoutes.length)) add(topics, route);
        result = topics;
      } else {
        result = groupAnew(routes);
      }
      lastRoutes = routes;
      return result;
    },
  };
}

const isSameList = (a: readonly string[], b: readonly string[]): boolean => a.length === b.length && a.every((item, at) => item === b[at]);

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
