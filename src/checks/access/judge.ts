import { isNotOffered } from '../../api/errors.ts';
import type { AccessBackend } from '../../domain/access.ts';
import type { NodeName } from '../../domain/node.ts';
import { isWatched, reading } from '../../monitor/query/part.ts';
import type { MonitorState } from '../../monitor/state.ts';
import { accessBackends } from '../../resources/access-backends/resource.ts';
import { type AccessBackendRow, selectAccessBackends } from '../../resources/access-backends/select.ts';
import type { CheckInput, Judgement } from '../../triage/check.ts';
import type { Found, Problem } from '../../triage/problem.ts';
import { areAllNodesRead } from '../../triage/reasons.ts';
import { causeKey } from '../causes.ts';

interface BackendDown {
  readonly purpose: AccessBackend['purpose'];
  readonly id: string;
  /** The nodes on which it is down, of the `nodes` that have it. */
  readonly on: readonly NodeName[];
  readonly nodes: number;
  /** How often it is asked there without an answer; `undefined` before two readings. */
  readonly unansweredPerSecond: number | undefined;
}

type AccessProblem = Problem<'backend-down', BackendDown>;

interface Passed {
  readonly authentication: number;
  readonly authorization: number;
}

interface AccessReason {
  readonly code: 'access-unavailable' | 'access-unread';
}

/** Adds up what nodes ask in vain: the broker counts what is not answered as no match. */
const unanswered = ({ down, ratesByNode }: AccessBackendRow): number | undefined =>
  down.reduce<number | undefined>((sum, node) => {
    const rate = ratesByNode.get(node)?.perSecond.undecided;
    return sum === undefined || rate === undefined ? undefined : sum + rate;
  }, 0);

function findingOf(row: AccessBackendRow): readonly Found<AccessProblem>[] {
  const { backend, down } = row;
  if (down.length === 0) return [];
  const unansweredPerSecond = unanswered(row);
  return [
    {
      key: causeKey(backend.alarmCause ?? row.key),
      severity: (unansweredPerSecond ?? 0) > 0 ? 'critical' : 'warning',
      code: 'backend-down',
      evidence: {
        purpose: backend.purpose,
        id: backend.id,
        on: down,
        nodes: backend.nodes.size,
        unansweredPerSecond,
      },
    },
  ];
}

/** Whether the API does not tell of backends, also where the release is too old. */
const hasNone = (state: MonitorState): boolean => {
  const { error } = reading(state, accessBackends);
  return state.capabilities?.accessBackends !== true || (error !== undefined && isNotOffered(error));
};

/** Finds backends of authentication and authorization that are down. */
export function judgeAccess({ state }: CheckInput): Judgement<AccessProblem, Passed, AccessReason> {
  if (hasNone(state)) return { findings: [], unchecked: [{ code: 'access-unavailable' }], isNotOffered: true };
  const read = reading(state, accessBackends);
  const rows = selectAccessBackends(state);
  const count = (purpose: AccessBackend['purpose']): number =>
    (rows ?? []).filter(({ backend, isEnabled }) => backend.purpose === purpose && isEnabled !== false).length;
  return {
    findings: (rows ?? []).flatMap(findingOf),
    unchecked: rows === undefined ? [{ code: 'access-unread' }] : [],
    passed: { authentication: count('authentication'), authorization: count('authorization') },
    refutes: () => rows !== undefined && areAllNodesRead(state, read),
    reading: { noun: 'access backends', atMs: read.updatedAtMs, isWatched: isWatched(state, accessBackends) },
  };
}
