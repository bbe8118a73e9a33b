import { describe, expect, it } from 'vitest';
import type { Route } from '../../../src/domain/client.ts';
import { wildcardsOf } from '../../../src/resources/routes/fields.ts';
import { routeIdentity } from '../../../src/resources/routes/resource.ts';
import {
  allFolded,
  createRouteGrouper,
  createRouteTree,
  createRouteTreeView,
  createTopicList,
  plainRow,
  toggleFold,
} from '../../../src/resources/routes/tree.ts';

const routeOf = (topic: string, node = 'a'): Route => ({ topic, node });

describe('topics', () => {
  it('list each of their nodes once, in natural order', () => {
    const routes = [routeOf('x', 'node10'), routeOf('y', 'node1'), routeOf('x', 'node2'), routeOf('x', 'node2')];
    expect(createRouteGrouper().group(routes)).toEqual([
      { topic: 'x', nodes: ['node2', 'node10'] },
      { topic: 'y', nodes: ['node1'] },
    ]);
  });

  it('stay the same objects while their nodes are the same', () => {
    const grouper = createRouteGrouper();
    const [x, y] = grouper.group([routeOf('x'), routeOf('y')]);
    const [nextX, nextY] = grouper.group([routeOf('x'), routeOf('y'), routeOf('y', 'b')]);
    expect(nextX).toBe(x);
    expect(nextY).not.toBe(y);
    const [lastY] = grouper.group([routeOf('y', 'b'), routeOf('y')]);
    expect(lastY).toBe(nextY);
  });

  it('are new if no node had them, and gone if no node has them', () => {
    const list = createTopicList();
    const rows = [routeOf('old'), routeOf('old', 'b'), routeOf('new')];
    const added = new Set([routeOf('old', 'b'), routeOf('new')].map(routeIdentity));
    const {
      topics,
      added: newTopics,
      gone,
    } = list(rows, added, [routeOf('old', 'c'), routeOf('lost'), routeOf('lost', 'b')]);
    expect([...newTopics]).toEqual(['new']);
    expect([...gone]).toEqual(['lost']);
    expect(topics.map(({ topic }) => topic)).toEqual(['old', 'new', 'lost']);
    const nothingGone: Route[] = [];
    expect(list(rows, added, nothingGone)).toBe(list(rows, added, nothingGone));
  });

  it.each([
    ['a/b', 'no'],
    ['+', '+'],
    ['a/+/c', '+'],
    ['a/+b', 'no'],
    ['#', '#'],
    ['a/#', '#'],
    ['a#', 'no'],
    ['+/a/#', '+ #'],
    ['', 'no'],
  ])('%j has the wildcards %s', (topic, expected) => {
    expect(wildcardsOf(topic)).toBe(expected);
  });
});

describe('the tree', () => {
  const topicsOf = (...topics: string[]) => createRouteGrouper().group(topics.map((topic) => routeOf(topic)));
  const shown = (topics: readonly string[], isOpen: (id: string) => boolean) =>
    createRouteTree(topicsOf(...topics))
      .rows(isOpen)
      .map(
        ({ label, depth, filters, route, isOpen: open }) =>
          `${'.'.repeat(depth)}${label} ${filters}${route === undefined ? '' : ' route'}${open === undefined ? '' : open ? ' open' : ' folded'}`,
      );

  it('shows folded levels with the number of filters at and below them', () => {
    expect(shown(['a/b', 'a/c/d', 'a', 'b'], () => false)).toEqual(['a 3 route folded', 'b 1 route']);
    expect(shown(['a/b', 'a/c/d', 'a', 'b'], (id) => id === 'a')).toEqual([
      'a 3 route open',
      '.b 1 route',
      '.c 1 folded',
      'b 1 route',
    ]);
  });

  it('sorts the levels naturally and keeps empty ones apart', () => {
    expect(shown(['n/10', 'n/2', '/n', 'n/'], () => true)).toEqual([
      ' 1 open',
      '.n 1 route',
      'n 3 open',
      '. 1 route',
      '.2 1 route',
      '.10 1 route',
    ]);
  });

  it('gives every row a unique id, the text down to it', () => {
    const rows = createRouteTree(topicsOf('a//b', '/a', 'a/', '#', '/')).rows(() => true);
    expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
    expect(rows.filter(({ route }) => route !== undefined).every(({ id, route }) => id === route?.topic)).toBe(true);
  });

  it('joins the deepest of very many levels', () => {
    const deep = Array.from({ length: 30_000 }, (_, level) => `l${level}`).join('/');
    const rows = createRouteTree(topicsOf(deep)).rows(() => true);
    expect(rows).toHaveLength(40);
    expect(rows.at(-1)?.id).toBe(deep);
    expect(rows.at(-1)?.label.startsWith('l39/l40/')).toBe(true);
  });

  it('adds, changes and removes topics', () => {
    const view = createRouteTreeView();
    const [a, b, c] = topicsOf('x/a', 'x/b', 'y').map(plainRow);
    if (a === undefined || b === undefined || c === undefined) throw new Error('three topics');
    const idsOf = (rows: Parameters<typeof view.show>[0]) =>
      view.show(rows, true, allFolded).map(({ id, filters, route }) => `${id} ${filters} ${route?.nodes.join() ?? ''}`);
    expect(idsOf([b])).toEqual(['x 1 ', 'x/b 1 a']);
    expect(idsOf([b, a])).toEqual(['x 2 ', 'x/a 1 a', 'x/b 1 a']);
    expect(idsOf([b, plainRow({ topic: 'x/a', nodes: ['a', 'z'] }), c])).toEqual([
      'x 2 ',
      'x/a 1 a,z',
      'x/b 1 a',
      'y 1 a',
    ]);
    expect(idsOf([b, c])).toEqual(['x 1 ', 'x/b 1 a', 'y 1 a']);
  });

  it('is folded at first, and unfolded for a filter', () => {
    const view = createRouteTreeView();
    const rows = topicsOf('a/b/c', 'a/d').map(plainRow);
    expect(view.show(rows, false, allFolded).map(({ id }) => id)).toEqual(['a']);
    const opened = toggleFold(allFolded, 'a', false);
    expect(view.show(rows, false, opened).map(({ id }) => id)).toEqual(['a', 'a/b', 'a/d']);
    expect(view.parentOf('a/d')).toBe('a');
    expect(view.parentOf('a')).toBeUndefined();
    expect(view.nextOf('a')).toBe('a/b');
    expect(view.show(rows, true, opened).map(({ id }) => id)).toEqual(['a', 'a/b', 'a/b/c', 'a/d']);
    expect(view.parentOf('a/d')).toBe('a');
    const closed = toggleFold(opened, 'a/b', true);
    expect(view.show(rows, true, closed).map(({ id }) => id)).toEqual(['a', 'a/b', 'a/d']);
    expect(view.show(rows, false, toggleFold(closed, 'a', false)).map(({ id }) => id)).toEqual(['a']);
  });
});
