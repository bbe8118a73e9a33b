import { type ApiError, isForbidden } from '../api/errors.ts';
import { asWatch, reading, type Watchable, watchKey } from '../monitor/query/part.ts';
import type { Resource, Scan } from '../monitor/query/query.ts';
import type { MonitorState, ResourceState, ScanState } from '../monitor/state.ts';
import { vitalResources } from '../resources/vital.ts';
import type { Check } from './check.ts';
import { firstReadings, needsContext, usualPace } from './needs.ts';
import type { SharedReason } from './reasons.ts';

type Judged = ReturnType<Check['judge']>;

/** What the login may not read, by the keys of the watches. */
export type ForbiddenReadings = ReadonlyMap<string, string>;

const isRefused = (error: ApiError | undefined): boolean => error !== undefined && isForbidden(error);

/** Returns what of a watched list or figure the login may not read; `undefined` where something was read. */
function forbiddenName(state: MonitorState, watchable: Watchable): string | undefined {
  const { query, key } = asWatch(watchable);
  if (query.kind === 'resource') {
    const resource = query as unknown as Resource<unknown, readonly string[]>;
    const texts = key as readonly string[];
    const { data, error }: ResourceState<unknown> = reading(state, resource, ...texts);
    return data === undefined && isRefused(error) ? resource.source(...texts) : undefined;
  }
  if (query.kind !== 'scan') return undefined;
  const scan = query as unknown as Scan<unknown>;
  const { rows, coverage }: ScanState<unknown> = reading(state, scan);
  const nodes = [...coverage.values()];
  return rows.length === 0 && nodes.length > 0 && nodes.every(({ error }) => isRefused(error)) ? scan.noun : undefined;
}

export const forbiddenReadings = (state: MonitorState): ForbiddenReadings =>
  new Map(
    (state.watched ?? []).flatMap((watchable) => {
      const name = forbiddenName(state, watchable);
      return name === undefined ? [] : [[watchKey(watchable), name] as const];
    }),
  );

const isReadingMissing = (
  reason: Judged['unchecked'][number],
): reason is Extract<SharedReason, { code: 'reading-missing' }> => reason.code === 'reading-missing';

/** Says that a check cannot be made with this login, where that is why it is incomplete. */
export function orForbidden(
  check: Check,
  judgement: Judged,
  state: MonitorState,
  forbidden: ForbiddenReadings,
): Judged {
  if (forbidden.size === 0 || judgement.findings.length > 0 || judgement.unchecked.length === 0) return judgement;
  const context = needsContext(state, firstReadings, usualPace, Number.POSITIVE_INFINITY);
  const needed = [
    ...judgement.unchecked.filter(isReadingMissing).map(({ resource }) => vitalResources[resource]),
    ...check.needs({ ...context, findings: [], isUrgent: false }).map(({ watched }) => watched),
  ];
  const what = [...new Set(needed.flatMap((watched) => forbidden.get(watchKey(watched)) ?? []))];
  if (what.length === 0) return judgement;
  const reason: SharedReason = { code: 'not-allowed', what };
  return { ...judgement, unchecked: [reason], isNotOffered: true };
}
