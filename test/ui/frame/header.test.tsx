import { afterEach, expect, test } from 'vitest';
import { Header } from '../../../src/ui/frame/header.tsx';
import { createFakeMonitor, figuresOf, ready } from '../screens/list-fixtures.ts';
import { createRig, endRigs } from '../support/rig.tsx';

afterEach(endRigs);

const session = { url: 'http://127.0.0.1:8080', isReadOnly: false, isInsecure: false, readPayload: async () => '', describeVariant: () => 'variant B' };

test('the variant has a question mark when answers speak against it', async () => {
  const monitor = createFakeMonitor();
  const rig = createRig(<Header monitor={monitor} session={session} place={{ screen: 'overview' }} width={100} />, { columns: 100, rows: 4 });
  expect(rig.lines()[0]).toContain('variant B  ');
  monitor.set({ variantDoubt: 'This looks like variant A.' });
  await rig.until((text) => text.includes('variant B ?'));
});

test('frozen, the interval goes before the variant does', () => {
  const at = (isFrozen: boolean, width: number): string => {
    const monitor = createFakeMonitor({ isFrozen, watched: [{ kind: 'resource', name: 'nodeStats' }] });
    monitor.setResources({ nodeStats: ready([figuresOf('a'), figuresOf('b')], 72_000) });
    return createRig(<Header monitor={monitor} session={{ ...session, isReadOnly: true }} place={{ screen: 'overview' }} width={width} />, { columns: width, rows: 4 }).lines()[0] ?? '';
  };
  expect(at(true, 84)).toMatch(/ variant B +1m 12s ago STALE {2}READ-ONLY {2}FROZEN$/u);
  expect(at(false, 76)).toMatch(/:8080 +every 2 s ▸ 1m 12s ago STALE {2}READ-ONLY$/u);
  expect(at(true, 120)).toMatch(/ variant B +every 2 s ▸ 1m 12s ago STALE {2}READ-ONLY {2}FROZEN$/u);
});

test('says that actions are not recorded, where there can be any', () => {
  const flags = (patch: Partial<typeof session & { isUnrecorded: boolean }>): string =>
    createRig(<Header monitor={createFakeMonitor()} session={{ ...session, ...patch }} place={{ screen: 'overview' }} width={80} />, { columns: 80, rows: 4 }).lines()[0] ?? '';
  expect(flags({ isUnrecorded: true })).toContain('NO AUDIT');
  expect(flags({ isUnrecorded: false })).not.toContain('NO AUDIT');
  expect(flags({ isUnrecorded: true, isReadOnly: true })).not.toContain('NO AUDIT');
});

test.each([
  [{ isInsecure: false, isTlsUnchecked: false }, ''],
  [{ isInsecure: true, isTlsUnchecked: false }, 'UNENCRYPTED'],
  [{ isInsecure: false, isTlsUnchecked: true }, 'TLS NOT VERIFIED'],
])('says in words who may learn the password: %j', (exposure, words) => {
  const rig = createRig(<Header monitor={createFakeMonitor()} session={{ ...session, ...exposure }} place={{ screen: 'overview' }} width={80} />, { columns: 80, rows: 4 });
  expect(/UNENCRYPTED|TLS NOT VERIFIED/u.exec(rig.lines()[0] ?? '')?.[0] ?? '').toBe(words);
});

test.each([['triage', 'T Triage'], ['settings', ', Settings'], ['overview', '0 More']] as const)('shows that one is in %s', (screen, tab) => {
  const rig = createRig(<Header monitor={createFakeMonitor()} session={session} place={{ screen }} width={120} />, { columns: 120, rows: 4 });
  expect(rig.lines()[2]).toContain(tab);
});

test('says over what counts changed, where there is room', () => {
  const lineAt = (width: number): string => createRig(<Header monitor={createFakeMonitor()} session={session} place={{ screen: 'overview' }} width={width} />, { columns: width, rows: 4 }).lines()[1] ?? '';
  expect(lineAt(170)).toContain('since last refresh');
  expect(lineAt(120)).not.toContain('since last refresh');
  expect(lineAt(80)).not.toContain('since last refresh');
  expect(lineAt(80)).toContain('nosub');
});
