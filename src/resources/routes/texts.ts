import { safe } from '../../terminal/safe-text.ts';

export const routesTexts = {
  nodes: safe`Nodes`,
  filters: safe`filters`,
  wildcards: safe`wildcards`,
  ofTopic: safe`the routes of this topic filter`,
  emptyForTopic: safe`No routes: no client subscribes to this topic filter.`,
};
