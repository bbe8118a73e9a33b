import type { MonitorState } from '../../monitor/state.ts';
import type { Span } from '../../terminal/line.ts';
import { safe } from '../../terminal/safe-text.ts';
import type { Theme } from '../../terminal/theme.ts';
import { listTexts } from '../../tui/list/texts.ts';
import { type VitalName, selectVital } from '../vital.ts';
import { missingMessage } from '../../tui/list/resource-notice.ts';
import { resourceNames } from './texts.ts';

/** Stands in place of figures: loading, failed, or an empty answer. */
export const readingMessage = (theme: Theme, state: MonitorState, name: VitalName, nowMs: number): Span => {
  const resource = selectVital(state)[name];
  return resource.data === undefined
    ? missingMessage(theme, resource, resourceNames[name], {
        nowMs,
        isFrozen: state.isFrozen,
        isPast: state.past !== undefined,
        isUnauthorized: state.isUnauthorized,
      })
    : { text: safe` ${listTexts.none}`, role: 'dim' };
};
