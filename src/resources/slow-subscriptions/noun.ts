import { defineNoun, partOfReading } from '../noun.ts';
import { slowSubscriptions } from './resource.ts';

export const slowSubscriptionNoun = defineNoun({
  watches: () => [slowSubscriptions],
  onDemand: [],
  recorded: 'everyMinute',
  capability: 'slowSubscriptions',
  // The broker lists the slowest only: another is no change of the one before.
  compared: 'no',
  whole: partOfReading(slowSubscriptions, ({ items }) => ({ rows: items, isCut: false })),
});
