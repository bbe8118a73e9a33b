import { quoteIfNeeded, words } from '../../actions/texts.ts';
import { formatCount } from '../../terminal/format.ts';
import { safe, type SafeText } from '../../terminal/safe-text.ts';

export const retainedWords = {
  delete: (topic: string) => words('delete', 'Deleted', `the retained message on ${quoteIfNeeded(topic)}`),
};

/** Says why a retained message is not deleted, and what became of it. */
export const retainedSentences = {
  gone: 'there is no retained message on this topic.',
  changed: 'another message has been retained since.',
  wildcards: 'A topic with + or # has no retained message.',
  remains: 'A message is still retained.',
};

export const retainedDialogTexts = {
  question: safe`Delete this retained message?`,
  verb: safe`delete`,
  published: (at: SafeText, from: SafeText) => safe`published ${at} by ${from}`,
  effect: safe`New subscribers will not get it. Clients that received it keep it.`,
};

export const retainedTexts = {
  notOffered: safe`retained messages`,
  plural: safe`retained messages`,
  empty: safe`No retained messages.`,
  more: (shown: number) => safe`only the first ${formatCount(shown)} are listed; type a topic after / to read another`,
  openTyped: (topic: SafeText) => safe`read the retained message of "${topic}"`,
  reading: safe`Reading the message…`,
  none: safe`Nothing is retained for this topic.`,
  message: safe`Retained message`,
  payload: safe`Payload`,
};
