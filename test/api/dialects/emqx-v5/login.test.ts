import { afterEach, describe, expect, test } from 'vitest';
import { openHttpApi } from '../../../../src/api/dialects/index.ts';
import {
  BrokerError,
  HttpStatusError,
  LoginLockedError,
  NoAnswerError,
  RateLimitedError,
  UnauthorizedError,
  UnreachableError,
} from '../../../../src/api/errors.ts';
import type { TokenFormat } from '../../../../src/api/dialect.ts';
import { createAccount, createTokenLogin } from '../../../../src/api/transport/token-login.ts';
import { type ReplayOverride, startV5Replay, v5Key, v5Login, v5Recording } from '../../../support/v5-replay.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

async function open(login: { readonly user: string; readonly password: string }, override?: ReplayOverride) {
  const server = await startV5Replay(override);
  closing.push(() => server.close());
  const api = openHttpApi({ url: server.url, api: 'v5', ...login });
  closing.push(() => api.close());
  return { api, server, logins: () => server.requests.filter((line) => line === 'POST /login').length };
}

describe('an API key', () => {
  test('is sent as it is, without a login', async () => {
    const { api, logins } = await open(v5Key);
    await Promise.all([api.listNodes(), api.listStats()]);
    expect(logins()).toBe(0);
    expect(api.capabilities).toMatchObject({ users: false, apiKeys: false, isApiKey: true });
  });

  test('may not read users or keys: nothing is sent', async () => {
    const { api, server } = await open(v5Key);
    await expect(api.listUsers()).rejects.toMatchObject({
      kind: 'not-supported',
      message: 'Users need a dashboard login: an API key may not read or change them.',
    });
    await expect(api.listApiKeys?.()).rejects.toMatchObject({
      kind: 'not-supported',
      message: 'API keys need a dashboard login: an API key may not read or change them.',
    });
    expect(server.requests).toEqual([]);
  });
});

