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

/** Data is stale when it is older than this many of its own intervals, plus the grace. */
export const staleIntervals = 3;
export const staleGraceSeconds = 5;

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
  leastSeconds: 5,
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
