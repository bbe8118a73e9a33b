/** The process behind `withLoadServer`: serves synthetic answers as fast as possible. */
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { wireMetric } from '../../src/api/dialects/emq-v2/decode.ts';
import { metricNames, statNames } from '../../src/domain/metrics.ts';
import type { Load, ServerLoad } from './load-server.ts';

const load = JSON.parse(process.argv[2] ?? '') as Load;
const nodeNames = ['broker1@127.0.0.1', 'broker2@127.0.0.1', 'broker3@127.0.0.1'];
const prefix = '/api/v2/';
const startedAtMs = Date.now();

let answers = 0;
let requests = 0;
let byPath: Record<string, number> = {};
let maxConnections = 0;
let newConnections = 0;
/** Bytes of closed connections. */
let sentBefore = 0;
/** Bytes sent at the last question. */
let sentAtLastRequest = 0;
let busyMs = 0;
const connections = new Set<Socket>();

const sentInAll = (): number => [...connections].reduce((sum, { bytesWritten }) => sum + bytesWritten, sentBefore);

/** Spreads changing rows evenly over the list. */
function changes(index: number): boolean {
  return (index * 0.618_033_988_749) % 1 < load.changing;
}

function time(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19).replace('T', ' ');
}

function client(index: number) {
  const turn = changes(index) ? answers : 0;
  return {
    client_id: `${index % 3 === 0 ? 'dashboard' : 'sensor'}-${String(index).padStart(6, '0')}`,
    username: index % 4 === 0 ? 'undefined' : `factory-${index % 17}`,
    ipaddress: `10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`,
    port: 1024 + ((index * 7 + turn * 13) % 60_000),
    clean_sess: index % 2 === 0,
    proto_ver: index % 5 === 0 ? 3 : 4,
    keepalive: 30 + (index % 90),
    connected_at: time(startedAtMs - 1000 * (60 + (index % 86_400))),
  };
}

/**
 * Queues go up and down a little: if they grew, all changing rows would be at the top of a list that is sorted worst
 * first.
 */
function session(index: number) {
  const turn = changes(index) ? answers : 0;
  return {
    client_id: client(index).client_id,
    clean_sess: index % 2 === 0,
    subscriptions: 2,
    max_inflight: 32,
    inflight_len: (index + turn) % 32,
    mqueue_len: load.queues === 'none' ? 0 : ((index * 31) % 1_000) + (load.queues === 'still' ? 0 : (turn * 7) % 5),
    mqueue_dropped: 0,
    awaiting_rel_len: 0,
    deliver_msg: 1_000 + index + turn,
    enqueue_msg: index + turn,
    created_at: time(startedAtMs - 1000 * (60 + (index % 86_400))),
  };
}

function subscription(index: number) {
  return {
    client_id: `sensor-${String(Math.floor(index / 3)).padStart(6, '0')}`,
    topic: `plant/${index % 17}/sensor-${index}/state`,
    qos: index % 3,
  };
}

function route(index: number) {
  return { topic: `plant/${index % 17}/sensor-${index}/state`, node: nodeNames[index % nodeNames.length] };
}

/** A page of one part of a list of `all` rows. */
function pageOf(make: (index: number) => unknown, all: number, query: URLSearchParams, part = 0, parts = 1) {
  const page = Math.max(1, Number(query.get('curr_page') ?? 1));
  const size = Number(query.get('page_size') ?? 20);
  const total = Math.floor((all - part + parts - 1) / parts);
  const objects = [];
  for (let row = (page - 1) * size; row < Math.min(total, page * size); row += 1)
    objects.push(make(row * parts + part));
  return { current_page: page, page_size: size, total_num: total, total_page: Math.ceil(total / size), objects };
}

const listsOfNodes: Readonly<Record<string, { make: (index: number) => unknown; all: number }>> = {
  clients: { make: client, all: load.clients },
  sessions: { make: session, all: load.sessions ?? load.clients },
  subscriptions: { make: subscription, all: load.subscriptions ?? 0 },
};

