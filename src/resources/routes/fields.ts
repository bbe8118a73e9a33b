import { defineFields } from '../../table/field.ts';
import type { RouteTreeRow } from './tree.ts';

export function wildcardsOf(topic: string): 'no' | '+' | '#' | '+ #' {
  const hasSingle = /(?:^|\/)\+(?:\/|$)/.test(topic);
  const hasRest = topic === '#' || topic.endsWith('/#');
  if (hasSingle) return hasRest ? '+ #' : '+';
  return hasRest ? '#' : 'no';
}

export const routeFields = defineFields<RouteTreeRow>()({
  topic: { label: 'TOPIC FILTER', type: 'name', get: ({ id }) => id },
  wildcard: {
    label: 'WILDCARD',
    type: 'flag',
    get: ({ route }) => (route === undefined ? undefined : wildcardsOf(route.topic) !== 'no'),
  },
  nodes: { label: 'NODES', type: 'count', get: ({ route }) => route?.nodes.length },
  node: { label: 'NODE NAMES', type: 'text', get: ({ route }) => route?.nodes.join(', ') },
});

const { topic, ...others } = routeFields;

/** The fields of topic levels, which have filters below them. */
export const routeTreeFields = defineFields<RouteTreeRow>()({
  topic,
  filters: { label: 'FILTERS', type: 'count', get: ({ filters }) => filters },
  ...others,
});
