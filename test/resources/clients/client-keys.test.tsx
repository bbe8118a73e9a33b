import type { ReactNode } from 'react';
import { afterEach, describe, expect, test } from 'vitest';
import type { ActingState } from '../../../src/actions/acting-monitor.ts';
import type { ActionResult } from '../../../src/actions/action.ts';
import type { DialogRequest } from '../../../src/actions/requests.ts';
import { errorOfCode } from '../../../src/api/dialects/emq-v2/envelope.ts';
import type { ApiError } from '../../../src/api/errors.ts';
import type { Client } from '../../../src/domain/client.ts';
import { disconnectRequest } from '../../../src/resources/clients/actions.ts';
import { ClientScreen } from '../../../src/resources/clients/page.tsx';
import { ClientsScreen } from '../../../src/resources/clients/screen.tsx';
import type { PublishStart } from '../../../src/resources/messages/actions.ts';
import { RoutesScreen } from '../../../src/resources/routes/screen.tsx';
import { type SessionKnowledge, sessionKnowledge } from '../../../src/resources/sessions/knowledge.ts';
import { SessionsScreen } from '../../../src/resources/sessions/screen.tsx';
import { SubscriptionsScreen } from '../../../src/resources/subscriptions/screen.tsx';
import { PublishStartContext } from '../../../src/resources/messages/view/publish-start.ts';
import { readingsOf } from '../../support/readings.ts';
import { capabilitiesB, confirmOf, createAskingRig, formOf } from '../../screens/administration-fixtures.tsx';
import { clientOf, createFakeMonitor, infoOf, propsOf, ready, scanOf, sessionOf } from '../../screens/list-fixtures.ts';
import { endRigs, plainTheme } from '../../tui/support/rig.tsx';

afterEach(endRigs);

const size = [80, 18] as const;
const node = 'broker1@127.0.0.1';
const clients = ['a-1', 'a-2', 'b-1'].map((clientId) => clientOf(clientId));

const resultWith = (error: ApiError | undefined): ActionResult => ({
  id: '',
  outcome: error === undefined ? 'done' : 'not-done',
  reason: 'answer',
  wasSent: true,
  parts: [],
  isAccepted: error === undefined,
  error,
  why: undefined,
  before: undefined,
  after: undefined,
  startedAtMs: 0,
  finishedAtMs: 0,
  auditError: undefined,
});

const bulkOf = (request: DialogRequest | undefined): readonly string[] => {
  if (request?.kind !== 'bulk') throw new Error(`Not many: ${request?.kind}`);
  return request.targets.map((target) => (target.kind === 'client' ? target.client : target.session).clientId);
};

const openClients = (isReadOnly = false) => {
  const monitor = createFakeMonitor(readingsOf({ clientScan: scanOf(clients) }));
  monitor.setResources({ nodes: ready([infoOf(node)]) });
  return { monitor, rig: createAskingRig(<ClientsScreen {...propsOf(monitor, size)} />, size, { isReadOnly }) };
};

