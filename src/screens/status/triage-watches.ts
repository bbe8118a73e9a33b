import { useEffect, useState } from 'react';
import { createHeldWatches } from '../../checks/keep-watched.ts';
import { neededReads } from '../../checks/triage.ts';
import { reading } from '../../monitor/query/part.ts';
import type { Monitor, MonitorState } from '../../monitor/state.ts';
import { type TriageReport, triageView } from '../../triage/view.ts';

/** Keeps everything fetched that the checks need, except for lists of more than `maxRows`. */
export const useTriageWatches = (
  monitor: Monitor,
  state: MonitorState,
  report: TriageReport,
  maxRows?: number,
): void => {
  const wanted = neededReads(state, report, reading(state, triageView).sessionReadings, undefined, maxRows);
  const [held] = useState(() => createHeldWatches(monitor));
  useEffect(() => {
    held.hold(wanted);
  });
  useEffect(() => held.release, [held]);
};