describe('a dashboard login', () => {
  test('is made once, for requests at the same time too', async () => {
    const { api, logins } = await open(v5Login);
    await Promise.all([api.listNodes(), api.listStats(), api.listMetrics(), api.listListeners()]);
    await api.listBans?.({ page: 1, pageSize: 10 });
    expect(logins()).toBe(1);
    expect(api.capabilities).toMatchObject({ users: true, apiKeys: true });
    expect(await api.listUsers()).toEqual([{ username: 'admin', tags: 'administrator', attribute: 'description' }]);
  });

  test('is made again when the token has expired', async () => {
    let isExpired = false;
    const { api, logins } = await open(v5Login, (line) => {
      if (!isExpired || line === 'POST /login') return undefined;
      isExpired = false;
      return { status: 401, body: '{"code":"TOKEN_TIME_OUT","message":"POST /login"}' };
    });
    await api.listNodes();
    isExpired = true;
    await expect(api.listStats()).resolves.toHaveProperty('size', 2);
    expect(logins()).toBe(2);
  });

  test("is made again when the token of another request's login has ended too", async () => {
    let left = 0;
    const { api, logins } = await open(v5Login, (line) => {
      if (left === 0 || line === 'POST /login') return undefined;
      left -= 1;
      return { status: 401, body: '{"code":"BAD_TOKEN","message":"POST /login"}' };
    });
    await api.listNodes();
    left = 2;
    await expect(api.listStats()).resolves.toHaveProperty('size', 2);
    expect(logins()).toBe(3);
  });

  test('whose tokens are all refused is not a wrong password', async () => {
    const { api, logins } = await open(v5Login, (line) =>
      line.startsWith('GET /stats') ? { status: 401, body: '{"code":"BAD_TOKEN","message":"POST /login"}' } : undefined,
    );
    await api.listNodes();
    await expect(api.listStats()).rejects.toMatchObject({
      kind: 'failed',
      isOfLogin: true,
      message:
        'Login failed: The broker refused: it accepts the password, but not the token that it gave for it (code BAD_TOKEN).',
    });
    expect(logins()).toBe(3);
    await expect(api.listNodes()).resolves.toHaveLength(2);
  });

  test('is tried once with a wrong password, whatever is read and how often', async () => {
    const { api, logins } = await open({ user: 'admin', password: 'wrong' });
    for (let round = 0; round < 3; round += 1) {
      const outcomes = await Promise.allSettled([api.listNodes(), api.listStats(), api.listMetrics()]);
      for (const outcome of outcomes) {
        expect(outcome).toMatchObject({ status: 'rejected', reason: { kind: 'unauthorized' } });
        expect(outcome).toHaveProperty(
          'reason.hint',
          'Neither an API key nor a dashboard login with this name and password is accepted. Wrong, disabled and expired API keys look alike. The login was tried once.',
        );
      }
    }
    expect(logins()).toBe(1);
  });

  test('is tried once for each password', async () => {
    const { api, logins } = await open({ user: 'admin', password: 'wrong' });
    await expect(api.listNodes()).rejects.toThrow(UnauthorizedError);
    api.setPassword('wrong');
    await expect(api.listNodes()).rejects.toThrow(UnauthorizedError);
    expect(logins()).toBe(1);
    api.setPassword(v5Login.password);
    await expect(api.listNodes()).resolves.toHaveLength(2);
    expect(logins()).toBe(2);
  });

  test('of a locked account says so', async () => {
    const { api, logins } = await open(v5Login, (line) =>
      line === 'POST /login' ? { status: 401, body: '{"code":"LOGIN_LOCKED","message":"locked"}' } : undefined,
    );
    const error = {
      kind: 'unauthorized',
      message:
        'The broker refused the login (401). The broker locked this dashboard account after failed logins. Wait 10 min, or use an API key.',
      retryAfterSeconds: 600,
    };
    await expect(api.listNodes()).rejects.toMatchObject(error);
    await expect(api.listNodes()).rejects.toMatchObject(error);
    expect(logins()).toBe(1);
  });

  test.each([
    [500, '{"code":"INTERNAL_ERROR","message":"noproc"}', 'Login failed: The broker refused (code INTERNAL_ERROR).'],
    [
      400,
      '{"code":"BAD_REQUEST","message":"odd"}',
      'Login failed: The broker refused: it does not accept a value (code BAD_REQUEST).',
    ],
    [429, '', 'Login failed: The broker limits the request rate (429). Polling slows down.'],
    [502, '<html>', 'Login failed: The broker or a proxy in front of it is overloaded or unavailable (HTTP 502).'],
    [403, '<html>', 'Login failed: Unexpected status: HTTP 403. Check that the URL is the management API.'],
    [200, '<html>', 'Login failed: Unexpected response (HTML, not JSON). Check that the URL is the management API.'],
    [
      200,
      '{"token":""}',
      'Login failed: Unexpected response (a login without a usable token). Check that the URL is the management API.',
    ],
    [
      200,
      '{"token":"a\\r\\nx: y"}',
      'Login failed: Unexpected response (a login without a usable token). Check that the URL is the management API.',
    ],
    [
      200,
      '{"token":"\u00FC\u2028"}',
      'Login failed: Unexpected response (a login without a usable token). Check that the URL is the management API.',
    ],
  ])('that fails with %i %s says so, and the right password can be tried again', async (status, body, message) => {
    let isFailing = true;
    const { api, logins } = await open(v5Login, (line) =>
      line === 'POST /login' && isFailing ? { status, body } : undefined,
    );
    for (const read of [() => api.listNodes(), () => api.listStats()]) {
      const error: unknown = await read().catch((thrown: unknown) => thrown);
      expect(error).toHaveProperty('message', message);
      expect(error).not.toHaveProperty('kind', 'unauthorized');
    }
    expect(logins()).toBe(1);
    isFailing = false;
    api.setPassword(v5Login.password);
    await expect(api.listNodes()).resolves.toHaveLength(2);
    expect(logins()).toBe(2);
  });

  test.each([['LOGIN_LOCKED'], ['SOMETHING_NEW']])(
    'refused with 401 %s can be tried again by the operator',
    async (code) => {
      let isFailing = true;
      const { api, logins } = await open(v5Login, (line) =>
        line === 'POST /login' && isFailing
          ? { status: 401, body: JSON.stringify({ code, message: 'no' }) }
          : undefined,
      );
      await expect(api.listNodes()).rejects.toMatchObject({ kind: 'unauthorized' });
      await expect(api.listNodes()).rejects.toMatchObject({ kind: 'unauthorized' });
      expect(logins()).toBe(1);
      isFailing = false;
      api.setPassword(v5Login.password);
      await expect(api.listNodes()).resolves.toHaveLength(2);
    },
  );

  test('is not tried when the refusal is another one', async () => {
    const { api, logins } = await open(v5Key, () => ({ status: 401, body: '<html>proxy</html>' }));
    await expect(api.listNodes()).rejects.toThrow(UnauthorizedError);
    expect(logins()).toBe(0);
  });

  test('its token is hidden like a password', async () => {
    const { api, server } = await open(v5Login);
    await api.listNodes();
    const [token] = server.tokens;
    expect(token).toContain('token-1');
    expect(api.hide(`${token} and public`)).not.toMatch(/token-1|public/u);
  });
});

