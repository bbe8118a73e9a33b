import { wireMetric } from '../../src/api/dialects/emq-v2/decode.ts';
import { metricNames, statNames } from '../../src/domain/metrics.ts';
import { answer, type RawRequest, type RawServer, startRawServer, success } from '../support/raw-http-server.ts';

/** The texts and numbers that the hostile broker answers with. */
export interface Hostility {
  /** Node names. Lists of nodes whose name fits in no path fail. */
  readonly nodes: readonly string[];
  /** Ids, topics, plugin, setting and user names, all different. */
  readonly names: readonly string[];
  /** All other texts. */
  readonly words: readonly string[];
  /** Numbers. Default: the same small ones in each row. */
  readonly figures?: readonly number[] | undefined;
}

export interface HostileBroker {
  readonly url: string;
  readonly requests: RawServer['requests'];
  /** Changes the answers. */
  say(hostility: Hostility): void;
  close(): Promise<void>;
}

type Part = readonly [key: string, value: unknown];
/** Creates an object in which `__proto__` is an ordinary key. */
const object = (...parts: readonly Part[]): Readonly<Record<string, unknown>> => Object.fromEntries(parts);

/** Starts a variant B broker whose every text is hostile, even in place of numbers and times. */
export async function startHostileBroker(): Promise<HostileBroker> {
  let hostility: Hostility = { nodes: [], names: [], words: [] };
  const server = await startRawServer((request) => answerTo(hostility, request));
  return {
    url: server.url,
    requests: server.requests,
    say: (next) => {
      hostility = next;
    },
    close: () => server.close(),
  };
}

function answerTo(hostility: Hostility, { method, path }: RawRequest): Buffer {
  const segments = (path.split('?', 1)[0] ?? '').split('/').slice(3).map(decodeURIComponent);
  const word = (at: number): string => hostility.words[at % Math.max(1, hostility.words.length)] ?? '';
  if (method !== 'GET') return answer(200, JSON.stringify({ code: 102, message: `${word(0)} ${word(1)}` }));
  const result = resultOf(hostility, word, segments);
  return result === undefined ? answer(404, '') : success(result);
}

