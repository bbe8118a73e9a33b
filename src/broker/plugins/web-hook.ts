import { Fifo } from '../sessions/fifo.ts';
import { FailureReport, HttpSender, readUrl } from './http-sender.ts';
import { type PluginDefinition, PluginError, type PluginSettingDefinition, requireSettings, type RunningPlugin } from './plugin.ts';

interface WebHookLimits {
  /** Events that may wait, by number and by the size of their text. */
  readonly events: number;
  readonly bytes: number;
  readonly timeoutMs: number;
}

const defaultLimits: WebHookLimits = { events: 1000, bytes: 8 * 1024 * 1024, timeoutMs: 5000 };

const actions = ['client_connected', 'client_disconnected', 'client_subscribe', 'client_unsubscribe', 'message_publish'] as const;
type Action = (typeof actions)[number];

const encodings = ['plain', 'base64'] as const;

const settings: readonly PluginSettingDefinition[] = [
  { key: 'web.hook.api.url', initial: '', description: 'URL that each event is posted to as JSON', required: true },
  { key: 'web.hook.events', initial: actions.join(','), description: 'Which events, with commas between them', required: true },
  { key: 'web.hook.encode_payload', initial: 'plain', description: 'plain or base64', required: true },
];

/** Events on their way out, one request at a time so that they keep their order; the oldest go when there are too many. */
class EventQueue {
  readonly #bounds: WebHookLimits;
  readonly #post: (event: string) => Promise<void>;
  readonly #overflowed: () => void;
  readonly #waiting = new Fifo<string>();
  #waitingBytes = 0;
  #isPosting = false;
  #isStopped = false;

  constructor(bounds: WebHookLimits, post: (event: string) => Promise<void>, overflowed: () => void) {
    this.#bounds = bounds;
    this.#post = post;
    this.#overflowed = overflowed;
  }

  push(event: string): void {
    this.#waiting.push(event);
    this.#waitingBytes += event.length;
    while (this.#waiting.length > this.#bounds.events || this.#waitingBytes > this.#bounds.bytes) {
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
    for (let event = this.#shift(); event !== undefined && !this.#isStopped; event = this.#shift()) await this.#post(event);
    this.#isPosting = false;
  }
}

/**
 * Posts what happens on the node to a URL. Events that are not taken in time are lost, and the log
 * says how many; the broker never waits for them.
 */
export function createWebHook(bounds: WebHookLimits = defaultLimits): PluginDefinition {
  return {
    name: 'web_hook',
    description: 'Events of clients and messages to an HTTP service',
    activeByDefault: false,
    settings,
    start: ({ node, log }, values): RunningPlugin => {
      requireSettings({ settings }, values);
      const url = readUrl(values, 'web.hook.api.url');
      if (url === undefined) throw new PluginError('web.hook.api.url is not set.');
      const wanted = new Set(values.get('web.hook.events').split(',').map((word) => word.trim()));
      if (![...wanted].every((word) => actions.some((action) => action === word))) throw new PluginError(`web.hook.events may hold ${actions.join(', ')} alone.`);
      const encoding = encodings.find((word) => word === values.get('web.hook.encode_payload'));
      if (encoding === undefined) throw new PluginError(`web.hook.encode_payload must be ${encodings.join(' or ')}.`);

      const sender = new HttpSender({ connections: 1, waiting: 0, timeoutMs: bounds.timeoutMs });
      const delivery = new FailureReport(log, 'web.hook.api.url');
      const overflow = new FailureReport(log, 'the queue of web_hook');
      let isStopped = false;
      const queue = new EventQueue(bounds, async (text) => {
        try {
          const status = await sender.send({ url, method: 'POST', body: { type: 'application/json', text } });
          if (isStopped) return;
          if (status >= 200 && status < 300) {
            delivery.worked();
            overflow.worked();
          } else {
            delivery.failed(`HTTP ${status}`);
          }
        } catch (error) {
          if (!isStopped) delivery.failed(error instanceof Error ? error.message : String(error));
        }
      }, () => overflow.failed('it is full, and the oldest events are dropped'));

      const enqueue = (action: Action, about: Readonly<Record<string, unknown>>): void => {
        if (wanted.has(action)) queue.push(JSON.stringify({ action, node: node.name, ...about }));
      };
      const userOf = (clientId: string): string | null => node.clients.get(clientId)?.identity?.username ?? null;
      const encodePayload = (payload: Buffer): string => payload.toString(encoding === 'base64' ? 'base64' : 'utf8');

      return {
        connected: ({ clientId, username = null, ipAddress = null, port = null }) =>
          enqueue('client_connected', { client_id: clientId, username, ipaddress: ipAddress, port, conn_ack: 0 }),
        disconnected: ({ clientId, username = null }, reason) => enqueue('client_disconnected', { client_id: clientId, username, reason }),
        subscribed: (clientId, topic, qos) =>
          enqueue('client_subscribe', { client_id: clientId, username: userOf(clientId), topic, opts: { qos } }),
        unsubscribed: (clientId, topic) => enqueue('client_unsubscribe', { client_id: clientId, username: userOf(clientId), topic }),
        published: ({ topic, payload, qos, retain, publisher }) => {
          // The cluster's own messages repeat what other events say.
          if (topic.startsWith('$SYS/') || !wanted.has('message_publish')) return;
          enqueue('message_publish', {
            from_client_id: publisher, from_username: userOf(publisher), topic, qos, retain, payload: encodePayload(payload),
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
