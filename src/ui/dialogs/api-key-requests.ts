import { askTexts } from '../../actions/asking.ts';
import { durationField, durationLine, readDuration } from '../../actions/asking.ts';
import type { ConfirmRequest, DialogOrRefusal, FormRequest } from '../../actions/requests.ts';
import { addApiKey, deleteApiKey, disableApiKey, enableApiKey } from '../../actions/api-keys.ts';
import type { ApiKey } from '../../domain/administration.ts';
import { formatYesNo } from '../../terminal/format.ts';
import type { Theme } from '../../terminal/theme.ts';
import { apiKeyTexts, unavailableTexts } from './texts.ts';

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
  if (key.isEnabled === isEnabled)
    return { refused: unavailableTexts.keyAlready(theme.escape(key.name, 60), isEnabled) };
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

/** The name has to be typed. */
export const deleteKeyRequest = (theme: Theme, key: ApiKey): ConfirmRequest => ({
  kind: 'confirm',
  question: apiKeyTexts.delete.question,
  target: key.name,
  details: [apiKeyTexts.keyIs(theme.escape(key.key, 300)), apiKeyTexts.cutsOff],
  verb: apiKeyTexts.delete.verb,
  mustType: key.name,
  action: deleteApiKey.create(key),
});
