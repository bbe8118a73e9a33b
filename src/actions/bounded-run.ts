import { createContext, Script } from 'node:vm';
import type { Context } from 'node:vm';

/** Longest that matching one pattern against all rows may hold up everything else. */
const budgetMs = 300;

let context: Context | undefined;
let script: Script | undefined;

/**
 * Runs `work` and ends it by force when it takes longer than 300 ms: the only thing that ends a
 * regular expression which backtracks for ever. `false` when it was ended.
 */
export function runBounded(work: () => void): boolean {
  context ??= createContext({ work: undefined });
  script ??= new Script('work()');
  context['work'] = work;
  try {
    script.runInContext(context, { timeout: budgetMs });
    return true;
  } catch (thrown) {
    if (isTimeout(thrown)) return false;
    throw thrown;
  } finally {
    context['work'] = undefined;
  }
}

function isTimeout(thrown: unknown): boolean {
  return typeof thrown === 'object' && thrown !== null && 'code' in thrown && thrown.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}
