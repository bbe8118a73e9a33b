import { setImmediate } from 'node:timers/promises';
import { BrokerError } from '../../api/errors.ts';
import type { CallOptions, ManagementApi, PageRequest } from '../../api/management-api.ts';
import type { RetainedMessage, SessionMessage } from '../../domain/messages.ts';
import type { BrokerCluster } from '../cluster.ts';
import { toBrokerSeconds } from '../engine/counters.ts';
import type { Message } from '../engine/message.ts';
import { isValidFilter } from '../../domain/topics.ts';
import type { Delivery } from '../sessions/message-queue.ts';
import { persistChange } from './changes.ts';

export type MessageApi = Required<
  Pick<ManagementApi, 'listRetained' | 'getRetained' | 'deleteRetained' | 'listSessionMessages'>
>;

const messagesPerPage = 100;
const topicsPerSlice = 2000;

/** The calls about retained messages, and about those that wait in sessions. */
export function createMessageApi(cluster: BrokerCluster): MessageApi {
  return {
    async listRetained(filter, page, options) {
      if (filter !== undefined && !isValidFilter(filter, Infinity))
        throw new BrokerError('invalid', 'This is not a topic filter.');
      const { items, count } = await readMatching(cluster.listRetained(filter), page, options);
      return {
        ...page,
        items: items.map(describeRetained),
        totalItems: count,
        totalPages: Math.ceil(count / page.pageSize),
      };
    },
    async getRetained(topic) {
      const message = cluster.retainedMessage(topic);
      return message === undefined ? undefined : { ...describeRetained(message), payload: message.payload };
    },
    async deleteRetained(topic) {
      const state = cluster.exportRetained(topic);
      if (state === undefined) throw new BrokerError('does-not-exist');
      await persistChange(cluster.recorder, () => {
        cluster.deleteRetained(topic);
        return () => cluster.restoreRetained(state);
      });
    },
    async listSessionMessages(clientId, which, from) {
      const outbox = cluster.session(clientId)?.outbox;
      if (outbox === undefined) throw new BrokerError('not-connected');
      try {
        const { items, next } =
          which === 'queue' ? outbox.listQueue(from, messagesPerPage) : outbox.listInflight(from, messagesPerPage);
        return { items: items.map(describeDelivery), next };
      } catch (error) {
        if (error instanceof RangeError) throw new BrokerError('invalid', error.message);
        throw error;
      }
    },
  };
}

/** Returns the rows of one page, and how many there are in all. */
async function readMatching(
  found: Iterable<Message | undefined>,
  { page, pageSize }: PageRequest,
  options: CallOptions | undefined,
): Promise<{ readonly items: readonly Message[]; readonly count: number }> {
  const items: Message[] = [];
  let [count, steps] = [0, 0];
  for (const message of found) {
    steps += 1;
    if (steps % topicsPerSlice === 0) await setImmediate(undefined, { signal: options?.signal });
    if (message === undefined) continue;
    if (Math.floor(count / pageSize) === page - 1) items.push(message);
    count += 1;
  }
  return { items, count };
}

const timeOf = ({ publishedAtMs }: Message): number | undefined =>
  publishedAtMs === 0 ? undefined : toBrokerSeconds(publishedAtMs) + (publishedAtMs % 1000) / 1000;

function describeRetained(message: Message): RetainedMessage {
  const { topic, qos, publisher } = message;
  return { topic, qos, publishedAt: timeOf(message), fromClientId: publisher, fromUsername: undefined };
}

function describeDelivery({ message, qos }: Delivery): SessionMessage {
  return {
    topic: message.topic,
    qos,
    publishedAt: timeOf(message),
    fromClientId: message.publisher,
    fromUsername: undefined,
    payload: message.payload,
  };
}