describe("a dashboard login at several addresses that do not know each other's tokens", () => {
  async function openAll(password: string) {
    const servers = [await startV5Replay(), await startV5Replay(), await startV5Replay()] as const;
    closing.push(...servers.map((server) => () => server.close()));
    const [{ url }, ...others] = servers;
    const api = openHttpApi({
      url,
      otherUrls: others.map((server) => server.url),
      api: 'v5',
      user: v5Login.user,
      password,
    });
    closing.push(() => api.close());
    const logins = () => servers.map(({ requests }) => requests.filter((line) => line === 'POST /login').length);
    return { api, urls: servers.map((server) => server.url), logins };
  }

  test('is made once at each, whichever is asked at the same time', async () => {
    const { api, urls, logins } = await openAll(v5Login.password);
    await api.listNodes();
    expect(logins()).toEqual([1, 0, 0]);
    for (let round = 0; round < 3; round += 1) {
      const reads = urls.flatMap((url) => [api.at(url).listNodes(), api.at(url).listUsers()]);
      for (const outcome of await Promise.allSettled([...reads, api.listStats()]))
        expect(outcome).toHaveProperty('status', 'fulfilled');
    }
    expect(logins()).toEqual([1, 1, 1]);
  });

  test('is tried at one of them with a wrong password', async () => {
    const { api, urls, logins } = await openAll('wrong');
    for (const url of [...urls, ...urls])
      await expect(api.at(url).listNodes()).rejects.toMatchObject({
        kind: 'unauthorized',
        hint: 'Neither an API key nor a dashboard login with this name and password is accepted. Wrong, disabled and expired API keys look alike. The login was tried once.',
      });
    expect(logins()).toEqual([1, 0, 0]);
  });

  test('uses the new password at all of them once it was changed at one', async () => {
    const { api, urls, logins } = await openAll('wrong');
    await expect(api.listNodes()).rejects.toThrow(UnauthorizedError);
    api.at(urls[1] ?? '').setPassword?.(v5Login.password);
    for (const url of urls) await expect(api.at(url).listNodes()).resolves.toHaveLength(2);
    expect(logins()).toEqual([2, 1, 1]);
  });
});

