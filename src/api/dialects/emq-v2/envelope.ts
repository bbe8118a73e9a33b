import { BadAnswerError, BrokerError, type RequestLine } from '../../errors.ts';
import { isObject } from './records.ts';
import { envelopeSchema } from './wire.ts';

function nameShape(body: unknown): string {
  if (body === null) return 'JSON null';
  if (Array.isArray(body)) return 'a JSON list';
  return `a JSON ${typeof body}`;
}

/**
 * Opens the envelope of an answer (§2.1) and gives its `result`, which is `undefined` where there is none.
 * The broker's words of a refusal go through `hide`: they may repeat what it was sent, and are shown and recorded.
 * @throws BrokerError when the code is not 0
 * @throws BadAnswerError when it is no envelope
 */
export function openEnvelope(body: unknown, request: RequestLine, hide: (words: string) => string): unknown {
  if (!isObject(body)) throw new BadAnswerError(nameShape(body), { request });
  const envelope = envelopeSchema.safeParse(body);
  if (!envelope.success) throw new BadAnswerError('no integer "code"', { request });
  const { code, message, result } = envelope.data;
  if (code !== 0) throw new BrokerError(code, message === undefined ? undefined : hide(message), { request });
  return result;
}
