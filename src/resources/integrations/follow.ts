import { followResource } from '../../monitor/query/query.ts';
import { createSampleTimes } from '../metrics/history.ts';
import { createIntegrationRates } from './rates.ts';
import { integrationRates, integrations } from './resource.ts';

/** Derives rates from the steps of the counters. */
export const integrationFollower = followResource(integrations, ({ clock, write }) => {
  const { record, breakRates } = createIntegrationRates();
  // The metrics say in the timeline that the clock jumped.
  const times = createSampleTimes({ clock, breakRates, onJump: () => undefined });
  let note: ReturnType<typeof times.begin> | undefined;
  return {
    onRequest() {
      note = times.begin();
    },
    onAnswer(parts) {
      note?.((atMs) => {
        write(integrationRates, record(parts, atMs));
      });
    },
  };
});
