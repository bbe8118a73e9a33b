import { quoteIfNeeded, words } from '../../actions/texts.ts';
import { pluralize } from '../../domain/text.ts';
import { joinSafe, safe, type SafeText } from '../../terminal/safe-text.ts';

export const subscriptionWords = {
  subscribe: (clientId: string, topic: string, qos: number) =>
    words(
      'subscribe',
      'Subscribed',
      `client ${quoteIfNeeded(clientId)}`,
      ` to ${quoteIfNeeded(topic)} with QoS ${qos}`,
    ),
  unsubscribe: (clientId: string, topic: string) =>
    words('unsubscribe', 'Unsubscribed', `client ${quoteIfNeeded(clientId)}`, ` from ${quoteIfNeeded(topic)}`),
};

/** Sentences about why a subscription is not changed, and what became of it. */
export const subscriptionSentences = {
  gone: 'the subscription no longer exists.',
  changed: (qos: number | undefined): string => `it is now subscribed with QoS ${qos ?? 'unknown'}.`,
  emptyClientId: 'The client ID is empty.',
  filterLevels: '+ and # must be whole levels, as in a/+/b or a/#.',
  filterEnd: '# must be the last level.',
  subscribed: (qos: number, before: number | undefined, isNew: boolean): string =>
    isNew
      ? `It is listed with QoS ${qos}.`
      : before === qos
        ? `It is listed with QoS ${qos}, as before.`
        : `QoS ${before ?? 'unknown'} → ${qos}.`,
  unsubscribed: (left: number): string =>
    `It has ${left === 0 ? 'no subscriptions' : pluralize(left, 'subscription')} left.`,
  missing: 'The subscription is not listed.',
  hasQos: (qos: number | undefined): string => `The subscription is listed with QoS ${qos ?? 'unknown'}.`,
  remains: 'The subscription is still listed.',
};

export const subscriptionTexts = {
  subscribe: {
    question: safe`Subscribe this client?`,
    verb: safe`subscribe`,
    title: (id: SafeText) => safe`Subscribe ${id}`,
    formTitle: (id: SafeText) => safe`Subscribe on behalf of ${id}`,
    filterLabel: safe`Topic filter`,
    filterHelp: safe`such as a/b; some brokers refuse + and # here`,
    wildcardsRefused: safe`without + and #: this broker refused them`,
    to: (filter: SafeText) => safe`to ${filter}`,
    unread: (qos: number, error: SafeText) => safe`with QoS ${qos}; current subscription unknown: ${error}`,
    fresh: (qos: number) => safe`with QoS ${qos}; it will receive messages on this topic`,
    same: (qos: number) => safe`already subscribed with QoS ${qos}`,
    changed: (before: number | undefined, qos: number) => safe`already subscribed: QoS ${before ?? safe`–`} → ${qos}`,
  },
  unsubscribe: {
    menuLabel: (filter: SafeText) => safe`Unsubscribe from ${filter}`,
    unknown: safe`Not known yet whether this broker can unsubscribe clients.`,
    lacking: safe`This broker's API cannot unsubscribe clients.`,
    question: safe`Unsubscribe this client?`,
    verb: safe`unsubscribe`,
    title: (id: SafeText) => safe`Unsubscribe ${id}`,
    menuTitle: (id: SafeText) => safe`Unsubscribe ${id} from`,
    effect: safe`Queued messages are kept. New messages with no other subscriber will be dropped.`,
    from: (filter: SafeText) => safe`from ${filter}`,
    details: (qos: SafeText, node: SafeText | undefined) =>
      safe`QoS ${qos}${node === undefined ? safe`` : safe`, on ${node}`}`,
    qos: (qos: number) => safe`QoS ${qos}`,
    none: safe`It has no subscriptions.`,
  },
  qosLabel: safe`QoS`,
  qosHelp: safe`0, 1 or 2 (← → or Space)`,
};

export const subscriptionsTexts = {
  routesLoading: safe`routed to ···`,
  routesFailed: (retry: SafeText, reason: SafeText) => safe`! routes not read, ${retry}: ${reason}`,
  routedTo: (nodes: readonly SafeText[]) =>
    nodes.length === 0 ? safe`no routes` : safe`routed to ${joinSafe(nodes, safe`, `)}`,
  stale: safe`(old)`,
};

/** The text of the help for a broker that cannot change them. */
export const subscriptionLacks = {
  unsubscribe: (api: SafeText) => [safe`Unsubscribe`, safe`${api} cannot unsubscribe a client`] as const,
} as const;
