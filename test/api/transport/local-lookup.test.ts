import type { LookupFunction } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterEach, describe, expect, test } from 'vitest';
import { kindOfFailure } from '../../../src/actions/verification.ts';
import { http as format } from '../../../src/api/dialects/emq-v2/envelope.ts';
import { ApiError, InsecureHttpError } from '../../../src/api/errors.ts';
import { errorTexts } from '../../../src/api/texts.ts';
import { createHttp, type Http, type HttpOptions } from '../../../src/api/transport/http.ts';
import { type RawServer, startRawServer, success } from '../../support/raw-http-server.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

const familyOf = (address: string): 4 | 6 => (address.includes(':') ? 6 : 4);

/** Resolves every name to these addresses, which nobody answers at unless they are this machine's. */
const leadingTo =
  (...addresses: readonly string[]): LookupFunction =>
  (_, { all }, callback) => {
    const [first = ''] = addresses;
    if (all === true)
      callback(
        null,
        addresses.map((address) => ({ address, family: familyOf(address) })),
      );
    else callback(null, first, familyOf(first));
  };

async function start(
  host: string,
  options: Partial<HttpOptions>,
): Promise<{ server: RawServer; http: Http; origin: string }> {
  const server = await startRawServer(() => success(['here']));
  const origin = server.url.replace('127.0.0.1', host);
  const http = createHttp({ format, url: origin, user: 'admin', password: 'canary', deadlineMs: 2000, ...options });
  closing.push(
    () => server.close(),
    () => http.close(),
  );
  return { server, http, origin };
}

async function failure(work: Promise<unknown>): Promise<ApiError> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ApiError)) throw new Error('no ApiError', { cause: error });
  return error;
}

const ask = (http: Http): Promise<unknown> => http.send({ method: 'GET', path: '/nodes' });

describe('http:// is limited to this machine by the connected address', () => {
  test.each([
    ['localhost', ['198.51.100.1']],
    ['broker.localhost', ['198.51.100.1', '2001:db8::1']],
    ['localhost', ['0.0.0.0']],
    ['localhost', ['::']],
    ['localhost', ['::ffff:198.51.100.1']],
  ])('%s that leads to %s is refused', async (host, addresses) => {
    const { server, http } = await start(host, { lookup: leadingTo(...addresses) });
    const error = await failure(http.send({ method: 'DELETE', path: '/clients/a' }));
    expect(error.message).toBe(errorTexts.insecureHttp(host, addresses[0] ?? ''));
    expect(error.kind).toBe('unreachable');
    expect(kindOfFailure(error)).toBe('not-sent');
    expect(server.connections.accepted).toBe(0);
  });

  test('a literal address of another network is refused', async () => {
    const { http } = await start('198.51.100.1', {});
    expect((await failure(ask(http))).message).toBe(
      '198.51.100.1 is another machine, and http:// sends the password unencrypted. Use https:// or an SSH tunnel, or add --insecure-http.',
    );
  });

  test.each([
    [['127.0.0.1']],
    [['::ffff:127.0.0.1']],
    // Only those of this machine are tried.
    [['198.51.100.1', '2001:db8::1', '127.0.0.1']],
  ])('localhost that leads to %s is asked', async (addresses) => {
    const { server, http } = await start('localhost', { lookup: leadingTo(...addresses) });
    expect(await ask(http)).toEqual(['here']);
    expect(server.requests).toHaveLength(1);
  });

  test('localhost as resolved by this machine is connected to', async () => {
    const { http } = await start('localhost', {});
    expect(await ask(http)).toEqual(['here']);
  });

  test('with --insecure-http every address is tried', async () => {
    const { http } = await start('broker.test', { lookup: leadingTo('127.0.0.1'), isPlainRemoteAllowed: true });
    expect(await ask(http)).toEqual(['here']);
    // Documentation networks have no machines: what matters is that it was tried.
    const [other] = Object.values(networkInterfaces())
      .flatMap((each) => each ?? [])
      .filter(({ internal, family }) => !internal && family === 'IPv4');
    const refusing = await start('localhost', {
      lookup: leadingTo(other?.address ?? '127.0.0.2'),
      isPlainRemoteAllowed: true,
    });
    expect(await failure(ask(refusing.http))).not.toBeInstanceOf(InsecureHttpError);
  });
});
