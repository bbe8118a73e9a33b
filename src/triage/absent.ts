import { type ApiError, isAbsent, isForbidden } from '../api/errors.ts';
import { asWatch, reading, type Watchable, watchKey } from '../monitor/query/part.ts';
import type { Resource, Scan } from '../monitor/query/query.ts';
import type { MonitorState, ResourceState, ScanState } from '../monitor/state.ts';
import { absenceOf } from '../monitor/scan/absent-list.ts';
import { vitalResources } from '../resources/vital.ts';
import type { Check } from './check.ts';
import { firstReadings, needsContext, usualPace } from './needs.ts';
import type { SharedReason } from './reasons.ts';

type Judged = ReturnType<Check['judge']>;

interface AbsentReading {
  readonly name: string;
  /** The login may not make it; otherwise the broker lacks it. */
  readonly isForbidden: boolean;
}

/** Readings that the broker lacks or that the login may not make, by the keys of the watches. */
export type AbsentReadings = ReadonlyMap<string, AbsentReading>;

const isMissing = (error: ApiError | undefined): error is ApiError => error !== undefined && isAbsent(error);

/** Returns what of a watched list or figure is absent; `undefined` where something was read. */
function absentReading(state: MonitorState, watchable: Watchable): AbsentReading | undefined {
  const { query, key } = asWatch(watchable);
  if (query.kind === 'resource') {
    const resource = query as unknown as Resource<unknown, readonly string[]>;
    const texts = key as readonly string[];
    const { data, error }: ResourceState<unknown> = reading(state, resource, ...texts);
    return data === undefined && isMissing(error)
      ? { name: resource.source(...texts), isForbidden: isForbidden(error) }
      : undefined;
  }
  if (query.kind !== 'scan') return undefined;
  const scan = query as unknown as Scan<unknown>;
  const error = absenceOf(reading<ScanState<unknown>, []>(state, scan));
  return error === undefined ? undefined : { name: scan.noun, isForbidden: isForbidden(error) };
}

export const absentReadings = (state: MonitorState): AbsentReadings =>
  new Map(
    (state.watched ?? []).flatMap((watchable) => {
      const absent = absentReading(state, watchable);
      return absent === undefined ? [] : [[watchKey(watchable), absent] as const];
    }),
  );

const isReadingMissing = (
  reason: Judged['unchecked'][number],
): reason is Extract<SharedReason, { code: 'reading-missing' }> => reason.code === 'reading-missing';

/** Says that a check cannot be made with this login or broker, where that is why it is incomplete. */
export function orAbsent(check: Check, judgement: Judged, state: MonitorState, absent: AbsentReadings): Judged {
  const { findings, unchecked, isNotOffered } = judgement;
  if (absent.size === 0 || findings.length > 0 || unchecked.length === 0 || isNotOffered === true) return judgement;
  const context = needsContext(state, firstReadings, usualPace, Number.POSITIVE_INFINITY);
  const needed = [
    ...unchecked.filter(isReadingMissing).map(({ resource }) => vitalResources[resource]),
    ...check.needs({ ...context, findings: [], isUrgent: false }).map(({ watched }) => watched),
  ];
  const missing = needed.flatMap((watched) => absent.get(watchKey(watched)) ?? []);
  if (missing.length === 0) return judgement;
  const code = missing.some((reading) => reading.isForbidden) ? 'not-allowed' : 'not-offered';
  const what = missing.filter((reading) => reading.isForbidden === (code === 'not-allowed')).map(({ name }) => name);
  const reason: SharedReason = { code, what: [...new Set(what)] };
  return { ...judgement, unchecked: [reason], isNotOffered: true };
}
