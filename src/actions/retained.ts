import { defineAction } from './define-action.ts';
import type { RetainedMessage } from '../domain/messages.ts';
import { readRetainedContent } from '../monitor/polling/messages.ts';
import { actionWords, brokerTimeText, invalidTexts, skipTexts, verificationTexts } from './texts.ts';
import { asWanted, notAsWanted, orUnsupported } from './verification.ts';

/** Deletes what the broker keeps for new subscribers of a topic. Connected ones have it already. */
export const deleteRetained = defineAction({
  id: 'delete-retained',
  label: 'delete a retained message',
  danger: 'destroys',
  capability: 'retainedMessages',
  where: 'Retained messages',
  key: 'deleteRetained',
  operations: ['deleteRetained'],
  confirmation: 'y/N',
  auditFields: ['topic', 'publishedAt', 'fromClientId'],
  create(message: RetainedMessage) {
    const { topic, publishedAt, fromClientId } = message;
    const publishedText = publishedAt === undefined ? undefined : brokerTimeText(publishedAt);
    return {
      target: { topic, publishedAt: publishedText, fromClientId },
      ...actionWords.deleteRetained(topic),
      invalid: /[+#]/u.test(topic) ? invalidTexts.retainedTopic : undefined,
      async recheck(read) {
        const before = await read((api, options) => readRetainedContent(api, topic, options));
        if (before === undefined) return { changed: skipTexts.retainedGone };
        if (before.publishedAt !== publishedAt || before.fromClientId !== fromClientId)
          return { changed: skipTexts.retainedChanged };
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
                : notAsWanted(verificationTexts.retainedRemains),
            ],
          },
        };
      },
      effects: () => ({ refresh: [{ kind: 'retained' }] }),
    };
  },
});
