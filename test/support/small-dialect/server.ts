import { createServer, type IncomingMessage } from 'node:http';
import { BrokerError, NotFoundError, type RefusalKind } from '../../../src/api/errors.ts';
import { isObject } from '../../../src/api/json.ts';
import type { ManagementApi, Page } from '../../../src/api/management-api.ts';
import type { Client, Qos, Subscription } from '../../../src/domain/client.ts';
import type { NodeInfo, NodeStats } from '../../../src/domain/node.ts';
import { listenOnLoopback } from '../loopback.ts';

const codes: Readonly<Partial<Record<RefusalKind, string>>> = {
  'not-connected': 'CLIENT_GONE',
  invalid: 'BAD_VALUE',
  'node-unreachable': 'NODE_SILENT',
};

const timeText = (seconds: number | undefined): string | undefined =>
  seconds === undefined ? undefined : new Date(seconds * 1000).toISOString();
const toRow = ({
  clientId,
  username,
  ipAddress,
  port,
  cleanSession,
  protocolVersion,
  keepaliveSeconds,
  connectedAt,
}: Client) => ({
  id: clientId,
  user: username,
  ip: ipAddress,
  port,
  clean: cleanSession,
  level: protocolVersion,
  keepalive: keepaliveSeconds,
  since: timeText(connectedAt),
});
const toFilterRow = ({ clientId, topic, qos }: Subscription) => ({ client: clientId, filter: topic, qos });
const toMachine = (
  { name, status, clients, memoryTotalBytes, memoryUsedBytes }: NodeStats,
  info: NodeInfo | undefined,
) => ({
  id: name,
  alive: status === 'running',
  clients,
  ram: memoryTotalBytes,
  ramUsed: memoryUsedBytes,
  release: info?.version,
  up: info?.uptimeSeconds,
  time: timeText(info?.clock),
});
const data = (rows: readonly unknown[]) => ({ data: rows });
const pageOf = <T>({ items, page, pageSize, totalPages = 0 }: Page<T>, toRowOf: (item: T) => unknown) => ({
  data: items.map(toRowOf),
  meta: { page, limit: pageSize, hasnext: page < totalPages },
});

async function bodyOf(request: IncomingMessage): Promise<Readonly<Record<string, unknown>>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) if (chunk instanceof Buffer) chunks.push(chunk);
  const body: unknown = chunks.length === 0 ? {} : JSON.parse(Buffer.concat(chunks).toString());
  return isObject(body) ? body : {};
}

const isQos = (value: unknown): value is Qos => value === 0 || value === 1 || value === 2;
const qosOf = (value: unknown): Qos => (isQos(value) ? value : 0);

/** Returns the JSON of an answer; `undefined` is 204. */
async function answer(
  api: ManagementApi,
  method: string,
  [kind, id, part]: readonly string[],
  query: URLSearchParams,
  body: Readonly<Record<string, unknown>>,
): Promise<unknown> {
  const machine = query.get('machine') ?? '';
  const page = { page: Number(query.get('page')), pageSize: Number(query.get('limit')) };
  switch ([method, kind, id === undefined ? '' : '*', part ?? ''].join(' ').trim()) {
    case 'GET machines': {
      const infos = await api.listNodes();
      return data(
        (await api.listNodeStats()).map((stats) =>
          toMachine(
            stats,
            infos.find(({ name }) => name === stats.name),
          ),
        ),
      );
    }
    case 'GET machines *':
      return toMachine(await api.getNodeStats(id ?? ''), await api.getNode(id ?? ''));
    case 'GET machines * counters':
      return api.getMetrics(id ?? '');
    case 'GET machines * gauges':
      return Object.fromEntries(
        Object.entries(await api.getStats(id ?? '')).flatMap(([name, { count, max }]) => [
          [name, count],
          [`${name}Peak`, max],
        ]),
      );
    case 'GET connections':
      return pageOf(await api.listClients(machine, page), toRow);
    case 'GET connections *':
      return data((await (machine === '' ? api.getClient(id ?? '') : api.getNodeClient(machine, id ?? ''))).map(toRow));
    case 'DELETE connections *':
      return api.disconnectClient(id ?? '');
    case 'GET connections * filters':
      return data((await api.getSubscriptions(id ?? '')).map(toFilterRow));
    case 'POST connections * filters':
      return api.subscribe({ clientId: id ?? '', topic: String(body['filter']), qos: qosOf(body['qos']) });
    case 'PUT connections * filters':
      return api.unsubscribe({ clientId: id ?? '', topic: String(body['filter']) });
    case 'GET filters':
      return pageOf(await api.listSubscriptions(machine, page), toFilterRow);
    case 'GET routes':
      return pageOf(await api.listRoutes(page), ({ topic, node }) => ({ filter: topic, at: node }));
    case 'GET routes *':
      return data((await api.getRoutes(id ?? '')).map(({ topic, node }) => ({ filter: topic, at: node })));
    case 'POST messages': {
      const { clientId } = body;
      return api.publish({
        topic: String(body['topic']),
        payload: String(body['payload'] ?? ''),
        qos: qosOf(body['qos']),
        retain: body['retain'] === true,
        ...(typeof clientId === 'string' && { clientId }),
      });
    }
    default:
      throw new NotFoundError();
  }
}

export interface SmallServer {
  readonly url: string;
  close(): Promise<void>;
}

/** Serves a port as the API of `small-dialect/dialect.ts`. */
export async function startSmallServer(api: ManagementApi, login: string): Promise<SmallServer> {
  const server = createServer((request, response) => {
    const reply = (status: number, json?: unknown): void => {
      response.writeHead(status, json === undefined ? {} : { 'content-type': 'application/json' });
      response.end(json === undefined ? undefined : JSON.stringify(json));
    };
    void (async () => {
      const [path = '', query = ''] = (request.url ?? '').split('?');
      const body = await bodyOf(request);
      if (request.headers.authorization !== login) return reply(401);
      if (!path.startsWith('/admin/v9/')) return reply(404, { code: 'NO_SUCH_THING' });
      const segments = path.slice('/admin/v9/'.length).split('/').map(decodeURIComponent);
      try {
        const json = await answer(api, request.method ?? '', segments, new URLSearchParams(query), body);
        reply(json === undefined ? 204 : 200, json);
      } catch (error) {
        if (error instanceof BrokerError)
          reply(error.kind === 'not-connected' ? 404 : 400, {
            code: codes[error.kind] ?? 'FAILED',
            message: error.brokerMessage,
          });
        else if (error instanceof NotFoundError) reply(404, { code: 'NO_SUCH_THING' });
        else reply(500);
      }
    })();
  });
  const { port, close } = await listenOnLoopback(server);
  return { url: `http://127.0.0.1:${port}`, close };
}
