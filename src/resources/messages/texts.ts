import type { ActionWords } from '../../actions/action.ts';
import { quoteIfNeeded } from '../../actions/texts.ts';
import { formatCount } from '../../terminal/format.ts';
import { joinSafe, safe, type SafeText } from '../../terminal/safe-text.ts';

export const messageWords = {
  publish: (topic: string): ActionWords => ({
    title: `publish to ${quoteIfNeeded(topic)}`,
    past: `Published to ${quoteIfNeeded(topic)}`,
    accepted: `Published to ${quoteIfNeeded(topic)}. The API doesn't report delivery.`,
    subject: `the message to ${quoteIfNeeded(topic)}`,
  }),
};

/** Sentences about why a message is not published, and what became of it. */
export const messageSentences = {
  retain: 'Retain must be yes or no.',
  payloadUnicode: 'The payload is not valid Unicode. The API accepts only text.',
  wildcards: 'The topic must not contain + or #.',
  noReceiver: 'Nobody is subscribed to this topic.',
  delivery: (isRetained: boolean): string =>
    isRetained
      ? 'The API cannot show whether it was delivered or retained.'
      : 'The API cannot show whether it was delivered.',
};

export const publishTexts = {
  title: safe`Publish a message`,
  question: safe`Publish this message?`,
  verb: safe`publish`,
  notHex: safe`The payload is not hexadecimal (pairs of 0-9 and a-f).`,
  notUtf8: safe`The payload is not UTF-8. The API accepts only text.`,
  noPath: safe`Enter the path of the file.`,
  empty: safe`payload: empty`,
  payload: (bytes: number, isCut: boolean) =>
    safe`payload (${formatCount(bytes)} bytes${isCut ? safe`, first lines` : safe``}):`,
  details: (qos: number, isRetained: boolean, clientId: SafeText | undefined) =>
    safe`QoS ${qos}, ${isRetained ? safe`retained` : safe`not retained`}, ${clientId === undefined ? safe`sent by the broker` : safe`sent as client ${clientId}`}`,
  clearsRetained: safe`An empty retained message deletes the retained message of this topic.`,
  topicLabel: safe`Topic`,
  topicHelp: safe`a topic without wildcards`,
  payloadLabel: safe`Payload`,
  payloadHelp: {
    text: safe`optional; Ctrl-J or Alt-Enter adds a line`,
    hex: safe`two hexadecimal digits per byte; spaces and line breaks are ignored`,
    file: safe`path of a file, read when you continue`,
  } as Readonly<Record<string, SafeText>>,
  formatLabel: safe`Format`,
  formatHelp: safe`text, hexadecimal bytes, or a file (← → or Space)`,
  retainLabel: safe`Retain`,
  retainHelp: safe`keep it for future subscribers (← → or Space)`,
  clientIdLabel: safe`Client ID`,
  clientIdHelp: safe`optional: the sender (the broker's default is http)`,
};

export const messagesTexts = {
  notOffered: safe`session messages`,
  plural: safe`messages`,
  title: { queue: safe`Queued messages for`, inflight: safe`Inflight messages for` },
  toggle: { queue: safe`v inflight`, inflight: safe`v queued` },
  empty: { queue: safe`The queue is empty.`, inflight: safe`No message is in flight.` },
  /** Says what most of the messages have in common. */
  summary: (
    topic: { readonly name: SafeText; readonly count: number } | undefined,
    from: { readonly name: SafeText; readonly count: number } | undefined,
  ) =>
    joinSafe(
      [
        ...(topic === undefined ? [] : [safe`${formatCount(topic.count)} of ${topic.name}`]),
        ...(from === undefined ? [] : [safe`${formatCount(from.count)} from ${from.name}`]),
      ],
      safe` · `,
    ),
  more: (shown: number) => safe`the first ${formatCount(shown)} are listed`,
  message: safe`Message`,
  topic: safe`topic`,
  published: safe`published`,
  from: safe`from`,
  user: safe`username`,
  qos: safe`QoS`,
  payload: (kind: SafeText) => safe`payload (${kind})`,
};

export const shownPayloadTexts = {
  empty: safe`empty`,
  /** @param place of the first byte that is not UTF-8 */
  notText: (place: number | undefined) =>
    safe`not UTF-8${place === undefined ? safe`` : safe` (byte ${formatCount(place)})`}`,
  hexadecimal: safe`hexadecimal`,
  byteOrderMark: safe`starts with a byte order mark`,
  cut: safe`… (cut)`,
};
