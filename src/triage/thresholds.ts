export type Severity = 'critical' | 'warning';

export interface Threshold {
  readonly warning: number;
  readonly critical: number;
}

/** Shares of a limit, 0 to 1. */
export const thresholds = {
  listenerClients: { warning: 0.9, critical: 1 },
  memory: { warning: 0.9, critical: 0.97 },
  processes: { warning: 0.9, critical: 0.97 },
  /** Clients per descriptor. Each connection takes one, so the true share is higher. */
  fileDescriptors: { warning: 0.9, critical: 0.97 },
} as const satisfies Record<string, Threshold>;

/** A finding stays until its value is this far below the threshold, so that one near it does not come and go. */
const leaveShare = 0.9;

export const reaches = (value: number, threshold: number, wasFound: boolean): boolean => value >= (wasFound ? threshold * leaveShare : threshold);

/** `undefined` if the share is unknown or below both thresholds. `wasFound`: in the last report. */
export function severityOf(share: number | undefined, threshold: Threshold, wasFound = false): Severity | undefined {
  if (share === undefined || !reaches(share, threshold.warning, wasFound)) return undefined;
  return share >= threshold.critical ? 'critical' : 'warning';
}

/** Windows and rates are in seconds. */
export const triageThresholds = {
  /** Rates are averages over this window, so that one quiet second does not end a finding. */
  windowSeconds: 30,
  minSeconds: 5,
  reconnectShare: { warning: 0.2, critical: 0.5 },
  reconnectsPerSecond: 1,
  dropsPerSecond: { warning: 0.5, critical: 100 },
  refusalsPerSecond: { warning: 0.2, critical: 50 },
  denialsPerSecond: { warning: 1, critical: Number.POSITIVE_INFINITY },
  unroutedPerSecond: { warning: 0.5, critical: 100 },
  fanOut: { warning: 20, critical: 200 },
  fanOutSentPerSecond: 50,
  queueLength: 10,
  /** Clients or load of a node, divided by the average of all nodes. */
  unevenness: { warning: 1.75, critical: 3 },
  unevenClients: 30,
  unevenLoad: 1,
} as const;

export const suddenThresholds = {
  counts: { fallShare: 0.3, riseShare: 0.5, minAmount: 20 },
  /** Messages per second. */
  traffic: { fallShare: 0.6, riseShare: 2, minAmount: 50 },
  shares: { fallShare: 0.3, riseShare: 0.3, minAmount: 0.2 },
  countsCritical: 0.5,
  trafficCritical: 0.9,
  baselineSeconds: 300,
  minBaselineSeconds: 60,
  sampleSeconds: 5,
  /** A gap this long, or of a few intervals, restarts the baseline. */
  minGapSeconds: 30,
  /** A level that lasts this long becomes the baseline. */
  settleSeconds: 120,
  shownSeconds: 600,
  /** Changes closer than this are one finding. */
  togetherSeconds: 60,
} as const;
