import { defineNoun } from '../noun.ts';
import { routeScan, topicRoutes } from './resource.ts';

export const routeNoun = defineNoun({
  watches: () => [routeScan],
  onDemand: [topicRoutes],
  recorded: 'everyMinute',
  // Routes follow from subscriptions, which are compared.
  compared: 'no',
});
