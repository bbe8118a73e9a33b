import { createHash, timingSafeEqual } from 'node:crypto';
import type { AuthenticateResult, ConnectRequest } from '../engine/hooks.ts';
import { type PluginDefinition, PluginError, type PluginSettingDefinition, type PluginValues } from './plugin.ts';

interface StoredOptions {
  readonly name: string;
  readonly description: string;
  /** What the keys begin with: `auth.user`. */
  readonly prefix: string;
  /** The last word of the key that holds the name: `username`. */
  readonly field: string;
  readonly nameOf: (request: ConnectRequest) => string | undefined;
}

function digest(password: string | Buffer): Buffer {
  return createHash('sha256').update(password).digest();
}

/** Compared for unknown names. */
const dummyDigest = digest('');

/** Checks clients against pairs of name and password in its own settings, `<prefix>.<n>.<field>` and `<prefix>.<n>.password`. */
function createStoredAuth({ name, description, prefix, field, nameOf }: StoredOptions): PluginDefinition {
  const define = (number: string, last: string): PluginSettingDefinition => ({
    key: `${prefix}.${number}.${last}`,
    initial: '',
    description: last === 'password' ? `Password of entry ${number}` : `Entry ${number}; further entries have further numbers`,
    required: false,
  });
  const pattern = new RegExp(String.raw`^${prefix.replaceAll('.', String.raw`\.`)}\.([1-9]\d{0,4})\.(${field}|password)$`, 'u');

  return {
    name,
    description,
    activeByDefault: false,
    settings: [define('1', field), define('1', 'password')],
    dynamicSetting: (key) => {
      const [, number, last] = pattern.exec(key) ?? [];
      return number === undefined || last === undefined ? undefined : define(number, last);
    },
    start: (_, values) => {
      const passwords = readPairs(values, pattern, prefix, field);
      return {
        authenticate: (request): AuthenticateResult => {
          const asked = nameOf(request);
          const expected = asked === undefined ? undefined : passwords.get(asked);
          // Also for unknown names, so that timing does not reveal which names exist.
          const isRight = timingSafeEqual(digest(request.password ?? ''), expected ?? dummyDigest);
          if (expected === undefined) return 'ignore';
          return isRight ? 'accept' : 'bad-credentials';
        },
        stop: () => undefined,
      };
    },
  };
}

/** Digests of the passwords by name. @throws PluginError */
function readPairs(values: PluginValues, pattern: RegExp, prefix: string, field: string): ReadonlyMap<string, Buffer> {
  const numbers = new Set([...values.keys()].flatMap((key) => pattern.exec(key)?.[1] ?? []));
  const passwords = new Map<string, Buffer>();
  for (const number of numbers) {
    const [nameKey, passwordKey] = [`${prefix}.${number}.${field}`, `${prefix}.${number}.password`];
    const [name, password] = [values.get(nameKey), values.get(passwordKey)];
    if (name === '' && password === '') continue;
    if (name === '' || password === '') throw new PluginError(`${name === '' ? nameKey : passwordKey} is not set.`);
    if (passwords.has(name)) throw new PluginError(`${nameKey} repeats another entry.`);
    passwords.set(name, digest(password));
  }
  if (passwords.size === 0) throw new PluginError(`${prefix}.1.${field} is not set: nobody could connect.`);
  return passwords;
}

export const authUsername = createStoredAuth({
  name: 'auth_username', description: 'Authentication with user name and password', prefix: 'auth.user', field: 'username',
  nameOf: ({ username }) => username,
});

export const authClientId = createStoredAuth({
  name: 'auth_clientid', description: 'Authentication with client id and password', prefix: 'auth.client', field: 'clientid',
  nameOf: ({ clientId }) => clientId,
});
