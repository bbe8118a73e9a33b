import type { HttpFormat, HttpResponse } from '../../dialect.ts';
import { BadAnswerError } from '../../errors.ts';
import { isObject } from '../../json.ts';
import { basicAuth } from '../../transport/login.ts';
import { errorOfCode } from './codes.ts';
import { basePath } from './paths.ts';
import { envelopeSchema } from './wire.ts';

function nameShape(body: unknown): string {
  if (body === null) return 'JSON null';
  if (Array.isArray(body)) return 'a JSON list';
  return `a JSON ${typeof body}`;
}

/**
 * Opens the envelope of an answer (§2.1) and returns its `result`, `undefined` where there is none.
 * @throws BrokerError when the code is not 0
 * @throws BadAnswerError when it is no envelope
 */
export function openEnvelope({ json, request, hide }: Omit<HttpResponse, 'status'>): unknown {
  if (!isObject(json)) throw new BadAnswerError(nameShape(json), { request });
  const envelope = envelopeSchema.safeParse(json);
  if (!envelope.success) throw new BadAnswerError('no integer "code"', { request });
  const { code, message, result } = envelope.data;
  if (code !== 0) throw errorOfCode(code, message === undefined ? undefined : hide(message), { request });
  return result;
}

/** HTTP as this API uses it: 200 with an envelope (§2.1), and Basic authentication (§5). */
export const http: HttpFormat = {
  basePath,
  authorization: basicAuth,
  bodyOf: (status) => (status === 200 ? 'json' : 'unexpected'),
  openAnswer: openEnvelope,
};
