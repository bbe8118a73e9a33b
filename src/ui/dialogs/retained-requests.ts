import type { ConfirmRequest } from '../../actions/requests.ts';
import { deleteRetained } from '../../actions/retained.ts';
import type { RetainedMessage } from '../../domain/messages.ts';
import { formatBrokerTime, formatText } from '../../terminal/format.ts';
import { cutText } from '../../terminal/text-width.ts';
import type { Theme } from '../../terminal/theme.ts';
import { retainedDialogTexts } from './texts.ts';

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
