import { createRateRecorder } from '../../monitor/counter-rates.ts';
import { followResource } from '../../monitor/query/query.ts';
import { createSampleTimes } from '../metrics/history.ts';
import { accessBackends, accessRates } from './resource.ts';
import { backendKey } from './select.ts';

/** Derives rates from the steps of the counters. */
export const accessFollower = followResource(accessBackends, ({ clock, write }) => {
  const { record, breakRates } = createRateRecorder<'asked' | 'accepted' | 'refused' | 'undecided'>();
  // The metrics say in the timeline that the clock jumped.
  const times = createSampleTimes({ clock, breakRates, onJump: () => undefined });
  let note: ReturnType<typeof times.begin> | undefined;
  return {
    onRequest() {
      note = times.begin();
    },
    onAnswer(backends) {
      note?.((atMs) => {
        const keyOn = (key: string, node: string): string => JSON.stringify([key, node]);
        const rates = record(
          backends.flatMap((backend) =>
            [...backend.nodes].map(
              ([node, { counters }]) => [keyOn(backendKey(backend), node), { ...counters }] as const,
            ),
          ),
          atMs,
        );
        write(
          accessRates,
          new Map(
            backends.map((backend) => {
              const key = backendKey(backend);
              return [
                key,
                new Map(
                  [...backend.nodes.keys()].flatMap((node) => {
                    const found = rates.get(keyOn(key, node));
                    return found === undefined ? [] : [[node, found] as const];
                  }),
                ),
              ];
            }),
          ),
        );
      });
    },
  };
});
