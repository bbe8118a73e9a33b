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
