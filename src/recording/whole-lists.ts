import { definedPart } from '../monitor/query/part.ts';
import type { MonitorState, ScanState } from '../monitor/state.ts';
import type { RecordedSample, Recording, SampleTime } from './recording.ts';

interface RunningScan {
  readonly name: string;
  readonly key: string;
  readonly startedAtMs: number;
}

const runningScans = ({ readings }: MonitorState): readonly RunningScan[] =>
  Object.entries(readings).flatMap(([name, values]) => {
    const definition = definedPart(name);
    if (definition === undefined || !('kind' in definition) || definition.kind !== 'scan') return [];
    return [...(values as ReadonlyMap<string, ScanState<unknown>>)].flatMap(([key, { phase, startedAtMs }]) =>
      phase === 'running' && startedAtMs !== undefined ? [{ name, key, startedAtMs }] : [],
    );
  });

/** The start of the process that took a sample: processes have their own steady clocks. */
const processStartMs = ({ wallMs, monotonicMs }: SampleTime): number => wallMs - monotonicMs;
const sameStartMs = 1_000;

/**
 * Returns the state of a moment with each list that was being read then as the reading before had left it: rows of two
 * readings together are no list of any moment. A list that was not read to its end before stays as it was.
 */
export async function withWholeLists<State extends MonitorState>(
  recording: Pick<Recording<Partial<State>>, 'at'>,
  { at, state }: { readonly at: SampleTime; readonly state: State },
): Promise<State> {
  let readings: MonitorState['readings'] = state.readings;
  for (const { name, key, startedAtMs } of runningScans(state)) {
    const earlier: RecordedSample<Partial<State>> | undefined = await recording.at(
      at.wallMs - (at.steadyMs - startedAtMs) - 1,
    );
    if (earlier === undefined || Math.abs(processStartMs(earlier.at) - processStartMs(at)) > sameStartMs) continue;
    const before = earlier.state.readings?.[name]?.get(key) as ScanState<unknown> | undefined;
    if (before?.phase === 'complete') readings = { ...readings, [name]: new Map(readings[name]).set(key, before) };
  }
  return readings === state.readings ? state : { ...state, readings };
}