describe('in the list of clients', () => {
  test('K asks about the connection under the cursor', async () => {
    const { rig } = openClients();
    await rig.until((text) => text.includes('showing 3 of 3'));
    rig.type('jK');
    const { target, action } = confirmOf((await asked(rig))[0]);
    expect(target).toBe('a-2');
    expect(action.target).toMatchObject({ clientId: 'a-2', node, port: 51_220 });
  });

  test('the subscription form does not suggest wildcards, and says if they were refused before', async () => {
    const helpOf = async (actions: ActingState['actions']): Promise<unknown> => {
      const { rig, monitor } = openClients();
      monitor.set({ actions });
      await rig.until((text) => text.includes('showing 3 of 3'));
      rig.type('S');
      return formOf((await asked(rig))[0]).fields[0]?.help;
    };
    const before = (topic: string, error: ApiError | undefined): ActingState['actions'] => [
      {
        key: '1',
        name: 'subscribe',
        title: '',
        target: { topic },
        startedAtMs: 0,
        phase: 'finished',
        result: resultWith(error),
      },
    ];
    expect(await helpOf([])).toBe('such as a/b; some brokers refuse + and # here');
    expect(await helpOf(before('a/b', errorOfCode(102)))).toBe('such as a/b; some brokers refuse + and # here');
    expect(await helpOf(before('a/+', undefined))).toBe('such as a/b; some brokers refuse + and # here');
    expect(await helpOf(before('a/+', errorOfCode(102)))).toBe('without + and #: this broker refused them');
  });

  test('Space, * and U mark; K then asks about all marked, as they were when they were marked', async () => {
    const { rig, monitor } = openClients();
    await rig.until((text) => text.includes('showing 3 of 3'));
    rig.type('  ');
    await rig.until(
      (text) => text.includes('2 marked') && text.includes(' ◆a-1') && text.includes(' ◆a-2') && text.includes('▸ b-1'),
    );
    // Back on a marked one, both are seen.
    rig.type('k');
    await rig.until((text) => text.includes('▸◆a-2'));
    rig.type(' ');
    await rig.until((text) => text.includes('1 marked') && text.includes('  a-2') && text.includes('▸ b-1'));
    rig.type('*');
    await rig.until((text) => text.includes('3 marked'));
    // b-1 comes back: its row is another connection, and has no mark.
    monitor.set(
      readingsOf({ clientScan: scanOf([...clients.slice(0, 2), clientOf('b-1', { port: 9 })], { startedAtMs: 1 }) }),
    );
    await rig.until(
      (text) =>
        text.includes('◆a-1') &&
        !text.includes('◆b-1') &&
        text.includes('! 1 of 3 marked rows changed and will be skipped'),
    );
    rig.type('K');
    const [request] = await asked(rig);
    expect(bulkOf(request)).toEqual(['a-1', 'a-2', 'b-1']);
    expect(request).toMatchObject({ changedIds: new Set(['b-1']) });
    rig.type('U');
    await rig.until((text) => !text.includes('marked'));
  });

  test('* marks what the filter shows', async () => {
    const { rig } = openClients();
    await rig.until((text) => text.includes('showing 3 of 3'));
    rig.type('/a-\r');
    await rig.until((text) => text.includes('showing 2 of 3'));
    rig.type('*');
    await rig.until((text) => text.includes('2 marked'));
    rig.type('K');
    expect(bulkOf((await asked(rig))[0])).toEqual(['a-1', 'a-2']);
  });

  test('the bulk question says how many are visible; those not reached are marked again', async () => {
    const { rig } = openClients();
    await rig.until((text) => text.includes('showing 3 of 3'));
    rig.type('*');
    await rig.until((text) => text.includes('3 marked'));
    rig.type('/b-\r');
    await rig.until((text) => text.includes('showing 1 of 3'));
    rig.type('K');
    const [request] = await asked(rig);
    expect(request).toMatchObject({ kind: 'bulk', shownCount: 1, changedIds: new Set() });
    if (request?.kind !== 'bulk') throw new Error('Not many.');
    request.onBegin?.();
    await rig.until((text) => !text.includes('marked'));
    // What was marked in the meantime is not left over.
    rig.type('*');
    await rig.until((text) => text.includes('1 marked'));
    request.onEnd?.(new Set([0, 1]));
    await rig.until((text) => text.includes('2 marked'));
    rig.type('K');
    await rig.until(() => rig.asked.length === 2);
    expect(bulkOf(rig.asked[1])).toEqual(['a-1', 'a-2']);
  });

  test('one marked client is asked about as any other, and is marked until that is done', async () => {
    const { rig } = openClients();
    await rig.until((text) => text.includes('showing 3 of 3'));
    rig.type(' ');
    await rig.until((text) => text.includes('1 marked') && text.includes('▸ a-2'));
    rig.type('K');
    const [request] = await asked(rig);
    if (request?.kind !== 'confirm') throw new Error('Not one.');
    expect([request.target, request.mustType]).toEqual(['a-1', undefined]);
    expect(rig.lines().join('\n')).toContain('1 marked');
    request.onSettled?.();
    await rig.until((text) => !text.includes('marked'));
  });

  test('no such key exists in read-only mode', async () => {
    const { rig } = openClients(true);
    await rig.until((text) => text.includes('showing 3 of 3'));
    rig.type(' *KSa');
    rig.type('j');
    await rig.until((text) => text.includes('▸a-2'));
    expect(rig.asked).toEqual([]);
    expect(rig.lines().join('\n')).not.toContain('marked');
  });
});

/** Returns what was asked, once anything was. */
async function asked(rig: ReturnType<typeof createAskingRig>): Promise<readonly DialogRequest[]> {
  await expect.poll(() => rig.asked.length).toBeGreaterThan(0);
  return rig.asked;
}

test('K in the list of sessions reads the connection of the client id', async () => {
  const monitor = createFakeMonitor(readingsOf({ sessionScan: scanOf([sessionOf('s-1', { node })]) }));
  const rig = createAskingRig(<SessionsScreen {...propsOf(monitor, size)} />, size);
  await rig.until((text) => text.includes('s-1'));
  rig.type('K');
  expect(await asked(rig)).toMatchObject([{ kind: 'read', title: 'Disconnect s-1' }]);
});

