import { startFleet, type FleetTarget } from '../broker/fleet.ts';
import type { FleetCommandConfig } from '../config/config.ts';
import { tellParent, waitForStop, type CommandProcess } from './command-process.ts';

const host = '127.0.0.1';

/** What the fleet tells the process that started it. */
export interface FleetReport {
  readonly ready: true;
  readonly clients: number;
}

/**
 * Runs a fleet of MQTT clients against nodes on this machine, until a signal comes or the process
 * that started it is gone.
 *
 * @returns the exit code: 0, or 1 when the ports do not make sense.
 */
export async function runFleet(config: FleetCommandConfig, process: CommandProcess): Promise<number> {
  const [first, ...rest] = pairPorts(config);
  if (first === undefined || config.mqttPorts.length !== config.wsPorts.length) {
    process.stderr.write('brokertop: --mqtt-ports and --ws-ports must name the same number of nodes.\n');
    return 1;
  }
  const stopped = waitForStop(process);
  const fleet = startFleet({ size: config.clients, seed: config.seed, scenario: config.scenario, host, targets: [first, ...rest] });
  process.stdout.write(`${config.clients} MQTT clients connect to ${rest.length + 1} nodes on ${host}\n`);
  const report: FleetReport = { ready: true, clients: config.clients };
  void fleet.ready.then(() => tellParent(process, report));
  await stopped;
  fleet.end();
  return 0;
}

function pairPorts({ mqttPorts, wsPorts }: FleetCommandConfig): readonly FleetTarget[] {
  return mqttPorts.map((mqttPort, index) => ({ mqttPort, wsPort: wsPorts[index] ?? mqttPort }));
}