function nodeFigures(name: string) {
  return {
    name,
    otp_release: 'R19/8.3',
    memory_total: '980.30M',
    memory_used: `${(500 + (answers % 7)).toFixed(2)}M`,
    process_available: 2_097_152,
    process_used: 4_000 + (answers % 50),
    max_fds: 1_048_576,
    clients: Math.floor(load.clients / nodeNames.length),
    node_status: 'Running',
    load1: (1 + (answers % 10) / 10).toFixed(2),
    load5: '0.80',
    load15: '0.70',
  };
}

function nodeInfo(name: string) {
  return {
    name,
    version: '2.3.11',
    sysdescr: 'a broker',
    uptime: '2 hours, 11 minutes, 4 seconds',
    datetime: time(Date.now()),
    otp_release: 'R19/8.3',
    node_status: 'Running',
  };
}

function metrics() {
  return Object.fromEntries(
    metricNames.map((name, index) => [
      wireMetric(name),
      1_000_000 * (index + 1) + (changes(index) ? answers * (97 + index) : 0),
    ]),
  );
}

function stats() {
  const count = Math.floor(load.clients / nodeNames.length);
  return Object.fromEntries(
    statNames.flatMap((name) => [
      [`${name}/count`, count],
      [`${name}/max`, count + 10],
    ]),
  );
}

function listeners() {
  return ['mqtt:tcp', 'mqtt:ws', 'mqtt:api'].map((protocol, index) => ({
    protocol,
    listen: `0.0.0.0:${1883 + index}`,
    acceptors: 8,
    max_clients: 1_024_000,
    current_clients: load.clients,
    shutdown_count: [],
  }));
}

function answer(path: string, query: URLSearchParams): unknown {
  const node = nodeNames.findIndex(
    (name) => path.includes(`/${name}`) || path.includes(`/${encodeURIComponent(name)}`),
  );
  const name = nodeNames[node] ?? '';
  const list = listsOfNodes[/^nodes\/[^/]+\/([a-z]+)$/.exec(path)?.[1] ?? ''];
  if (node !== -1 && list !== undefined) return pageOf(list.make, list.all, query, node, nodeNames.length);
  if (path === 'routes') return pageOf(route, load.routes ?? 0, query);
  const [kind, what] = path.split('/');
  switch (`${kind}/${what}`) {
    case 'management/nodes':
      return node === -1 ? nodeNames.map((each) => nodeInfo(each)) : nodeInfo(name);
    case 'monitoring/nodes':
      return node === -1 ? nodeNames.map((each) => nodeFigures(each)) : nodeFigures(name);
    case 'monitoring/metrics':
      return metrics();
    case 'monitoring/stats':
      return node === -1 ? nodeNames.map((each) => ({ [each]: stats() })) : stats();
    case 'monitoring/listeners':
      return node === -1 ? Object.fromEntries(nodeNames.map((each) => [each, listeners()])) : listeners();
    default:
      return undefined;
  }
}

const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
  const path = pathname.slice(prefix.length).replace(/\/$/, '');
  const startedMs = performance.now();
  response.on('finish', () => {
    busyMs += performance.now() - startedMs;
  });
  requests += 1;
  byPath[path] = (byPath[path] ?? 0) + 1;
  answers += 1;
  const result = pathname.startsWith(prefix) ? answer(path, searchParams) : undefined;
  if (result === undefined) {
    response.writeHead(404, { 'content-type': 'text/plain', 'content-length': 0 }).end();
    return;
  }
  const body = Buffer.from(JSON.stringify({ code: 0, result }));
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
});

server.on('connection', (socket) => {
  connections.add(socket);
  newConnections += 1;
  maxConnections = Math.max(maxConnections, connections.size);
  socket.on('close', () => {
    connections.delete(socket);
    sentBefore += socket.bytesWritten;
  });
});

process.on('message', () => {
  const sent = sentInAll();
  const served: ServerLoad = {
    requests,
    byPath,
    sentBytes: sent - sentAtLastRequest,
    busyMs,
    openConnections: connections.size,
    maxConnections,
    newConnections,
  };
  requests = newConnections = 0;
  byPath = {};
  sentAtLastRequest = sent;
  busyMs = 0;
  maxConnections = connections.size;
  process.send?.(served);
});
process.on('disconnect', () => process.exit());

server.listen(0, '127.0.0.1', () => {
  process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