test('marked sessions stay marked through sorting, filtering and scans', async () => {
  const sessions = ['s-1', 's-2', 's-3'].map((clientId, index) =>
    sessionOf(clientId, { node, queueLength: 10 - index }),
  );
  const monitor = createFakeMonitor(readingsOf({ sessionScan: scanOf(sessions) }));
  const rig = createAskingRig(<SessionsScreen {...propsOf(monitor, [120, 18])} />, [120, 18]);
  await rig.until((text) => text.includes('showing 3 of 3'));
  rig.type('  k');
  await rig.until((text) => text.includes('2 marked') && text.includes('◆s-1') && text.includes('▸◆s-2'));
  // Sorted and filtered, the marks stay on what they were put on.
  rig.type('r');
  await rig.until((text) => /▸.s-3[^]*◆s-2[^]*◆s-1/u.test(text));
  rig.type('/s-3\r');
  await rig.until((text) => text.includes('showing 1 of 3') && text.includes('2 marked'));
  rig.type('\u001B');
  await rig.until((text) => text.includes('◆s-1'));
  // One has moved on in its figures, the other is another session of the same id.
  monitor.set(
    readingsOf({
      sessionScan: scanOf([sessionOf('s-1', { node, queueLength: 99 }), sessionOf('s-2', { node, createdAt: 7 })], {
        startedAtMs: 1,
      }),
    }),
  );
  await rig.until(
    (text) =>
      text.includes('! 1 of 2 marked rows changed and will be skipped') &&
      text.includes('◆s-1') &&
      !text.includes('◆s-2'),
  );
  rig.type('K');
  const [request] = await asked(rig);
  expect(bulkOf(request)).toEqual(['s-1', 's-2']);
  expect(request).toMatchObject({ changedIds: new Set(['s-2']), targets: [{ kind: 'session' }, { kind: 'session' }] });
  rig.type('U');
  await rig.until((text) => !text.includes('marked'));
  rig.type('*');
  await rig.until(
    (text) => text.includes('2 marked') && !text.includes('! 1 of 2 marked rows changed and will be skipped'),
  );
});

test('P is prefilled from the row under the cursor', async () => {
  const monitor = createFakeMonitor(
    readingsOf({
      clientScan: scanOf(clients),
      sessionScan: scanOf([sessionOf('s-1', { node })]),
      subscriptionScan: scanOf([{ clientId: 's-1', topic: 'plant/#', qos: 1, node }]),
      routeScan: scanOf([{ topic: 'plant/a/b', node }]),
    }),
  );
  const place: { current: PublishStart } = { current: {} };
  const show = (screen: ReactNode): ReturnType<typeof createAskingRig> =>
    createAskingRig(<PublishStartContext value={place}>{screen}</PublishStartContext>, size);
  const list = show(<ClientsScreen {...propsOf(monitor, size)} />);
  await list.until((text) => text.includes('showing 3 of 3'));
  expect(place.current).toEqual({});
  const subscriptions = show(<SubscriptionsScreen {...propsOf(monitor, size)} />);
  await subscriptions.until((text) => text.includes('▸s-1'));
  expect(place.current).toEqual({ topic: 'plant/#' });
  subscriptions.unmount();
  expect(place.current).toEqual({});
  const routes = show(<RoutesScreen {...propsOf(monitor, size)} />);
  await routes.until((text) => text.includes('▸plant/a/b'));
  expect(place.current).toEqual({ topic: 'plant/a/b' });
  routes.type('t');
  await routes.until((text) => text.includes('FILTERS') && /▸.*plant/u.test(text));
  expect(place.current).toEqual({ topic: 'plant' });
});

test('says what else a disconnect does, if it ends the session', async () => {
  const warningOf = async (disconnectEndsSession: boolean, keys: string): Promise<unknown> => {
    const monitor = createFakeMonitor({
      capabilities: { ...capabilitiesB, disconnectEndsSession },
      ...readingsOf({ clientScan: scanOf([clientOf('c-1')]) }),
    });
    const rig = createAskingRig(<ClientsScreen {...propsOf(monitor, size)} />, size);
    await rig.until((text) => text.includes('▸c-1'));
    rig.type(keys);
    const [request] = await asked(rig);
    return confirmOf(
      request?.kind === 'menu' ? request.choices.find(({ id }) => id === 'disconnect-client')?.next : request,
    ).warning;
  };
  const ends = 'Its session ends; an unknown number of queued messages will be lost.';
  expect([await warningOf(true, 'K'), await warningOf(true, 'a'), await warningOf(false, 'K')]).toEqual([
    ends,
    ends,
    undefined,
  ]);
});

