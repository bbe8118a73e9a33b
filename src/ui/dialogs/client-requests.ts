import { clearAclCache, clientIdOf, disconnectClient, type Subscriber } from '../../actions/clients.ts';
import { findSubscription, subscribeClient, unsubscribeClient } from '../../actions/messages.ts';
import type { Client, Qos, Subscription } from '../../domain/client.ts';
import { formatBrokerTime, formatCount, formatText } from '../../terminal/format.ts';
import { safe, type SafeText } from '../../terminal/safe-text.ts';
import { cutText } from '../../terminal/text-width.ts';
import type { Theme } from '../../terminal/theme.ts';
import { clientAddress } from '../screens/clients/columns.ts';
import type { Built, ConfirmRequest, FormField, FormRequest, ReadSubscriptionRequest } from './ask.ts';

const text = (theme: Theme, raw: string | undefined): SafeText => formatText(raw, (value) => cutText(theme.escape(value, maxDetailColumns), maxDetailColumns));

/** Max columns of a detail; only the target is shown in full. */
const maxDetailColumns = 300;

/** What tells a connection from others of the same id. No age: it would not be updated. */
const connectionDetails = (theme: Theme, client: Client): readonly SafeText[] => {
  const { connectedAt, unparsed } = client;
  const since = connectedAt === undefined ? text(theme, unparsed['connectedAt']) : formatBrokerTime(connectedAt);
  return [
    safe`on ${text(theme, client.node)} from ${text(theme, clientAddress(client))}, user ${text(theme, client.username)}`,
    safe`connected since ${since}`,
  ];
};

/** The API has no conditional disconnect (§4.2). */
const reconnectNote = safe`It is read again first; a reconnect in that very moment cannot be ruled out.`;

export const disconnectRequest = (theme: Theme, client: Client): ConfirmRequest => ({
  kind: 'confirm',
  question: safe`Disconnect this client?`,
  target: client.clientId,
  details: [...connectionDetails(theme, client), reconnectNote],
  verb: safe`disconnect`,
  action: disconnectClient.create({ kind: 'client', client }),
});

const problem = (theme: Theme, invalid: string | undefined): Built | undefined => (invalid === undefined ? undefined : { error: theme.escape(invalid), field: 'topic' });

/** Asks for the topic whose ACL cache entry is cleared (§4.2). */
export const clearAclRequest = (theme: Theme, client: Client): FormRequest => ({
  kind: 'form',
  title: safe`Clear the ACL cache of ${theme.escape(client.clientId, 60)}`,
  fields: [{ id: 'topic', label: safe`topic`, help: safe`the topic whose remembered answer is forgotten` }],
  verb: safe`go on`,
  build: ({ topic = '' }) => {
    const action = clearAclCache.create(client, topic);
    return problem(theme, action.invalid) ?? {
      next: {
        kind: 'confirm',
        question: safe`Clear this client's ACL cache for the topic?`,
        target: client.clientId,
        details: [safe`topic ${theme.escape(topic)}`, ...connectionDetails(theme, client)],
        verb: safe`clear`,
        action,
      },
    };
  },
});

/** The QoS chosen in `qosField`. */
export const qosOf = (choice: string | undefined): Qos => {
  if (choice === '1') {
    return 1;
  }
  return choice === '2' ? 2 : 0;
};

/** A choice of 0, 1 or 2. */
export const qosField = (initial?: number): FormField =>
  ({ id: 'qos', label: safe`QoS`, kind: 'choice', choices: ['0', '1', '2'], initial: String(qosOf(String(initial))), help: safe`0, 1 or 2; or ← → or Space` });

/**
 * Subscribes on behalf of a client (§4.4).
 * @param qos of the focused subscription
 * @param isWildcardRefused this broker has refused wildcards before
 */
export const subscribeRequest = (theme: Theme, subscriber: Subscriber, qos?: number, isWildcardRefused = false): FormRequest => {
  const clientId = clientIdOf(subscriber);
  return {
    kind: 'form',
    title: safe`Subscribe on behalf of ${theme.escape(clientId, 60)}`,
    fields: [
      { id: 'topic', label: safe`topic filter`, help: isWildcardRefused ? safe`without + and #: this broker refused them here` : safe`such as a/b; some brokers refuse + and # here` },
      qosField(qos),
    ],
    verb: safe`go on`,
    build: ({ topic = '', qos: chosen }) =>
      problem(theme, subscribeClient.create(subscriber, topic, qosOf(chosen)).invalid) ?? { next: { kind: 'read-subscription', subscriber, topic, qos: qosOf(chosen) } },
  };
};

/** The current subscription and the change. */
const subscribedLine = (theme: Theme, qos: Qos, listed: { readonly before: Subscription | undefined } | Error): SafeText => {
  if (listed instanceof Error) {
    return safe`with QoS ${qos}; whether it is subscribed already could not be read: ${text(theme, listed.message)}`;
  }
  if (listed.before === undefined) {
    return safe`with QoS ${qos}; it will receive what is published there`;
  }
  const before = listed.before.qos;
  return before === qos ? safe`is subscribed already, with QoS ${qos}` : safe`is subscribed already: QoS ${before ?? safe`–`} → ${qos}`;
};

/** Asks whether to subscribe. @param subscriptions the current ones, or why they could not be read */
export const subscribeQuestion = (theme: Theme, { subscriber, topic, qos }: ReadSubscriptionRequest, subscriptions: readonly Subscription[] | Error): ConfirmRequest => {
  const clientId = clientIdOf(subscriber);
  const listed = subscriptions instanceof Error ? subscriptions : { before: findSubscription(subscriptions, clientId, topic) };
  return {
    kind: 'confirm',
    question: safe`Subscribe this client?`,
    target: clientId,
    details: [safe`to ${theme.escape(topic)}`, subscribedLine(theme, qos, listed)],
    verb: safe`subscribe`,
    action: subscribeClient.create(subscriber, topic, qos, listed instanceof Error ? undefined : listed),
  };
};

/** Asks whether to remove a subscription (§4.4). */
export const unsubscribeRequest = (theme: Theme, subscription: Subscription): ConfirmRequest => ({
  kind: 'confirm',
  question: safe`Unsubscribe this client?`,
  target: subscription.clientId,
  details: [
    safe`from ${theme.escape(subscription.topic)}`,
    safe`QoS ${formatCount(subscription.qos)}, on ${text(theme, subscription.node)}`,
  ],
  verb: safe`unsubscribe`,
  action: unsubscribeClient.create(subscription),
});
