import { defineFields } from '../../table/field.ts';
import { type RouteTreeRow, wildcardsOf } from './tree.ts';

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
