import type { Action } from './action.ts';

/** The same thing done at several addresses, one after the other. Each is read, recorded, sent and read back by itself. */
export function atEachUrl(title: string, actions: readonly [Action, ...Action[]]): Action {
  const [{ name, target, takeLogin, effects }] = actions;
  return Object.freeze<Action>({
    name, target, title, takeLogin, effects,
    each: Object.freeze([...actions]),
    recheck: () => Promise.reject(new Error('the runner rechecks each of them')),
  });
}

/** The action with nothing sent, for an address that it cannot be meant for. @param why a sentence; it is recorded */
export const leaveOut = (action: Action, why: string): Action => Object.freeze<Action>({ ...action, recheck: async () => ({ changed: why }) });
