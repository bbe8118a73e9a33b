import type { ActionState } from '../../actions/acting-monitor.ts';
import type { Read } from '../../actions/action.ts';
import { askTexts, detailText } from '../../actions/asking.ts';
import { defineAction } from '../../actions/define-action.ts';
import type { Built, ConfirmRequest, FormField, FormRequest, ReadRequest } from '../../actions/requests.ts';
import { invalidTexts } from '../../actions/texts.ts';
import { BrokerError } from '../../api/errors.ts';
import { clientIdOf, type Qos, type Subscriber, type Subscription } from '../../domain/client.ts';
import { compareNatural } from '../../domain/natural-order.ts';
import type { NodeName } from '../../domain/node.ts';
import { watchOf } from '../../monitor/query/part.ts';
import type { Effects } from '../../monitor/state.ts';
import { formatCount } from '../../terminal/format.ts';
import type { SafeText } from '../../terminal/safe-text.ts';
import type { Theme } from '../../terminal/theme.ts';
import {
  freezeSubscriber,
  recheckSubscriber,
  shownSubscriber,
  subscriberFields,
  type ClientRow,
} from '../clients/actions.ts';
import { clientDetail, readClient } from '../clients/detail.ts';
import { nodeOfTarget } from '../clients/target.ts';
import { routeScan } from '../routes/resource.ts';
import { sessionScan } from '../sessions/resource.ts';
import { stats } from '../statistics/resource.ts';
import { subscriptionSentences, subscriptionWords } from '../subscriptions/texts.ts';
import { subscriptionIdentity, subscriptionScan } from './resource.ts';
import { subscriptionTexts } from './texts.ts';

async function subscriptionOf(read: Read, clientId: string, topic: string): Promise<Subscription | undefined> {
  return findSubscription(await read((api, options) => api.getSubscriptions(clientId, options)), clientId, topic);
}

export function findSubscription(
  rows: readonly Subscription[],
  clientId: string,
  topic: string,
): Subscription | undefined {
  return rows.find((row) => row.clientId === clientId && listedTopics(topic).includes(row.topic));
}

/** Returns the names a filter may be listed by: brokers list shared subscriptions without the group. */
function listedTopics(topic: string): readonly string[] {
  const bare = /^\$share\/[^/]+\/(?<filter>.+)$/su.exec(topic) ?? /^\$(?:queue|local)\/(?<filter>.+)$/su.exec(topic);
  const filter = bare?.groups?.['filter'];
  return filter === undefined ? [topic] : [topic, filter];
}

