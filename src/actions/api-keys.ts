import { type ActionParts, defineAction } from './define-action.ts';
import type { ApiKey } from '../domain/administration.ts';
import { readApiKeys } from '../monitor/polling/administration.ts';
import type { Effects } from '../monitor/state.ts';
import { type Disclosure, type Read } from './action.ts';
import { Secret } from './secret.ts';
import { actionWords, brokerTimeText, invalidTexts, skipTexts, verificationTexts } from './texts.ts';
import { asWanted, isSameTime, notAsWanted, orUnsupported, readEnd } from './verification.ts';

export interface ApiKeyRequest {
  readonly name: string;
  readonly description?: string | undefined;
  /** From when it is sent; without it, the key never expires. */
  readonly seconds?: number | undefined;
}

const keysView: Effects = { refresh: [{ kind: 'apiKeys' }] };

const common = { capability: 'apiKeys', where: 'API keys' } as const;

const find = async (read: Read, name: string): Promise<ApiKey | undefined> =>
  (await read(readApiKeys)).find((key) => key.name === name);

/** Adds a key. Its secret is only in the disclosure. */
export const addApiKey = defineAction({
  ...common,
  id: 'add-api-key',
  label: 'add an API key',
  danger: 'changes',
  key: 'addApiKey',
  operations: ['addApiKey'],
  confirmation: 'form, y/N; then shows the secret once',
  auditFields: ['name', 'description', 'seconds'],
  create({ name, description, seconds }: ApiKeyRequest) {
    const disclosure: Disclosure = { value: undefined };
    return {
      target: { name, description, seconds },
      ...actionWords.addApiKey(name),
      disclosure,
      invalid: name === '' ? invalidTexts.emptyKeyName : undefined,
      async recheck(read) {
        if ((await find(read, name)) !== undefined) return { changed: skipTexts.keyExists };
        const end = await readEnd(read, seconds);
        if (end === undefined) return { changed: skipTexts.noClock };
        const { until: expiresAt } = end;
        return {
          plan: {
            before: {},
            after: { expires: expiresAt === undefined ? 'never' : brokerTimeText(expiresAt) },
            requests: [
              {
                node: undefined,
                async send(api, options) {
                  const { key, secret } = await orUnsupported(
                    'add an API key',
                    api.addApiKey?.({ name, description, expiresAt }, options),
                  );
                  disclosure.value = { key, secret: new Secret(secret) };
                },
              },
            ],
            async verify(readAgain) {
              const now = await find(readAgain, name);
              if (now === undefined) return [notAsWanted(verificationTexts.keyMissing)];
              if (disclosure.value === undefined) return [{ ...asWanted, text: verificationTexts.secretLost }];
              return [
                isSameTime(now.expiresAt, expiresAt)
                  ? asWanted
                  : notAsWanted(
                      verificationTexts.keyExpires(
                        now.expiresAt === undefined ? 'never' : brokerTimeText(now.expiresAt),
                      ),
                    ),
              ];
            },
          },
        };
      },
      effects: () => keysView,
    };
  },
});

export const enableApiKey = defineAction({
  ...common,
  id: 'enable-api-key',
  label: 'enable an API key',
  danger: 'changes',
  key: 'enableApiKey',
  operations: ['setApiKeyEnabled'],
  confirmation: 'y/N',
  auditFields: ['name', 'key'],
  create: (key: ApiKey) => setEnabled(key, true),
});

export const disableApiKey = defineAction({
  ...common,
  id: 'disable-api-key',
  label: 'disable an API key',
  danger: 'destroys',
  key: 'disableApiKey',
  operations: ['setApiKeyEnabled'],
  confirmation: 'y/N',
  auditFields: ['name', 'key'],
  create: (key: ApiKey) => setEnabled(key, false),
});

function setEnabled({ name, key }: ApiKey, isEnabled: boolean): ActionParts<'name' | 'key'> {
  return {
    target: { name, key },
    ...actionWords.setApiKeyEnabled(name, isEnabled),
    async recheck(read) {
      const before = await find(read, name);
      const changed = recheckKey(before, key);
      if (changed !== undefined) return { changed };
      if (before?.isEnabled === isEnabled) return { already: skipTexts.keyAlready(isEnabled) };
      return {
        plan: {
          before: { enabled: before?.isEnabled },
          after: { enabled: isEnabled },
          requests: [
            {
              node: undefined,
              send: (api, options) =>
                orUnsupported('enable or disable an API key', api.setApiKeyEnabled?.(name, isEnabled, options)),
            },
          ],
          async verify(readAgain) {
            const now = await find(readAgain, name);
            if (now === undefined) return [notAsWanted(verificationTexts.keyMissing)];
            return [now.isEnabled === isEnabled ? asWanted : notAsWanted(verificationTexts.keyState(now.isEnabled))];
          },
        },
      };
    },
    effects: () => keysView,
  };
}

export const deleteApiKey = defineAction({
  ...common,
  id: 'delete-api-key',
  label: 'delete an API key',
  danger: 'destroys',
  key: 'deleteApiKey',
  operations: ['deleteApiKey'],
  confirmation: 'type the name',
  auditFields: ['name', 'key'],
  create({ name, key }: ApiKey) {
    return {
      target: { name, key },
      ...actionWords.deleteApiKey(name),
      async recheck(read) {
        const changed = recheckKey(await find(read, name), key);
        if (changed !== undefined) return { changed };
        return {
          plan: {
            requests: [
              {
                node: undefined,
                send: (api, options) => orUnsupported('delete an API key', api.deleteApiKey?.(name, options)),
              },
            ],
            verify: async (readAgain) => [
              (await find(readAgain, name)) === undefined ? asWanted : notAsWanted(verificationTexts.keyRemains),
            ],
          },
        };
      },
      effects: () => keysView,
    };
  },
});

function recheckKey(before: ApiKey | undefined, key: string): string | undefined {
  if (before === undefined) return skipTexts.keyGone;
  return before.key === key ? undefined : skipTexts.keyReplaced;
}
