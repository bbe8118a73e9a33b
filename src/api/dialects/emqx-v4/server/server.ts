import type { DialectServer, ManagementServer, ServerOptions } from '../../../dialect.ts';
import { gather } from '../../../json.ts';
import { jsonBytes, textBytes, writeJson } from '../../../server/body.ts';
import { createBusyCheck, neverAnswer } from '../../../server/faults.ts';
import { defaultServerLimits, type Exchange, startHttpServer } from '../../../server/http-server.ts';
import { parseAuthorization, parseJsonObject, readBody, refusalStatus } from '../../../server/request.ts';
import { createRouter } from '../../../server/router.ts';
import { basePath } from '../base-path.ts';
import {
  type Answer,
  answerForError,
  badRequest,
  closed,
  internalError,
  notFound,
  ok,
  unauthorized,
} from './answer.ts';
import { routesOf, userRoutes } from './handlers.ts';
import { frozenOutcome, profileOf } from './profiles.ts';
import type { Handler, ServedRequest } from './request.ts';

type V4ServerOptions = Omit<ServerOptions, 'variant'>;

/** Clients of the API send messages of up to a megabyte. */
const maxBodyBytes = 2 * 1024 * 1024;

/**
 * Starts a server that checks the login before the path. The login of a user is offered what a broker offers at the
 * port of its dashboard, and an API key what it offers at the other one. @throws the system error (`EADDRINUSE`, …)
 */
async function createV4Server(options: V4ServerOptions): Promise<ManagementServer> {
  const { api, self, faults, clock } = options;
  const limits = { ...defaultServerLimits, bodyBytes: maxBodyBytes };
  const profile = profileOf(options.profile);
  const isBusy = createBusyCheck(faults);
  const common = routesOf(api, profile);
  const all = [...common, ...userRoutes(api)];
  const [findCommon, findAll] = [common, all].map((routes) =>
    createRouter<Handler>(routes, { removesDots: false }),
  ) as [ReturnType<typeof createRouter<Handler>>, ReturnType<typeof createRouter<Handler>>];

  const status = async ({ signal }: Exchange): Promise<Answer> => {
    const nodes = await api.listNodes({ signal });
    const node = self === undefined ? nodes[0] : nodes.find(({ name }) => name === self.name);
    const headers = { 'content-type': 'text/plain' };
    return node === undefined
      ? { status: 503, headers }
      : { status: 200, text: `Node ${node.name} is started\nemqx is running`, headers };
  };

  const answer = async (exchange: Exchange): Promise<Answer> => {
    const { request, response, broken, signal } = exchange;
    if (!request.complete) broken.throwIfAborted();
    if (self?.isRunning === false) return closed;
    if (self !== undefined && faults?.frozen === self.name) return neverAnswer(clock, signal);
    if (isBusy()) return { status: 503 };
    const headRefusal = refusalStatus(request);
    if (headRefusal !== undefined) return { status: headRefusal };
    const method = request.method ?? '';
    const [path = '', ...search] = (request.url ?? '').split('?');
    if (method === 'GET' && path === '/status') return status(exchange);

    const pair = parseAuthorization(request.headersDistinct['authorization']);
    if (pair === undefined) return unauthorized;
    const isKey = options.authenticateKey?.(pair.username, pair.password) === true;
    if (!isKey && !(await options.authenticate(pair.username, pair.password))) {
      exchange.failed();
      return unauthorized;
    }
    exchange.succeeded();
    if (path !== basePath && !path.startsWith(`${basePath}/`)) return notFound;
    const below = path.slice(basePath.length);
    const listed = isKey ? common : all;
    if (method === 'GET' && (below === '' || below === '/'))
      return ok(listed.map((route) => ({ path: route.pattern, name: route.pattern, method: route.method, descr: '' })));
    const found = (isKey ? findCommon : findAll)(method, below);
    if (found.kind === 'bad-url') return badRequest;
    if (found.kind !== 'found') return notFound;
    const bytes =
      method === 'POST' || method === 'PUT'
        ? await readBody(request, limits.bodyBytes, response, broken)
        : Buffer.alloc(0);
    const served: ServedRequest = {
      param: (name) => found.params.get(name) ?? '',
      query: new URLSearchParams(search.join('?')),
      body: bytes.length === 0 ? {} : parseJsonObject(bytes),
      options: { signal },
    };
    const frozen = faults?.frozen;
    const outcome = frozen === undefined ? undefined : await frozenOutcome(found.pattern, served, frozen, api);
    if (outcome !== undefined) {
      await clock?.sleep(outcome.seconds * 1000, signal);
      return outcome.end;
    }
    return found.handler(served);
  };

  const handle = async (exchange: Exchange): Promise<void> => {
    const { request, response, signal } = exchange;
    let result: Answer;
    let body: readonly Buffer[];
    try {
      result = await answer(exchange);
      body = await bytesOf(result, signal);
    } catch (error) {
      if (signal.aborted) return;
      const known = answerForError(error);
      if (known === undefined) options.onError?.(error);
      result = known ?? internalError;
      body = await bytesOf(result, signal);
    }
    if (result.isClosed === true) return void response.destroy();
    // The rest of an unread body must not be taken for the next request.
    if (!request.complete && !response.headersSent) response.shouldKeepAlive = false;
    if (result.json !== undefined || result.long !== undefined)
      return writeJson(response, result.status, body, result.headers);
    response.writeHead(result.status, { 'content-length': body[0]?.length ?? 0, ...result.headers });
    response.end(body[0]);
  };

  return startHttpServer({ ...options, limits, handle });
}

async function bytesOf({ json, long, text }: Answer, signal: AbortSignal): Promise<readonly Buffer[]> {
  if (long !== undefined) return gather(jsonBytes(long), signal);
  if (json !== undefined) return [textBytes(JSON.stringify(json))];
  return text === undefined ? [] : [Buffer.from(text)];
}

function refuseVariant(variant: string | undefined): void {
  if (variant !== undefined) throw new TypeError(`emqx-v4 has no variant ${variant}`);
}

export const emqxV4Server: DialectServer = {
  firstPath: '/nodes',
  hasApiKeys: true,
  extraPlugins: (variant) => {
    refuseVariant(variant);
    return [];
  },
  meaning: (profile) => profileOf(profile).meaning,
  start: async (options) => {
    refuseVariant(options.variant);
    return createV4Server(options);
  },
};