test('says what becomes of the session and its queue, as far as known', () => {
  const effectOf = (client: Partial<Client>, knowledge: SessionKnowledge = {}): readonly unknown[] => {
    const { details, warning } = disconnectRequest(
      plainTheme,
      clientOf('c-1', { cleanSession: undefined, ...client }),
      knowledge,
    );
    return [details?.[2], warning];
  };
  const session = sessionOf('c-1', { cleanSession: false, queueLength: 1_000 });
  expect(effectOf({})).toEqual(['It may reconnect right away.', undefined]);
  expect(effectOf({ cleanSession: false })).toEqual([
    'It may reconnect right away. Its session and queue are kept.',
    undefined,
  ]);
  expect(effectOf({}, { session })).toEqual([
    'It may reconnect right away. Its session and 1,000 queued messages are kept.',
    undefined,
  ]);
  expect(effectOf({}, { session: { ...session, queueLength: 1 } })).toEqual([
    'It may reconnect right away. Its session and 1 queued message are kept.',
    undefined,
  ]);
  expect(effectOf({}, { session: { ...session, queueLength: 0 } })).toEqual([
    'It may reconnect right away. Its session is kept.',
    undefined,
  ]);
  expect(effectOf({ cleanSession: true })).toEqual([
    'Its session ends; an unknown number of queued messages will be lost.',
    undefined,
  ]);
  expect(effectOf({ cleanSession: true }, { session: { ...session, queueLength: 0 } })).toEqual([
    'Its session ends; no queued messages are lost.',
    undefined,
  ]);
  expect(effectOf({ cleanSession: true }, { session })).toEqual([
    undefined,
    'Its session ends; 1,000 queued messages are lost.',
  ]);
  expect(effectOf({}, { session, endsSession: true })).toEqual([
    undefined,
    'Its session ends; 1,000 queued messages are lost.',
  ]);
  expect(effectOf({}, { session, endsSession: true, countersSeconds: 15 })).toEqual([
    undefined,
    'Its session ends; 1,000 queued messages are lost (counted up to 15 s earlier).',
  ]);
  // Which of two would it be?
  const state = createFakeMonitor(
    readingsOf({ sessionScan: scanOf([session, { ...session, node: 'other' }, sessionOf('c-2')]) }),
  ).store.getState();
  expect(sessionKnowledge(state, 'c-1').session).toBeUndefined();
  expect(sessionKnowledge(state, 'c-2').session?.clientId).toBe('c-2');
  expect(sessionKnowledge(state, 'c-1', [session]).session).toBe(session);
});

test('the menu of a subscription removes that one', async () => {
  const monitor = createFakeMonitor({
    capabilities: {
      unsubscribe: true,
      settings: true,
      nodeSubscriptionsOfClient: true,
      pluginPerNode: true,
      sessionTotals: true,
      metricsByNode: false,
    },
    ...readingsOf({ subscriptionScan: scanOf([{ clientId: 's-1', topic: 'plant/#', qos: 1, node }]) }),
  });
  const rig = createAskingRig(<SubscriptionsScreen {...propsOf(monitor, size)} />, size);
  await rig.until((text) => text.includes('plant/#'));
  rig.type('a');
  const [menu] = await asked(rig);
  const choice = menu?.kind === 'menu' ? menu.choices.find(({ id }) => id === 'unsubscribe') : undefined;
  expect(confirmOf(choice?.next).action.target).toEqual({ clientId: 's-1', topic: 'plant/#', qos: 1, node });
});

test('K on a client opened asks about the connection that is shown, with its node', async () => {
  const detail = { clients: [clientOf('c-1', { node: undefined })], sessions: [], subscriptions: [] };
  const monitor = createFakeMonitor(
    readingsOf({ clientDetail: new Map([['c-1', ready(detail)]]), clientScan: scanOf([clientOf('c-1')]) }),
  );
  const rig = createAskingRig(<ClientScreen {...propsOf(monitor, size)} clientId="c-1" />, size);
  await rig.until((text) => text.includes('Client c-1'));
  rig.type('K');
  const [request] = await asked(rig);
  expect(confirmOf(request).action.target).toMatchObject({ clientId: 'c-1', node, port: 51_220 });
});
