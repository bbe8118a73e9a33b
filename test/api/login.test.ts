import { expect, test } from 'vitest';
import { Secret } from '../../src/actions/secret.ts';
import { openEnvelope } from '../../src/api/dialects/emq-v2/envelope.ts';
import { withoutLogin } from '../../src/api/login.ts';

// With both of the signs in its header that others write otherwise.
const password = '>>>???p"a\\s/é+ \u{1F600}\n!';
const login = Buffer.from(`admin:${password}`).toString('base64');
const ascii = (text: string, isUpper = false): string =>
  text.replaceAll(
    /[\u007F-\uFFFF]/g,
    (unit) =>
      `\\u${isUpper ? unit.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0') : unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
const json = JSON.stringify(password).slice(1, -1);
const percent = encodeURIComponent(password);

/** Forms in which a broker may write what it was sent. */
const forms: Readonly<Record<string, string>> = {
  'as it is': password,
  JSON: json,
  'JSON in ASCII': ascii(json),
  'JSON in ASCII, capital digits': ascii(json, true),
  'JSON with escaped slashes': ascii(json).replaceAll('/', '\\/'),
  'JSON within JSON': JSON.stringify(ascii(json)).slice(1, -1),
  percent: percent,
  'percent, small digits': percent.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
  'percent, all signs': percent.replaceAll('!', '%21'),
  'a form': percent.replaceAll('%20', '+'),
  'the header': login,
  'the header as JSON': login.replaceAll('/', '\\/'),
  'the header in a URL': encodeURIComponent(login),
  'the header without padding, for URLs': login.replaceAll('=', '').replaceAll('+', '-').replaceAll('/', '_'),
};

test.each(Object.entries(forms))('a password is hidden as %s', (_, form) => {
  const text = `bad request: {"password":"${form}"}`;
  expect(withoutLogin(text, 'admin', [password])).toMatch(/^bad request: \{"password":"\(hidden\)=*"\}$/);
});

test('the same forms, except the header, are known of a password typed into a form', () => {
  expect(
    Object.entries(forms).filter(([name, form]) => !name.startsWith('the header') && !new Secret(password).isIn(form)),
  ).toEqual([]);
  expect(new Secret(password).isIn('bad request')).toBe(false);
});

test('it is removed from the text of a refusal', () => {
  const open = (): unknown =>
    openEnvelope({
      json: { code: 102, message: `no: ${ascii(json)} (${login})` },
      request: { method: 'GET', path: '/' },
      hide: (text) => withoutLogin(text, 'admin', [password]),
    });
  expect(login).toMatch(/\+.*\//);
  expect(open).toThrow(
    expect.objectContaining({
      name: 'BrokerError',
      brokerMessage: expect.stringMatching(/^no: \(hidden\) \(\(hidden\)=*\)$/),
    }),
  );
});
