import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { jsonPieces, toAscii } from '../json.ts';

const pieceLength = 16 * 1024;

/** Yields the JSON of a record in pieces, because a page may be very long. */
export function* jsonBytes(record: object, before = '', after = ''): Generator<Buffer, void> {
  let text = before;
  for (const piece of jsonPieces(record)) {
    text += piece;
    if (text.length < pieceLength) continue;
    yield textBytes(text);
    text = '';
  }
  yield textBytes(text + after);
}

export function textBytes(json: string): Buffer {
  return Buffer.from(toAscii(json), 'latin1');
}

/** Sends an answer. `body` is the whole body, so that its length is known. */
export function writeJson(
  response: ServerResponse,
  status: number,
  body: readonly Buffer[],
  headers: OutgoingHttpHeaders = {},
): void {
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': body.reduce((sum, piece) => sum + piece.length, 0),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...headers,
  });
  response.cork();
  for (const piece of body) response.write(piece);
  response.end();
}