function resultOf(
  hostility: Hostility,
  word: (at: number) => string,
  [first = '', second = '', third = '', fourth]: readonly string[],
): unknown {
  const { nodes, names, figures = [] } = hostility;
  const figure = (at: number, usual: number): number => figures[at % Math.max(1, figures.length)] ?? usual;
  const byNode = (value: (at: number) => unknown): unknown =>
    object(...nodes.map((name, at): Part => [name, value(at)]));
  /** Returns the names on a node: each is on one node only. */
  const on = (node: string): readonly string[] => names.filter((_, at) => nodes[at % nodes.length] === node);
  const paged = (items: readonly unknown[]): unknown => ({
    current_page: 1,
    page_size: 10_000,
    total_num: items.length,
    total_page: 1,
    objects: items,
  });

  const client = (id: string, at: number): unknown => ({
    client_id: id,
    username: word(at),
    ipaddress: word(at + 1),
    port: figure(at, 1883),
    clean_sess: at % 3 === 0 ? word(at) : true,
    proto_ver: at % 3 === 1 ? word(at + 2) : figure(at, 4),
    keepalive: at % 3 === 2 ? word(at + 3) : figure(at, 60),
    connected_at: at % 2 === 0 ? word(at + 4) : '2026-01-01 00:00:00',
  });
  const session = (id: string, at: number): unknown => ({
    client_id: id,
    clean_sess: at % 2 === 0 ? word(at) : false,
    created_at: at % 2 === 1 ? word(at + 1) : '2026-01-01 00:00:00',
    max_inflight: at % 3 === 0 ? word(at) : figure(at, 32),
    inflight_len: figure(at + 1, 1),
    mqueue_len: at % 3 === 1 ? word(at) : figure(at, 2),
    mqueue_dropped: at % 3 === 2 ? word(at) : figure(at, 3),
    awaiting_rel_len: figure(at, 4),
    subscriptions: figure(at, 5),
    deliver_msg: figure(at, 6),
    enqueue_msg: figure(at, 7),
  });
  const subscription = (id: string, at: number): unknown => ({
    client_id: id,
    topic: names[(at + 1) % names.length],
    qos: figure(at, 1),
  });
  const setting =
    (key: string, at: number) =>
    (node: number): unknown => ({ key, value: word(at + node), datatpye: word(at + 1), app: word(at + 2) || 'app' });

  switch (`${first}/${first === 'nodes' ? third : second}`) {
    case 'management/nodes':
      return nodes.map((name, at) => ({
        name,
        version: word(at),
        sysdescr: word(at + 1),
        uptime: word(at + 2),
        datetime: word(at + 3),
        otp_release: word(at + 4),
        node_status: at === 0 ? 'Running' : word(at + 5),
      }));
    case 'monitoring/nodes':
      return nodes.map((name, at) => ({
        name,
        otp_release: word(at),
        memory_total: word(at + 1),
        memory_used: '1.00M',
        process_available: figure(at, 100),
        process_used: at === 1 ? word(at + 2) : figure(at, 10),
        max_fds: figure(at, 1024),
        clients: figure(at, 1),
        node_status: at < 2 ? 'Running' : word(at + 3),
        load1: word(at + 4),
        load5: '0.1',
        load15: '0.1',
      }));
    case 'monitoring/listeners':
      return byNode((at) => [
        {
          protocol: `${word(at)}:`,
          listen: word(at + 1),
          acceptors: 16,
          max_clients: word(at + 2),
          current_clients: 1,
          shutdown_count: [object([word(at + 3), figure(at, 3)], [word(at + 4), 4])],
        },
        {
          protocol: word(at + 5),
          listen: '0.0.0.0:1883',
          acceptors: word(at),
          max_clients: figure(at, 1024),
          current_clients: figure(at + 1, 1),
          shutdown_count: word(at + 6),
        },
      ]);
    case 'monitoring/metrics':
      return object(...metricNames.map((name, at): Part => [wireMetric(name), figure(at, 1)]));
    case 'monitoring/stats':
      return byNode(() =>
        object(
          ...statNames.flatMap((name, at): Part[] => [
            [`${name}/count`, figure(at, 1)],
            [`${name}/max`, figure(at + 1, 2)],
          ]),
        ),
      );
    case 'nodes/clients':
      return fourth === undefined
        ? paged(on(second).map(client))
        : { objects: on(second).includes(fourth) ? [client(fourth, names.indexOf(fourth))] : [] };
    case 'nodes/sessions':
      return fourth === undefined ? paged(on(second).map(session)) : { objects: [session(fourth, 1)] };
    case 'nodes/subscriptions':
      return paged(on(second).map(subscription));
    case 'nodes/alarms':
      return names.map((name, at) => ({
        id: at % 2 === 0 ? `queue_high_watermark.${name}` : name,
        severity: word(at),
        title: word(at + 1),
        summary: word(at + 2),
        occurred_at: word(at + 3),
      }));
    case 'nodes/plugins':
      return names.map((name, at) => ({ name, version: word(at), description: word(at + 1), active: at % 3 === 0 }));
    case 'nodes/plugin_configs':
      return names.map((key, at) => ({ key, value: word(at), desc: word(at + 1), required: true }));
    case 'configs/':
      return byNode((node) => names.map((key, at) => setting(key, at)(node)));
    case 'users/':
      return names.map((username, at) => ({ username, tags: word(at) }));
    case 'routes/':
      return paged(names.flatMap((topic) => nodes.map((node) => ({ topic, node }))));
    default:
      break;
  }
  switch (first) {
    case 'routes':
      return { objects: nodes.map((node) => ({ topic: second, node })) };
    case 'clients':
      return { objects: [client(second, Math.max(0, names.indexOf(second)))] };
    case 'sessions':
      return { objects: [session(second, 1)] };
    case 'subscriptions':
      return { objects: names.slice(0, 8).map((topic) => ({ client_id: second, topic, qos: 2 })) };
    default:
      return undefined;
  }
}
