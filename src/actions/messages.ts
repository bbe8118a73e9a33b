import { BrokerError } from '../api/errors.ts';
import type { PublishRequest } from '../api/management-api.ts';
import type { Qos, Subscription } from '../domain/client.ts';
import { subscriptionIdentity } from '../monitor/scan/lists.ts';
import type { Effects } from '../monitor/state.ts';
import type { Read } from './action.ts';
import { clientIdOf, freezeSubscriber, recheckSubscriber, shownSubscriber, type Subscriber, subscriberFields } from './clients.ts';
import { defineAction } from './definition.ts';
import { quoteIfNeeded } from './describe.ts';
import type { ActionState } from './state.ts';

/** Real brokers reset the connection for larger bodies (field notes, "Transport"). */
const maxBodyBytes = 1_048_576;

async function subscriptionOf(read: Read, clientId: string, topic: string): Promise<Subscription | undefined> {
  return findSubscription(await read((api, options) => api.getSubscriptions(clientId, options)), clientId, topic);
}

/** Finds a client's subscription to a topic filter. */
export function findSubscription(rows: readonly Subscription[], clientId: string, topic: string): Subscription | undefined {
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
  actions.some(({ name, target, result }) => name === subscribeClient.id && /[+#]/u.test(String(target?.['topic'])) && result?.error instanceof BrokerError);

const subscriptionViews = (clientId: string): Effects['refresh'] =>
  [{ kind: 'subscriptionScan' }, { kind: 'routeScan' }, { kind: 'clientDetail', clientId }, { kind: 'resource', name: 'stats' }];

const describeSubscription = (now: Subscription | undefined): string =>
  (now === undefined ? 'the subscription is gone' : `it is subscribed with QoS ${now.qos ?? 'unknown'} now`);

/**
 * Subscribes on behalf of a client (§4.4). `listed`: the existing subscription that the operator was shown; `undefined`
 * when it could not be read.
 */
export const subscribeClient = defineAction({
  id: 'subscribe',
  label: 'subscribe on behalf of a client',
  menuLabel: 'subscribe on its behalf',
  danger: 'changes',
  targetKind: 'client',
  where: 'the same',
  key: 'subscribe',
  operations: ['subscribe'],
  confirmation: 'form, y/N with the QoS that it replaces',
  auditFields: [...subscriberFields, 'topic', 'qos'],
  create(subscriber: Subscriber, topic: string, qos: Qos, listed?: { readonly before: Subscription | undefined }) {
    const shown = freezeSubscriber(subscriber);
    const clientId = clientIdOf(shown);
    return {
      target: { ...shownSubscriber(shown), topic, qos },
      title: `subscribe client ${quoteIfNeeded(clientId)} to ${quoteIfNeeded(topic)} with QoS ${qos}`,
      invalid: clientId === '' ? 'The client id is empty.' : (problemOfFilter(topic) ?? problemOfQos(qos)),
      async recheck(read, seenStopped) {
        const changed = await recheckSubscriber(read, shown, seenStopped);
        if (changed !== undefined) return { changed };
        const before = await subscriptionOf(read, clientId, topic);
        if (listed !== undefined && describeSubscription(before) !== describeSubscription(listed.before)) return { changed: `Changed since listed: ${describeSubscription(before)}.` };
        return {
          plan: {
            before: { qos: before?.qos },
            after: { qos },
            wasAsWanted: before?.qos === qos,
            requests: [{ node: undefined, send: (api, options) => api.subscribe({ clientId, topic, qos }, options) }],
            async verify(readAgain) {
              const now = await subscriptionOf(readAgain, clientId, topic);
              if (now === undefined) return [{ node: undefined, state: 'not-as-wanted', text: 'The subscription is not listed.' }];
              if (now.qos === qos) return [{ node: undefined, state: 'as-wanted' }];
              return [{ node: undefined, state: 'not-as-wanted', text: `The subscription is listed with QoS ${now.qos ?? 'unknown'}.` }];
            },
          },
        };
      },
      effects: (): Effects => ({ refresh: subscriptionViews(clientId) }),
    };
  },
});

/** Removes a subscription on behalf of a client (§4.4). */
export const unsubscribeClient = defineAction({
  id: 'unsubscribe',
  label: 'unsubscribe on behalf of a client',
  menuLabel: 'unsubscribe on its behalf',
  danger: 'destroys',
  capability: 'unsubscribe',
  targetKind: 'subscription',
  where: 'the same',
  key: 'rowActions',
  operations: ['unsubscribe'],
  confirmation: 'choice, y/N',
  auditFields: ['clientId', 'topic', 'qos', 'node'],
  create(subscription: Subscription) {
    const shown = Object.freeze({ ...subscription });
    const { clientId, topic, qos, node } = shown;
    return {
      target: { clientId, topic, qos, node },
      title: `unsubscribe client ${quoteIfNeeded(clientId)} from ${quoteIfNeeded(topic)}`,
      async recheck(read) {
        const before = await subscriptionOf(read, clientId, topic);
        if (before === undefined) return { changed: 'Changed since listed: the subscription is gone.' };
        if (qos !== undefined && before.qos !== qos) return { changed: `Changed since listed: the subscription has QoS ${before.qos ?? 'unknown'} now.` };
        return {
          plan: {
            before: { qos: before.qos },
            after: { qos: undefined },
            requests: [{ node: undefined, send: (api, options) => api.unsubscribe({ clientId, topic }, options) }],
            verify: async (readAgain) => [
              await subscriptionOf(readAgain, clientId, topic) === undefined
                ? { node: undefined, state: 'as-wanted' }
                : { node: undefined, state: 'not-as-wanted', text: 'The subscription is still listed.' },
            ],
          },
        };
      },
      effects: ({ outcome }): Effects => ({
        refresh: subscriptionViews(clientId),
        gone: outcome === 'done' ? [{ scan: 'subscriptionScan', identity: subscriptionIdentity(shown) }] : [],
      }),
    };
  },
});

function problemOfQos(qos: unknown): string | undefined {
  return isQos(qos) ? undefined : 'The QoS has to be 0, 1 or 2.';
}

function problemOfPublish(message: PublishRequest): string | undefined {
  const { topic, payload, qos, retain, clientId } = message;
  const problem = problemOfTopic(topic) ?? (qos === undefined ? undefined : problemOfQos(qos));
  if (problem !== undefined) return problem;
  if (retain !== undefined && typeof retain !== 'boolean') return 'Retain has to be yes or no.';
  if (payload !== undefined && !payload.isWellFormed()) return 'The payload is not valid Unicode; this interface carries text alone.';
  const bytes = new TextEncoder().encode(JSON.stringify({ topic, payload, qos, retain, client_id: clientId })).length;
  return bytes > maxBodyBytes ? 'The message is too large: the broker takes requests of up to 1 MiB.' : undefined;
}

/** Publishes a message (§4.4). The audit has the size of the payload, not the payload. Delivery cannot be verified. */
export const publishMessage = defineAction({
  id: 'publish',
  label: 'publish a message',
  danger: 'changes',
  targetKind: 'message',
  where: 'everywhere',
  key: 'publish',
  operations: ['publish'],
  confirmation: 'form, y/N',
  auditFields: ['topic', 'payloadBytes', 'qos', 'retain', 'clientId'],
  create(request: PublishRequest) {
    const message = Object.freeze({ ...request });
    const { topic, payload = '', qos, retain, clientId } = message;
    return {
      target: { topic, payloadBytes: new TextEncoder().encode(payload).length, qos: qos ?? 0, retain: retain ?? false, clientId },
      title: `publish to ${quoteIfNeeded(topic)}`,
      invalid: problemOfPublish(message),
      unverifiable: retain === true
        ? 'Whether anybody received it, or the broker keeps it, cannot be read.'
        : 'Whether anybody received it cannot be read.',
      recheck: async () => ({ plan: { requests: [{ node: undefined, send: (api, options) => api.publish(message, options) }] } }),
      effects: (): Effects => ({ refresh: [{ kind: 'resource', name: 'stats' }, { kind: 'resource', name: 'metrics' }] }),
    };
  },
});

const maxTopicBytes = 65_535;

function problemOfText(what: string, topic: string): string | undefined {
  if (topic === '') return `The ${what} is empty.`;
  if (topic.includes('\0')) return `The ${what} holds the character U+0000, which MQTT forbids.`;
  if (!topic.isWellFormed()) return `The ${what} is not valid Unicode.`;
  if (new TextEncoder().encode(topic).length > maxTopicBytes) return `The ${what} is longer than the ${maxTopicBytes} bytes that MQTT allows.`;
  return undefined;
}

/** Why a topic cannot be published to, as a sentence. */
export function problemOfTopic(topic: string): string | undefined {
  if (/[+#]/u.test(topic)) return 'Nothing can be published to a topic with the wildcards + or #.';
  return problemOfText('topic', topic);
}

/** Why a topic filter cannot be subscribed to, as a sentence. */
export function problemOfFilter(filter: string): string | undefined {
  const levels = filter.split('/');
  if (levels.some((level) => level.length > 1 && /[+#]/u.test(level))) return 'The wildcards + and # stand for whole levels: a/+/b, a/#.';
  if (levels.slice(0, -1).includes('#')) return 'The wildcard # can only be the last level.';
  return problemOfText('topic filter', filter);
}

export const isQos = (qos: unknown): qos is 0 | 1 | 2 => qos === 0 || qos === 1 || qos === 2;
