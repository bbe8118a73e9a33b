import { definedPart } from '../monitor/query/part.ts';
import type { MonitorState } from '../monitor/state.ts';

/** Returns the parts of a state that are recorded, as their definitions say. Parts that did not change stay the same. */
export function createKeptState<State extends MonitorState>(): (state: State) => State {
  const kept = new WeakMap<ReadonlyMap<string, unknown>, ReadonlyMap<string, unknown>>();
  const values = new WeakMap<object, unknown>();

  function valueOf(value: unknown, keep: (value: never) => unknown): unknown {
    if (typeof value !== 'object' || value === null) return keep(value as never);
    if (!values.has(value)) values.set(value, keep(value as never));
    return values.get(value);
  }

  function partOf(name: string, part: ReadonlyMap<string, unknown>): ReadonlyMap<string, unknown> | undefined {
    const recorded = definedPart(name)?.recorded;
    if (recorded === 'no') return undefined;
    if (recorded === undefined) return part;
    let result = kept.get(part);
    if (result === undefined) {
      result = new Map([...part].map(([key, value]) => [key, valueOf(value, recorded)]));
      kept.set(part, result);
    }
    return result;
  }

  return (state) => ({
    ...state,
    readings: Object.fromEntries(
      Object.entries(state.readings).flatMap(([name, part]) => {
        const result = partOf(name, part);
        return result === undefined ? [] : [[name, result]];
      }),
    ),
  });
}