/** Whether this broker has refused to subscribe a client with wildcards, as real ones do. */
export const hasRefusedWildcards = ({ actions }: Pick<ActionState, 'actions'>): boolean =>
  actions.some(
    ({ name, target, result }) =>
      name === subscribeClient.id && /[+#]/u.test(String(target?.['topic'])) && result?.error instanceof BrokerError,
  );

const subscriptionViews = (clientId: string): Effects['refresh'] => [
  subscriptionScan,
  sessionScan,
  routeScan,
  watchOf(clientDetail, clientId),
  stats,
];

const describeSubscription = (now: Subscription | undefined): string =>
  now === undefined ? subscriptionSentences.gone : subscriptionSentences.changed(now.qos);

/** Subscribes on behalf of a client. `listed`: the existing subscription, `undefined` if unread. */
export const subscribeClient = defineAction({
  id: 'subscribe',
  label: 'subscribe on behalf of a client',
  menuLabel: 'Subscribe',
  danger: 'changes',
  where: 'Clients, Sessions, Subscriptions, a client',
  key: {
    id: 'subscribe',
    keys: ['S'],
    label: 'subscribe',
    help: 'Subscribe on behalf of the client; asks first',
    scope: 'row',
  },
  rowChoice: (theme, { target: { subject, subscription }, state }: ClientRow) => ({
    next: subscribeRequest(theme, subject, subscription?.qos, hasRefusedWildcards(state())),
  }),
  operations: ['subscribe'],
  confirmation: 'form, y/N with the current QoS',
  auditFields: [...subscriberFields, 'topic', 'qos'],
  create(subscriber: Subscriber, topic: string, qos: Qos, listed?: { readonly before: Subscription | undefined }) {
    const shown = freezeSubscriber(subscriber);
    const clientId = clientIdOf(shown);
    return {
      target: { ...shownSubscriber(shown), topic, qos },
      ...subscriptionWords.subscribe(clientId, topic, qos),
      invalid: clientId === '' ? subscriptionSentences.emptyClientId : (problemOfFilter(topic) ?? problemOfQos(qos)),
      async recheck(read, seenStopped) {
        const changed = await recheckSubscriber(read, shown, seenStopped);
        if (changed !== undefined) return { changed };
        const before = await subscriptionOf(read, clientId, topic);
        if (listed !== undefined && describeSubscription(before) !== describeSubscription(listed.before))
          return { changed: describeSubscription(before) };
        return {
          plan: {
            before: { qos: before?.qos },
            after: { qos },
            wasAsWanted: before?.qos === qos,
            requests: [{ node: undefined, send: (api, options) => api.subscribe({ clientId, topic, qos }, options) }],
            async verify(readAgain) {
              const now = await subscriptionOf(readAgain, clientId, topic);
              if (now === undefined)
                return [{ node: undefined, state: 'not-as-wanted', text: subscriptionSentences.missing }];
              if (now.qos === qos)
                return [
                  {
                    node: undefined,
                    state: 'as-wanted',
                    text: subscriptionSentences.subscribed(qos, before?.qos, before === undefined),
                  },
                ];
              return [{ node: undefined, state: 'not-as-wanted', text: subscriptionSentences.hasQos(now.qos) }];
            },
          },
        };
      },
      effects: (): Effects => ({ refresh: subscriptionViews(clientId) }),
    };
  },
});

export const unsubscribeClient = defineAction({
  id: 'unsubscribe',
  label: 'unsubscribe on behalf of a client',
  menuLabel: 'Unsubscribe',
  danger: 'destroys',
  capability: 'unsubscribe',
  where: 'Clients, Sessions, Subscriptions, a client',
  key: 'rowActions',
  rowChoice(theme, { target, state }: ClientRow) {
    const canUnsubscribe = state().capabilities?.unsubscribe;
    if (canUnsubscribe !== true)
      return {
        missing:
          canUnsubscribe === undefined ? subscriptionTexts.unsubscribe.unknown : subscriptionTexts.unsubscribe.lacking,
      };
    const { subject, subscription } = target;
    return subscription === undefined
      ? { next: chooseSubscriptionRequest(theme, clientIdOf(subject), nodeOfTarget(target)) }
      : {
          next: unsubscribeRequest(theme, subscription),
          label: subscriptionTexts.unsubscribe.menuLabel(theme.escape(subscription.topic, 60)),
        };
  },
  operations: ['unsubscribe'],
  confirmation: 'choice, y/N',
  auditFields: ['clientId', 'topic', 'qos', 'node'],
  create(subscription: Subscription) {
    const shown = Object.freeze({ ...subscription });
    const { clientId, topic, qos, node } = shown;
    return {
      target: { clientId, topic, qos, node },
      ...subscriptionWords.unsubscribe(clientId, topic),
      async recheck(read) {
        const before = await subscriptionOf(read, clientId, topic);
        if (before === undefined) return { changed: subscriptionSentences.gone };
        if (qos !== undefined && before.qos !== qos) return { changed: subscriptionSentences.changed(before.qos) };
        return {
          plan: {
            before: { qos: before.qos },
            after: { qos: undefined },
            requests: [{ node: undefined, send: (api, options) => api.unsubscribe({ clientId, topic }, options) }],
            async verify(readAgain) {
              const rows = (await readAgain((api, options) => api.getSubscriptions(clientId, options))).filter(
                (row) => row.clientId === clientId,
              );
              return [
                findSubscription(rows, clientId, topic) === undefined
                  ? { node: undefined, state: 'as-wanted', text: subscriptionSentences.unsubscribed(rows.length) }
                  : { node: undefined, state: 'not-as-wanted', text: subscriptionSentences.remains },
              ];
            },
          },
        };
      },
      effects: ({ outcome }): Effects => ({
        refresh: subscriptionViews(clientId),
        gone: outcome === 'done' ? [{ scan: subscriptionScan, identity: subscriptionIdentity(shown) }] : [],
      }),
    };
  },
});

export function problemOfQos(qos: unknown): string | undefined {
  return isQos(qos) ? undefined : invalidTexts.qos;
}

const maxTopicBytes = 65_535;

/** Says why a topic or filter is invalid, as a sentence. */
export function problemOfText(what: string, topic: string): string | undefined {
  if (topic === '') return invalidTexts.empty(what);
  if (topic.includes('\0')) return invalidTexts.nul(what);
  if (!topic.isWellFormed()) return invalidTexts.unicode(what);
  if (new TextEncoder().encode(topic).length > maxTopicBytes) return invalidTexts.tooLong(what, maxTopicBytes);
  return undefined;
}

export function problemOfFilter(filter: string): string | undefined {
  const levels = filter.split('/');
  if (levels.some((level) => level.length > 1 && /[+#]/u.test(level))) return subscriptionSentences.filterLevels;
  if (levels.slice(0, -1).includes('#')) return subscriptionSentences.filterEnd;
  return problemOfText('topic filter', filter);
}

export const isQos = (qos: unknown): qos is 0 | 1 | 2 => qos === 0 || qos === 1 || qos === 2;

const problem = (theme: Theme, invalid: string | undefined): Built | undefined =>
  invalid === undefined ? undefined : { error: theme.escape(invalid), field: 'topic' };

export const qosOf = (choice: string | undefined): Qos => {
  if (choice === '1') {
    return 1;
  }
  return choice === '2' ? 2 : 0;
};

export const qosField = (initial?: number): FormField => ({
  id: 'qos',
  label: subscriptionTexts.qosLabel,
  kind: 'choice',
  choices: ['0', '1', '2'],
  initial: String(qosOf(String(initial))),
  help: subscriptionTexts.qosHelp,
});

/** Subscribes on behalf of a client. @param isWildcardRefused this broker has refused wildcards before */
export const subscribeRequest = (
  theme: Theme,
  subscriber: Subscriber,
  qos?: number,
  isWildcardRefused = false,
): FormRequest => {
  const clientId = clientIdOf(subscriber);
  return {
    kind: 'form',
    title: subscriptionTexts.subscribe.formTitle(theme.escape(clientId, 60)),
    fields: [
      {
        id: 'topic',
        label: subscriptionTexts.subscribe.filterLabel,
        help: isWildcardRefused ? subscriptionTexts.subscribe.wildcardsRefused : subscriptionTexts.subscribe.filterHelp,
      },
      qosField(qos),
    ],
    verb: askTexts.continue,
    build: ({ topic = '', qos: chosen }) =>
      problem(theme, subscribeClient.create(subscriber, topic, qosOf(chosen)).invalid) ?? {
        next: readSubscriptionRequest(theme, { subscriber, topic, qos: qosOf(chosen) }),
      },
  };
};

const subscribedLine = (
  theme: Theme,
  qos: Qos,
  listed: { readonly before: Subscription | undefined } | Error,
): SafeText => {
  if (listed instanceof Error) {
    return subscriptionTexts.subscribe.unread(qos, detailText(theme, listed.message));
  }
  if (listed.before === undefined) {
    return subscriptionTexts.subscribe.fresh(qos);
  }
  const before = listed.before.qos;
  return before === qos ? subscriptionTexts.subscribe.same(qos) : subscriptionTexts.subscribe.changed(before, qos);
};

/** The subscription that the operator asks for. */
export interface WantedSubscription {
  readonly subscriber: Subscriber;
  readonly topic: string;
  readonly qos: Qos;
}

/** @param subscriptions the current ones, or why they could not be read */
export const subscribeQuestion = (
  theme: Theme,
  { subscriber, topic, qos }: WantedSubscription,
  subscriptions: readonly Subscription[] | Error,
): ConfirmRequest => {
  const clientId = clientIdOf(subscriber);
  const listed =
    subscriptions instanceof Error ? subscriptions : { before: findSubscription(subscriptions, clientId, topic) };
  return {
    kind: 'confirm',
    question: subscriptionTexts.subscribe.question,
    target: clientId,
    details: [subscriptionTexts.subscribe.to(theme.escape(topic)), subscribedLine(theme, qos, listed)],
    verb: subscriptionTexts.subscribe.verb,
    action: subscribeClient.create(subscriber, topic, qos, listed instanceof Error ? undefined : listed),
  };
};

export const unsubscribeRequest = (theme: Theme, subscription: Subscription): ConfirmRequest => ({
  kind: 'confirm',
  question: subscriptionTexts.unsubscribe.question,
  target: subscription.clientId,
  details: [
    subscriptionTexts.unsubscribe.from(theme.escape(subscription.topic)),
    subscriptionTexts.unsubscribe.details(
      formatCount(subscription.qos),
      subscription.node === undefined ? undefined : detailText(theme, subscription.node),
    ),
    subscriptionTexts.unsubscribe.effect,
  ],
  verb: subscriptionTexts.unsubscribe.verb,
  action: unsubscribeClient.create(subscription),
});

/** The most columns of a client id in a title, and of a topic in a menu. */
const maxTitleId = 60;
const maxMenuTopic = 300;

/** Reads the subscriptions before it asks. An error is only shown: the action reads them again. */
export const readSubscriptionRequest = (theme: Theme, wanted: WantedSubscription): ReadRequest => {
  const clientId = clientIdOf(wanted.subscriber);
  return {
    kind: 'read',
    title: subscriptionTexts.subscribe.title(theme.escape(clientId, maxTitleId)),
    read: async ({ monitor, signal }) => {
      const subscriptions = await readClient(monitor, clientId, signal).then(
        (detail) => detail.subscriptions,
        (thrown: unknown) => (thrown instanceof Error ? thrown : new Error(String(thrown))),
      );
      return { request: subscribeQuestion(theme, wanted, subscriptions) };
    },
  };
};

/** Reads the subscriptions of a client, to choose the one that ends. @param node the client's, if known: its subscriptions do not have it */
export const chooseSubscriptionRequest = (theme: Theme, clientId: string, node: NodeName | undefined): ReadRequest => ({
  kind: 'read',
  title: subscriptionTexts.unsubscribe.title(theme.escape(clientId, maxTitleId)),
  read: async ({ monitor, signal }) => {
    const { subscriptions } = await readClient(monitor, clientId, signal);
    if (subscriptions instanceof Error) return { refused: theme.escape(subscriptions.message) };
    if (subscriptions.length === 0) return { refused: subscriptionTexts.unsubscribe.none };
    return {
      request: {
        kind: 'menu',
        title: subscriptionTexts.unsubscribe.menuTitle(theme.escape(clientId, maxTitleId)),
        choices: subscriptions
          .toSorted((a, b) => compareNatural(a.topic, b.topic))
          .map((subscription, index) => ({
            id: String(index),
            label: theme.escape(subscription.topic, maxMenuTopic),
            note: subscription.qos === undefined ? undefined : subscriptionTexts.unsubscribe.qos(subscription.qos),
            next: unsubscribeRequest(theme, { ...subscription, node: subscription.node ?? node }),
          })),
      },
    };
  },
});

export const subscriptionActions = [subscribeClient, unsubscribeClient] as const;
