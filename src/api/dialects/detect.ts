import type { HttpFormat, ProbeAnswer, RegisteredDialect, Transport } from '../dialect.ts';
import { NoAnswerError, NotFoundError } from '../errors.ts';
import { isObject } from '../json.ts';
import { detectTexts } from '../texts.ts';
import { dialects } from './registry.ts';

/** The format of requests without a login, by which the API is detected. */
export const probeFormat: HttpFormat = {
  basePath: '',
  authorization: () => '',
  bodyOf: (status) =>
    status === 200 || status === 503 || (status >= 400 && status < 500 && status !== 429 && status !== 407)
      ? 'text'
      : 'unexpected',
  openAnswer: ({ status, json }): ProbeAnswer => ({ status, text: typeof json === 'string' ? json : '' }),
};

async function ask(transport: Transport, path: string, signal: AbortSignal | undefined): Promise<ProbeAnswer> {
  const answer = await transport.send({ method: 'GET', path, signal });
  if (isObject(answer) && typeof answer['status'] === 'number' && typeof answer['text'] === 'string')
    return { status: answer['status'], text: answer['text'] };
  throw new TypeError('not the answer of a probe');
}

/**
 * Finds out which API a broker has, with at most one request for each and without a login; newer APIs are tried first.
 * @throws ApiError; NotFoundError if it has none of them
 */
export async function detectDialect(
  transport: Transport,
  signal: AbortSignal | undefined,
  candidates: readonly RegisteredDialect[] = dialects,
): Promise<RegisteredDialect> {
  const [last] = candidates;
  let path = '';
  for (const dialect of candidates.toReversed()) {
    path = dialect.basePath + dialect.probe.path;
    try {
      if (dialect.probe.isAnswer(await ask(transport, path, signal))) return dialect;
    } catch (error) {
      // Some brokers close the connection for unknown paths.
      if (!(error instanceof NoAnswerError) || dialect === last) throw error;
    }
  }
  throw new NotFoundError({
    request: { method: 'GET', path: transport.prefix + path },
    hint: detectTexts.noApi(candidates.map(({ basePath }) => basePath)),
  });
}
