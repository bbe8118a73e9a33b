import { quoteIfNeeded, words } from '../../actions/texts.ts';
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
