import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { isObject } from '../../src/api/json.ts';
import { listenOnLoopback } from './loopback.ts';

const folder = new URL('../fixtures/recordings/v5/', import.meta.url);

export interface Recording {
  readonly file: string;
  readonly method: string;
  readonly path: string;
  readonly auth: string;
  readonly requestBody: string;
  readonly note: string;
  /** 0 without an answer. */
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

function parse(line: string): Recording {
  const [file = '', method = '', path = '', auth = '', requestBody = '', , , note = ''] = line.split('\t');
  const text = readFileSync(new URL(file, folder), 'utf8');
  const end = text.indexOf('\r\n\r\n');
  const [statusLine = '', ...lines] = text.slice(0, Math.max(0, end)).split('\r\n');
  const headers = new Map(
    lines.map((each) => [each.slice(0, each.indexOf(':')).toLowerCase(), each.slice(each.indexOf(':') + 1).trim()]),
  );
  return {
    file,
    method,
    path,
    auth,
    requestBody,
    note,
    status: Number(/^HTTP\/1\.1 (\d{3})/u.exec(statusLine)?.[1] ?? 0),
    headers,
    body: end === -1 ? '' : text.slice(end + 4),
  };
}

/** The answers of a real cluster (`test/fixtures/recordings/v5/README.md`). */
export const v5Recordings: readonly Recording[] = readFileSync(new URL('INDEX.tsv', folder), 'utf8')
  .trimEnd()
  .split('\n')
  .slice(1)
  .map(parse);

export function v5Recording(start: string): Recording {
  const found = v5Recordings.find(({ file }) => file.startsWith(start));
  if (found === undefined) throw new Error(`no recording ${start}`);
  return found;
}

export const v5Key = { user: 'monitor', password: 'peer5-secret-0001' } as const;
export const v5Login = { user: 'admin', password: 'public' } as const;

type Row = Readonly<Record<string, unknown>>;

const rowsOf = (...files: readonly string[]): readonly Row[] =>
  files.flatMap((file) => {
    const body: unknown = JSON.parse(v5Recording(file).body);
    const list: unknown = isObject(body) ? body['data'] : body;
    return Array.isArray(list) ? list.filter(isObject) : [];
  });

/** Lists that are asked for with other pages and filters than recorded. */
const lists: Readonly<Record<string, readonly Row[]>> = {
  '/clients': rowsOf('053'),
  '/subscriptions': rowsOf('168'),
  '/topics': rowsOf('177', '178'),
  '/alarms': rowsOf('302'),
  '/banned': rowsOf('196'),
  '/mqtt/retainer/messages': rowsOf('204'),
};

/** Parameters and requests that 5.0 does not know: unknown parameters are ignored, unknown paths are 404. */
const youngerThan50 = {
  parameters: [
    ['/clients', 'clientid'],
    ['/clients', 'fields'],
    ['/mqtt/retainer/messages', 'topic'],
  ],
  paths: /^(?:POST \/clients\/kickout\/bulk|GET \/clients_v2|GET \/clients\/[^/]+\/(?:mqueue|inflight)_messages)\b/u,
} as const;

function withoutYounger(path: string, query: URLSearchParams): URLSearchParams {
  const left = new URLSearchParams(query);
  for (const [each, name] of youngerThan50.parameters) if (each === path) left.delete(name);
  return left;
}

function isMatch(row: Row, query: URLSearchParams): boolean {
  const [node, clientId, state, like] = ['node', 'clientid', 'conn_state', 'like_clientid'].map((name) =>
    query.get(name),
  );
  return (
    (node === null || row['node'] === node) &&
    (clientId === null || row['clientid'] === clientId) &&
    (state === null || (state === 'connected') === row['connected']) &&
    (like === null || like === undefined || String(row['clientid']).includes(like))
  );
}

function pageOf(rows: readonly Row[], query: URLSearchParams): string {
  const [page, limit] = [Number(query.get('page') ?? 1), Number(query.get('limit') ?? 100)];
  const fields = query.get('fields')?.split(',');
  const found = rows.filter((row) => isMatch(row, query));
  const data = found
    .slice((page - 1) * limit, page * limit)
    .map((row) =>
      fields === undefined
        ? row
        : Object.fromEntries(fields.flatMap((name) => (name in row ? [[name, row[name]]] : []))),
    );
  return JSON.stringify({
    data,
    meta: {
      page,
      limit,
      ...(!query.has('like_clientid') && { count: found.length }),
      hasnext: found.length > page * limit,
    },
  });
}

export interface ReplayServer {
  readonly url: string;
  readonly port: number;
  /** `METHOD /path?query` below `/api/v5`, with the bodies of logins. */
  readonly requests: readonly string[];
  /** Those that it gave, which no other server knows. */
  readonly tokens: ReadonlySet<string>;
  close(): Promise<void>;
}

/** `undefined`: never answered. */
export type ReplayOverride = (line: string) => { readonly status: number; readonly body: string } | 'stall' | undefined;

/** The first success of a request, else its first refusal. */
const answers = new Map(
  [false, true].flatMap((isSuccess) =>
    v5Recordings
      .filter(({ status, file }) => status !== 0 && file < '4' && isSuccess === status < 400)
      .toReversed()
      .map((recording) => [`${recording.method} ${recording.path}`, recording]),
  ),
);

/**
 * Answers from the recordings: the key and the login of the recorded cluster are accepted. `release`: `5.0.26` lacks
 * what is younger than it.
 */
export async function startV5Replay(
  override: ReplayOverride = () => undefined,
  release: '5.0.26' | '5.8.9' = '5.8.9',
): Promise<ReplayServer> {
  const isOld = release === '5.0.26';
  const requests: string[] = [];
  const tokens = new Set<string>();

  function isAllowed({ headers, url = '' }: IncomingMessage): boolean {
    if (/^\/api\/v5\/(?:status|login)/u.test(url)) return true;
    const { authorization = '' } = headers;
    if (authorization.startsWith('Bearer ')) return tokens.has(authorization.slice(7));
    return authorization === `Basic ${Buffer.from(`${v5Key.user}:${v5Key.password}`).toString('base64')}`;
  }

  function reply(response: ServerResponse, status: number, body: string): void {
    response.writeHead(status, { 'content-type': 'application/json', date: 'Sun, 22 Nov 2026 10:37:40 GMT' });
    response.end(body);
  }

  function play(request: IncomingMessage, body: string, response: ServerResponse): void {
    const { method = '', url = '' } = request;
    const below = url.replace(/^\/api\/v5/u, '');
    const line = `${method} ${below}`;
    requests.push(line);
    const forced = override(line);
    if (forced === 'stall') return;
    if (forced !== undefined) return reply(response, forced.status, forced.body);
    if (!isAllowed(request)) {
      const isToken = request.headers.authorization?.startsWith('Bearer ') === true;
      return reply(response, 401, v5Recording(isToken ? '011' : '008').body);
    }
    if (line === 'POST /login') {
      const login: unknown = JSON.parse(body);
      if (!isObject(login) || login['username'] !== v5Login.user || login['password'] !== v5Login.password)
        return reply(response, 401, v5Recording('005').body);
      const token = `token-${tokens.size + 1}-of-${port}`;
      tokens.add(token);
      return reply(response, 200, JSON.stringify({ token, version: '5.8.9' }));
    }
    const [path = '', query = ''] = below.split('?');
    if (isOld && youngerThan50.paths.test(line))
      return reply(response, 404, '{"code":"API_NOT_EXIST","message":"Request Path Not Found"}');
    if (isOld && Number(new URLSearchParams(query).get('limit') ?? 100) > 1_000)
      return reply(response, 400, v5Recording('059').body);
    const isTokenOnly = /^\/(?:users|api_key)/u.test(path);
    if (isTokenOnly && request.headers.authorization?.startsWith('Basic ') === true)
      return reply(response, 401, v5Recording('014').body);
    const rows = method === 'GET' ? lists[path] : undefined;
    if (rows !== undefined)
      return reply(
        response,
        200,
        path === '/alarms' && query.includes('activated=false')
          ? v5Recording('307').body
          : pageOf(rows, isOld ? withoutYounger(path, new URLSearchParams(query)) : new URLSearchParams(query)),
      );
    const recorded = answers.get(`${method} ${url}`) ?? answers.get(`${method} ${decodeURIComponent(url)}`);
    if (recorded !== undefined)
      return reply(
        response,
        recorded.status,
        isOld ? recorded.body.replaceAll('5.8.9', release).replaceAll(/"live_connections":\d+,/gu, '') : recorded.body,
      );
    reply(response, 404, JSON.stringify({ code: 'NOT_FOUND', message: 'Request Path Not Found' }));
  }

  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
    });
    request.on('end', () => {
      play(request, Buffer.concat(chunks).toString(), response);
    });
  });
  const { port, close } = await listenOnLoopback(server);
  return { url: `http://127.0.0.1:${port}`, port, requests, tokens, close };
}
