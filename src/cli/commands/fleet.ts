import { startFleet } from '../../broker/fleet/fleet.ts';
import type { FleetCommandConfig } from '../options/config.ts';
import { type CommandProcess, tellParent, waitForStop } from '../process/child.ts';

const host = '127.0.0.1';

/** Sent by the fleet to its parent process when all clients are connected. */
export interface FleetReport {
  readonly ready: true;
  readonly clients: number;
}

/**
 * Runs a fleet of MQTT clients against nodes on this machine until a signal arrives or the parent process is gone.
 *
 * @returns the exit code, 0
 */
export async function runFleet(config: FleetCommandConfig, process: CommandProcess): Promise<number> {
  const { clients, seed, scenario, targets } = config;
  const stopped = waitForStop(process);
  const fleet = startFleet({ size: clients, seed, scenario, host, targets });
  process.stdout.write(`${clients} MQTT clients connect to ${targets.length} nodes on ${host}\n`);
  const report: FleetReport = { ready: true, clients };
  void fleet.ready.then(() => tellParent(process, report));
  await stopped;
  fleet.end();
  return 0;
}
