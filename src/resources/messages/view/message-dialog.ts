import type { TextRequest } from '../../../actions/requests.ts';
import type { SessionMessage } from '../../../domain/messages.ts';
import { formatBrokerTime, formatCount, formatText } from '../../../terminal/format.ts';
import type { SafeText } from '../../../terminal/safe-text.ts';
import type { Theme } from '../../../terminal/theme.ts';
import { messagesTexts } from '../texts.ts';
import { payloadKind, payloadLines } from './payload.ts';

/** Makes the dialog that shows a message with its payload, if that is known. */
export const messageDialog = (
  theme: Theme,
  title: SafeText,
  {
    topic,
    qos,
    publishedAt,
    fromClientId,
    fromUsername,
    payload,
  }: Omit<SessionMessage, 'qos'> & { readonly qos?: number | undefined },
): TextRequest => ({
  kind: 'text',
  title,
  parts: [
    { label: messagesTexts.topic, text: theme.escape(topic) },
    { label: messagesTexts.published, text: formatBrokerTime(publishedAt) },
    { label: messagesTexts.from, text: formatText(fromClientId, theme.escape) },
    { label: messagesTexts.user, text: formatText(fromUsername, theme.escape) },
    { label: messagesTexts.qos, text: formatCount(qos) },
    ...(payload === undefined
      ? []
      : payloadLines(theme, payload).map((text, index) => ({
          label: index === 0 ? messagesTexts.payload(payloadKind(payload)) : undefined,
          text,
          isBlock: true,
        }))),
  ],
});
