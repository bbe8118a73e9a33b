import type { BulkChoice } from '../../../src/tui/dialogs/dialog-host.tsx';
import { disconnectRequest } from '../../../src/resources/clients/actions.ts';
import { setTimeout as pass } from 'node:timers/promises';
import { Box } from 'ink';
import { afterEach, expect, test, vi } from 'vitest';
import { TimeoutError } from '../../../src/api/errors.ts';
import { steadyNowMs } from '../../../src/monitor/clock.ts';
import { BulkPreviewDialog } from '../../../src/resources/clients/view/bulk-dialog.tsx';
import { ConfirmDialog } from '../../../src/tui/dialogs/confirm-dialog.tsx';
import { clientOf, createFakeMonitor, ready, scanOf } from '../../screens/list-fixtures.ts';
import { createRig, endRigs, plainTheme } from '../../tui/support/rig.tsx';
import { patched, type PartValues, readingsOf } from '../../support/readings.ts';
import { targetChange } from '../../../src/resources/clients/target-change.ts';

afterEach(endRigs);

const reconnectedText = 'It has reconnected since. Esc, then K again for the new connection.';
const shown = clientOf('pump-1');
const back = { ...shown, port: 4_711 };
const sinceMs = steadyNowMs() - 10_000;
const { store } = createFakeMonitor();
const changeIn = (values: PartValues): ReturnType<typeof targetChange> =>
  targetChange(patched(store.getState(), readingsOf(values)), shown, sinceMs);
const detailOf = (clients: readonly (typeof shown)[] | TimeoutError) =>
  new Map([['pump-1', ready({ clients, sessions: [], subscriptions: [] })]]);

test.each([
  ['unchanged', 'unchanged', { clientScan: scanOf([clientOf('other'), shown]) }],
  ['reconnected', 'reconnected', { clientScan: scanOf([back]) }],
  ['gone', 'gone', { clientScan: scanOf([clientOf('other')]) }],
  ['unknown while the list is read', undefined, { clientScan: scanOf([], { phase: 'running' }) }],
  ['unknown by a list that was begun before', undefined, { clientScan: scanOf([], { startedAtMs: sinceMs - 1 }) }],
  [
    'reconnected by its page, which is newer',
    'reconnected',
    { clientDetail: detailOf([back]), clientScan: scanOf([shown]) },
  ],
  [
    'as the list says if its page could not be read',
    'gone',
    { clientDetail: detailOf(new TimeoutError(5_000)), clientScan: scanOf([]) },
  ],
] as const)('a client is %s', (_, expected, values) => {
  expect(changeIn(values)).toBe(expected);
});

test('an open dialog says that its client has reconnected, also while the list is read again, and does not offer to disconnect it', async () => {
  const monitor = createFakeMonitor(readingsOf({ clientScan: scanOf([shown]) }));
  const nothing = (): void => {};
  const confirm = vi.fn<() => void>();
  const rig = createRig(
    <Box width={80} height={18}>
      <ConfirmDialog
        monitor={monitor}
        request={disconnectRequest(plainTheme, shown)}
        width={80}
        height={18}
        onConfirm={confirm}
        onCancel={nothing}
      />
    </Box>,
    { columns: 80, rows: 18 },
  );
  await rig.until((text) => text.includes('Disconnect this client?'));
  expect(rig.lines().join('\n')).not.toContain(reconnectedText);
  expect(rig.lines().join('\n')).toContain('If it reconnects before you confirm, nothing is sent.');
  expect(rig.lines().join('\n')).toContain('y Disconnect');
  const startedAtMs = steadyNowMs() + 1_000;
  monitor.set(readingsOf({ clientScan: scanOf([back], { startedAtMs }) }));
  await rig.until((text) => text.includes(reconnectedText));
  expect(rig.lines().join('\n')).not.toContain('If it reconnects before you confirm, nothing is sent.');
  expect(rig.lines().join('\n')).not.toContain('y Disconnect');
  expect(rig.lines().join('\n')).toContain('n/Esc Cancel');
  rig.type('y');
  // Two that come at once would not answer anyway.
  await pass(50);
  monitor.set(readingsOf({ clientScan: scanOf([back], { startedAtMs: startedAtMs + 1_000, phase: 'running' }) }));
  monitor.set(readingsOf({ clientScan: scanOf([], { startedAtMs: startedAtMs + 2_000 }) }));
  await rig.until((text) => text.includes('It has disconnected since.'));
  expect(rig.lines().join('\n')).not.toContain('y Disconnect');
  monitor.set(readingsOf({ clientScan: scanOf([shown], { startedAtMs: startedAtMs + 3_000 }) }));
  await rig.until((text) => text.includes('y Disconnect'));
  expect(confirm).not.toHaveBeenCalled();
  rig.type('y');
  await expect.poll(() => confirm.mock.calls).toHaveLength(1);
});

