import { afterEach, describe, expect, test, vi } from 'vitest';
import { createMonitor } from '../../../src/actions/acting-monitor.ts';
import { noSkips } from '../../../src/actions/bulk.ts';
import { disconnectClient } from '../../../src/actions/clients.ts';
import { TimeoutError } from '../../../src/api/errors.ts';
import type { Client } from '../../../src/domain/client.ts';
import type { AskRequest } from '../../../src/ui/dialogs/ask.ts';
import { clientMenu } from '../../../src/ui/dialogs/client-keys.tsx';
import { disconnectRequest } from '../../../src/ui/dialogs/client-requests.ts';
import { isActing, quitQuestion } from '../../../src/ui/dialogs/confirm-dialog.tsx';
import { countChanged, selectableClients } from '../../../src/ui/dialogs/selection.ts';
import { capabilitiesOfB } from '../../actions/support.ts';
import { createFakeApi, deferred, nodeStats } from '../../monitor/fake-api.ts';
import { brokerClock, infoOf, sessionOf } from '../screens/list-fixtures.ts';
import { endRigs, plainTheme } from '../support/rig.tsx';
import { type AskedRig, brokerWith, createAskedRig, endMonitors, flat, hostileId, shownClient } from './harness.tsx';

afterEach(() => {
  endRigs();
  endMonitors();
});

const target = (clientId?: string) => ({ subject: { kind: 'client', client: shownClient(clientId) } } as const);

describe('the menu of a client', () => {
  test('leads to a question; what is typed reaches nothing behind it', async () => {
    const rig = createAskedRig(clientMenu(plainTheme, target(hostileId), true, undefined), brokerWith(shownClient(hostileId)));
    rig.type('P');
    await rig.until((text) => text.includes('Enter choose'));
    expect(rig.text()).toContain(String.raw`Client z\x1b[2J\u202e/é`);
    rig.type('q:Ky');
    rig.type('jj');
    await rig.until((text) => text.includes('▸ unsubscribe on its behalf'));
    rig.type('kkk');
    await rig.until((text) => text.includes('▸ disconnect it'));
    rig.type('\r');
    await rig.until((text) => text.includes('Disconnect this client?'));
    expect(rig.heard).toEqual([]);
    expect(rig.calls).toEqual([]);
  });

  test('has what the variant has, and says what it lacks', () => {
    const ids = (canUnsubscribe: boolean | undefined): readonly string[] => clientMenu(plainTheme, target(), canUnsubscribe, undefined).choices.map(({ id }) => id);
    expect(ids(true)).toEqual(['disconnect-client', 'subscribe', 'unsubscribe', 'clear-acl-cache']);
    expect(ids(false)).toEqual(['disconnect-client', 'subscribe', 'clear-acl-cache']);
    expect(clientMenu(plainTheme, target(), false, undefined).notes).toEqual(['This variant of the interface cannot unsubscribe a client.']);
    expect(clientMenu(plainTheme, target(), undefined, undefined).notes).toEqual(['Whether this broker can unsubscribe a client is not known yet.']);
    const typed = clientMenu(plainTheme, { subject: { kind: 'id', clientId: 'x' } }, true, undefined);
    expect(typed.choices.map(({ id }) => id)).toEqual(['disconnect-client', 'subscribe', 'unsubscribe', 'clear-acl-cache']);
    expect(typed.choices.at(-1)?.request).toEqual({ kind: 'read-client', clientId: 'x', node: undefined, wish: 'clear-acl' });
  });

  test('is left by Esc', async () => {
    const rig = createAskedRig(clientMenu(plainTheme, target(), true, undefined));
    rig.type('P');
    await rig.until((text) => text.includes('Enter choose'));
    rig.type('\u001B');
    await rig.until((text) => !text.includes('Enter choose'));
    expect(rig.heard).toEqual([]);
  });

  test('offers the subscriptions of the client to unsubscribe from', async () => {
    const removed: string[] = [];
    let topics = ['b/2', 'a/1'];
    const rig = createAskedRig({ kind: 'choose-subscription', clientId: 'pump-1', node: 'broker7' }, brokerWith(shownClient(), {
      getSubscriptions: async () => topics.map((topic) => ({ clientId: 'pump-1', topic, qos: 1, node: undefined })),
      unsubscribe: async ({ topic }) => {
        removed.push(topic);
        topics = topics.filter((other) => other !== topic);
      },
    }));
    rig.type('P');
    await rig.until((text) => text.includes('▸ a/1') && text.includes('  b/2'));
    rig.type('\u001B[B');
    await rig.until((text) => text.includes('▸ b/2'));
    rig.type('\r');
    await rig.until((text) => text.includes('from b/2') && text.includes('QoS 1, on broker7'));
    rig.type('y');
    await rig.until((text) => text.includes('── Done'));
    expect(removed).toEqual(['b/2']);
  });
});

