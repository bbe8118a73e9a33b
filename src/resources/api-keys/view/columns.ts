import type { ApiKey } from '../../../domain/administration.ts';
import { formatEnd, formatText, formatYesNo } from '../../../terminal/format.ts';
import { safe, type SafeText } from '../../../terminal/safe-text.ts';
import { activitySign } from '../../../terminal/glyphs.ts';
import { columnsOf } from '../../../tui/components/field-columns.ts';
import { apiKeyFields } from '../fields.ts';

/** Writes whether a key is enabled. */
export const enabledText = ({ isEnabled }: ApiKey): SafeText =>
  safe`${activitySign(isEnabled)} ${formatYesNo(isEnabled)}`;

export const apiKeyColumns = columnsOf(apiKeyFields, {
  name: { width: { min: 18, max: 48 }, isSticky: true },
  key: { width: { min: 16, max: 48 }, priority: 2 },
  enabled: { format: enabledText, width: 9, priority: 1 },
  expires: { format: ({ expiresAt }) => formatEnd(expiresAt), sortsFrom: 'smallest', width: 19, priority: 1 },
  created: { width: 19, priority: 3 },
  description: {
    format: ({ description }, { text }) => formatText(description || undefined, text),
    width: { min: 12, max: 60, grow: 2 },
    priority: 4,
  },
});
