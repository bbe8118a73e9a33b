/** From which share of its limit a figure is a warning, and from which an error. */
export interface Threshold {
  readonly warning: number;
  readonly error: number;
}

/** When the Overview calls something a problem, in one place. Shares are 0 to 1. */
export const thresholds = {
  /** Connections of a listener, of its `max_clients`; at 1 it takes no more. */
  listenerClients: { warning: 0.9, error: 1 },
  /** Memory in use, of what the node holds. */
  memory: { warning: 0.9, error: 0.97 },
  /** Processes, of the most that the node may have. */
  processes: { warning: 0.9, error: 0.97 },
  /** Clients, of the descriptors that the node may open: each connection takes one, so the true share is higher. */
  fileDescriptors: { warning: 0.9, error: 0.97 },
} as const satisfies Record<string, Threshold>;

/** `undefined` when the share is unknown or below both. */
export function severityOf(share: number | undefined, threshold: Threshold): 'warning' | 'error' | undefined {
  if (share === undefined || share < threshold.warning) return undefined;
  return share >= threshold.error ? 'error' : 'warning';
}

/** When Triage calls something a finding, beside the limits above. All windows and rates in seconds. */
export const triageThresholds = {
  /** Rates are averages over this long, so that one quiet second does not end a finding. */
  windowSeconds: 30,
  /** Less than this says nothing yet. */
  minSeconds: 5,
  /** Clients that came back within the window, of all clients, when there is at least one a second. */
  reconnectShare: { warning: 0.2, error: 0.5 },
  reconnectsPerSecond: 1,
  /** Messages a second that nobody had subscribed to. */
  droppedPerSecond: { warning: 0.5, error: 100 },
  /** Messages sent for each one received, when at least so many a second are sent. */
  fanOut: { warning: 20, error: 200 },
  fanOutSentPerSecond: 50,
  /** Messages waiting in a session whose queue grows, below which it may be a moment's hold-up. */
  queueLength: 10,
  /** A node's clients or load, of the average of the nodes. */
  unevenness: { warning: 1.75, error: 3 },
  /** Fewer clients, or less load, than this are not worth spreading. */
  unevenClients: 30,
  unevenLoad: 1,
} as const;

/** When Triage calls a change sudden. A change has to pass a share of the median of the minutes before, and an amount. */
export const suddenThresholds = {
  /** Clients, sessions and subscriptions. */
  counts: { fallShare: 0.3, riseShare: 0.5, minAmount: 20 },
  /** Messages a second: they are restless by nature. */
  traffic: { fallShare: 0.6, riseShare: 2, minAmount: 50 },
  /** A node's part of the clients, 0 to 1. */
  shares: { fallShare: 0.3, riseShare: 0.3, minAmount: 0.2 },
  /** What fell by so much is an error. */
  countsError: 0.5,
  trafficError: 0.9,
  /** What is compared with, how much of it there has to be, and how often a figure is taken. */
  baselineSeconds: 300,
  minBaselineSeconds: 60,
  sampleSeconds: 5,
  /** After a gap this long, or after a few intervals, nothing is compared with what was before it. */
  minGapSeconds: 30,
  /** What has lasted so long is the usual. */
  settleSeconds: 120,
  /** How long a change is a finding. */
  shownSeconds: 600,
  /** Changes so close to each other are one finding. */
  togetherSeconds: 60,
} as const;
