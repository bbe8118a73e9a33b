export type Severity = 'critical' | 'warning';

export interface Threshold {
  readonly warning: number;
  readonly critical: number;
}

/** A threshold that the configuration can change, once, before anything is read. */
class ConfigurableThreshold implements Threshold {
  #values: Threshold;

  constructor(warning: number, critical: number) {
    this.#values = { warning, critical };
  }

  get warning(): number {
    return this.#values.warning;
  }

  get critical(): number {
    return this.#values.critical;
  }

  change({ warning = this.warning, critical = this.critical }: ThresholdChange): void {
    this.#values = { warning, critical };
  }
}

/** A limit without a value stays as it is. */
interface ThresholdChange {
  readonly warning?: number | undefined;
  readonly critical?: number | undefined;
}

const threshold = (warning: number, critical: number): ConfigurableThreshold =>
  new ConfigurableThreshold(warning, critical);

/** Shares of a limit, 0 to 1. */
export const thresholds = {
  listenerClients: threshold(0.9, 1),
  memory: threshold(0.9, 0.97),
  processes: threshold(0.9, 0.97),
  /** Clients per descriptor. Each connection takes one, so the true share is higher. */
  fileDescriptors: threshold(0.9, 0.97),
} as const;

/** A finding stays until its value is this far below the threshold, so that one near it does not come and go. */
const leaveShare = 0.9;

/** Below this value, a problem that was found is over. */
export const leaveAt = (threshold: number): number => threshold * leaveShare;

export const reaches = (value: number, threshold: number, wasFound: boolean): boolean =>
  value >= (wasFound ? leaveAt(threshold) : threshold);

/** Returns `undefined` if the share is unknown or below both thresholds. @param wasFound in the last report */
export function severityOf(share: number | undefined, threshold: Threshold, wasFound = false): Severity | undefined {
  if (share === undefined || !reaches(share, threshold.warning, wasFound)) return undefined;
  return share >= threshold.critical ? 'critical' : 'warning';
}

/** Limits of rates, per second. */
export const triageThresholds = {
  reconnectShare: threshold(0.2, 0.5),
  reconnectsPerSecond: 1,
  dropsPerSecond: threshold(0.5, 100),
  refusalsPerSecond: threshold(0.2, 50),
  denialsPerSecond: threshold(1, Number.POSITIVE_INFINITY),
  unroutedPerSecond: threshold(0.5, 100),
  /** The share of the messages received; a smaller one is no problem. */
  minUnroutedShare: 0.01,
  fanOut: threshold(20, 200),
  fanOutSentPerSecond: 50,
  /** Clients or load of a node, divided by the average of all nodes. */
  unevenness: threshold(1.75, 3),
  unevenClients: 30,
  unevenLoad: 1,
} as const;

/** Thresholds by their names in the configuration. */
const configurable = {
  'listener-clients': thresholds.listenerClients,
  memory: thresholds.memory,
  processes: thresholds.processes,
  'file-descriptors': thresholds.fileDescriptors,
  reconnects: triageThresholds.reconnectShare,
  drops: triageThresholds.dropsPerSecond,
  refusals: triageThresholds.refusalsPerSecond,
  denials: triageThresholds.denialsPerSecond,
  unrouted: triageThresholds.unroutedPerSecond,
  'fan-out': triageThresholds.fanOut,
  balance: triageThresholds.unevenness,
} as const;

export type ThresholdName = keyof typeof configurable;

export const thresholdNames = Object.keys(configurable) as readonly ThresholdName[];

export const thresholdOf = (name: ThresholdName): Threshold => configurable[name];

/** Changes thresholds, for the composition root only: all checks and gauges of this process use the new ones. */
export function changeThresholds(values: { readonly [Name in ThresholdName]?: ThresholdChange | undefined }): void {
  for (const name of thresholdNames) configurable[name].change(values[name] ?? {});
}

export const suddenThresholds = {
  counts: { fallShare: 0.3, riseShare: 0.5, minAmount: 20 },
  /** Limits in messages per second. */
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
