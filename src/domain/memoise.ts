/** Remembers the last result and returns it while the arguments are the same objects, as `useSyncExternalStore` needs of a selector. */
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