test('an open bulk dialog says how many of its clients changed since it opened, and counts no change from before', async () => {
  const clients = ['pump-1', 'pump-2', 'pump-3', 'pump-4'].map((id) => clientOf(id, { cleanSession: id === 'pump-2' }));
  const monitor = createFakeMonitor(readingsOf({ clientScan: scanOf(clients) }));
  const nothing = (): void => {};
  const confirm = vi.fn<(plan: BulkChoice) => void>();
  const rig = createRig(
    <Box width={100} height={24}>
      <BulkPreviewDialog
        monitor={monitor}
        request={{
          kind: 'bulk',
          targets: clients.map((client) => ({ kind: 'client', client })),
          changedIds: new Set(['pump-4']),
          shownCount: 4,
        }}
        width={100}
        height={24}
        onConfirm={confirm}
        onCancel={nothing}
      />
    </Box>,
    { columns: 100, rows: 24 },
  );
  await rig.until((text) => text.includes('Type 3 to disconnect'));
  expect(rig.lines().join('\n')).not.toContain('since this dialog opened');
  expect(rig.lines().join('\n')).toContain('2 sessions will be kept, 1 will end;');
  const startedAtMs = steadyNowMs() + 1_000;
  monitor.set(
    readingsOf({
      clientScan: scanOf(
        clients.slice(0, 2).map((client, place) => (place === 0 ? { ...client, port: 4_711 } : client)),
        { startedAtMs },
      ),
    }),
  );
  await rig.until((text) =>
    text.includes('! 2 will be skipped: gone or reconnected since this dialog opened (marked !)'),
  );
  // What becomes of sessions is said of those that are left.
  expect(rig.lines().join('\n')).toContain('Its session ends;');
  // The question, and the number to type, are of those that will be disconnected; also while the list is read again.
  monitor.set(readingsOf({ clientScan: scanOf([], { startedAtMs: startedAtMs + 1_000, phase: 'running' }) }));
  await rig.until(
    (text) =>
      text.includes('! 2 will be skipped: gone or reconnected since this dialog opened (marked !)') &&
      text.includes('Type 1 to disconnect'),
  );
  expect(rig.lines().join('\n')).toContain('Disconnect 1 of 4 marked clients?');
  rig.type('3\r');
  await rig.until((text) => text.includes('! That does not match. Nothing was sent.'));
  expect(confirm).not.toHaveBeenCalled();
  rig.type('\u007F1');
  await rig.until((text) => text.includes('disconnect: 1'));
  rig.type('\r');
  await expect
    .poll(() => confirm.mock.calls)
    .toMatchObject([[{ perSecond: 20, places: [1], actions: [{ target: { clientId: 'pump-2' } }] }]]);
  // Nothing is left to ask about.
  monitor.set(readingsOf({ clientScan: scanOf([], { startedAtMs: startedAtMs + 2_000 }) }));
  expect((await rig.until((text) => text.includes('No clients left to disconnect.'))).join('\n')).not.toContain(
    'to disconnect:',
  );
});
