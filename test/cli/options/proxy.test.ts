import { describe, expect, it } from 'vitest';
import { UsageError } from '../../../src/cli/errors.ts';
import { proxyFor } from '../../../src/cli/options/proxy.ts';

const proxy = 'http://proxy.test:3128';
const urlOf = (target: string, environment: Record<string, string>): string | undefined =>
  proxyFor(target, environment)?.url;

describe('proxyFor', () => {
  it("chooses the variable by the URL's scheme, lower case first", () => {
    const all = {
      http_proxy: 'http://a:1',
      HTTP_PROXY: 'http://b:1',
      https_proxy: 'http://c:1',
      HTTPS_PROXY: 'http://d:1',
    };
    expect(proxyFor('http://h', all)).toMatchObject({ url: 'http://a:1', variable: 'http_proxy' });
    expect(proxyFor('https://h', all)).toMatchObject({ url: 'http://c:1', variable: 'https_proxy' });
    expect(proxyFor('https://h', { ...all, https_proxy: '' })).toMatchObject({
      url: 'http://d:1',
      variable: 'HTTPS_PROXY',
    });
    expect(proxyFor('https://h', { http_proxy: proxy })).toBeUndefined();
    expect(proxyFor('http://h', {})).toBeUndefined();
  });

  it('falls back to all_proxy', () => {
    const all = { all_proxy: 'http://a:1', ALL_PROXY: 'http://b:1', HTTPS_PROXY: 'http://c:1' };
    expect(proxyFor('http://h', all)).toMatchObject({ url: 'http://a:1', variable: 'all_proxy' });
    expect(proxyFor('http://h', { ...all, all_proxy: '' })).toMatchObject({ url: 'http://b:1', variable: 'ALL_PROXY' });
    expect(proxyFor('https://h', all)).toMatchObject({ url: 'http://c:1', variable: 'HTTPS_PROXY' });
    expect(proxyFor('http://h', { ...all, no_proxy: 'h' })).toBeUndefined();
    expect(proxyFor('http://localhost', { ALL_PROXY: 'socks5://h:1' })).toBeUndefined();
    expect(() => proxyFor('http://h', { ALL_PROXY: 'socks5://h:1' })).toThrow(
      'ALL_PROXY has an unsupported scheme: use http:// or https://, or exclude the broker with NO_PROXY.',
    );
  });

  it('treats an empty variable as unset', () => {
    const full = { HTTP_PROXY: proxy, NO_PROXY: 'a.test' };
    expect(urlOf('http://h', { ...full, http_proxy: '' })).toBe(proxy);
    expect(urlOf('http://a.test', { ...full, no_proxy: '' })).toBeUndefined();
    expect(urlOf('http://h', { HTTP_PROXY: '', ALL_PROXY: proxy })).toBe(proxy);
    expect(urlOf('http://h', { http_proxy: '', HTTP_PROXY: '', all_proxy: '', ALL_PROXY: '' })).toBeUndefined();
  });

  it('parses user and password', () => {
    expect(proxyFor('https://h', { HTTPS_PROXY: 'https://me:p%40ss%3A%25@proxy.test' })).toEqual({
      url: 'https://proxy.test',
      user: 'me',
      password: 'p@ss:%',
      variable: 'HTTPS_PROXY',
    });
    expect(proxyFor('https://h', { HTTPS_PROXY: 'proxy.test:3128' })).toEqual({
      url: proxy,
      user: undefined,
      password: undefined,
      variable: 'HTTPS_PROXY',
    });
  });

  it.each([
    ['http://', (variable: string) => `${variable} is not a valid proxy URL, such as http://proxy.example:3128.`],
    ['me:canary@[', (variable: string) => `${variable} is not a valid proxy URL, such as http://proxy.example:3128.`],
    [
      'socks5://me:canary@proxy.test',
      (variable: string) =>
        `${variable} has an unsupported scheme: use http:// or https://, or exclude the broker with NO_PROXY.`,
    ],
    [
      'http://me:canary%@proxy.test',
      (variable: string) => `${variable} has an unescaped % in the username or password. Write it as %25.`,
    ],
  ])('refuses %s without repeating it', (value, textOf) => {
    const attempt = (): unknown => proxyFor('https://h', { HTTPS_PROXY: value });
    expect(attempt).toThrow(UsageError);
    expect(attempt).toThrow(textOf('HTTPS_PROXY'));
    expect(attempt).not.toThrow('canary');
  });

  it.each([
    'http://127.0.0.1:8080',
    'https://127.1.2.3',
    'http://localhost:8080',
    'https://x.localhost',
    'http://[::1]:8080',
  ])('never uses one for this machine: %s', (target) => {
    expect(urlOf(target, { http_proxy: proxy, https_proxy: proxy })).toBeUndefined();
  });

  it.each([
    ['http://broker.test', '*'],
    ['http://broker.test', 'other,broker.test'],
    ['http://BROKER.test.', ' broker.TEST. '],
    ['http://a.broker.test', 'broker.test'],
    ['http://a.broker.test', '.broker.test'],
    ['http://a.broker.test', '*.broker.test'],
    ['http://broker.test', '.broker.test'],
    ['http://broker.test', 'broker.test:80'],
    ['https://broker.test', 'broker.test:443'],
    ['http://broker.test:8080', 'x broker.test:8080'],
    ['http://10.1.2.3:8080', '10.1.2.3'],
    ['http://10.1.2.3:8080', '10.0.0.0/8'],
    ['http://[fd00::1]:8080', 'fd00::1'],
    ['http://[fd00::1]:8080', '[fd00::1]:8080'],
    ['http://[fd00::1]:8080', 'fd00::/8'],
  ])('%s is excepted by %j', (target, exceptions) => {
    expect(urlOf(target, { http_proxy: proxy, https_proxy: proxy, no_proxy: exceptions })).toBeUndefined();
    expect(urlOf(target, { http_proxy: proxy, https_proxy: proxy, NO_PROXY: exceptions })).toBeUndefined();
  });

  it.each([
    ['http://broker.test', ''],
    ['http://broker.test', 'roker.test'],
    ['http://broker.test', 'test.broker'],
    ['http://broker.test', '*.broker.test'],
    ['http://broker.test', 'broker.test:8080'],
    ['http://xbroker.test', 'broker.test'],
    ['http://10.1.2.3', '11.0.0.0/8'],
    ['http://10.1.2.3', '10.0.0.0/99'],
    ['http://10.1.2.3', '.3'],
    ['http://10.1.2.3', 'fd00::/8'],
  ])('%s is not excepted by %j', (target, exceptions) => {
    expect(urlOf(target, { http_proxy: proxy, no_proxy: exceptions })).toBe(proxy);
  });
});
