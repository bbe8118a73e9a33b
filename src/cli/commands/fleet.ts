import { startFleet } from '../../broker/fleet/fleet.ts';
import { pluralize } from '../../domain/text.ts';
import type { FleetCommandConfig } from '../options/config.ts';
import { type CommandProcess, tellParent, waitForStop } from '../process/child.ts';

const host = '127.0.0.1';

export const fleetText = (clients: number, nodes: number): string =>
  `Connecting ${clients} MQTT clients to ${pluralize(nodes, 'node')} on ${host}`;

export interface FleetReport {
  readonly ready: true;
  readonly clients: number;
}

/** Runs until a signal or the end of the parent. */
export async function runFleet(config: FleetCommandConfig, process: CommandProcess): Promise<number> {
  const { clients, seed, scenario, targets } = config;
  const stopped = waitForStop(process);
  const fleet = startFleet({ size: clients, seed, scenario, host, targets });
  process.stdout.write(`${fleetText(clients, targets.length)}\n`);
  const report: FleetReport = { ready: true, clients };
  void fleet.ready.then(() => tellParent(process, report));
  await stopped;
  fleet.end();
  return 0;
}
