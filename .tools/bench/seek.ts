import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { compareStates } from '../../src/compare/compare.ts';
import type { Client } from '../../src/domain/client.ts';
import { reading, withReading } from '../../src/monitor/query/part.ts';
import { emptyScan, type MonitorState, type ScanState } from '../../src/monitor/state.ts';
import { initialState } from '../../src/monitor/store.ts';
import { openRecording } from '../../src/recording/folder-reader.ts';
import type { RecordedEvent } from '../../src/recording/recording.ts';
import { clientScan } from '../../src/resources/clients/resource.ts';
import { median, percentile, result, type Result, timed } from './measure.ts';
import { write } from './recording.ts';
import { referenceSortMs } from './report.ts';

const clientCount = 100_000;
/** Half an hour, with samples of every two seconds. The list is read once a minute. */
const sampleCount = 900;
const samplesAReading = 30;

const clientOf = (id: number, connectedAt: number): Client => ({
  clientId: `worker-${String(id).padStart(6, '0')}`,
  username: `user-${id % 40}`,
  ipAddress: `10.${id % 7}.${(id >> 8) % 256}.${id % 256}`,
  port: 1_024 + (id % 60_000),
  cleanSession: id % 2 === 0,
  protocolVersion: 4,
  keepaliveSeconds: 60,
  connectedAt,
  node: `broker${(id % 3) + 1}@127.0.0.1`,
  unparsed: {},
});

/** Clients of which each reading finds one in a hundred reconnected, and as many others instead of those that went. */
function changingClients(): (index: number) => MonitorState {
  let clients = Array.from({ length: clientCount }, (_, id) => clientOf(id, 1_700_000_000 + id));
  let state: MonitorState = initialState(2);
  let nextId = clientCount;
  return (index) => {
    if (index % samplesAReading !== 0) return state;
    if (index > 0)
      clients = clients.map((client, at) => {
        const by = (at + index * 7_919) % 100;
        if (by === 0) return { ...client, connectedAt: 1_700_000_000 + index };
        return by === 1 ? clientOf((nextId += 1), 1_700_000_000 + index) : client;
      });
    const scan: ScanState<Client> = {
      ...emptyScan<Client>(),
      rows: clients,
      phase: 'complete',
      coverage: new Map([
        ['broker1', { read: clients.length, expected: clients.length, isComplete: true, error: undefined }],
      ]),
      finishedAtMs: index * 2_000,
    };
    state = { ...state, ...withReading(state, clientScan, scan) };
    return state;
  };
}

/** Measures how long it takes to look back to a moment of a large cluster, and to compare two. */
export async function measureSeek(): Promise<Result[]> {
  const folder = await mkdtemp(path.join(tmpdir(), 'bench-seek-'));
  try {
    await write(folder, sampleCount, changingClients());
    const sortMs = referenceSortMs();
    const sought: number[] = [];
    const stepped: number[] = [];
    const compared: number[] = [];
    for (let seek = 0; seek < 10; seek += 1) {
      const recording = await openRecording<MonitorState, RecordedEvent>(folder);
      const { fromMs = 0, toMs = 0 } = recording.range() ?? {};
      const atMs = fromMs + (((seek * 7_919) % 10) + 0.5) * ((toMs - fromMs) / 10);
      sought.push(await timed(() => recording.at(atMs)));
      const sample = await recording.at(atMs);
      const first = await recording.at(fromMs);
      if (sample === undefined || first === undefined) throw new Error('nothing was recorded');
      await recording.at(atMs);
      stepped.push(await timed(() => recording.next(sample)), await timed(() => recording.previous(sample)));
      let differences = 0;
      compared.push(
        await timed(() => {
          const { tables } = compareStates(first, sample);
          differences = tables.find(({ table }) => table.id === 'clients')?.changed.length ?? 0;
        }),
      );
      const { rows } = reading(sample.state, clientScan);
      if (rows.length !== clientCount || differences === 0) throw new Error('the recording is not what was written');
      await recording.close();
    }
    return [
      result('the reference sort', sortMs, 'ms'),
      result('finding a moment of half an hour, median', median(sought), 'ms'),
      result('finding a moment, median, relative to the sort', median(sought) / sortMs, '×'),
      result('finding a moment, max, relative to the sort', percentile(sought, 100) / sortMs, '×'),
      result('a step to the sample before or after, max', percentile(stepped, 100), 'ms'),
      result('comparing two moments, median', median(compared), 'ms'),
      result('comparing two moments, median, relative to the sort', median(compared) / sortMs, '×'),
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