describe('disconnecting by an id alone', () => {
  const request: AskRequest = { kind: 'read-client', clientId: 'pump-1', node: undefined, wish: 'disconnect' };
  const withClients = (clients: readonly Client[]): AskedRig =>
    createAskedRig(request, { getClient: async () => clients, getSession: async () => [], getSubscriptions: async () => [] });

  test('reads first who that is, and asks about that connection', async () => {
    const rig = withClients([shownClient()]);
    rig.type('P');
    await rig.until((text) => text.includes('Disconnect this client?') && text.includes('from 10.0.0.1:4000'));
    expect(rig.calls).toContain('getClient');
    expect(rig.calls).not.toContain('disconnectClient');
  });

  test('reads also while the screen is frozen', async () => {
    const rig = withClients([shownClient()]);
    rig.monitor.setFrozen(true);
    rig.type('P');
    await rig.until((text) => text.includes('Disconnect this client?') && text.includes('from 10.0.0.1:4000'));
    rig.type('n');
    await rig.until((text) => !text.includes('Disconnect this client?'));
    expect(rig.calls).toEqual(['getClient', 'getSession', 'getSubscriptions']);
  });

  test('says why it cannot be read', async () => {
    const failing = async (): Promise<never> => { throw new TimeoutError(5_000); };
    const rig = createAskedRig(request, { getClient: failing, getSession: failing, getSubscriptions: failing });
    rig.type('P');
    await rig.until((text) => flat(text).includes(new TimeoutError(5_000).message));
    expect(rig.calls).not.toContain('disconnectClient');
  });

  test('says that nobody is there, or two are', async () => {
    const nobody = withClients([]);
    nobody.type('P');
    await nobody.until((text) => flat(text).includes('It is not connected: there is nothing to disconnect.'));
    const two = withClients([shownClient(), { ...shownClient(), port: 1 }]);
    two.type('P');
    await two.until((text) => flat(text).includes('2 connections have this id now'));
    two.type('y');
    two.type('\r');
    await two.until((text) => !text.includes('2 connections'));
    expect(two.calls).not.toContain('disconnectClient');
  });
});

