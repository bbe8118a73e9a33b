import { type Alarm, alarmName } from '../../domain/administration.ts';
import type { NodeName } from '../../domain/node.ts';
import { isWatched, reading } from '../../monitor/query/part.ts';
import { alarms } from '../../resources/alarms/resource.ts';
import { alarmSinceMs, hasNoAlarms } from '../../resources/alarms/select.ts';
import { requestedMsOf, selectUnreadNodes } from '../../resources/nodes/select.ts';
import { selectElsewhere } from '../../resources/sessions/select.ts';
import { selectSessionsUnread } from '../../triage/memory.ts';
import { sessionScan } from '../../resources/sessions/resource.ts';
import type { CheckInput, Judgement } from '../../triage/check.ts';
import type { Found, Problem } from '../../triage/problem.ts';
import { causeKey } from '../causes.ts';
import { splitKey } from '../split/judge.ts';
import { slowKey } from '../slow/judge.ts';
import type { Severity } from '../../triage/thresholds.ts';

export type AlarmProblem =
  | Problem<
      'alarm',
      {
        readonly id: string;
        /** The nodes where the alarm is active; empty where alarms are listed per node. */
        readonly nodes: readonly NodeName[];
        /** The row in the list of alarms. */
        readonly row: string;
        readonly text: string | undefined;
      }
    >
  | Problem<'queue-alarm', { readonly clientId: string; readonly text: string | undefined }>
  | Problem<'more-alarms', { readonly count: number }>;

type AlarmReason =
  | { readonly code: 'alarms-unavailable' | 'alarms-unread' }
  /** Nodes report their own alarms only, and none of the addresses is that of `nodes`. */
  | { readonly code: 'alarms-elsewhere'; readonly nodes: readonly NodeName[] }
  /** The sessions of the alarms have ended, and the broker does not clear such alarms. */
  | { readonly code: 'alarms-stale'; readonly clientIds: readonly string[] };

const severityOfAlarm = ({ severity }: Alarm): Severity =>
  severity === 'error' || severity === 'critical' ? 'critical' : 'warning';

const keyOfAlarm = (alarm: Alarm): string => `alarm ${alarmName(alarm)}`;

/**
 * Returns the alarm that the others with the same cause are a part of: that of the cause itself, if it is among them.
 */
const rootsOf = (alarms: readonly Alarm[]): ReadonlyMap<string, Alarm> =>
  new Map(
    [
      ...Map.groupBy(
        alarms.filter(({ causeId }) => causeId !== undefined),
        ({ causeId = '' }) => causeId,
      ),
    ].flatMap(([causeId, same]) => {
      const root = same.find(({ id }) => id === causeId) ?? same[0];
      return root === undefined ? [] : [[causeId, root] as const];
    }),
  );

/** The key of the problem of a session that an alarm is about. */
function slowSessionOf({ queueOf, clientId = queueOf }: Alarm, open: ReadonlySet<string>): string | undefined {
  const key = clientId === undefined ? undefined : slowKey(clientId);
  return key !== undefined && open.has(key) ? key : undefined;
}

/** The key of the problem of what an alarm has as its cause, or is about, if that is a problem by itself. */
const causeOf = ({ causeId, id }: Alarm, open: ReadonlySet<string>): string | undefined =>
  causeId === undefined ? undefined : [causeId, id].map(causeKey).find((key) => open.has(key));

const partOfSplit = ({ partedFrom }: Alarm, open: ReadonlySet<string>): string | undefined =>
  partedFrom !== undefined && open.has(splitKey) ? splitKey : undefined;

function findingOf(
  alarm: Alarm,
  { state, nowMs }: CheckInput,
  current: readonly Alarm[],
  roots: ReadonlyMap<string, Alarm>,
  open: ReadonlySet<string>,
): Found<AlarmProblem> {
  const { id, summary, title, queueOf: clientId, causeId } = alarm;
  const root = causeId === undefined ? undefined : roots.get(causeId);
  const text = summary ?? title;
  const facts = {
    key: keyOfAlarm(alarm),
    severity: severityOfAlarm(alarm),
    sinceMs: alarmSinceMs(alarm, state, nowMs),
    partOf:
      partOfSplit(alarm, open) ??
      slowSessionOf(alarm, open) ??
      causeOf(alarm, open) ??
      (root === undefined || root === alarm ? undefined : keyOfAlarm(root)),
  };
  if (clientId !== undefined) return { ...facts, code: 'queue-alarm', evidence: { clientId, text } };
  // Where none is named as the cause is, each node may have a name of its own for the same one.
  const hasOwnNames = causeId !== undefined && root?.id !== causeId;
  const same =
    root === alarm ? current.filter((other) => other.causeId === causeId && (hasOwnNames || other.id === id)) : [alarm];
  const nodes = same.flatMap(({ node }) => node ?? []).toSorted();
  return { ...facts, code: 'alarm', evidence: { id, nodes, row: alarmName(alarm), text } };
}

/** A list may take so long to read: a session that came meanwhile may be missing in it. */
const longestScanMs = 60_000;

/**
 * Whether a queue's alarm is older than the last complete list of the sessions of all nodes, which does not have the
 * session. Some brokers never clear such alarms.
 */
function isStale(alarm: Alarm, { state, history, nowMs }: CheckInput): boolean {
  const { rows, leftOut } = reading(state, sessionScan);
  const { last, completeMs = 0 } = history.sessionReadings;
  if (selectSessionsUnread(state, history).length > 0) return false;
  const sinceMs = alarmSinceMs(alarm, state, nowMs);
  return (
    alarm.queueOf !== undefined &&
    last === 'complete' &&
    leftOut.size === 0 &&
    sinceMs !== undefined &&
    sinceMs < completeMs - longestScanMs &&
    rows.every(({ clientId }) => clientId !== alarm.queueOf)
  );
}

/** Finds the alarms of the broker. They cover sessions of offline clients too, whose counters are out of date. */
export function judgeAlarms(input: CheckInput): Judgement<AlarmProblem, object, AlarmReason> {
  const { state } = input;
  if (hasNoAlarms(state)) return { findings: [], unchecked: [{ code: 'alarms-unavailable' }], isNotOffered: true };
  const { data, updatedAtMs } = reading(state, alarms);
  const unread = selectUnreadNodes(state, requestedMsOf(reading(state, alarms)) ?? -Infinity);
  const stale = (data ?? []).filter((alarm) => isStale(alarm, input));
  const { nodes: elsewhere } = selectElsewhere(state);
  const current = (data ?? []).filter((alarm) => !stale.includes(alarm));
  const roots = rootsOf(current);
  // What was found before goes on while it cannot be checked.
  const open = new Set([...input.found, ...input.earlier.map(({ key }) => key)]);
  return {
    passed: {},
    refutes: ({ key }) => data !== undefined && ![...elsewhere, ...unread].some((node) => key.endsWith(` on ${node}`)),
    findings: current.map((alarm) => findingOf(alarm, input, current, roots, open)),
    unchecked: [
      ...(data === undefined ? [{ code: 'alarms-unread' } as const] : []),
      ...(elsewhere.length === 0 ? [] : [{ code: 'alarms-elsewhere', nodes: elsewhere } as const]),
      ...(stale.length === 0
        ? []
        : [{ code: 'alarms-stale', clientIds: stale.map(({ queueOf = '' }) => queueOf) } as const]),
    ],
    reading: {
      noun: 'alarms',
      atMs: updatedAtMs,
      isWatched: isWatched(state, alarms),
    },
  };
}