describe('a login without an answer', () => {
  const refusal = new UnauthorizedError();
  const format: TokenFormat = {
    asksForLogin: () => true,
    login: () => ({ method: 'POST', path: '/login' }),
    tokenOf: String,
    authorization: (token) => token,
    isWrongPassword: () => false,
    refused: (error) => error,
    tokenRefused: (error) => error,
  };
  const attempt = (send: () => Promise<unknown>) => ({
    user: 'admin',
    password: 'secret',
    send,
    passwords: new Set<string>(),
  });

  test('is repeated two minutes later: it may have counted as a failure', async () => {
    let nowMs = 0;
    let sent = 0;
    const login = createTokenLogin(format, createAccount(), () => nowMs);
    const failing = attempt(() => {
      sent += 1;
      return Promise.reject(new NoAnswerError());
    });
    await expect(login.renew(refusal, undefined, failing)).rejects.toThrow(NoAnswerError);
    nowMs = 119_000;
    await expect(login.renew(refusal, undefined, failing)).rejects.toThrow(NoAnswerError);
    expect(sent).toBe(1);
    nowMs = 121_000;
    await expect(
      login.renew(
        refusal,
        undefined,
        attempt(() => Promise.resolve('token')),
      ),
    ).resolves.toEqual({ authorization: 'token' });
  });

  test.each([
    [new RateLimitedError(7), 7],
    [new HttpStatusError(503, {}, 90), 90],
    [new RateLimitedError(1e9), 3_600],
    [new LoginLockedError(600), 600],
    [new HttpStatusError(500), 30],
    [new BrokerError('failed'), 30],
  ])('after another failure (%s) is repeated after %i s', async (failure, seconds) => {
    let nowMs = 0;
    const login = createTokenLogin(format, createAccount(), () => nowMs);
    const failing = attempt(() => Promise.reject(failure));
    const working = attempt(() => Promise.resolve('token'));
    await expect(login.renew(refusal, undefined, failing)).rejects.toThrow(failure);
    nowMs = seconds * 1_000 - 1;
    await expect(login.renew(refusal, undefined, working)).rejects.toThrow(failure);
    nowMs += 1;
    await expect(login.renew(refusal, undefined, working)).resolves.toEqual({ authorization: 'token' });
  });

  test('is repeated at once, at any address, if the password was right before', async () => {
    const account = createAccount();
    const [here, there] = [createTokenLogin(format, account, () => 0), createTokenLogin(format, account, () => 0)];
    const header = await here.renew(
      refusal,
      undefined,
      attempt(() => Promise.resolve('token')),
    );
    await expect(
      here.renew(
        refusal,
        header,
        attempt(() => Promise.reject(new NoAnswerError())),
      ),
    ).rejects.toThrow(NoAnswerError);
    await expect(
      there.renew(
        refusal,
        undefined,
        attempt(() => Promise.resolve('theirs')),
      ),
    ).resolves.toEqual({ authorization: 'theirs' });
    await expect(
      here.renew(
        refusal,
        undefined,
        attempt(() => Promise.resolve('next')),
      ),
    ).resolves.toEqual({ authorization: 'next' });
  });

  test('or another failure at one address says nothing about others', async () => {
    const account = createAccount();
    const [here, there] = [createTokenLogin(format, account, () => 0), createTokenLogin(format, account, () => 0)];
    await expect(
      here.renew(
        refusal,
        undefined,
        attempt(() => Promise.reject(new HttpStatusError(500))),
      ),
    ).rejects.toThrow(HttpStatusError);
    await expect(
      there.renew(
        refusal,
        undefined,
        attempt(() => Promise.resolve('theirs')),
      ),
    ).resolves.toEqual({ authorization: 'theirs' });
  });

  test('is repeated at once if it was never sent', async () => {
    const login = createTokenLogin(format, createAccount(), () => 0);
    await expect(
      login.renew(
        refusal,
        undefined,
        attempt(() => Promise.reject(new UnreachableError('ECONNREFUSED'))),
      ),
    ).rejects.toThrow(UnreachableError);
    await expect(
      login.renew(
        refusal,
        undefined,
        attempt(() => Promise.resolve('token')),
      ),
    ).resolves.toEqual({ authorization: 'token' });
  });
});

test('a recorded refusal of a key in the place of a login is the same as a wrong password', () => {
  expect(v5Recording('021').body).toBe(v5Recording('005').body);
});
