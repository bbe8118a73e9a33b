import { useCallback, useRef, useSyncExternalStore } from 'react';
import type { StoreApi } from 'zustand/vanilla';

/**
 * A part of a store's state; renders again only when that part changed by `isEqual`. A selector that
 * builds something new on every call needs an `isEqual` that looks inside, such as `isShallowEqual`.
 */
export const useStore = <State, Selected>(
  store: StoreApi<State>,
  selector: (state: State) => Selected,
  isEqual: (a: Selected, b: Selected) => boolean = Object.is,
): Selected => {
  const last = useRef<{ readonly value: Selected } | undefined>(undefined);
  const select = useCallback(() => {
    const value = selector(store.getState());
    if (last.current !== undefined && isEqual(last.current.value, value)) {
      return last.current.value;
    }
    last.current = { value };
    return value;
  }, [store, selector, isEqual]);
  return useSyncExternalStore(store.subscribe, select, select);
};

/** The same keys with the same values, one level deep. */
export const isShallowEqual = <T extends object>(a: T, b: T): boolean => {
  if (Object.is(a, b)) {
    return true;
  }
  const left = Object.entries(a);
  const right = new Map<string, unknown>(Object.entries(b));
  return left.length === right.size && left.every(([key, value]) => right.has(key) && Object.is(right.get(key), value));
};
