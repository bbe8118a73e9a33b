import { isUnset, type PluginSetting } from '../../domain/administration.ts';
import { disclose } from '../../domain/secret-keys.ts';
import { defineFields } from '../../table/field.ts';

const valueOf = (setting: PluginSetting): string | undefined =>
  isUnset(setting) ? undefined : disclose(setting.key, setting.value);

export const pluginSettingFields = defineFields<PluginSetting>()({
  key: { label: 'KEY', type: 'text', get: ({ key }) => key },
  value: {
    label: 'VALUE',
    type: 'text',
    get: valueOf,
    text: (setting) => (setting.isTemplate === true ? '' : isUnset(setting) ? '(unset)' : valueOf(setting)),
  },
  required: { label: 'REQUIRED', type: 'flag', get: ({ required }) => required },
  description: { label: 'DESCRIPTION', type: 'text', get: ({ description }) => description },
});
