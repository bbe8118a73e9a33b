import { isLacking } from '../api/capabilities.ts';
import { asWatch, type Query, type Watchable } from '../monitor/query/part.ts';
import type { Scan } from '../monitor/query/query.ts';
import type { MonitorState } from '../monitor/state.ts';
import { selectNodes } from './nodes/select.ts';
import { allNouns } from './nouns.ts';

/** How often lists are read for a recording, in seconds: what is compared later is as old as that. */
const listSeconds = 60;
/** Lists with more rows are read less often. */
const maxOftenRows = 20_000;
const longListSeconds = 900;

interface RecordedRead {
  readonly watched: Watchable;
  /** `undefined`: with every refresh. */
  readonly everySeconds: number | undefined;
}

const isScan = (query: Query): query is Scan<unknown> => query.kind === 'scan';

/** Lists what is read while everything is recorded, whatever the checks need. */
export function recordedReads(state: MonitorState): readonly RecordedRead[] {
  const names = selectNodes(state)
    .filter(({ status }) => status === 'running')
    .map(({ name }) => name);
  const expected = (scan: Scan<unknown>): number =>
    (scan.isOfCluster ? names.slice(0, 1) : names).reduce((sum, node) => sum + (scan.expected(state, node) ?? 0), 0);
  return allNouns
    .filter(([, { capability }]) => capability === undefined || !isLacking(capability, state.capabilities))
    .flatMap(([, { watches, recorded }]) =>
      watches(state).flatMap((watched): readonly RecordedRead[] => {
        if (recorded === 'everyRefresh') return [{ watched, everySeconds: undefined }];
        const { query } = asWatch(watched);
        if (!isScan(query)) return [{ watched, everySeconds: listSeconds }];
        if (names.length === 0) return [];
        return [{ watched, everySeconds: expected(query) > maxOftenRows ? longListSeconds : listSeconds }];
      }),
    );
}
