import { isAbsent } from '../../api/errors.ts';
import { isWatched } from '../../monitor/query/part.ts';
import type { MonitorState } from '../../monitor/state.ts';
import { ageSeconds } from '../../resources/freshness.ts';
import { vitalNames, selectVital, vitalResources } from '../../resources/vital.ts';
import { formatDuration } from '../../terminal/format.ts';
import type { Span } from '../../terminal/line.ts';
import { safe } from '../../terminal/safe-text.ts';
import type { Theme } from '../../terminal/theme.ts';
import { errorText } from '../../tui/list/resource-notice.ts';
import { statusTexts } from './texts.ts';
import { resourceNames as resourceTexts } from '../../resources/view/texts.ts';

/** Describes the first watched resource that fails: what, why, next attempt, age of the data shown. */
export const failure = (theme: Theme, state: MonitorState, nowMs: number): readonly Span[] | undefined => {
  const vital = selectVital(state);
  const watched = vitalNames.filter((name) => isWatched(state, vitalResources[name]));
  const read = watched.map((name) => vital[name]);
  const isApiDown =
    read.length > 1 && read.every(({ error }) => error?.kind === 'unreachable' || error?.kind === 'timeout');
  for (const name of watched) {
    const { error, nextAttemptAtMs } = vital[name];
    if (error === undefined || (name !== 'nodeStats' && isAbsent(error))) {
      continue;
    }
    const age = ageSeconds(state, name, nowMs);
    const waitSeconds = nextAttemptAtMs === undefined ? undefined : Math.ceil((nextAttemptAtMs - nowMs) / 1000);
    const again =
      waitSeconds === undefined
        ? safe``
        : waitSeconds <= 0
          ? statusTexts.retrying
          : statusTexts.retry(formatDuration(waitSeconds));
    const shown = age === undefined ? safe`` : statusTexts.dataAge(formatDuration(age));
    return [
      {
        text: safe` ${statusTexts.failed(isApiDown ? statusTexts.apiDown : resourceTexts[name], errorText(theme, error))}${again}${shown}`,
        role: 'error',
      },
    ];
  }
  return undefined;
};
