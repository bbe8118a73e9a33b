import { setImmediate } from 'node:timers/promises';
import type { ISubscribePacket } from 'mqtt-packet';
import type { Qos } from '../../domain/subscription.ts';
import type { IncomingContext } from './incoming.ts';
import type { Session } from '../sessions/session.ts';
import { filterCost, isValidFilter } from './topics.ts';

/** Subscriptions that a client may have; it is refused more. Its operator may make it more. */
export const maxSubscriptions = 32_768;
/** Max sum of `filterCost` over the filters of a client: 32,768 levels of filters with several wildcards, or 8 times as many with one. */
export const maxFilterCost = 8 * maxSubscriptions;

/** What a SUBACK says of a filter that is refused (3.9.3). */
const refused = 0x80;
/** Filters that are subscribed to, or let go of, in one go. A packet can hold thousands, which would hold everybody else up. */
export const filtersAtOnce = 256;

interface Asked {
  readonly topic: string;
  readonly qos: Qos;
}

/** Subscribes, answers, and sends what is retained. A promise when hooks have to be waited for, or others come in between. */
export function handleSubscribe(context: IncomingContext, { messageId = 0, subscriptions }: ISubscribePacket): void | Promise<void> {
  if (subscriptions.length > filtersAtOnce) return subscribeInSlices(context, messageId, subscriptions);
  const answer = (granted: readonly number[]): void => {
    context.send({ cmd: 'suback', messageId, granted: [...granted] });
    deliverRetained(context, subscriptions, granted);
  };
  const granted = subscribe(context, subscriptions);
  return granted instanceof Promise ? granted.then(answer) : answer(granted);
}

async function subscribeInSlices(context: IncomingContext, messageId: number, subscriptions: readonly Asked[]): Promise<void> {
  const granted: number[] = [];
  for (const slice of slices(subscriptions)) {
    granted.push(...await subscribe(context, slice));
    await setImmediate();
  }
  context.send({ cmd: 'suback', messageId, granted });
  for (const [index, slice] of slices(subscriptions).entries()) {
    deliverRetained(context, slice, granted.slice(index * filtersAtOnce));
    await setImmediate();
  }
}

function slices<T>(items: readonly T[]): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(items.length / filtersAtOnce) }, (_, index) => items.slice(index * filtersAtOnce, (index + 1) * filtersAtOnce));
}

/** Subscribes to those that are allowed; answers with what a SUBACK says of each. */
function subscribe(context: IncomingContext, asked: readonly Asked[]): readonly number[] | Promise<readonly number[]> {
  const answers = asked.map(({ topic }) =>
    isValidFilter(topic, context.settings.maxTopicLevels) && context.access.allows('subscribe', topic));
  const grant = (allowed: readonly boolean[]): readonly number[] => asked.map(({ topic, qos }, index) => {
    if (allowed[index] !== true || !context.maySubscribe()) return refused;
    if (!hasRoom(context.session, topic)) {
      context.refuse(topic);
      return refused;
    }
    context.subscribe(topic, qos);
    return qos;
  });
  return answers.every((answer) => typeof answer === 'boolean') ? grant(answers) : Promise.all(answers).then(grant);
}

/** Whether the session may have this filter, too. One that it has may be changed. */
function hasRoom({ subscriptions, filterCost: cost }: Session, filter: string): boolean {
  return subscriptions.has(filter) || (subscriptions.size < maxSubscriptions && cost + filterCost(filter) <= maxFilterCost);
}

function deliverRetained(context: IncomingContext, asked: readonly Asked[], granted: readonly number[]): void {
  for (const [index, { topic, qos }] of asked.entries()) if (granted[index] !== refused) context.deliverRetained(topic, qos);
}
