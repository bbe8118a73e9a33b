import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { BrokerError } from '../../api/errors.ts';
import type { ManagementApi } from '../../api/management-api.ts';
import type { ApiKey } from '../../domain/administration.ts';
import { toBrokerSeconds } from '../engine/counters.ts';
import type { Recorder } from '../sessions/recorder.ts';
import { StoredMap, type StoredTable } from './stored-map.ts';

export interface ApiKeys {
  readonly api: Required<Pick<ManagementApi, 'listApiKeys' | 'addApiKey' | 'setApiKeyEnabled' | 'deleteApiKey'>>;
  /** Returns `false` for a wrong, disabled or expired pair. */
  authenticate(key: string, secret: string): boolean;
  readonly table: StoredTable<StoredKey>;
}

export interface StoredKey {
  readonly record: ApiKey;
  /** A plain SHA-256, which is enough because the secret is random. */
  readonly digest: Buffer;
}

const maxKeys = 1000;
const digestOf = (secret: string): Buffer => createHash('sha256').update(secret).digest();

interface ApiKeyOptions {
  readonly now?: () => number;
  readonly stored?: readonly StoredKey[] | undefined;
  readonly recorder?: Recorder | undefined;
}

/** Keeps the logins of programs. */
export function createApiKeys({ now = Date.now, stored = [], recorder }: ApiKeyOptions = {}): ApiKeys {
  const keys = new StoredMap(stored, ({ record }) => record.name, recorder);
  const noDigest = digestOf(randomBytes(32).toString('hex'));
  const find = (name: string): StoredKey => {
    const found = keys.export(name);
    if (found === undefined) throw new BrokerError('does-not-exist');
    return found;
  };
  return {
    table: keys,
    authenticate(key, secret) {
      const found = [...keys.values()].find(({ record }) => record.key === key);
      const isRight = timingSafeEqual(digestOf(secret), found?.digest ?? noDigest);
      if (!isRight || found === undefined) return false;
      const { isEnabled, expiresAt } = found.record;
      return isEnabled === true && (expiresAt === undefined || expiresAt > toBrokerSeconds(now()));
    },
    api: {
      async listApiKeys() {
        return [...keys.values()].map(({ record }) => record);
      },
      async addApiKey({ name, description, expiresAt }) {
        if (!/^[a-z0-9][\w-]{0,255}$/iu.test(name))
          throw new BrokerError('invalid', 'A name has letters, digits, _ and -, at most 256.');
        if (keys.export(name) !== undefined) throw new BrokerError('exists', 'name_already_existed');
        if (keys.size >= maxKeys) throw new BrokerError('failed', `There are ${maxKeys} API keys already.`);
        const key = randomBytes(8).toString('hex');
        const secret = randomBytes(32).toString('base64url');
        await keys.put(name, {
          record: { name, key, description, isEnabled: true, createdAt: toBrokerSeconds(now()), expiresAt },
          digest: digestOf(secret),
        });
        return { key, secret };
      },
      async setApiKeyEnabled(name, isEnabled) {
        const { record, digest } = find(name);
        await keys.put(name, { record: { ...record, isEnabled }, digest });
      },
      async deleteApiKey(name) {
        find(name);
        await keys.put(name, undefined);
      },
    },
  };
}
