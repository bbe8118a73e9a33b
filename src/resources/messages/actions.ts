import { askTexts, escapeIndented } from '../../actions/asking.ts';
import { defineAction } from '../../actions/define-action.ts';
import type { Built, FormRequest, Quoted } from '../../actions/requests.ts';
import type { PublishRequest } from '../../api/management-api.ts';
import type { Qos } from '../../domain/client.ts';
import type { Effects } from '../../monitor/state.ts';
import { safe, type SafeText } from '../../terminal/safe-text.ts';
import { cutText } from '../../terminal/text-width.ts';
import type { Theme } from '../../terminal/theme.ts';
import { metrics } from '../metrics/resource.ts';
import { stats } from '../statistics/resource.ts';
import { problemOfQos, problemOfText, qosField, qosOf } from '../subscriptions/actions.ts';
import { messageSentences, messageWords, publishTexts } from './texts.ts';

/** The row that the key to publish starts from. */
export interface ShownPublish {
  readonly readPayload: ReadPayload;
  readonly start: () => PublishStart;
}

function problemOfPublish(message: PublishRequest): string | undefined {
  const { topic, payload, qos, retain } = message;
  const problem = problemOfTopic(topic) ?? (qos === undefined ? undefined : problemOfQos(qos));
  if (problem !== undefined) return problem;
  if (retain !== undefined && typeof retain !== 'boolean') return messageSentences.retain;
  return payload !== undefined && !payload.isWellFormed() ? messageSentences.payloadUnicode : undefined;
}

/** Publishes a message. The audit has the size of the payload, not the payload. */
export const publishMessage = defineAction({
  id: 'publish',
  label: 'publish a message',
  danger: 'changes',
  where: 'everywhere',
  key: {
    id: 'publish',
    keys: ['P'],
    label: 'publish',
    aliases: ['send'],
    help: 'Publish a message; asks first',
    scope: 'global',
  },
  ask:
    (theme, { readPayload, start }: ShownPublish) =>
    () => ({ request: publishRequest(theme, readPayload, start()) }),
  operations: ['publish'],
  confirmation: 'form, y/N',
  auditFields: ['topic', 'payloadBytes', 'qos', 'retain', 'clientId'],
  create(request: PublishRequest) {
    const message = Object.freeze({ ...request });
    const { topic, payload = '', qos, retain, clientId } = message;
    return {
      target: {
        topic,
        payloadBytes: new TextEncoder().encode(payload).length,
        qos: qos ?? 0,
        retain: retain ?? false,
        clientId,
      },
      ...messageWords.publish(topic),
      invalid: problemOfPublish(message),
      unverifiable: messageSentences.delivery(retain === true),
      async recheck() {
        let hasReceiver = true;
        return {
          plan: {
            requests: [
              {
                node: undefined,
                send: (api, options) =>
                  api.publish(message, {
                    ...options,
                    onNoReceiver: () => {
                      hasReceiver = false;
                    },
                  }),
              },
            ],
            describeAnswer: () => (hasReceiver ? undefined : messageSentences.noReceiver),
          },
        };
      },
      effects: (): Effects => ({
        refresh: [stats, metrics],
      }),
    };
  },
});

export function problemOfTopic(topic: string): string | undefined {
  if (/[+#]/u.test(topic)) return messageSentences.wildcards;
  return problemOfText('topic', topic);
}

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

export const payloadOfHex = (typed: string): { readonly payload: string } | { readonly error: SafeText } => {
  const digits = typed.replaceAll(/\s+/gu, '');
  if (!/^(?:[0-9a-f]{2})*$/iu.test(digits)) {
    return { error: publishTexts.notHex };
  }
  const payload = utf8(Uint8Array.from(digits.match(/../gu) ?? [], (pair) => Number.parseInt(pair, 16)));
  return payload === undefined ? { error: publishTexts.notUtf8 } : { payload };
};

interface Typed {
  readonly topic: string;
  readonly qos: Qos;
  readonly retain: boolean;
  readonly clientId: string | undefined;
}

/** Quotes a payload: a bar before each line marks it. */
const payloadLines = (theme: Theme, payload: string): readonly (SafeText | Quoted)[] => {
  const lines = payload.slice(0, previewLength).split('\n');
  const isCut = payload.length > previewLength;
  if (payload === '') {
    return [publishTexts.empty];
  }
  return [
    publishTexts.payload(new TextEncoder().encode(payload).length, isCut),
    ...lines.map((line) => ({ quoted: escapeIndented(theme, line) })),
  ];
};

const confirm = (theme: Theme, typed: Typed, payload: string): Built => {
  const action = publishMessage.create({ ...typed, payload });
  if (action.invalid !== undefined) {
    return {
      error: theme.escape(action.invalid),
      field: problemOfTopic(typed.topic) === undefined ? 'payload' : 'topic',
    };
  }
  return {
    next: {
      kind: 'confirm',
      question: publishTexts.question,
      target: typed.topic,
      details: [
        publishTexts.details(
          typed.qos,
          typed.retain,
          typed.clientId === undefined
            ? undefined
            : cutText(theme.escape(typed.clientId, previewLength), previewLength),
        ),
        ...payloadLines(theme, payload),
      ],
      ...(typed.retain && payload === '' ? { warning: publishTexts.clearsRetained } : {}),
      verb: publishTexts.verb,
      action,
    },
  };
};

export const publishRequest = (
  theme: Theme,
  readPayload: ReadPayload,
  { topic = '' }: PublishStart = {},
): FormRequest => ({
  kind: 'form',
  title: publishTexts.title,
  isFilledIn: topic !== '',
  fields: [
    { id: 'topic', label: publishTexts.topicLabel, initial: topic, help: publishTexts.topicHelp },
    {
      id: 'payload',
      label: publishTexts.payloadLabel,
      kind: 'lines',
      help: ({ form = 'text' }) => publishTexts.payloadHelp[form] ?? safe``,
    },
    {
      id: 'form',
      label: publishTexts.formatLabel,
      kind: 'choice',
      choices: ['text', 'hex', 'file'],
      help: publishTexts.formatHelp,
    },
    qosField(),
    {
      id: 'retain',
      label: publishTexts.retainLabel,
      kind: 'choice',
      choices: ['no', 'yes'],
      help: publishTexts.retainHelp,
    },
    { id: 'clientId', label: publishTexts.clientIdLabel, help: publishTexts.clientIdHelp },
  ],
  verb: askTexts.continue,
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
      return path === ''
        ? { error: publishTexts.noPath, field: 'payload' }
        : { later: async () => confirm(theme, typed, await readPayload(path)), field: 'payload' };
    }
    if (values['form'] === 'hex') {
      const read = payloadOfHex(payload);
      return 'error' in read ? { ...read, field: 'payload' } : confirm(theme, typed, read.payload);
    }
    return confirm(theme, typed, payload);
  },
});

/** The initial values of the form. The sender is never filled in: to publish as a client is for the user to choose. */
export interface PublishStart {
  readonly topic?: string | undefined;
}

export const messageActions = [publishMessage] as const;
