import type { HttpFormat, Transport } from '../dialect.ts';
import { NoAnswerError, NotFoundError } from '../errors.ts';
import { isObject } from '../json.ts';
import { detectTexts } from '../texts.ts';
import { apiVersions, type DialectId } from './versions.ts';

interface ProbeAnswer {
  readonly status: number;
  readonly text: string;
}

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

const statusText = /^Node \S+ is |"node_name"/u;

async function ask(transport: Transport, path: string, signal: AbortSignal | undefined): Promise<ProbeAnswer> {
  const answer = await transport.send({ method: 'GET', path, signal });
  if (isObject(answer) && typeof answer['status'] === 'number' && typeof answer['text'] === 'string')
    return { status: answer['status'], text: answer['text'] };
  throw new TypeError('not the answer of a probe');
}

/**
 * Finds out which API a broker has, with at most two requests and without a login. @throws ApiError; NotFoundError if
 * it has none of them
 */
export async function detectDialect(transport: Transport, signal: AbortSignal | undefined): Promise<DialectId> {
  try {
    const { text } = await ask(transport, `${apiVersions['emqx-v5'].basePath}/status?format=json`, signal);
    if (statusText.test(text)) return 'emqx-v5';
  } catch (error) {
    // Some brokers close the connection for unknown paths.
    if (!(error instanceof NoAnswerError)) throw error;
  }
  const path = `${apiVersions['emq-v2'].basePath}/management/nodes`;
  const { status } = await ask(transport, path, signal);
  if (status === 404)
    throw new NotFoundError({ request: { method: 'GET', path: transport.prefix + path }, hint: detectTexts.noApi });
  return 'emq-v2';
}
