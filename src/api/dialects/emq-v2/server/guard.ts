import type { IncomingMessage } from 'node:http';
import { pageQueryNames } from '../paths.ts';
import { badRequest, expectationFailed, forbidden, type Answer } from './answer.ts';

/** What speaks against a request that its path and body do not show; `undefined` when nothing does. */
export function judgeRequest(request: IncomingMessage): Answer | undefined {
  if (!isUnambiguous(request)) return badRequest;
  const { expect } = request.headers;
  if (expect !== undefined && expect.toLowerCase() !== '100-continue') return expectationFailed;
  return isForged(request) ? forbidden : undefined;
}

/** Whether everybody on the way understands the same by it: the parser lets some things through that others read differently. */
function isUnambiguous({ httpVersion, headers, headersDistinct, url = '' }: IncomingMessage): boolean {
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return false;
  if ((headersDistinct['host']?.length ?? 0) > 1) return false;
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && (httpVersion === '1.0' || coding.toLowerCase() !== 'chunked')) return false;
  // Whose host counts, and so which broker was meant, is told twice.
  const [, authority] = /^https?:\/\/([^/?]*)/iu.exec(url) ?? [];
  if (authority !== undefined && authority.toLowerCase() !== headers.host?.toLowerCase()) return false;
  // What is behind it would be lost, and with it the end of an id.
  return !url.includes('#');
}

/** Whether the page stands twice: some programs take the first value, some the last. */
export function asksTwoPages(query: URLSearchParams): boolean {
  return Object.values(pageQueryNames).some((name) => query.getAll(name).length > 1);
}

/**
 * Whether a page of another site may have made a browser, which remembers the password, send it.
 * Reading is harmless: such a page does not get to see the answer. Programs send neither header.
 */
function isForged({ method, headers }: IncomingMessage): boolean {
  if (method === 'GET' || method === 'HEAD') return false;
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  const { origin, host } = headers;
  return origin !== undefined && origin.toLowerCase() !== `http://${host ?? ''}`.toLowerCase()
    && origin.toLowerCase() !== `https://${host ?? ''}`.toLowerCase();
}
