import { type CheckResult, verdictOf } from './check.ts';
import type { Acknowledgement } from './problem.ts';
import type { FindingChange } from './finding-changes.ts';

/** Acknowledgements by the keys of findings. */
export type Acknowledgements = ReadonlyMap<string, Acknowledgement>;

/**
 * Returns keys whose problem ended or became critical, or which are not `open` and whose check finds nothing, as after
 * a restart of the program.
 */
export function outdatedKeys(
  known: Acknowledgements,
  results: readonly CheckResult[],
  changes: readonly FindingChange[],
  open: ReadonlyMap<string, unknown> = new Map(),
): readonly string[] {
  const passed = new Set(results.filter((result) => verdictOf(result) === 'ok').map(({ check }) => check));
  const over = new Set(
    changes
      .filter(
        ({ kind, finding }) =>
          kind === 'ended' || (finding.severity === 'critical' && known.get(finding.key)?.severity === 'warning'),
      )
      .map(({ finding }) => finding.key),
  );
  return [...known]
    .filter(([key, { check }]) => (passed.has(check) && !open.has(key)) || over.has(key))
    .map(([key]) => key);
}
