import { afterEach, expect, test } from 'vitest';
import { initialActingState } from '../../../src/actions/acting-monitor.ts';
import { createReplayMonitor, type ReplayMonitor } from '../../../src/replay/replay-monitor.ts';
import { App } from '../../../src/screens/app.tsx';
import { createTriagedMonitor } from '../../../src/timeline/triaged-monitor.ts';
import { client, createFakeApi, nodeStats } from '../../monitor/fake-api.ts';
import { momentAt, sourceOf } from '../../replay/sources.ts';
import { fresh } from '../../screens/cluster-state.ts';
import { scanOf } from '../../screens/list-fixtures.ts';
import { patched, readingsOf } from '../../support/readings.ts';
import { colorTheme, createRig, endRigs, type Rig } from '../support/rig.tsx';

const ending: (() => void)[] = [];
afterEach(() => {
  endRigs();
  for (const end of ending.splice(0)) end();
});

/** Shows clients of now, with one sample of the past whose reading waits for `whenRead`. */
async function show(whenRead: Promise<void> = Promise.resolve()): Promise<{
  readonly rig: Rig;
  readonly monitor: ReplayMonitor;
  readonly disconnected: readonly string[];
}> {
  const disconnected: string[] = [];
  const live = createTriagedMonitor({
    api: createFakeApi({
      listNodeStats: async () => [nodeStats('a')],
      listClients: async (_, page) => ({
        ...page,
        items: [client('present', 'a', 1)],
        totalItems: 1,
        totalPages: 1,
      }),
      disconnectClient: async (id) => {
        disconnected.push(id);
      },
    }),
    intervalSeconds: 60,
  });
  const thenMs = Date.now() - 3_600_000;
  const state = patched(
    initialActingState(2),
    readingsOf({
      nodeStats: { ...fresh([nodeStats('a', 'running')]), updatedAtMs: momentAt(thenMs).steadyMs },
      clientScan: scanOf([client('past', 'a', 1)]),
    }),
  );
  const source = sourceOf([[thenMs, state]]);
  const monitor = createReplayMonitor(
    {
      ...source,
      at: async (wallMs) => {
        await whenRead;
        return source.at(wallMs);
      },
    },
    live,
  );
  ending.push(() => {
    monitor.stop();
    live.stop();
  });
  const session = {
    url: 'http://127.0.0.1:1',
    user: 'admin',
    isReadOnly: false,
    isInsecure: false,
    readPayload: async () => '',
    describeApi: () => '',
  };
  const signIn = { source: undefined, readAgain: async () => '', takePassword: () => {} };
  const rig = createRig(
    <App monitor={monitor} travel={monitor.travel} session={session} signIn={signIn} theme={colorTheme} />,
    { columns: 100, rows: 24 },
  );
  rig.type('4');
  await rig.until((text) => text.includes('present'));
  return { rig, monitor, disconnected };
}

test('an action right after h, while the past is still read, was meant for the past', async () => {
  const read = Promise.withResolvers<void>();
  const { rig } = await show(read.promise);
  rig.type('hK');
  const lines = await rig.until((text) => text.includes('Actions are off in the past. Esc returns to now.'));
  expect(lines.join('\n')).not.toContain('Disconnect this client?');
  read.resolve();
  const past = await rig.until((text) => text.includes('1 h ago'));
  expect(past.join('\n')).not.toContain('Disconnect this client?');
});

test('a question of now is closed when the past opens, so that nothing seen in another time answers it', async () => {
  const { rig, monitor, disconnected } = await show();
  rig.type('K');
  await rig.until((text) => text.includes('Disconnect this client?'));
  await monitor.travel.open();
  await rig.until((text) => text.includes('1 h ago') && !text.includes('Disconnect this client?'));
  monitor.travel.leave();
  await rig.until((text) => text.includes('present') && !text.includes('1 h ago'));
  expect(rig.lines().join('\n')).not.toContain('Disconnect this client?');
  expect(disconnected).toEqual([]);
});

test('a dialog of the past is closed when now returns', async () => {
  const { rig, monitor } = await show();
  rig.type('h');
  await rig.until((text) => text.includes('1 h ago'));
  rig.type('o');
  await rig.until((text) => text.includes('username'));
  monitor.travel.leave();
  await rig.until((text) => text.includes('present') && !text.includes('username'));
  expect(monitor.store.getState().past).toBeUndefined();
});
