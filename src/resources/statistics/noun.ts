import { defineNoun } from '../noun.ts';
import { stats } from './resource.ts';

export const statisticNoun = defineNoun({
  watches: () => [stats],
  onDemand: [],
  recorded: 'everyRefresh',
  // Totals are compared as figures.
  compared: 'no',
});