describe('disconnecting the marked ones', () => {
  const many = Array.from({ length: 12 }, (_, index): Client => ({ ...shownClient(`pump-${index}`), node: index < 8 ? 'broker1' : 'broker2', username: index === 0 ? '\u001B]evil' : 'factory' }));
  /** A broker that loses those it is told to, except one that has come back anew and one that it refuses. */
  const open = (): { readonly rig: AskedRig; readonly gone: ReadonlySet<string>; readonly begun: () => number; readonly left: () => ReadonlySet<number> | undefined } => {
    const gone = new Set<string>();
    let begun = 0;
    let left: ReadonlySet<number> | undefined;
    const rows = (clientId: string): readonly Client[] => many.filter((client) => client.clientId === clientId && !gone.has(clientId))
      .map((client) => (clientId === 'pump-3' ? { ...client, port: 9 } : client));
    const rig = createAskedRig({ kind: 'bulk', targets: many.map((each) => ({ kind: 'client', client: each })), changedCount: 1, shownCount: 12, onEnd: (places) => { left = places; }, onBegin: () => { begun += 1; } }, {
      getNodeClient: async (_, clientId) => rows(clientId),
      getClient: async (clientId) => rows(clientId),
      disconnectClient: async (clientId) => { gone.add(clientId); },
    });
    return { rig, gone, begun: () => begun, left: () => left };
  };

  test('shows what will be hit, and wants their number', async () => {
    const { rig, gone } = open();
    rig.type('P');
    await rig.until((text) => text.includes('type 12 to disconnect them'));
    expect(rig.text()).toMatch(/12 marked: 20 a second \(\+ - change it\), at least 1 ?s/);
    expect(rig.text()).toContain('by node: broker1 8 · broker2 4');
    expect(rig.text()).toContain(String.raw`by user: factory 11 · \x1b]evil 1`);
    expect(flat(rig.text())).toContain('! 1 of them are not listed any more as they were marked');
    expect(rig.text()).not.toContain('as it is shown');
    // Each of them can be looked at.
    expect(rig.text()).toContain('1–9 of 12: ↑ ↓');
    expect(rig.text()).toContain('  pump-0');
    expect(rig.text()).not.toContain('  pump-11');
    rig.type('\u001B[6~');
    await rig.until((text) => text.includes('4–12 of 12') && text.includes('  pump-11'));
    rig.type('\u001B[A');
    await rig.until((text) => text.includes('3–11 of 12'));
    rig.type('1\r');
    await rig.until((text) => text.includes('that is not the same; nothing was done'));
    expect(gone.size).toBe(0);
  });

  test('counts four ways that add up, and lists each failure', async () => {
    const { rig, gone, begun } = open();
    rig.type('P');
    await rig.until((text) => text.includes('type 12 to disconnect them'));
    rig.type('12');
    await rig.until((text) => text.includes('disconnect them: 12'));
    rig.type('\r\r');
    await rig.until((text) => text.includes('Enter Esc close'));
    expect(flat(rig.text())).toContain('11 done · 0 not done · 0 unknown · 1 skipped (1 changed) · 12 in all');
    expect(rig.text()).toContain('disconnect client pump-3');
    expect(gone.size).toBe(11);
    expect(begun()).toBe(1);
    await rig.monitor.whenActionsEnd();
    expect(rig.monitor.store.getState().log.map(({ text }) => text).join('\n')).toContain('disconnect client pump-3');
    rig.type('\u001B');
    await rig.until((text) => !text.includes('Enter Esc close'));
    expect(rig.heard).toEqual([]);
  });

  test('is aborted by x, whatever is left', async () => {
    const { rig, left } = open();
    rig.type('P');
    await rig.until((text) => text.includes('type 12 to disconnect them'));
    // Slow, so that most are left.
    rig.type('----12');
    await rig.until((text) => text.includes('1 a second') && text.includes('disconnect them: 12'));
    rig.type('\r');
    await rig.until((text) => text.includes('1 done') && text.includes('x abort: begin no more'));
    rig.type('x');
    await rig.until((text) => text.includes('It was ended by hand.') && text.includes('Enter Esc close'));
    const { bulk } = rig.monitor.store.getState();
    expect(bulk === undefined ? 0 : bulk.done + bulk.notDone + bulk.unknown + bulk.skipped).toBe(12);
    const notReached = bulk?.skips.notReached ?? 0;
    expect(notReached).toBeGreaterThan(0);
    expect([...left() ?? []]).toEqual(many.map((_, place) => place).slice(-notReached));
    expect(rig.text()).toContain('── Aborted: disconnect 12 marked clients');
    expect(rig.text()).toContain(`${notReached} not sent: still marked`);
    expect(rig.text()).not.toContain('100 %');
    expect(flat(rig.text())).toMatch(new RegExp(`${notReached} not reached\\) · 12 in all`, 'u'));
  });

  test('goes at the pace that was chosen, from 1 to 200 a second, which is said with the time it takes', async () => {
    const { rig, gone } = open();
    rig.type('P');
    await rig.until((text) => text.includes('20 a second'));
    for (const pace of [10, 5, 2, 1]) {
      rig.type('-');
      await rig.until((text) => text.includes(`12 marked: ${pace} a second`));
    }
    expect(rig.text()).toMatch(/at least 12 ?s/);
    rig.type('-++++++++');
    await rig.until((text) => text.includes('200 a second'));
    expect(gone.size).toBe(0);
    rig.type('12');
    await rig.until((text) => text.includes('disconnect them: 12'));
    rig.type('\r');
    await rig.until((text) => text.includes('Enter Esc close'));
    expect(rig.monitor.store.getState().bulk).toMatchObject({ perSecond: 200, done: 11, skipped: 1 });
  });

  test('goes on when its dialog is left, one at a time, and is looked at again', async () => {
    const { rig } = open();
    rig.type('P');
    await rig.until((text) => text.includes('20 a second'));
    rig.type('----12');
    await rig.until((text) => text.includes('1 a second') && text.includes('disconnect them: 12'));
    rig.type('\r');
    await rig.until((text) => text.includes('1 done') && text.includes('Esc leave it running'));
    rig.type('\u001B');
    await rig.until((text) => !text.includes('leave it running'));
    expect(rig.monitor.store.getState().bulk).toMatchObject({ phase: 'running', perSecond: 1 });
    rig.type('P');
    await rig.until((text) => text.includes('one goes at a time'));
    expect(rig.text()).not.toContain('marked:');
    rig.type('B');
    await rig.until((text) => text.includes('x abort'));
    expect(flat(rig.text())).toContain('1 a second, at least');
    rig.type('x');
    await rig.until((text) => text.includes('It was ended by hand.') && text.includes('Enter Esc close'));
    rig.type('\r');
    await rig.until((text) => !text.includes('Enter Esc close'));
    rig.type('B');
    await rig.until((text) => text.includes('Aborted: disconnect 12 marked clients'));
    expect(rig.heard).toEqual([]);
  });

  test('says on the screen that it is finished, when nobody looks at it', async () => {
    const { rig } = open();
    rig.type('P');
    await rig.until((text) => text.includes('20 a second'));
    rig.type('12');
    await rig.until((text) => text.includes('disconnect them: 12'));
    rig.type('\r');
    await rig.until((text) => text.includes('2 done') && text.includes('Esc leave it running'));
    rig.type('b');
    await rig.until((text) => text.includes('behind finished: 11 done'));
    expect(rig.text()).not.toContain('Enter Esc close');
  });

  test('before there was one there is nothing to look at', async () => {
    const { rig } = open();
    rig.type('B');
    await rig.until((text) => text.includes('no marked clients have been disconnected'));
    expect(rig.text()).not.toContain('Esc');
  });

  test('of sessions shows who their users are once the clients are read', async () => {
    const clients = deferred<{ readonly items: readonly Client[] }>();
    const sessions = many.slice(0, 3).map(({ clientId }) => ({ kind: 'session', session: sessionOf(clientId, { node: 'broker1' }) } as const));
    // One that may have connected since the clients were read.
    const late = { kind: 'session', session: sessionOf('late', { node: 'broker1', createdAt: brokerClock + 60 }) } as const;
    const rig = createAskedRig({ kind: 'bulk', targets: [...sessions, late], changedCount: 0, shownCount: 1 }, {
      listNodes: async () => [infoOf('broker1')],
      listNodeStats: async () => [nodeStats('broker1', 'running', { clients: 3 })],
      listClients: async (_, page) => { const { items } = await clients.promise; return { ...page, items, totalItems: items.length, totalPages: 1 }; },
    });
    rig.type('P');
    await rig.until((text) => text.includes('by user: ··· only the list of clients tells'));
    expect(rig.text()).toContain('by node: broker1 4');
    expect(flat(rig.text())).toContain('! 1 of them in the list as it is shown; the filter hides others');
    expect(rig.text()).not.toContain('not connected');
    clients.resolve({ items: many.slice(1, 3) });
    await rig.until((text) => text.includes('by user: – 2 · factory 2'));
    await rig.until((text) => flat(text).includes('! 1 of them not connected (○)'));
    expect(flat(rig.text())).toContain('! 1 of them not connected (○): there is nothing to disconnect, and they are skipped');
    expect(rig.text()).toMatch(/^○ pump-0/mu);
    expect(rig.text()).not.toMatch(/^○ pump-[12]/mu);
  });

  test('a client that came back is no longer what was marked', () => {
    const marked = new Map(many.slice(0, 3).map((client) => [client.clientId, client]));
    expect(countChanged(marked, many, selectableClients)).toBe(0);
    expect(countChanged(marked, many.map((client) => ({ ...client, port: 1 })), selectableClients)).toBe(3);
    expect(countChanged(marked, [], selectableClients)).toBe(3);
  });
});

