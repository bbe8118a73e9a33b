import type { Disclosure, Read, Undoing } from '../../actions/action.ts';
import { askTexts, durationField, durationLine, readDuration } from '../../actions/asking.ts';
import { type ActionParts, defineAction, type ShownRows } from '../../actions/define-action.ts';
import type { ConfirmRequest, DialogOrRefusal, FormRequest } from '../../actions/requests.ts';
import { Secret } from '../../actions/secret.ts';
import { brokerTimeText, skipTexts, undoTexts } from '../../actions/texts.ts';
import { defineUndo, type KeptFields } from '../../actions/undo.ts';
import { asWanted, isSameTime, notAsWanted, orUnsupported, readEnd } from '../../actions/verification.ts';
import type { ApiKey } from '../../domain/administration.ts';
import type { Effects } from '../../monitor/state.ts';
import { formatYesNo } from '../../terminal/format.ts';
import type { Theme } from '../../terminal/theme.ts';
import { apiKeys, readApiKeys } from './resource.ts';
import { apiKeySentences, apiKeyTexts, apiKeyWords, secretWords } from './texts.ts';

export interface ApiKeyRequest {
  readonly name: string;
  readonly description?: string | undefined;
  /** The key lasts so long from when it is sent; without this, it never expires. */
  readonly seconds?: number | undefined;
}

/** The rows and facts that the actions of the screen API keys act on. */
export interface ShownApiKeys extends ShownRows<ApiKey> {
  readonly isOffered: boolean;
}

/** A key of the broker: another one may have the same name later. */
type KeyOfBroker = Pick<ApiKey, 'name' | 'key'>;

const keysView: Effects = { refresh: [apiKeys] };

const common = { capability: 'apiKeys', where: 'API keys' } as const;

const find = async (read: Read, name: string): Promise<ApiKey | undefined> =>
  (await read(readApiKeys)).find((key) => key.name === name);

const readKept = (kept: KeptFields): KeyOfBroker => ({ name: kept.text('name'), key: kept.text('key') });

const undoAdd = defineUndo(readKept, async ({ name, key }, read): Promise<Undoing> => {
  const now = await find(read, name);
  const changed = recheckKey(now, key);
  return now === undefined || changed !== undefined
    ? { refused: undoTexts.changedSince(changed ?? apiKeySentences.gone) }
    : { action: deleteApiKey.create(now) };
});

const undoEnabled = defineUndo(
  (kept) => ({ ...readKept(kept), isEnabled: kept.flag('isEnabled') }),
  async ({ isEnabled, ...key }): Promise<Undoing> => ({
    action: (isEnabled ? disableApiKey : enableApiKey).create(key),
  }),
);

/** Adds a key. Its secret is only in the disclosure. */
export const addApiKey = defineAction({
  ...common,
  id: 'add-api-key',
  label: 'add an API key',
  danger: 'changes',
  key: {
    id: 'addApiKey',
    keys: ['n'],
    label: 'add',
    help: 'Add an API key; asks first',
    scope: 'apiKeys',
  },
  ask: (theme, { rows, isOffered }: ShownApiKeys) =>
    isOffered ? () => ({ request: newKeyRequest(theme, rows) }) : undefined,
  operations: ['addApiKey'],
  confirmation: 'form, y/N; then shows the secret once',
  auditFields: ['name', 'description', 'seconds'],
  undo: undoAdd.plan,
  create({ name, description, seconds }: ApiKeyRequest) {
    const disclosure: Disclosure = { words: secretWords, value: undefined };
    return {
      target: { name, description, seconds },
      ...apiKeyWords.add(name),
      disclosure,
      invalid: name === '' ? apiKeySentences.emptyName : undefined,
      async recheck(read) {
        if ((await find(read, name)) !== undefined) return { changed: apiKeySentences.exists };
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
              if (now === undefined) return [notAsWanted(apiKeySentences.missing)];
              if (disclosure.value === undefined) return [{ ...asWanted, text: apiKeySentences.secretLost }];
              return [
                isSameTime(now.expiresAt, expiresAt)
                  ? asWanted
                  : notAsWanted(
                      apiKeySentences.expires(now.expiresAt === undefined ? 'never' : brokerTimeText(now.expiresAt)),
                    ),
              ];
            },
          },
        };
      },
      changed: () => undoAdd.changed({ name, key: disclosure.value?.key ?? '' }),
      effects: () => keysView,
    };
  },
});

export const enableApiKey = defineAction({
  ...common,
  id: 'enable-api-key',
  label: 'enable an API key',
  danger: 'changes',
  key: {
    id: 'enableApiKey',
    keys: ['S'],
    label: 'enable',
    help: 'Enable the API key; asks first',
    scope: 'apiKeys',
  },
  ask: (theme, { row }: ShownApiKeys) => row && (() => enabledRequest(theme, row, true)),
  operations: ['setApiKeyEnabled'],
  confirmation: 'y/N',
  auditFields: ['name', 'key'],
  undo: undoEnabled.plan,
  create: (key: KeyOfBroker) => setEnabled(key, true),
});

