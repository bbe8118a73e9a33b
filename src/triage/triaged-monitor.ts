import type { ActingMonitor } from '../actions/acting-monitor.ts';
import type { Acknowledgements } from './acknowledgements.ts';
import type { Acknowledgement } from './problem.ts';
import type { Severity } from './thresholds.ts';

/** A new problem, for alerts. Its texts may contain broker text and are not escaped. */
export interface BegunProblem {
  readonly severity: Severity;
  readonly check: string;
  readonly title: string;
  readonly evidence: string;
}

/** What becomes of a problem. */
export interface ProblemNews {
  /** The text of the log; `undefined` where it has none. Raw. */
  readonly text: string | undefined;
  /** A problem that nobody knows of began, or became critical. */
  readonly begun: BegunProblem | undefined;
}

/** A monitor that runs the checks, whatever screen is open, and keeps everything read that they need. */
export interface TriagedMonitor extends ActingMonitor {
  /** Marks a problem by its key, or takes that back. Changes nothing on the broker. */
  acknowledge(key: string, acknowledgement: Acknowledgement | undefined): void;
  /**
   * Begins with what was acknowledged before, and calls `onChange` with what is acknowledged, taken back or outdated.
   */
  keepAcknowledgements(
    known: Acknowledgements,
    onChange: (key: string, acknowledgement: Acknowledgement | undefined) => void,
  ): void;
  /** Calls the listener when a problem begins, changes or ends, until the returned function is called. */
  followProblems(listener: (news: ProblemNews) => void): () => void;
}
