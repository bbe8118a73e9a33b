import { defineAction, type ShownRows } from '../../actions/define-action.ts';
import type { ConfirmRequest } from '../../actions/requests.ts';
import { brokerTimeText } from '../../actions/texts.ts';
import { asWanted, notAsWanted, orUnsupported } from '../../actions/verification.ts';
import type { RetainedMessage } from '../../domain/messages.ts';
import { formatBrokerTime, formatText } from '../../terminal/format.ts';
import { cutText } from '../../terminal/text-width.ts';
import type { Theme } from '../../terminal/theme.ts';
import { readRetainedContent, retained } from './resource.ts';
import { retainedDialogTexts, retainedSentences, retainedWords } from './texts.ts';

/** Deletes what the broker keeps for new subscribers of a topic. Connected ones have it already. */
export const deleteRetained = defineAction({
  id: 'delete-retained',
  label: 'delete a retained message',
  danger: 'destroys',
  capability: 'retainedMessages',
  where: 'Retained messages',
  key: {
    id: 'deleteRetained',
    keys: ['D'],
    label: 'delete',
    help: 'Delete the retained message; asks first',
    scope: 'retained',
  },
  ask: (theme, { row }: ShownRows<RetainedMessage>) => row && (() => ({ request: deleteRetainedRequest(theme, row) })),
  operations: ['deleteRetained'],
  confirmation: 'y/N',
  auditFields: ['topic', 'publishedAt', 'fromClientId'],
  create(message: RetainedMessage) {
    const { topic, publishedAt, fromClientId } = message;
    const publishedText = publishedAt === undefined ? undefined : brokerTimeText(publishedAt);
    return {
      target: { topic, publishedAt: publishedText, fromClientId },
      ...retainedWords.delete(topic),
      invalid: /[+#]/u.test(topic) ? retainedSentences.wildcards : undefined,
      async recheck(read) {
        const before = await read((api, options) => readRetainedContent(api, topic, options));
        if (before === undefined) return { changed: retainedSentences.gone };
        if (before.publishedAt !== publishedAt || before.fromClientId !== fromClientId)
          return { changed: retainedSentences.changed };
        return {
          plan: {
            before: { publishedAt: publishedText },
            after: {},
            requests: [
              {
                node: undefined,
                send: (api, options) =>
                  orUnsupported('delete a retained message', api.deleteRetained?.(topic, options)),
              },
            ],
            verify: async (readAgain) => [
              (await readAgain((api, options) => readRetainedContent(api, topic, options))) === undefined
                ? asWanted
                : notAsWanted(retainedSentences.remains),
            ],
          },
        };
      },
      effects: () => ({ refresh: [retained] }),
    };
  },
});

const maxDetailColumns = 120;

export const deleteRetainedRequest = (theme: Theme, message: RetainedMessage): ConfirmRequest => ({
  kind: 'confirm',
  question: retainedDialogTexts.question,
  target: message.topic,
  details: [
    retainedDialogTexts.published(
      formatBrokerTime(message.publishedAt),
      formatText(message.fromClientId, (raw) => cutText(theme.escape(raw, maxDetailColumns), maxDetailColumns)),
    ),
    retainedDialogTexts.effect,
  ],
  verb: retainedDialogTexts.verb,
  action: deleteRetained.create(message),
});

export const retainedActions = [deleteRetained] as const;
