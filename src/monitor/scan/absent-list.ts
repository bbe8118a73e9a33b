import { type ApiError, isAbsent } from '../../api/errors.ts';
import type { ScanState } from '../state.ts';

/** Returns why a list is absent, on all of its nodes; `undefined` where something was read, or may be. */
export function absenceOf({ rows, coverage }: Pick<ScanState<unknown>, 'rows' | 'coverage'>): ApiError | undefined {
  const errors = [...coverage.values()].map(({ error }) => error);
  const [first] = errors;
  return rows.length === 0 && first !== undefined && errors.every((error) => error !== undefined && isAbsent(error))
    ? first
    : undefined;
}
