import { BrokerError } from '../api/errors.ts';
import type { PublishRequest } from '../api/management-api.ts';
import { clientIdOf, type Qos, type Subscriber, type Subscription } from '../domain/client.ts';
import { watchOf } from '../monitor/query/part.ts';
import type { Effects } from '../monitor/state.ts';
import { clientDetail } from '../resources/clients/detail.ts';
import { metrics } from '../resources/metrics/resource.ts';
import { routeScan } from '../resources/routes/resource.ts';
import { sessionScan } from '../resources/sessions/resource.ts';
import { stats } from '../resources/statistics/resource.ts';
import { subscriptionIdentity, subscriptionScan } from '../resources/subscriptions/resource.ts';
import type { ActionState } from './acting-monitor.ts';
import type { Read } from './action.ts';
import { freezeSubscriber, recheckSubscriber, shownSubscriber, subscriberFields } from './clients.ts';
import { defineAction } from './define-action.ts';
import { actionWords, invalidTexts, skipTexts, verificationTexts } from './texts.ts';

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

/** The names a filter may be listed by: brokers list shared subscriptions without the group. */
function listedTopics(topic: string): readonly string[] {
  const bare = /^\$share\/[^/]+\/(?<filter>.+)$/su.exec(topic) ?? /^\$(?:queue|local)\/(?<filter>.+)$/su.exec(topic);
  const filter = bare?.groups?.['filter'];
  return filter === undefined ? [topic] : [topic, filter];
}

/** Whether this broker has refused to subscribe a client with wildcards, as real ones do (field notes, "Actions"). */
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
  now === undefined ? skipTexts.subscriptionGone : skipTexts.subscriptionChanged(now.qos);

/** Subscribes on behalf of a client (§4.4). `listed`: the existing subscription, `undefined` if unread. */
export const subscribeClient = defineAction({
  id: 'subscribe',
  label: 'subscribe on behalf of a client',
  menuLabel: 'Subscribe',
  danger: 'changes',
  where: 'Clients, Sessions, Subscriptions, a client',
  key: 'subscribe',
  operations: ['subscribe'],
  confirmation: 'form, y/N with the current QoS',
  auditFields: [...subscriberFields, 'topic', 'qos'],
  create(subscriber: Subscriber, topic: string, qos: Qos, listed?: { readonly before: Subscription | undefined }) {
    const shown = freezeSubscriber(subscriber);
    const clientId = clientIdOf(shown);
    return {
      target: { ...shownSubscriber(shown), topic, qos },
      ...actionWords.subscribe(clientId, topic, qos),
      invalid: clientId === '' ? invalidTexts.emptyClientId : (problemOfFilter(topic) ?? problemOfQos(qos)),
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
                return [{ node: undefined, state: 'not-as-wanted', text: verificationTexts.subscriptionMissing }];
              if (now.qos === qos)
                return [
                  {
                    node: undefined,
                    state: 'as-wanted',
                    text: verificationTexts.subscribed(qos, before?.qos, before === undefined),
                  },
                ];
              return [{ node: undefined, state: 'not-as-wanted', text: verificationTexts.subscriptionQos(now.qos) }];
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
  operations: ['unsubscribe'],
  confirmation: 'choice, y/N',
  auditFields: ['clientId', 'topic', 'qos', 'node'],
  create(subscription: Subscription) {
    const shown = Object.freeze({ ...subscription });
    const { clientId, topic, qos, node } = shown;
    return {
      target: { clientId, topic, qos, node },
      ...actionWords.unsubscribe(clientId, topic),
      async recheck(read) {
        const before = await subscriptionOf(read, clientId, topic);
        if (before === undefined) return { changed: skipTexts.subscriptionGone };
        if (qos !== undefined && before.qos !== qos) return { changed: skipTexts.subscriptionChanged(before.qos) };
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
                  ? { node: undefined, state: 'as-wanted', text: verificationTexts.unsubscribed(rows.length) }
                  : { node: undefined, state: 'not-as-wanted', text: verificationTexts.subscriptionRemains },
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

function problemOfQos(qos: unknown): string | undefined {
  return isQos(qos) ? undefined : invalidTexts.qos;
}

function problemOfPublish(message: PublishRequest): string | undefined {
  const { topic, payload, qos, retain } = message;
  const problem = problemOfTopic(topic) ?? (qos === undefined ? undefined : problemOfQos(qos));
  if (problem !== undefined) return problem;
  if (retain !== undefined && typeof retain !== 'boolean') return invalidTexts.retain;
  return payload !== undefined && !payload.isWellFormed() ? invalidTexts.payloadUnicode : undefined;
}

/** Publishes a message (§4.4). The audit has the size of the payload, not the payload. */
export const publishMessage = defineAction({
  id: 'publish',
  label: 'publish a message',
  danger: 'changes',
  where: 'everywhere',
  key: 'publish',
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
      ...actionWords.publish(topic),
      invalid: problemOfPublish(message),
      unverifiable: verificationTexts.delivery(retain === true),
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
            describeAnswer: () => (hasReceiver ? undefined : verificationTexts.noReceiver),
          },
        };
      },
      effects: (): Effects => ({
        refresh: [stats, metrics],
      }),
    };
  },
});

const maxTopicBytes = 65_535;

function problemOfText(what: string, topic: string): string | undefined {
  if (topic === '') return invalidTexts.empty(what);
  if (topic.includes('\0')) return invalidTexts.nul(what);
  if (!topic.isWellFormed()) return invalidTexts.unicode(what);
  if (new TextEncoder().encode(topic).length > maxTopicBytes) return invalidTexts.tooLong(what, maxTopicBytes);
  return undefined;
}

export function problemOfTopic(topic: string): string | undefined {
  if (/[+#]/u.test(topic)) return invalidTexts.topicWildcards;
  return problemOfText('topic', topic);
}

export function problemOfFilter(filter: string): string | undefined {
  const levels = filter.split('/');
  if (levels.some((level) => level.length > 1 && /[+#]/u.test(level))) return invalidTexts.filterLevels;
  if (levels.slice(0, -1).includes('#')) return invalidTexts.filterEnd;
  return problemOfText('topic filter', filter);
}

export const isQos = (qos: unknown): qos is 0 | 1 | 2 => qos === 0 || qos === 1 || qos === 2;
