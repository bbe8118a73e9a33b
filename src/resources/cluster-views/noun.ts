import { defineNoun } from '../noun.ts';
import { clusterViews } from './resource.ts';

export const clusterViewNoun = defineNoun({
  watches: () => [clusterViews],
  onDemand: [],
  recorded: 'everyMinute',
  // Nodes are compared.
  compared: 'no',
});
