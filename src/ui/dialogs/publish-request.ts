import { createContext, use, useLayoutEffect } from 'react';
import { problemOfTopic, publishMessage } from '../../actions/messages.ts';
import type { Qos } from '../../domain/client.ts';
import { formatCount } from '../../terminal/format.ts';
import { safe, type SafeText } from '../../terminal/safe-text.ts';
import { cutText } from '../../terminal/text-width.ts';
import type { Theme } from '../../terminal/theme.ts';
import type { Quoted } from '../components/confirm.tsx';
import type { Built, FormRequest } from './ask.ts';
import { qosField, qosOf } from './client-requests.ts';
import { escapeIndented } from './form-dialog.tsx';

/** Reads the file at a typed path as text; rejects with a one-sentence message. */
export type ReadPayload = (path: string) => Promise<string>;

const previewLength = 200;

const utf8 = (bytes: Uint8Array): string | undefined => {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
};

/** Decodes hex digits to text. */
export const payloadOfHex = (typed: string): { readonly payload: string } | { readonly error: SafeText } => {
  const digits = typed.replaceAll(/\s+/gu, '');
  if (!/^(?:[0-9a-f]{2})*$/iu.test(digits)) {
    return { error: safe`The payload is not hexadecimal: pairs of 0-9 and a-f.` };
  }
  const payload = utf8(Uint8Array.from(digits.match(/../gu) ?? [], (pair) => Number.parseInt(pair, 16)));
  return payload === undefined ? { error: safe`These bytes are no UTF-8; this interface carries text alone.` } : { payload };
};

interface Typed {
  readonly topic: string;
  readonly qos: Qos;
  readonly retain: boolean;
  readonly clientId: string | undefined;
}

/** The size and start of the payload; a bar before each line marks it as quoted. */
const payloadLines = (theme: Theme, payload: string): readonly (SafeText | Quoted)[] => {
  const size = safe`payload of ${formatCount(new TextEncoder().encode(payload).length)} bytes`;
  const lines = payload.slice(0, previewLength).split('\n');
  const isCut = payload.length > previewLength;
  if (payload === '') {
    return [safe`payload: empty`];
  }
  return [safe`${size}${isCut ? safe`, its start` : safe``}:`, ...lines.map((line) => ({ quoted: escapeIndented(theme, line) }))];
};

const confirm = (theme: Theme, typed: Typed, payload: string): Built => {
  const action = publishMessage.create({ ...typed, payload });
  if (action.invalid !== undefined) {
    return { error: theme.escape(action.invalid), field: problemOfTopic(typed.topic) === undefined ? 'payload' : 'topic' };
  }
  return {
    next: {
      kind: 'confirm',
      question: safe`Publish this message?`,
      target: typed.topic,
      details: [
        safe`QoS ${typed.qos}, ${typed.retain ? safe`retained` : safe`not retained`}, ${typed.clientId === undefined ? safe`in the name of the broker's own client` : safe`in the name of ${cutText(theme.escape(typed.clientId, previewLength), previewLength)}`}`,
        ...payloadLines(theme, payload),
      ],
      ...(typed.retain && payload === '' ? { warning: safe`An empty retained message removes what is retained on this topic.` } : {}),
      verb: safe`publish`,
      action,
    },
  };
};

/** By payload format. */
const payloadHelp: Readonly<Record<string, SafeText>> = {
  text: safe`may be empty; Ctrl-J or Alt-Enter begins a new line; the field below says what it is`,
  hex: safe`bytes in hexadecimal, two digits each; blanks and line ends between them do not count`,
  file: safe`the path of a file, which is read when the form is left`,
};

/** Publishes a message (§4.4), prefilled from the focused row. */
export const publishRequest = (theme: Theme, readPayload: ReadPayload, { topic = '', clientId = '' }: PublishStart = {}): FormRequest => ({
  kind: 'form',
  title: safe`Publish a message`,
  isFilledIn: topic !== '',
  fields: [
    { id: 'topic', label: safe`topic`, initial: topic, help: safe`without wildcards` },
    { id: 'payload', label: safe`payload`, kind: 'lines', help: ({ form = 'text' }) => payloadHelp[form] ?? safe`` },
    { id: 'form', label: safe`payload is`, kind: 'choice', choices: ['text', 'hex', 'file'], help: safe`← → or Space: text, bytes in hexadecimal, or the path of a file` },
    qosField(),
    { id: 'retain', label: safe`retain`, kind: 'choice', choices: ['no', 'yes'], help: safe`← → or Space: whether the broker keeps it for later subscribers` },
    { id: 'clientId', label: safe`client id`, initial: clientId, help: safe`in whose name; empty leaves it to the broker` },
  ],
  verb: safe`go on`,
  build: (values) => {
    const typed: Typed = {
      topic: values['topic'] ?? '',
      qos: qosOf(values['qos']),
      retain: values['retain'] === 'yes',
      clientId: values['clientId'] === '' ? undefined : values['clientId'],
    };
    const payload = values['payload'] ?? '';
    if (values['form'] === 'file') {
      const without = confirm(theme, typed, '');
      if ('error' in without) {
        return without;
      }
      // A copied path may end with a newline.
      const path = payload.replace(/\n+$/u, '');
      return path === '' ? { error: safe`The path of the file is missing.`, field: 'payload' } : { later: async () => confirm(theme, typed, await readPayload(path)), field: 'payload' };
    }
    if (values['form'] === 'hex') {
      const read = payloadOfHex(payload);
      return 'error' in read ? { ...read, field: 'payload' } : confirm(theme, typed, read.payload);
    }
    return confirm(theme, typed, payload);
  },
});

/** Initial values, raw. */
export interface PublishStart {
  readonly topic?: string | undefined;
  readonly clientId?: string | undefined;
}

/** Holds the values of the focused row. */
export const PublishStartContext = createContext<{ current: PublishStart } | undefined>(undefined);

/** Prefills `P` while mounted. */
export const usePublishStart = (start: PublishStart | undefined): void => {
  const placeRef = use(PublishStartContext);
  const topic = start?.topic;
  const clientId = start?.clientId;
  useLayoutEffect(() => {
    if (placeRef === undefined) {
      return undefined;
    }
    placeRef.current = { topic, clientId };
    return () => { placeRef.current = {}; };
  }, [placeRef, topic, clientId]);
};
