import { Fifo } from '../sessions/message-queue.ts';
import { FailureReport, HttpSender, readUrl } from './http-sender.ts';
import {
  type PluginDefinition,
  PluginError,
  type PluginSettingDefinition,
  requireSettings,
  type RunningPlugin,
} from './plugin.ts';

interface WebHookLimits {
  readonly events: number;
  readonly bytes: number;
  readonly timeoutMs: number;
}

const defaultLimits: WebHookLimits = { events: 1000, bytes: 8 * 1024 * 1024, timeoutMs: 5000 };

const actions = [
  'client_connected',
  'client_disconnected',
  'client_subscribe',
  'client_unsubscribe',
  'message_publish',
] as const;
type Action = (typeof actions)[number];

const encodings = ['plain', 'base64'] as const;

const settings: readonly PluginSettingDefinition[] = [
  { key: 'web.hook.api.url', initial: '', description: 'URL that each event is posted to as JSON', required: true },
  { key: 'web.hook.events', initial: actions.join(','), description: 'Events, separated by commas', required: true },
  { key: 'web.hook.encode_payload', initial: 'plain', description: 'plain or base64', required: true },
];

/** Events that are posted one at a time, which keeps their order; the oldest are dropped when there are too many. */
class EventQueue {
  readonly #limits: WebHookLimits;
  readonly #post: (event: string) => Promise<void>;
  readonly #overflowed: () => void;
  readonly #waiting = new Fifo<string>();
  #waitingBytes = 0;
  #isPosting = false;
  #isStopped = false;

  constructor(limits: WebHookLimits, post: (event: string) => Promise<void>, overflowed: () => void) {
    this.#limits = limits;
    this.#post = post;
    this.#overflowed = overflowed;
  }

  push(event: string): void {
    this.#waiting.push(event);
    this.#waitingBytes += event.length;
    while (this.#waiting.length > this.#limits.events || this.#waitingBytes > this.#limits.bytes) {
      this.#shift();
      this.#overflowed();
    }
    if (!this.#isPosting) void this.#postAll();
  }

  stop(): void {
    this.#isStopped = true;
  }

  #shift(): string | undefined {
    const event = this.#waiting.shift();
    this.#waitingBytes -= event?.length ?? 0;
    return event;
  }

  async #postAll(): Promise<void> {
    this.#isPosting = true;
    for (let event = this.#shift(); event !== undefined && !this.#isStopped; event = this.#shift())
      await this.#post(event);
    this.#isPosting = false;
  }
}

/**
 * Defines a plugin that posts events. The broker never waits: events that cannot be posted in time are dropped and
 * logged.
 */
export function createWebHook(limits: WebHookLimits = defaultLimits): PluginDefinition {
  return {
    name: 'web_hook',
    description: 'Events of clients and messages to an HTTP service',
    activeByDefault: false,
    settings,
    start: ({ node, log }, values): RunningPlugin => {
      requireSettings({ settings }, values);
      const url = readUrl(values, 'web.hook.api.url');
      if (url === undefined) throw new PluginError('web.hook.api.url is not set.');
      const wanted = new Set(
        values
          .get('web.hook.events')
          .split(',')
          .map((word) => word.trim()),
      );
      if (![...wanted].every((word) => actions.some((action) => action === word)))
        throw new PluginError(`web.hook.events may only contain ${actions.join(', ')}.`);
      const encoding = encodings.find((word) => word === values.get('web.hook.encode_payload'));
      if (encoding === undefined) throw new PluginError(`web.hook.encode_payload must be ${encodings.join(' or ')}.`);

      const sender = new HttpSender({ connections: 1, waiting: 0, timeoutMs: limits.timeoutMs });
      const delivery = new FailureReport(log, 'web.hook.api.url');
      const overflow = new FailureReport(log, 'the web_hook queue');
      let isStopped = false;
      const queue = new EventQueue(
        limits,
        async (text) => {
          try {
            const status = await sender.send({ url, method: 'POST', body: { type: 'application/json', text } });
            if (isStopped) return;
            if (status >= 200 && status < 300) {
              delivery.succeeded();
              overflow.succeeded();
            } else {
              delivery.failed(`HTTP ${status}`);
            }
          } catch (error) {
            if (!isStopped) delivery.failed(error instanceof Error ? error.message : String(error));
          }
        },
        () => overflow.failed('full, the oldest events are dropped'),
      );

      const enqueue = (action: Action, fields: Readonly<Record<string, unknown>>): void => {
        if (wanted.has(action)) queue.push(JSON.stringify({ action, node: node.name, ...fields }));
      };
      const userOf = (clientId: string): string | null => node.clients.get(clientId)?.identity?.username ?? null;
      const encodePayload = (payload: Buffer): string => payload.toString(encoding === 'base64' ? 'base64' : 'utf8');

      return {
        connected: ({ clientId, username = null, ipAddress = null, port = null }) =>
          enqueue('client_connected', { client_id: clientId, username, ipaddress: ipAddress, port, conn_ack: 0 }),
        disconnected: ({ clientId, username = null }, reason) =>
          enqueue('client_disconnected', { client_id: clientId, username, reason }),
        subscribed: (clientId, topic, qos) =>
          enqueue('client_subscribe', { client_id: clientId, username: userOf(clientId), topic, opts: { qos } }),
        unsubscribed: (clientId, topic) =>
          enqueue('client_unsubscribe', { client_id: clientId, username: userOf(clientId), topic }),
        published: ({ topic, payload, qos, retain, publisher }) => {
          // The cluster's own messages repeat other events.
          if (topic.startsWith('$SYS/') || !wanted.has('message_publish')) return;
          enqueue('message_publish', {
            from_client_id: publisher,
            from_username: userOf(publisher),
            topic,
            qos,
            retain,
            payload: encodePayload(payload),
            ts: Math.floor(Date.now() / 1000),
          });
        },
        stop: () => {
          isStopped = true;
          queue.stop();
          sender.close();
        },
      };
    },
  };
}
