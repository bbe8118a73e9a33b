import type { Client } from '../../domain/client.ts';
import type { Subscription } from '../../domain/subscription.ts';
import { clearAclCache, disconnectClient } from '../../store/actions/client-actions.ts';
import { subscribeFor, unsubscribeFor } from '../../store/actions/message-actions.ts';
import { type Subscriber, clientIdOf } from '../../store/actions/targets.ts';
import { formatBrokerTime, formatCount, formatText } from '../format.ts';
import { type SafeText, safe } from '../safe-text.ts';
import { clientAddress } from '../screens/client-columns.ts';
import { cutText } from '../text-width.ts';
import type { Theme } from '../theme.ts';
import type { Built, ConfirmRequest, FormRequest } from './ask.ts';

const text = (theme: Theme, raw: string | undefined): SafeText => formatText(raw, (own) => cutText(theme.escape(own, longestDetail), longestDetail));

/** Columns. The target itself is written in full; what tells more of it has its bounds. */
const longestDetail = 300;

/** What tells a connection from others of the same id. Without an age, which would stand still while the question does. */
const connectionDetails = (theme: Theme, client: Client): readonly SafeText[] => {
  const { connectedAt, unparsed } = client;
  const since = connectedAt === undefined ? text(theme, unparsed['connected_at']) : formatBrokerTime(connectedAt);
  return [
    safe`on ${text(theme, client.node)} from ${text(theme, clientAddress(client))}, user ${text(theme, client.username)}`,
    safe`connected since ${since}`,
  ];
};

/** The interface takes no condition with a disconnect (§4.2): what happens between reading and asking is said, not ruled out. */
const reconnectNote = safe`It is read again first; a reconnect in that very moment cannot be ruled out.`;

/** Asks whether a connection is to be ended. */
export const disconnectRequest = (theme: Theme, client: Client): ConfirmRequest => ({
  kind: 'confirm',
  question: safe`Disconnect this client?`,
  target: client.clientId,
  details: [...connectionDetails(theme, client), reconnectNote],
  verb: safe`disconnect`,
  action: disconnectClient(client),
});

const problem = (theme: Theme, invalid: string | undefined): Built | undefined => (invalid === undefined ? undefined : { error: theme.escape(invalid), field: 'topic' });

/** A form for the topic of which a client's ACL cache is cleared (§4.2). */
export const clearAclRequest = (theme: Theme, client: Client): FormRequest => ({
  kind: 'form',
  title: safe`Clear the ACL cache of ${theme.escape(client.clientId, 60)}`,
  fields: [{ id: 'topic', label: safe`topic`, help: safe`the topic whose remembered answer is forgotten` }],
  verb: safe`go on`,
  build: ({ topic = '' }) => {
    const action = clearAclCache(client, topic);
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

/** What was chosen of `qosChoices`. */
export const qosOf = (choice: string | undefined): 0 | 1 | 2 => {
  if (choice === '1') {
    return 1;
  }
  return choice === '2' ? 2 : 0;
};

/** The choices of a form that asks for a QoS. */
export const qosChoices = ['0', '1', '2'] as const;

/** A form that subscribes on behalf of a client (§4.4). */
export const subscribeRequest = (theme: Theme, subscriber: Subscriber): FormRequest => {
  const clientId = clientIdOf(subscriber);
  return {
    kind: 'form',
    title: safe`Subscribe on behalf of ${theme.escape(clientId, 60)}`,
    fields: [
      { id: 'topic', label: safe`topic filter`, help: safe`+ stands for one level, # at the end for all below` },
      { id: 'qos', label: safe`QoS`, kind: 'choice', choices: qosChoices, help: safe`← → or Space` },
    ],
    verb: safe`go on`,
    build: ({ topic = '', qos }) => {
      const action = subscribeFor(subscriber, topic, qosOf(qos));
      return problem(theme, action.invalid) ?? {
        next: {
          kind: 'confirm',
          question: safe`Subscribe this client?`,
          target: clientId,
          details: [safe`to ${theme.escape(topic)}`, safe`with QoS ${qosOf(qos)}; it will receive what is published there`],
          verb: safe`subscribe`,
          action,
        },
      };
    },
  };
};

/** Asks whether a subscription is to be removed on behalf of its client (§4.4, Variant B). */
export const unsubscribeRequest = (theme: Theme, subscription: Subscription): ConfirmRequest => ({
  kind: 'confirm',
  question: safe`Unsubscribe this client?`,
  target: subscription.clientId,
  details: [
    safe`from ${theme.escape(subscription.topic)}`,
    safe`QoS ${formatCount(subscription.qos)}, on ${text(theme, subscription.node)}`,
  ],
  verb: safe`unsubscribe`,
  action: unsubscribeFor(subscription),
});
