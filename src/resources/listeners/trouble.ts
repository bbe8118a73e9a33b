import type { ListenerRow } from './select.ts';

/**
 * Ranks listeners, largest first: those that do not run, those of them first that should, then connections per limit,
 * in percent as shown.
 */
export function listenerTrouble({
  listener: { running, isEnabled },
  clients: { share },
}: ListenerRow): number | undefined {
  if (running === 'no') return isEnabled === false ? 1e9 : 3e9;
  if (running === 'partly') return 2e9;
  return share === undefined ? undefined : Math.round(share * 100);
}