export const disableApiKey = defineAction({
  ...common,
  id: 'disable-api-key',
  label: 'disable an API key',
  danger: 'destroys',
  key: {
    id: 'disableApiKey',
    keys: ['K'],
    label: 'disable',
    help: 'Disable the API key; asks first',
    scope: 'apiKeys',
  },
  ask: (theme, { row }: ShownApiKeys) => row && (() => enabledRequest(theme, row, false)),
  operations: ['setApiKeyEnabled'],
  confirmation: 'y/N',
  auditFields: ['name', 'key'],
  undo: undoEnabled.plan,
  create: (key: KeyOfBroker) => setEnabled(key, false),
});

function setEnabled({ name, key }: KeyOfBroker, isEnabled: boolean): ActionParts<'name' | 'key'> {
  return {
    target: { name, key },
    ...apiKeyWords.setEnabled(name, isEnabled),
    async recheck(read) {
      const before = await find(read, name);
      const changed = recheckKey(before, key);
      if (changed !== undefined) return { changed };
      if (before?.isEnabled === isEnabled) return { already: apiKeySentences.already(isEnabled) };
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
            if (now === undefined) return [notAsWanted(apiKeySentences.missing)];
            return [now.isEnabled === isEnabled ? asWanted : notAsWanted(apiKeySentences.isEnabled(now.isEnabled))];
          },
        },
      };
    },
    changed: () => undoEnabled.changed({ name, key, isEnabled }),
    effects: () => keysView,
  };
}

export const deleteApiKey = defineAction({
  ...common,
  id: 'delete-api-key',
  label: 'delete an API key',
  danger: 'destroys',
  key: {
    id: 'deleteApiKey',
    keys: ['D'],
    label: 'delete',
    help: 'Delete the API key; asks you to type the name',
    scope: 'apiKeys',
  },
  ask: (theme, { row }: ShownApiKeys) => row && (() => ({ request: deleteKeyRequest(theme, row) })),
  operations: ['deleteApiKey'],
  confirmation: 'type the name',
  auditFields: ['name', 'key'],
  create({ name, key }: ApiKey) {
    return {
      target: { name, key },
      ...apiKeyWords.delete(name),
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
              (await find(readAgain, name)) === undefined ? asWanted : notAsWanted(apiKeySentences.remains),
            ],
          },
        };
      },
      effects: () => keysView,
    };
  },
});

function recheckKey(before: ApiKey | undefined, key: string): string | undefined {
  if (before === undefined) return apiKeySentences.gone;
  return before.key === key ? undefined : apiKeySentences.replaced;
}

export const newKeyRequest = (theme: Theme, keys: readonly ApiKey[]): FormRequest => ({
  kind: 'form',
  title: apiKeyTexts.add.title,
  fields: [
    { id: 'name', label: apiKeyTexts.name },
    { id: 'description', label: apiKeyTexts.description, help: apiKeyTexts.descriptionHelp },
    durationField(apiKeyTexts.duration, '90d'),
  ],
  verb: askTexts.continue,
  build: ({ name = '', description = '', duration = '' }) => {
    if (keys.some((key) => key.name === name)) return { error: apiKeyTexts.exists, field: 'name' };
    const read = readDuration(duration);
    const action = addApiKey.create({
      name,
      description: description === '' ? undefined : description,
      seconds: 'error' in read ? undefined : read.seconds,
    });
    if (action.invalid !== undefined) return { error: theme.escape(action.invalid), field: 'name' };
    if ('error' in read) return { error: read.error, field: 'duration' };
    return {
      next: {
        kind: 'confirm',
        question: apiKeyTexts.add.question,
        target: name,
        details: [durationLine(read.seconds), apiKeyTexts.add.shownOnce],
        verb: apiKeyTexts.add.verb,
        action,
      },
    };
  },
});

export const enabledRequest = (theme: Theme, key: ApiKey, isEnabled: boolean): DialogOrRefusal => {
  if (key.isEnabled === isEnabled) return { refused: apiKeyTexts.already(theme.escape(key.name, 60), isEnabled) };
  const texts = isEnabled ? apiKeyTexts.enable : apiKeyTexts.disable;
  return {
    request: {
      kind: 'confirm',
      question: texts.question,
      target: key.name,
      details: [apiKeyTexts.enabledNow(formatYesNo(key.isEnabled)), ...(isEnabled ? [] : [apiKeyTexts.cutsOff])],
      verb: texts.verb,
      action: (isEnabled ? enableApiKey : disableApiKey).create(key),
    },
  };
};

/** Asks to delete a key, whose name has to be typed. */
export const deleteKeyRequest = (theme: Theme, key: ApiKey): ConfirmRequest => ({
  kind: 'confirm',
  question: apiKeyTexts.delete.question,
  target: key.name,
  details: [apiKeyTexts.keyIs(theme.escape(key.key, 300)), apiKeyTexts.cutsOff],
  verb: apiKeyTexts.delete.verb,
  mustType: key.name,
  action: deleteApiKey.create(key),
});

export const apiKeyActions = [addApiKey, enableApiKey, disableApiKey, deleteApiKey] as const;