describe('quitting', () => {
  const sure = async (rig: AskedRig): Promise<void> => {
    rig.type('P');
    await rig.until((text) => text.includes('Disconnect this client?'));
    rig.type('y');
    await rig.until((text) => text.includes('sent; waiting for the answer'));
  };

  test('with nothing under way ends at once', async () => {
    const rig = createAskedRig(disconnectRequest(plainTheme, shownClient()), brokerWith(shownClient()));
    rig.type('q');
    await vi.waitFor(() => { expect(rig.heard).toEqual(['exit']); });
  });

  test('while an action runs asks once, over what is open, and says what would not be known', async () => {
    const gate = deferred<void>();
    const rig = createAskedRig(disconnectRequest(plainTheme, shownClient()), brokerWith(shownClient(), {}, gate.promise));
    await sure(rig);
    rig.type('\u0003');
    await rig.until((text) => text.includes('── Quit now?'));
    expect(flat(rig.text())).toContain('disconnect client pump-1: it is sent, its outcome would not be known.');
    rig.type('\r');
    // Staying is the default, and what was open is there again.
    await rig.until((text) => text.includes('sent; waiting for the answer'));
    expect(rig.heard).toEqual([]);
    rig.type('\u0003');
    await rig.until((text) => text.includes('── Quit now?'));
    gate.resolve();
    await rig.until((text) => text.includes('Nothing is being done any more.'));
    rig.type('y');
    await vi.waitFor(() => { expect(rig.heard).toEqual(['exit']); });
  });

  test('by q while it is shown asks as well, be it one or many', async () => {
    const gate = deferred<void>();
    const rig = createAskedRig(disconnectRequest(plainTheme, shownClient()), brokerWith(shownClient(), {}, gate.promise));
    await sure(rig);
    rig.type('q');
    await rig.until((text) => text.includes('── Quit now?'));
    rig.type('n');
    await rig.until((text) => text.includes('sent; waiting for the answer'));
    gate.resolve();
    const many = createAskedRig({ kind: 'bulk', targets: [{ kind: 'client', client: shownClient() }], changedCount: 0, shownCount: 1 }, brokerWith(shownClient(), {}, deferred<void>().promise));
    many.type('P');
    await many.until((text) => text.includes('type 1 to disconnect them'));
    many.type('1\r');
    await many.until((text) => text.includes('1 sent, no outcome yet'));
    many.type('q');
    await many.until((text) => text.includes('── Quit now?'));
    expect([...rig.heard, ...many.heard]).toEqual([]);
  });

  test('asked for twice ends the program', async () => {
    const gate = deferred<void>();
    const rig = createAskedRig(disconnectRequest(plainTheme, shownClient()), brokerWith(shownClient(), {}, gate.promise));
    await sure(rig);
    rig.type('\u001B');
    await rig.until((text) => !text.includes('waiting for the answer'));
    rig.type('q');
    await rig.until((text) => text.includes('── Quit now?'));
    expect(rig.heard).toEqual([]);
    rig.type('\u0003');
    await vi.waitFor(() => { expect(rig.heard).toEqual(['exit']); });
    gate.resolve();
  });

  test('is asked about from the moment in which they begin, however long states are held back', async () => {
    const monitor = createMonitor({ api: createFakeApi({ capabilities: capabilitiesOfB, ...brokerWith(shownClient()) }), intervalSeconds: 60, holdMs: 3_600_000 });
    const bulk = monitor.startBulk([disconnectClient.create({ kind: 'client', client: shownClient() })], { title: 'disconnect 1 marked clients' });
    expect(isActing(monitor.store.getState())).toBe(true);
    await bulk?.finished;
    monitor.stop();
  });

  test('while marked ones are disconnected says how many would not be reached', () => {
    const bulk = { id: 'b', title: 'disconnect 24 marked clients', phase: 'running', total: 24, perSecond: 20, done: 3, notDone: 0, unknown: 0, skipped: 0, skips: noSkips, running: 3, sent: 2, waiting: 18, failures: [], endedBecause: undefined, startedAtMs: 0, finishedAtMs: undefined } as const;
    expect(isActing({ actions: [], bulk })).toBe(true);
    expect(quitQuestion(plainTheme, { actions: [], bulk }).details).toEqual(['disconnect 24 marked clients: 19 of 24 would not be reached, of 2 that are sent the outcome would not be known.']);
    expect(isActing({ actions: [], bulk: { ...bulk, phase: 'finished' } })).toBe(false);
    expect(quitQuestion(plainTheme, { actions: [], bulk: { ...bulk, phase: 'finished' } }).details).toEqual([]);
  });
});
