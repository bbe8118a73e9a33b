import * as machine from '../triage/triage.ts';
import type { Monitor, MonitorState } from '../monitor/state.ts';
import { clientTrafficOf, type TrafficTracker } from '../resources/clients/traffic.ts';
import { sessionRatesOf, type SessionRateTracker } from '../resources/sessions/history.ts';
import type { Need, Pace } from '../triage/needs.ts';
import { checks } from './registry.ts';

/** Runs all checks on the states of a monitor. */
export const createTriage = (
  rates?: SessionRateTracker,
  minBaselineSeconds?: number,
  traffic?: TrafficTracker,
): machine.Triage => machine.createTriageOf(checks, rates, minBaselineSeconds, traffic);

/** Judges one state by itself. */
export const runChecks = (known: Parameters<typeof machine.runTheseChecks>[1]): machine.TriageReport =>
  machine.runTheseChecks(checks, known);

/** Returns what has to be read for all checks. */
export const neededReads = (
  state: MonitorState,
  report: Pick<machine.TriageReport, 'findings' | 'urgent'>,
  sessionReadings: number,
  pace?: Pace,
  maxRows?: number,
): readonly Need[] => machine.neededReadsOf(checks, state, report, sessionReadings, pace, maxRows);

const triages = new WeakMap<Monitor, machine.Triage>();

/** The triage of a monitor, which follows it from the first call on. */
export function triageOf(monitor: Monitor): machine.Triage {
  const known = triages.get(monitor);
  if (known !== undefined) return known;
  const triage = createTriage(sessionRatesOf(monitor), undefined, clientTrafficOf(monitor));
  triages.set(monitor, triage);
  monitor.store.subscribe((state) => {
    triage.follow(state);
  });
  return triage;
}
