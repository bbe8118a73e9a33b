import { createContext, use, useLayoutEffect } from 'react';
import { askTexts } from '../../actions/asking.ts';
import { clearAclCache, disconnectClient, endSession } from '../../actions/clients.ts';
import {
  findSubscription,
  problemOfTopic,
  publishMessage,
  subscribeClient,
  unsubscribeClient,
} from '../../actions/publish-subscribe.ts';
import type {
  Built,
  ConfirmRequest,
  FormField,
  FormRequest,
  Quoted,
  ReadSubscriptionRequest,
} from '../../actions/requests.ts';
import {
  type Client,
  clientIdOf,
  type Qos,
  type Session,
  type Subscriber,
  type Subscription,
} from '../../domain/client.ts';
import { clientAddress } from '../../resources/clients/fields.ts';
import type { SessionKnowledge } from '../../resources/sessions/knowledge.ts';
import { formatBrokerTime, formatCount, formatText } from '../../terminal/format.ts';
import { safe, type SafeText } from '../../terminal/safe-text.ts';
import { cutText } from '../../terminal/text-width.ts';
import type { Theme } from '../../terminal/theme.ts';
import { escapeIndented } from './form-dialog.tsx';
import { clientDialogTexts, publishTexts } from './texts.ts';

const text = (theme: Theme, raw: string | undefined): SafeText =>
  formatText(raw, (value) => cutText(theme.escape(value, maxDetailColumns), maxDetailColumns));

const maxDetailColumns = 300;

/** No age: it would not be updated. */
const connectionDetails = (theme: Theme, client: Client): readonly SafeText[] => {
  const { connectedAt, unparsed } = client;
  const since = connectedAt === undefined ? text(theme, unparsed['connectedAt']) : formatBrokerTime(connectedAt);
  return [
    clientDialogTexts.connection(
      text(theme, client.node),
      text(theme, clientAddress(client)),
      text(theme, client.username),
    ),
    clientDialogTexts.connectedSince(since),
  ];
};

/** A warning if it loses messages that the session would keep. */
const disconnectEffect = (
  client: Client,
  { session, endsSession = false, countersSeconds }: SessionKnowledge,
): { readonly text: SafeText; readonly isWarning: boolean } => {
  const isClean = client.cleanSession ?? session?.cleanSession;
  const queued = session?.queueLength;
  if (endsSession || isClean === true)
    return {
      text: clientDialogTexts.endsSession(queued, countersSeconds),
      isWarning: endsSession || (queued ?? 0) > 0,
    };
  return {
    text: isClean === undefined ? clientDialogTexts.mayReconnect : clientDialogTexts.keepsSession(queued),
    isWarning: false,
  };
};

export const disconnectRequest = (theme: Theme, client: Client, knowledge: SessionKnowledge = {}): ConfirmRequest => {
  const { text: effect, isWarning } = disconnectEffect(client, knowledge);
  return {
    kind: 'confirm',
    question: clientDialogTexts.disconnect.question,
    target: client.clientId,
    details: [...connectionDetails(theme, client), ...(isWarning ? [] : [effect])],
    ...(isWarning ? { warning: effect } : {}),
    verb: clientDialogTexts.disconnect.verb,
    action: disconnectClient.create({ kind: 'client', client }),
    client,
  };
};

/** For a client that is not connected. */
export const endSessionRequest = (theme: Theme, session: Session, countersSeconds?: number): ConfirmRequest => {
  const { clientId, node, createdAt, unparsed, subscriptions, queueLength } = session;
  return {
    kind: 'confirm',
    question: clientDialogTexts.endSession.question,
    target: clientId,
    details: [
      clientDialogTexts.endSession.session(
        text(theme, node),
        createdAt === undefined ? text(theme, unparsed['createdAt']) : formatBrokerTime(createdAt),
      ),
    ],
    warning: clientDialogTexts.endSession.effect(subscriptions, queueLength, countersSeconds),
    verb: clientDialogTexts.endSession.verb,
    action: endSession.create(session),
  };
};

const problem = (theme: Theme, invalid: string | undefined): Built | undefined =>
  invalid === undefined ? undefined : { error: theme.escape(invalid), field: 'topic' };

export const clearAclRequest = (theme: Theme, client: Client): FormRequest => ({
  kind: 'form',
  title: clientDialogTexts.clearAcl.title(theme.escape(client.clientId, 60)),
  fields: [{ id: 'topic', label: clientDialogTexts.clearAcl.topicLabel, help: clientDialogTexts.clearAcl.topicHelp }],
  verb: askTexts.continue,
  build: ({ topic = '' }) => {
    const action = clearAclCache.create(client, topic);
    return (
      problem(theme, action.invalid) ?? {
        next: {
          kind: 'confirm',
          question: clientDialogTexts.clearAcl.question,
          target: client.clientId,
          details: [clientDialogTexts.clearAcl.topic(theme.escape(topic)), ...connectionDetails(theme, client)],
          verb: clientDialogTexts.clearAcl.verb,
          action,
        },
      }
    );
  },
});

