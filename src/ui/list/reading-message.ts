import type { MonitorState, ResourceName } from '../../monitor/state.ts';
import { safe } from '../../terminal/safe-text.ts';
import type { Theme } from '../../terminal/theme.ts';
import type { Span } from '../../terminal/line.ts';
import { resourceNames } from './resource-names.ts';
import { missingMessage } from './resource-notice.ts';

/** What stands in place of figures that are not there: asked for, failed (why, and when again), or an empty answer. */
export const readingMessage = (theme: Theme, state: MonitorState, name: ResourceName, nowMs: number): Span => {
  const resource = state.resources[name];
  return resource.data === undefined
    ? missingMessage(theme, resource, resourceNames[name], { nowMs, isFrozen: state.isFrozen, isUnauthorized: state.isUnauthorized })
    : { text: safe` the broker lists none`, role: 'dim' };
};
