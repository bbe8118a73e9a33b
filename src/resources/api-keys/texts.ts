import type { DisclosureWords } from '../../actions/action.ts';
import { quoteIfNeeded, words } from '../../actions/texts.ts';
import { safe, type SafeText } from '../../terminal/safe-text.ts';

const enablement = (isEnabled: boolean | undefined): string =>
  isEnabled === undefined ? 'in an unknown state' : isEnabled ? 'enabled' : 'disabled';

export const apiKeyWords = {
  add: (name: string) => words('add', 'Added', `API key ${quoteIfNeeded(name)}`),
  setEnabled: (name: string, isEnabled: boolean) =>
    words(isEnabled ? 'enable' : 'disable', isEnabled ? 'Enabled' : 'Disabled', `API key ${quoteIfNeeded(name)}`),
  delete: (name: string) => words('delete', 'Deleted', `API key ${quoteIfNeeded(name)}`),
};

/** Says why an API key is not changed, and what became of it. */
export const apiKeySentences = {
  exists: 'an API key with this name already exists.',
  gone: 'it no longer exists.',
  replaced: 'another key has this name now.',
  already: (isEnabled: boolean): string => `It is already ${enablement(isEnabled)}.`,
  emptyName: 'The name is empty.',
  missing: 'The API key is not listed.',
  remains: 'The API key is still listed.',
  isEnabled: (isEnabled: boolean | undefined): string => `The API key is ${enablement(isEnabled)}.`,
  expires: (when: string): string =>
    when === 'never'
      ? 'The API key is listed, but never expires.'
      : `The API key is listed, but expires at ${when} (broker time).`,
  secretLost: 'Its secret was lost with the response. Delete the key and add another.',
};

export const apiKeyTexts = {
  name: safe`Name`,
  description: safe`Description`,
  descriptionHelp: safe`optional`,
  duration: safe`Expires in`,
  exists: safe`An API key with this name already exists.`,
  add: {
    title: safe`New API key`,
    question: safe`Add this API key?`,
    verb: safe`add`,
    shownOnce: safe`The secret is shown once, after it is added.`,
  },
  enable: { question: safe`Enable this API key?`, verb: safe`enable` },
  disable: { question: safe`Disable this API key?`, verb: safe`disable` },
  delete: { question: safe`Delete this API key?`, verb: safe`delete` },
  enabledNow: (enabled: SafeText) => safe`enabled: ${enabled}`,
  keyIs: (key: SafeText) => safe`key ${key}`,
  cutsOff: safe`Programs that use it can no longer sign in.`,
  already: (name: SafeText, isEnabled: boolean) =>
    safe`API key ${name} is already ${isEnabled ? safe`enabled` : safe`disabled`}`,
};

/** The name of the dialog with the secret in the help. */
export const secretTitle = safe`Secret of an API key`;

/** The dialog that shows the secret of a new key. */
export const secretWords: DisclosureWords = {
  key: safe`Key`,
  secret: safe`Secret`,
  onlyNow: safe`The secret is shown only now. Copy it before you close this: it cannot be read again, and is in no log.`,
  saved: safe`I have copied it`,
  lost: 'The secret of the new API key cannot be read again.',
};

export const apiKeysTexts = {
  notOffered: safe`API keys`,
  empty: safe`No API keys. Press n to add one.`,
  emptyReadOnly: safe`No API keys.`,
  key: safe`key`,
  enabled: safe`enabled`,
  created: safe`created`,
  expires: safe`expires`,
  description: safe`Description`,
};
