import { defineNoun, partOfReading } from '../noun.ts';
import { retained, retainedContent } from './resource.ts';

export const retainedNoun = defineNoun({
  watches: () => [retained],
  onDemand: [retainedContent],
  recorded: 'everyMinute',
  capability: 'retainedMessages',
  // Only the first thousand are read.
  compared: 'no',
  whole: partOfReading(retained, ({ items, hasMore }) => ({ rows: items, isCut: hasMore })),
});
