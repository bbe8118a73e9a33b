import path from 'node:path';
import type { ProfileName } from '../../src/api/dialects/registry.ts';
import { type BrokerReport, isBrokerReport } from '../../src/cli/commands/demo.ts';
import type { ServedFault } from '../../src/cli/options/commands.ts';
import { type Child, startChild } from '../../src/cli/process/child.ts';

/** The built program: what `npm run build` makes. */
export const builtProgram = path.join(import.meta.dirname, '..', '..', 'dist', 'brokertop.cjs');

export interface BuiltClusterOptions {
  readonly nodes?: number | undefined;
  readonly api?: 'v2' | 'v5' | undefined;
  readonly variant?: 'a' | 'b' | undefined;
  /** The release that is imitated, instead of `api` and `variant`. */
  readonly profile?: ProfileName | undefined;
  readonly faults?: readonly ServedFault[] | undefined;
  /** Rules as of `--rule`, of API v5. */
  readonly rules?: readonly string[] | undefined;
  /** MQTT clients of the fleet; 0, the default, starts none. */
  readonly clients?: number | undefined;
  readonly seed?: number | undefined;
  /** Holds the administrator's password; a random one by default. */
  readonly passwordFile?: string | undefined;
  /** Ports of the management API, of MQTT and of WebSocket on the first node. Default: free ports. */
  readonly ports?: { readonly management: number; readonly mqtt: number; readonly webSocket: number } | undefined;
}

/** A cluster run by the built program, with a fleet in another process. */
export interface BuiltCluster extends BrokerReport {
  /** Arguments and environment for a monitor of this cluster. */
  readonly monitor: { readonly args: readonly string[]; readonly env: Readonly<Record<string, string>> };
  stop(): Promise<void>;
}

/** Resolves when the cluster serves and all clients of the fleet are connected. */
export async function startBuiltCluster(options: BuiltClusterOptions = {}): Promise<BuiltCluster> {
  const {
    nodes = 3,
    api = 'v2',
    variant = 'b',
    profile,
    faults = [],
    rules = [],
    clients = 0,
    seed = 1,
    passwordFile,
    ports = { management: 0, mqtt: 0, webSocket: 0 },
  } = options;
  const children: Child<unknown>[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(children.map((child) => child.stop()));
  };
  const start = async <T>(args: readonly string[], isReport: (message: unknown) => message is T): Promise<T> => {
    const child = startChild({ entry: builtProgram, args, execArgv: [], isReport });
    children.push(child);
    const started = await child.started;
    if ('report' in started) return started.report;
    await stop();
    throw new Error(
      `brokertop ${args[0]} ended with ${started.exit.how}: ${started.exit.lastMessage ?? 'it said nothing'}`,
    );
  };
  const broker = await start(
    [
      'broker',
      '--nodes',
      String(nodes),
      ...(profile === undefined
        ? ['--api', api, ...(api === 'v2' ? ['--variant', variant] : [])]
        : ['--profile', profile, ...faults.flatMap((fault) => ['--fault', fault])]),
      ...rules.flatMap((rule) => ['--rule', rule]),
      '--port',
      String(ports.management),
      '--mqtt-port',
      String(ports.mqtt),
      '--ws-port',
      String(ports.webSocket),
      ...(passwordFile === undefined ? [] : ['--password-file', passwordFile]),
    ],
    isBrokerReport,
  );
  if (clients > 0) {
    await start(
      [
        'fleet',
        '--clients',
        String(clients),
        '--seed',
        String(seed),
        '--mqtt-ports',
        broker.mqttPorts.join(','),
        '--ws-ports',
        broker.wsPorts.join(','),
      ],
      (message): message is unknown => message !== undefined,
    );
  }
  return {
    ...broker,
    monitor: {
      args: [builtProgram, ...broker.urls.flatMap((url) => ['--url', url]), '--user', broker.user],
      env: { BROKERTOP_PASSWORD: broker.password },
    },
    stop,
  };
}
