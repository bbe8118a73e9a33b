/**
 * A function that gives its last answer again while its arguments are the same objects; what makes
 * a selector safe for `useSyncExternalStore`.
 */
export function memoise<Arguments extends readonly unknown[], Result>(
  work: (...values: Arguments) => Result,
): (...values: Arguments) => Result {
  let last: { readonly values: Arguments; readonly result: Result } | undefined;
  return (...values) => {
    if (last === undefined || values.length !== last.values.length || values.some((value, index) => !Object.is(value, last?.values[index]))) {
      last = { values, result: work(...values) };
    }
    return last.result;
  };
}
