import type { NodeRow } from './select.ts';

/** Shares are compared in steps of a tenth, so that nodes that are about equally full keep their places. */
const steps = 10;

/**
 * Ranks nodes, largest first: those that are down, then those with a status of their own, then the fullest. `undefined`
 * if no share is known.
 */
export function nodeTrouble({ status, memory, processes, fileDescriptors }: NodeRow): number | undefined {
  if (status === 'stopped' || status === 'unknown') return Number.MAX_VALUE;
  const shares = [memory.share, processes.share, fileDescriptors.share].filter((share) => share !== undefined);
  const fullest = shares.length === 0 ? undefined : Math.floor(Math.max(...shares) * steps);
  return status === 'other' ? 1e9 + (fullest ?? 0) : fullest;
}