/** For brokers that clear all of it. */
export const clearWholeAclRequest = (theme: Theme, client: Client): ConfirmRequest => ({
  kind: 'confirm',
  question: clientDialogTexts.clearAcl.wholeQuestion,
  target: client.clientId,
  details: [clientDialogTexts.clearAcl.effect, ...connectionDetails(theme, client)],
  verb: clientDialogTexts.clearAcl.verb,
  action: clearAclCache.create(client),
});

export const qosOf = (choice: string | undefined): Qos => {
  if (choice === '1') {
    return 1;
  }
  return choice === '2' ? 2 : 0;
};

export const qosField = (initial?: number): FormField => ({
  id: 'qos',
  label: clientDialogTexts.qosLabel,
  kind: 'choice',
  choices: ['0', '1', '2'],
  initial: String(qosOf(String(initial))),
  help: clientDialogTexts.qosHelp,
});

/** Subscribes on behalf of a client (§4.4). @param isWildcardRefused this broker has refused wildcards before */
export const subscribeRequest = (
  theme: Theme,
  subscriber: Subscriber,
  qos?: number,
  isWildcardRefused = false,
): FormRequest => {
  const clientId = clientIdOf(subscriber);
  return {
    kind: 'form',
    title: clientDialogTexts.subscribe.formTitle(theme.escape(clientId, 60)),
    fields: [
      {
        id: 'topic',
        label: clientDialogTexts.subscribe.filterLabel,
        help: isWildcardRefused ? clientDialogTexts.subscribe.wildcardsRefused : clientDialogTexts.subscribe.filterHelp,
      },
      qosField(qos),
    ],
    verb: askTexts.continue,
    build: ({ topic = '', qos: chosen }) =>
      problem(theme, subscribeClient.create(subscriber, topic, qosOf(chosen)).invalid) ?? {
        next: { kind: 'read-subscription', subscriber, topic, qos: qosOf(chosen) },
      },
  };
};

const subscribedLine = (
  theme: Theme,
  qos: Qos,
  listed: { readonly before: Subscription | undefined } | Error,
): SafeText => {
  if (listed instanceof Error) {
    return clientDialogTexts.subscribe.unread(qos, text(theme, listed.message));
  }
  if (listed.before === undefined) {
    return clientDialogTexts.subscribe.fresh(qos);
  }
  const before = listed.before.qos;
  return before === qos ? clientDialogTexts.subscribe.same(qos) : clientDialogTexts.subscribe.changed(before, qos);
};

/** @param subscriptions the current ones, or why they could not be read */
export const subscribeQuestion = (
  theme: Theme,
  { subscriber, topic, qos }: ReadSubscriptionRequest,
  subscriptions: readonly Subscription[] | Error,
): ConfirmRequest => {
  const clientId = clientIdOf(subscriber);
  const listed =
    subscriptions instanceof Error ? subscriptions : { before: findSubscription(subscriptions, clientId, topic) };
  return {
    kind: 'confirm',
    question: clientDialogTexts.subscribe.question,
    target: clientId,
    details: [clientDialogTexts.subscribe.to(theme.escape(topic)), subscribedLine(theme, qos, listed)],
    verb: clientDialogTexts.subscribe.verb,
    action: subscribeClient.create(subscriber, topic, qos, listed instanceof Error ? undefined : listed),
  };
};

export const unsubscribeRequest = (theme: Theme, subscription: Subscription): ConfirmRequest => ({
  kind: 'confirm',
  question: clientDialogTexts.unsubscribe.question,
  target: subscription.clientId,
  details: [
    clientDialogTexts.unsubscribe.from(theme.escape(subscription.topic)),
    clientDialogTexts.unsubscribe.details(
      formatCount(subscription.qos),
      subscription.node === undefined ? undefined : text(theme, subscription.node),
    ),
    clientDialogTexts.unsubscribe.effect,
  ],
  verb: clientDialogTexts.unsubscribe.verb,
  action: unsubscribeClient.create(subscription),
});

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

/** A bar before each line marks it as quoted. */
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

/** The sender is never filled in: to publish as a client is for the user to choose. */
export interface PublishStart {
  readonly topic?: string | undefined;
}

export const PublishStartContext = createContext<{ current: PublishStart } | undefined>(undefined);

export const usePublishStart = (start: PublishStart | undefined): void => {
  const placeRef = use(PublishStartContext);
  const topic = start?.topic;
  useLayoutEffect(() => {
    if (placeRef === undefined) {
      return undefined;
    }
    placeRef.current = { topic };
    return () => {
      placeRef.current = {};
    };
  }, [placeRef, topic]);
};
