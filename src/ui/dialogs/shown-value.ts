import { type PluginSetting, isUnset } from '../../domain/setting.ts';
import { disclose } from '../../actions/secret.ts';
import { unknownText } from '../../terminal/format.ts';
import { type SafeText, safe } from '../../terminal/safe-text.ts';
import type { Theme } from '../../terminal/theme.ts';

/** A setting's value as a dialog or list shows it: hidden where the key says that it may be a password. */
export const shownValue = (theme: Theme, key: string, value: string | undefined, width?: number): SafeText => {
  const disclosed = disclose(key, value);
  return disclosed === undefined ? unknownText : theme.escape(disclosed, width);
};

/** Before and after; of two hidden values only that they differ. */
export const changeText = (theme: Theme, key: string, before: string | undefined, after: string): SafeText =>
  safe`${shownValue(theme, key, before)} → ${shownValue(theme, key, after)}`;

/** The value of a plugin's setting: what is not set, and what is set to an empty text, in words. */
export const shownPluginValue = (theme: Theme, { key, value, required }: Pick<PluginSetting, 'key' | 'value' | 'required'>, width?: number): SafeText => {
  if (isUnset({ value, required })) return safe`(unset)`;
  return value === '' ? safe`(empty)` : shownValue(theme, key, value, width);
};
