import type { Action, ActionResult, ActionWords } from '../../src/actions/action.ts';
import type { AuditEntry, AuditSubject } from '../../src/actions/audit.ts';
import { createRunner, type RunnerOptions, type RunOptions } from '../../src/actions/runner.ts';
import { variants } from '../../src/api/dialects/emq-v2/variants.ts';
import type { ApiError } from '../../src/api/errors.ts';
import type { ManagementApi } from '../../src/api/management-api.ts';
import { createFakeApi } from '../monitor/fake-api.ts';
import { createFakeClock } from '../support/fake-clock.ts';

export const capabilitiesOfA = variants.a.capabilities;
export const capabilitiesOfB = variants.b.capabilities;

/** A broker that carries out what it is told unless told to fail, and remembers every call in order. */
export function setUpRunner(parts: Partial<ManagementApi>, options: Partial<RunnerOptions> = {}) {
  const clock = createFakeClock();
  const calls: string[] = [];
  const written: Extract<AuditEntry, AuditSubject>[] = [];
  const api = createFakeApi(logged(parts, calls));
  let ids = 0;
  const runner = createRunner({
    api,
    clock,
    newId: () => `id-${(ids += 1)}`,
    audit: {
      write: async (entry) => {
        calls.push(`audit ${entry.kind}`);
        if ('id' in entry) written.push(entry);
      },
    },
    ...options,
  });
  return {
    clock,
    calls,
    written,
    runner,
    api,
    /** Runs to the end, with as much time as it takes. */
    async run(action: Action, runOptions?: RunOptions): Promise<ActionResult> {
      const result = runner.run(action, runOptions);
      await clock.advance(60_000);
      return result;
    },
  };
}

/** The same port, which writes down the name of each call before it begins. */
function logged(parts: Partial<ManagementApi>, calls: string[]): Partial<ManagementApi> {
  const entries = Object.entries(parts).map(([name, value]) => {
    if (typeof value !== 'function') return [name, value];
    return [
      name,
      (...values: readonly unknown[]): unknown => {
        calls.push(name);
        return Reflect.apply(value, undefined, values);
      },
    ];
  });
  return Object.fromEntries(entries);
}

/** The words of a made-up action. */
export const titled = (title: string): ActionWords => ({ title, past: title, subject: title });

/** Counts how often a call was made. */
export const timesCalled = (calls: readonly string[], name: string): number =>
  calls.filter((call) => call === name).length;

/** A request that takes effect, or not, and whose answer is lost or refused. */
export interface Fate {
  readonly takesEffect: boolean;
  readonly error: ApiError | undefined;
}

export const fine: Fate = { takesEffect: true, error: undefined };

/** Does `effect` where the fate says so, and then answers. */
export async function meet(fate: Fate, effect: () => void): Promise<void> {
  if (fate.takesEffect) effect();
  if (fate.error !== undefined) throw fate.error;
}
