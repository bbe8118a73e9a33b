import { Box } from 'ink';
import { afterEach, expect, test } from 'vitest';
import { TimeoutError } from '../../../src/api/errors.ts';
import { disconnectRequest } from '../../../src/ui/dialogs/client-requests.ts';
import { ConfirmDialog } from '../../../src/ui/dialogs/confirm-dialog.tsx';
import { targetChange } from '../../../src/ui/dialogs/target-change.ts';
import { clientDialogTexts } from '../../../src/ui/dialogs/texts.ts';
import { clientOf, createFakeMonitor, ready, scanOf } from '../screens/list-fixtures.ts';
import { createRig, endRigs, plainTheme } from '../support/rig.tsx';

afterEach(endRigs);

const shown = clientOf('pump-1');
const back = { ...shown, port: 4_711 };
const sinceMs = Date.now() - 10_000;
const { store } = createFakeMonitor();
const changeIn = (patch: Parameters<typeof createFakeMonitor>[0]): ReturnType<typeof targetChange> => targetChange({ ...store.getState(), ...patch }, shown, sinceMs);
const detailOf = (clients: readonly (typeof shown)[] | TimeoutError) => new Map([['pump-1', ready({ clients, sessions: [], subscriptions: [] })]]);

test.each([
  ['unchanged', 'unchanged', { clientScan: scanOf([clientOf('other'), shown]) }],
  ['reconnected', 'reconnected', { clientScan: scanOf([back]) }],
  ['gone', 'gone', { clientScan: scanOf([clientOf('other')]) }],
  ['unknown while the list is read', undefined, { clientScan: scanOf([], { phase: 'running' }) }],
  ['unknown by a list that was begun before', undefined, { clientScan: scanOf([], { startedAtMs: sinceMs - 1 }) }],
  ['reconnected by its page, which is newer', 'reconnected', { clientDetails: detailOf([back]), clientScan: scanOf([shown]) }],
  ['as the list says if its page could not be read', 'gone', { clientDetails: detailOf(new TimeoutError(5_000)), clientScan: scanOf([]) }],
] as const)('a client is %s', (_, expected, patch) => {
  expect(changeIn(patch)).toBe(expected);
});

test('an open dialog says that its client has reconnected, also while the list is read again', async () => {
  const monitor = createFakeMonitor({ clientScan: scanOf([shown]) });
  const nothing = (): void => {};
  const rig = createRig(
    <Box width={80} height={18}><ConfirmDialog monitor={monitor} request={disconnectRequest(plainTheme, shown)} width={80} height={18} onConfirm={nothing} onCancel={nothing} /></Box>,
    { columns: 80, rows: 18 },
  );
  await rig.until((text) => text.includes(clientDialogTexts.disconnect.question));
  expect(rig.lines().join('\n')).not.toContain(clientDialogTexts.changed.reconnected);
  const startedAtMs = Date.now() + 1_000;
  monitor.set({ clientScan: scanOf([back], { startedAtMs }) });
  await rig.until((text) => text.includes(clientDialogTexts.changed.reconnected));
  monitor.set({ clientScan: scanOf([back], { startedAtMs: startedAtMs + 1_000, phase: 'running' }) });
  monitor.set({ clientScan: scanOf([], { startedAtMs: startedAtMs + 2_000 }) });
  await rig.until((text) => text.includes(clientDialogTexts.changed.gone));
});
