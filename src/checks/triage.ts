import * as machine from '../triage/triage.ts';
import type { MonitorState } from '../monitor/state.ts';
import type { TrafficTracker } from '../resources/clients/traffic.ts';
import type { SessionRateTracker } from '../resources/sessions/history.ts';
import type { Need, Pace } from '../triage/needs.ts';
import type { TriageReport } from '../triage/view.ts';
import { checks } from './registry.ts';

/** Runs all checks on the states of a monitor. */
export const createTriage = (
  rates?: SessionRateTracker,
  minBaselineSeconds?: number,
  traffic?: TrafficTracker,
): machine.Triage => machine.createTriageOf(checks, rates, minBaselineSeconds, traffic);

/** Judges one state by itself. */
export const runChecks = (known: Parameters<typeof machine.runTheseChecks>[1]): TriageReport =>
  machine.runTheseChecks(checks, known);

/** Returns what has to be read for all checks. */
export const neededReads = (
  state: MonitorState,
  report: Pick<TriageReport, 'findings' | 'urgent'>,
  sessionReadings: number,
  pace?: Pace,
  maxRows?: number,
): readonly Need[] => machine.neededReadsOf(checks, state, report, sessionReadings, pace, maxRows);
