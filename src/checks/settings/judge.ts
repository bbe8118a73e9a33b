import type { NodeName } from '../../domain/node.ts';
import { isWatched, reading } from '../../monitor/query/part.ts';
import { settings } from '../../resources/settings/resource.ts';
import { selectIsReadByNode, selectSettings, type SettingRow } from '../../resources/settings/select.ts';
import type { CheckInput, Judgement } from '../../triage/check.ts';
import type { Problem } from '../../triage/problem.ts';
import { areAllNodesRead } from '../../triage/reasons.ts';
import { type DifferenceReason, type MoreDifferences, uncomparedNodes } from '../differences.ts';

interface SettingDifference {
  readonly id: string;
  readonly key: string;
  readonly values: number;
  readonly nodes: number;
  /** The nodes that differ from most others; empty if there is no majority. */
  readonly on: readonly NodeName[];
}

interface Passed {
  readonly rows: number;
  readonly nodes: number;
}

type SettingReason =
  | DifferenceReason
  | { readonly code: 'settings-by-node' }
  | { readonly code: 'settings-unavailable'; readonly apiName: string | undefined };

/** Compares values, which stay here: some are secret. */
function differenceOf({ id, key, byNode }: SettingRow): SettingDifference {
  const byValue = [...Map.groupBy(byNode, ([, { value }]) => value).values()].toSorted((a, b) => b.length - a.length);
  const hasMajority = (byValue[0]?.length ?? 0) > byNode.size / 2;
  return {
    id,
    key,
    values: byValue.length,
    nodes: byNode.size,
    on: hasMajority
      ? byValue
          .slice(1)
          .flat()
          .map(([node]) => node)
      : [],
  };
}

/** Finds settings that differ between nodes. */
export function judgeSettings({
  state,
}: CheckInput): Judgement<Problem<'setting-differs', SettingDifference> | MoreDifferences, Passed, SettingReason> {
  if (state.capabilities?.settings === false)
    return {
      findings: [],
      isNotOffered: true,
      unchecked: [{ code: 'settings-unavailable', apiName: state.capabilities.apiName }],
    };
  if (selectIsReadByNode(state)) return { findings: [], isNotOffered: true, unchecked: [{ code: 'settings-by-node' }] };
  const { rows, running, read } = selectSettings(state);
  const unchecked = uncomparedNodes('settings', running, read, reading(state, settings).unusable !== undefined);
  return {
    passed: { rows: rows.length, nodes: read.size },
    reading: {
      noun: 'settings',
      isWatched: isWatched(state, settings),
      atMs: reading(state, settings).updatedAtMs,
    },
    findings: rows
      .filter(({ isDifferent }) => isDifferent)
      .map((row) => ({
        key: `settings ${row.id}`,
        severity: 'warning',
        code: 'setting-differs',
        evidence: differenceOf(row),
      })),
    unchecked,
    refutes: () => unchecked.length === 0 && areAllNodesRead(state, reading(state, settings)),
  };
}
