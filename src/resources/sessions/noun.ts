import { defineNoun } from '../noun.ts';
import { sessionMessages } from './messages.ts';
import { sessionScan } from './resource.ts';

export const sessionNoun = defineNoun({
  watches: () => [sessionScan],
  onDemand: [sessionMessages],
  recorded: 'everyMinute',
  // Sessions are all figures; their clients are compared.
  compared: 'no',
});
