import { expect, test } from 'vitest';
import type { TimelineEvent } from '../../src/domain/event.ts';
import { readingsOf } from '../support/readings.ts';
import type { MonitorState } from '../../src/monitor/state.ts';
import { emptyResource } from '../../src/monitor/state.ts';
import { openRecording } from '../../src/recording/folder-reader.ts';
import { reportFormats } from '../../src/report/formats.ts';
import { writeReport } from '../../src/report/write.ts';
import type { Finding } from '../../src/triage/problem.ts';
import { clientOf, infoOf } from '../screens/list-fixtures.ts';
import { recordStates } from '../support/recordings.ts';
import { at, event, losing, momentOf, nodeDown } from './scene.ts';

/** Names that no report may show if it is redacted, each in a place of its own. */
const names = {
  client: 'sensor-ALPHA <1> | `x` *y*',
  lostClient: 'sensor-BETA',
  numberedClient: '77',
  foundClient: 'sensor-GAMMA',
  storm: ['sensor-DELTA', 'sensor-EPSILON'],
  eventClient: 'sensor-ETA',
  goneClient: 'sensor-IOTA',
  bannedClient: 'sensor-KAPPA',
  liftedClient: 'sensor-LAMBDA',
  user: 'user-ALPHA & "co"',
  traitUser: 'user-BETA',
  listedUser: 'user-GAMMA',
  banAuthor: 'user-DELTA',
  operator: 'user-EPSILON',
  address: '10.77.1.2',
  bannedAddress: '10.77.1.3',
  unlistedAddress: '10.77.1.4',
  address6: 'fe80::77:1',
  node: 'emqx@node-ALPHA.example',
  eventNode: 'emqx@node-BETA.example',
  cluster: 'cluster-of-ACME',
  urlHost: 'api-ALPHA.example',
} as const;

const ready = <T>(data: T) => ({ ...emptyResource<T>(), data, updatedAtMs: at(0) });

const storm = {
  key: 'storm',
  check: 'reconnects',
  code: 'reconnect-storm',
  severity: 'critical',
  sinceMs: at(1),
  jump: { screen: 'clients', found: { name: 'these', clientIds: names.storm } },
  evidence: {
    connectsPerSecond: 9,
    seconds: 60,
    change: 0,
    clients: 2,
    known: 2,
    clientIds: names.storm,
    lostNode: names.eventNode,
    pattern: { trait: 'username', value: names.traitUser },
  },
} as unknown as Finding;

const about = {
  node: names.eventNode,
  clientId: names.eventClient,
  topic: `work/${names.eventClient}`,
  problem: `slow ${names.eventClient}`,
} as const;

const events: readonly TimelineEvent[] = [
  event(at(2), 'began', `${names.eventClient} is losing 5 msg/s`, { ...about, severity: 'critical', sinceMs: at(2) }),
  event(at(4), 'action', `Lifted the ban on client ID ${names.liftedClient}.`, {
    action: {
      name: 'lift-ban',
      outcome: 'done',
      by: names.operator,
      changed: { kind: 'client-id', value: names.liftedClient },
    },
  }),
  event(at(5), 'action', `Disconnected client ${names.numberedClient}. 5 messages`, {
    clientId: names.numberedClient,
    action: { name: 'disconnect-client', outcome: 'done', by: names.operator },
  }),
  event(at(6), 'alarm-set', `Alarm from ${names.unlistedAddress} and ${names.address6}`, { node: names.node }),
];

function moments() {
  const problems = [losing(names.lostClient, 25), storm, nodeDown];
  return [0, 1, 2, 3].map((minute) => {
    const { state, ...moment } = momentOf({
      atMs: at(minute * 2),
      problems: minute > 0 ? problems : [],
      parts: minute > 1 ? [losing(names.foundClient, 3)] : [],
      clients: [
        clientOf(names.lostClient, { username: names.user, ipAddress: names.address, node: names.node }),
        ...(minute < 2 ? [clientOf(names.goneClient), clientOf(names.client)] : []),
      ],
      clientsByNode: { [names.node]: 3 + minute },
      events: minute === 3 ? events : [],
    });
    const readings = readingsOf({
      nodes: ready([infoOf(names.node)]),
      users: ready(minute > 1 ? [{ username: names.listedUser, tags: 'viewer' }] : []),
      bans: ready(
        minute > 1
          ? (
              [
                ['client-id', names.bannedClient],
                ['address', names.bannedAddress],
              ] as const
            ).map(([kind, value]) => ({
              kind,
              value,
              reason: 'noisy',
              by: names.banAuthor,
              since: 1,
              until: undefined,
            }))
          : [],
      ),
    });
    return {
      ...moment,
      state: {
        ...state,
        urls: [`http://${names.urlHost}:18083`],
        readings: { ...state.readings, ...readings.readings },
      } as MonitorState,
    };
  });
}

test.each(reportFormats)('a redacted report as %s has no name, wherever it stands', async (format) => {
  const write = async (isRedacted: boolean): Promise<string> => {
    const recording = await openRecording<MonitorState, TimelineEvent>(await recordStates(moments()));
    const text = await writeReport(recording, format, {
      cluster: names.cluster,
      range: { fromMs: at(0), toMs: at(30) },
      version: '1.0.0',
      writtenMs: at(30),
      isRedacted,
    });
    await recording.close();
    // Pictures of Markdown.
    return (text ?? '').replaceAll(/base64,([\w+/=]+)/gu, (_, data: string) => Buffer.from(data, 'base64').toString());
  };
  const secrets = Object.values(names).flat();
  /** A part that no escaping changes. */
  const traceOf = (name: string): string => /[A-Z]{3,}|[\d.:]{7,}|fe80[\da-f:]+/u.exec(name)?.[0] ?? name;
  const asItIs = await write(false);
  expect(secrets.filter((name) => !asItIs.includes(traceOf(name)))).toEqual([]);
  const redacted = await write(true);
  expect(secrets.filter((name) => new RegExp(`(?<![\\d.:])${traceOf(name)}(?![\\d:])`, 'u').test(redacted))).toEqual(
    [],
  );
  // The same name stands for the same thing in every part.
  const lostName = /(client-\d+) is losing 25/u.exec(redacted)?.[1] ?? '';
  expect(lostName).not.toBe('');
  expect(redacted.split(lostName).length).toBeGreaterThan(2);
});
