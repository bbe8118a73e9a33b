import { chooseSubscriptionRequest } from '../../../src/resources/subscriptions/actions.ts';
import { newBanRequest, readBannedRequest } from '../../../src/resources/bans/actions.ts';
import type { DialogRequest } from '../../../src/actions/requests.ts';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { type ActionRecord, initialActingState } from '../../../src/actions/acting-monitor.ts';
import { createMonitor } from '../../../src/resources/cluster.ts';
import type { ActionResult } from '../../../src/actions/action.ts';
import { noSkips } from '../../../src/actions/bulk.ts';
import { bulkTexts } from '../../../src/actions/texts.ts';
import { safe } from '../../../src/terminal/safe-text.ts';
import { TimeoutError } from '../../../src/api/errors.ts';
import type { ManagementApi, Capabilities } from '../../../src/api/management-api.ts';
import type { Client } from '../../../src/domain/client.ts';
import { clientMenu, changedIdsOf, selectableClients } from '../../../src/resources/clients/view/client-keys.ts';
import { isActing, quitQuestion } from '../../../src/tui/dialogs/confirm-dialog.tsx';
import { capabilitiesOfB } from '../../actions/support.ts';
import { createFullBroker, fullCapabilities } from '../../support/full-broker.ts';
import { createFakeApi, deferred, nodeStats } from '../../monitor/fake-api.ts';
import { confirmed, formOf } from '../../screens/administration-fixtures.tsx';
import { brokerClock, infoOf, sessionOf } from '../../screens/list-fixtures.ts';
import { endRigs, plainTheme } from '../support/rig.tsx';
import { type AskedRig, brokerWith, createAskedRig, endMonitors, flat, hostileId, shownClient } from './harness.tsx';
import {
  disconnectClient,
  disconnectRequest,
  type ClientRow,
  disconnectByIdRequest,
} from '../../../src/resources/clients/actions.ts';
import { bulkDialogTexts } from '../../../src/resources/clients/view/bulk-texts.ts';
import { eventTextsIn } from '../../support/events.ts';

afterEach(() => {
  endRigs();
  endMonitors();
});

const target = (clientId?: string) => ({ subject: { kind: 'client', client: shownClient(clientId) } }) as const;

/** A row on a broker with these capabilities. */
const rowOf = (about: ClientRow['target'], capabilities: Partial<Capabilities> = { unsubscribe: true }): ClientRow => ({
  target: about,
  state: () => ({
    ...initialActingState(1),
    capabilities: { ...capabilitiesOfB, ...capabilities },
  }),
});

describe('the menu of a client', () => {
  test('leads to a question; what is typed reaches nothing behind it', async () => {
    const rig = createAskedRig(
      clientMenu(plainTheme, rowOf(target(hostileId)), undefined),
      brokerWith(shownClient(hostileId)),
    );
    rig.type('P');
    await rig.until((text) => text.includes('Enter Choose'));
    expect(rig.text()).toContain(String.raw`Client z\x1b[2J\u202e/é`);
    rig.type(':Ky');
    rig.type('jj');
    await rig.until((text) => text.includes('▸ Unsubscribe'));
    rig.type('kkk');
    await rig.until((text) => text.includes('▸ Disconnect'));
    rig.type('\r');
    await rig.until((text) => text.includes('Disconnect this client?'));
    expect(rig.heard).toEqual([]);
    expect(rig.calls).toEqual([]);
  });

  test('is left by q', async () => {
    const rig = createAskedRig(clientMenu(plainTheme, rowOf(target()), undefined), brokerWith(shownClient()));
    rig.type('P');
    await rig.until((text) => text.includes('Enter Choose'));
    rig.type('q');
    await rig.until((text) => !text.includes('Enter Choose'));
    expect(rig.heard).toEqual([]);
  });

  test('has the actions of the API, and says what it lacks', () => {
    const ids = (unsubscribe: boolean): readonly string[] =>
      clientMenu(plainTheme, rowOf(target(), { unsubscribe }), undefined).choices.map(({ id }) => id);
    expect(ids(true)).toEqual(['disconnect-client', 'subscribe', 'unsubscribe', 'clear-acl-cache']);
    expect(ids(false)).toEqual(['disconnect-client', 'subscribe', 'clear-acl-cache']);
    expect(clientMenu(plainTheme, rowOf(target(), { unsubscribe: false }), undefined).notes).toEqual([
      "This broker's API cannot unsubscribe clients.",
    ]);
    const unread: ClientRow = { target: target(), state: () => initialActingState(1) };
    expect(clientMenu(plainTheme, unread, undefined).notes).toEqual([
      'Not known yet whether this broker can unsubscribe clients.',
    ]);
    const typed = clientMenu(plainTheme, rowOf({ subject: { kind: 'id', clientId: 'x' } }), undefined);
    expect(typed.choices.map(({ id }) => id)).toEqual([
      'disconnect-client',
      'subscribe',
      'unsubscribe',
      'clear-acl-cache',
    ]);
    expect(ids(true)).not.toContain('add-ban');
    const last = clientMenu(
      plainTheme,
      rowOf({ subject: { kind: 'client', client: { ...shownClient(), username: 'ann' } } }, { bans: true }),
      undefined,
    ).choices.at(-1);
    expect(last).toMatchObject({
      id: 'add-ban',
      note: undefined,
      next: { kind: 'form', fields: [{ choices: ['client ID pump-1', 'username ann', 'address 10.0.0.1'] }, {}, {}] },
    });
    expect(confirmed(formOf(last?.next), { target: 'username ann' })).toMatchObject({
      target: 'ann',
      action: { target: { kind: 'username', value: 'ann', seconds: 3_600 } },
    });
    expect(typed.choices.at(-1)?.next).toMatchObject({ kind: 'read', title: 'Clear the ACL cache of x' });
  });

  test('ends the session of an offline client, where that is possible', () => {
    const first = (isConnected: boolean, endsSession: boolean) =>
      clientMenu(
        plainTheme,
        rowOf(
          { subject: { kind: 'session', session: sessionOf('a', { isConnected }) } },
          { disconnectEndsSession: endsSession },
        ),
        undefined,
      ).choices[0];
    expect(first(false, true)).toMatchObject({
      id: 'end-session',
      label: 'End session',
      next: { kind: 'read', title: 'Disconnect a' },
    });
    expect(first(true, true)).toMatchObject({ id: 'disconnect-client' });
    expect(first(false, false)).toMatchObject({ id: 'disconnect-client' });
  });

  test('clears a whole ACL cache without asking for a topic, where that is what the broker does', () => {
    const last = (clearsWholeAclCache: boolean) =>
      clientMenu(plainTheme, rowOf(target(), { clearsWholeAclCache }), undefined).choices.at(-1);
    expect(last(false)).toMatchObject({ id: 'clear-acl-cache', next: { kind: 'form' } });
    expect(last(true)).toMatchObject({
      id: 'clear-acl-cache',
      next: { kind: 'confirm', question: "Clear this client's ACL cache?", action: { target: { clientId: 'pump-1' } } },
    });
  });

  test('is left by Esc', async () => {
    const rig = createAskedRig(clientMenu(plainTheme, rowOf(target()), undefined));
    rig.type('P');
    await rig.until((text) => text.includes('Enter Choose'));
    rig.type('\u001B');
    await rig.until((text) => !text.includes('Enter Choose'));
    expect(rig.heard).toEqual([]);
  });

  test('offers the subscriptions of the client to unsubscribe from', async () => {
    const removed: string[] = [];
    let topics = ['b/2', 'a/1'];
    const rig = createAskedRig(
      chooseSubscriptionRequest(plainTheme, 'pump-1', 'broker7'),
      brokerWith(shownClient(), {
        getSubscriptions: async () => topics.map((topic) => ({ clientId: 'pump-1', topic, qos: 1, node: undefined })),
        unsubscribe: async ({ topic }) => {
          removed.push(topic);
          topics = topics.filter((other) => other !== topic);
        },
      }),
    );
    rig.type('P');
    await rig.until((text) => text.includes('▸ a/1') && text.includes('  b/2'));
    rig.type('\u001B[B');
    await rig.until((text) => text.includes('▸ b/2'));
    rig.type('\r');
    await rig.until((text) => text.includes('from b/2') && text.includes('QoS 1, on broker7'));
    rig.type('y');
    await rig.until((text) => text.includes('behind Unsubscribed client pump-1 from b/2.') && !text.includes('── '));
    expect(removed).toEqual(['b/2']);
  });
});

describe('a ban of a username', () => {
  const known = { canSearch: true };
  /** A broker with these clients; the search finds parts of names too. */
  const broker = (rows: readonly Client[]): ReturnType<typeof createFullBroker>['parts'] & Partial<ManagementApi> => ({
    ...createFullBroker(() => 1_767_225_600).parts,
    capabilities: { ...capabilitiesOfB, ...fullCapabilities, clientSearch: true },
    searchClients: async (_, page) => ({
      ...page,
      items: rows,
      totalItems: undefined,
      totalPages: undefined,
      hasNext: false,
    }),
  });
  const ban = (): DialogRequest =>
    confirmed(formOf(newBanRequest(plainTheme, () => known)), { kind: 'username', value: 'eve', duration: 'never' });
  const eves = ['pump-1', 'pump-2'].map((id) => ({ ...shownClient(id), username: 'eve' }));

  test('offers to disconnect its clients, and asks as for any others', async () => {
    const rig = createAskedRig(ban(), broker([...eves, { ...shownClient('pump-3'), username: 'evelyn' }]));
    rig.type('P');
    await rig.until((text) => text.includes('Ban this username?'));
    rig.type('y');
    await rig.until(
      (text) =>
        text.includes('2 clients are still connected: this ban does not disconnect them.') &&
        text.includes('K Disconnect its clients'),
    );
    rig.type('K');
    await rig.until((text) => flat(text).includes('Disconnect 2 clients with username eve?'));
    expect(rig.text()).toContain('pump-2');
    expect(rig.text()).not.toContain('pump-3');
    expect(flat(rig.text())).toContain('The ban keeps them from reconnecting.');
    expect(flat(rig.text())).not.toContain('may reconnect');
    expect(rig.calls).not.toContain('disconnectClient');
  });

  test('says so if there are none', async () => {
    const rig = createAskedRig(readBannedRequest(plainTheme, { kind: 'address', value: '10.9.9.9' }), broker(eves));
    rig.type('P');
    const lines = await rig.until((text) => text.includes('No such client is connected.'));
    expect(lines.join('\n')).toContain('Disconnect the clients from 10.9.9.9');
  });
});

describe('disconnecting by an id alone', () => {
  const request: DialogRequest = disconnectByIdRequest(plainTheme, 'pump-1', undefined);
  const withClients = (clients: readonly Client[]): AskedRig =>
    createAskedRig(request, {
      getClient: async () => clients,
      getSession: async () => [],
      getSubscriptions: async () => [],
    });

  test('reads the connection first, and asks about it', async () => {
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
    const failing = async (): Promise<never> => {
      throw new TimeoutError(5_000);
    };
    const rig = createAskedRig(request, { getClient: failing, getSession: failing, getSubscriptions: failing });
    rig.type('P');
    await rig.until((text) => flat(text).includes(new TimeoutError(5_000).message));
    expect(rig.calls).not.toContain('disconnectClient');
  });

  test('of an offline client asks about its session, where that can be ended', async () => {
    const session = sessionOf('pump-1', {
      node: 'broker1@127.0.0.1',
      queueLength: 12,
      subscriptions: 2,
      isConnected: false,
    });
    let isThere = true;
    const parts: Partial<ManagementApi> = {
      getClient: async () => [],
      getSubscriptions: async () => [],
      getSession: async () => (isThere ? [session] : []),
      getNodeSession: async () => (isThere ? [session] : []),
      disconnectClient: async () => {
        isThere = false;
      },
    };
    const rig = createAskedRig(request, {
      ...parts,
      capabilities: { ...capabilitiesOfB, disconnectEndsSession: true, sessionCountersSeconds: 15 },
    });
    rig.type('P');
    await rig.until(
      (text) =>
        text.includes('End the session of this client?') &&
        flat(text).includes('It loses its 2 subscriptions; 12 queued messages are lost (counted up to 15 s earlier).'),
    );
    expect(rig.calls).not.toContain('disconnectClient');
    rig.type('y');
    await rig.until((text) =>
      flat(text).includes(
        'Ended the session of client pump-1. It had 12 messages queued (counted up to 15 s earlier).',
      ),
    );
    expect(rig.calls.filter((call) => call === 'disconnectClient')).toHaveLength(1);

    const elsewhere = createAskedRig(request, parts);
    elsewhere.type('P');
    await elsewhere.until((text) => flat(text).includes('Not connected: nothing to disconnect'));
  });

  test('reports no connection, or two', async () => {
    const nobody = withClients([]);
    nobody.type('P');
    await nobody.until((text) => flat(text).includes('Not connected: nothing to disconnect'));
    const two = withClients([shownClient(), { ...shownClient(), port: 1 }]);
    two.type('P');
    await two.until((text) => flat(text).includes('2 connections have this client ID (takeover in progress)'));
    two.type('y');
    two.type('\r');
    await two.until((text) => !text.includes('2 connections'));
    expect(two.calls).not.toContain('disconnectClient');
  });
});

const resultOfPublish: ActionResult = {
  id: 'x',
  outcome: 'unknown',
  reason: 'answer',
  wasSent: true,
  isAccepted: false,
  parts: [],
  error: undefined,
  why: undefined,
  before: undefined,
  after: undefined,
  startedAtMs: 0,
  finishedAtMs: 1,
  auditError: undefined,
};

describe('disconnecting the marked ones', () => {
  const many = Array.from({ length: 12 }, (_, index): Client => ({
    ...shownClient(`pump-${index}`),
    node: index < 8 ? 'broker1' : 'broker2',
    username: index === 0 ? '\u001B]evil' : 'factory',
  }));
  /** A broker that loses those it is told to, except one that has come back anew and one that it refuses. */
  const open = (
    changedIds: ReadonlySet<string> = new Set(),
  ): {
    readonly rig: AskedRig;
    readonly gone: ReadonlySet<string>;
    readonly begun: () => number;
    readonly left: () => ReadonlySet<number> | undefined;
  } => {
    const gone = new Set<string>();
    let begun = 0;
    let left: ReadonlySet<number> | undefined;
    const rows = (clientId: string): readonly Client[] =>
      many
        .filter((client) => client.clientId === clientId && !gone.has(clientId))
        .map((client) => (clientId === 'pump-3' ? { ...client, port: 9 } : client));
    const rig = createAskedRig(
      {
        kind: 'bulk',
        targets: many.map((each) => ({ kind: 'client', client: each })),
        changedIds,
        shownCount: 12,
        onEnd: (places) => {
          left = places;
        },
        onBegin: () => {
          begun += 1;
        },
      },
      {
        getNodeClient: async (_, clientId) => rows(clientId),
        getClient: async (clientId) => rows(clientId),
        disconnectClient: async (clientId) => {
          gone.add(clientId);
        },
      },
    );
    return { rig, gone, begun: () => begun, left: () => left };
  };

  test('names nodes as short as lists do', async () => {
    const nodes = ['broker1@127.0.0.1', 'broker2@127.0.0.1'];
    const targets = nodes.map(
      (node) => ({ kind: 'session', session: sessionOf(`on-${node.slice(0, 7)}`, { node }) }) as const,
    );
    const rig = createAskedRig(
      { kind: 'bulk', targets, changedIds: new Set(), shownCount: 2 },
      {
        listNodes: async () => nodes.map((node) => infoOf(node)),
        listNodeStats: async () => nodes.map((node) => nodeStats(node)),
      },
    );
    rig.type('P');
    const lines = await rig.until((text) => text.includes('by node: broker1 1 · broker2 1'));
    expect(lines.join('\n')).not.toContain('@127.0.0.1');
  });

  test('says how many messages are lost: of the sessions that end', async () => {
    const session = (clientId: string, cleanSession: boolean, queueLength: number | undefined) =>
      ({ kind: 'session', session: sessionOf(clientId, { node: 'broker1', cleanSession, queueLength }) }) as const;
    const linesOf = async (queued: number | undefined): Promise<string> => {
      const rig = createAskedRig({
        kind: 'bulk',
        targets: [session('kept', false, 7), session('a', true, 1_200), session('b', true, queued)],
        changedIds: new Set(),
        shownCount: 3,
      });
      rig.type('P');
      return flat((await rig.until((text) => text.includes('Type 3 to disconnect'))).join(' '));
    };
    expect(await linesOf(4)).toContain('1 session will be kept, 2 will end; 1,204 queued messages are lost.');
    expect(await linesOf(undefined)).toContain(
      '1 session will be kept, 2 will end; at least 1,200 queued messages are lost (1 queue unknown).',
    );
  });

  test('shows what it affects, and needs the number typed', async () => {
    const { rig, gone } = open(new Set(['pump-11']));
    rig.type('P');
    await rig.until((text) => text.includes('Type 11 to disconnect'));
    expect(flat(rig.text())).toContain('20 per second (+ -), about 1 s. Clients may reconnect right away.');
    expect(rig.text()).toContain('Disconnect 11 of 12 marked clients?');
    expect(rig.text()).toContain('by node: broker1 8 · broker2 3');
    expect(rig.text()).toContain(String.raw`by username: factory 10 · \x1b]evil 1`);
    expect(flat(rig.text())).toContain('! 1 will be skipped: gone or reconnected since you marked it (!)');
    expect(rig.text()).not.toContain('! only');
    // Each of them can be looked at, those that are skipped first.
    expect(rig.text()).toMatch(/! pump-11 +broker2 +factory +pump-0 +broker1 +\\x1b\]evil/u);
    rig.type('1\r');
    await rig.until((text) => text.includes('! That does not match. Nothing was sent.'));
    expect(gone.size).toBe(0);
  });

  test('asks with the number of clients, and how many of them the list hides', () => {
    const ofNobody = safe`without a username`;
    expect([
      bulkDialogTexts.question(165, 165, undefined, 160),
      bulkDialogTexts.question(1, 1, undefined),
      bulkDialogTexts.question(40, 44, undefined),
      bulkDialogTexts.question(100, 100, ofNobody),
      bulkDialogTexts.question(98, 100, ofNobody),
      bulkDialogTexts.question(1, 1, ofNobody),
    ]).toEqual([
      'Disconnect 165 marked clients (160 not shown)?',
      'Disconnect 1 marked client?',
      'Disconnect 40 of 44 marked clients?',
      'Disconnect 100 clients without a username?',
      'Disconnect 98 of 100 clients without a username?',
      'Disconnect 1 client without a username?',
    ]);
    expect([bulkTexts.title(1), bulkTexts.title(1_400, ofNobody)]).toEqual([
      'Disconnect 1 marked client',
      'Disconnect 1,400 clients without a username',
    ]);
  });

  test('has four counts that add up, and lists each failure', async () => {
    const { rig, gone, begun } = open();
    rig.type('P');
    await rig.until((text) => text.includes('Type 12 to disconnect'));
    rig.type('12');
    await rig.until((text) => text.includes('disconnect: 12'));
    rig.type('\r');
    await rig.until((text) => text.includes('Enter/Esc Close'));
    expect(flat(rig.text())).toContain('11 of 12 disconnected, 1 skipped (reconnected or gone)');
    expect(flat(rig.text())).toContain('Skipped client pump-3: it reconnected after you selected it.');
    expect(gone.size).toBe(11);
    expect(begun()).toBe(1);
    await expect.poll(() => eventTextsIn(rig.monitor.store.getState()).join('\n')).toContain('Skipped client pump-3: ');
    // Then those that were disconnected are looked for, and only those.
    await rig.until((text) => flat(text).includes('··· reconnects are counted in 5 s'));
    await rig.until((text) => flat(text).includes('0 of 11 reconnected, 11 not yet ('));
    rig.type('\u001B');
    await rig.until((text) => !text.includes('Enter/Esc Close'));
    expect(rig.heard).toEqual([]);
  });

  test('leaves out what has changed, and marks what it did not reach', async () => {
    const { rig, gone, left } = open(new Set(['pump-0', 'pump-11']));
    rig.type('P');
    await rig.until((text) => text.includes('Type 10 to disconnect'));
    // Slow, so that most are left.
    rig.type('----10');
    await rig.until((text) => text.includes('1 per second') && text.includes('disconnect: 10'));
    rig.type('\r');
    await rig.until((text) => text.includes('1 of 10 disconnected'));
    rig.type('x');
    await expect.poll(() => left()?.size ?? 0).toBeGreaterThan(0);
    const places = [...(left() ?? [])];
    expect(places).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10].slice(-places.length));
    expect(gone).not.toContain('pump-0');
    // The next one keeps the rate, and says so until it is changed.
    await rig.until((text) => text.includes('Enter/Esc Close'));
    rig.type('\r');
    await rig.until((text) => !text.includes('Enter/Esc Close'));
    rig.type('P');
    await rig.until((text) => text.includes('1 per second, as last time (+ -)'));
    rig.type('+');
    await rig.until((text) => text.includes('2 per second (+ -)'));
  });

  test('offers nothing to confirm if all are skipped', async () => {
    const { rig, gone } = open(new Set(many.map(({ clientId }) => clientId)));
    rig.type('P');
    await rig.until((text) => flat(text).includes('No clients left to disconnect.'));
    expect(rig.text()).not.toContain('to disconnect:');
    rig.type('\r');
    await rig.until((text) => !text.includes(String('Disconnect 0 of 12 marked clients?')));
    expect(gone.size).toBe(0);
  });

  test('is stopped by x', async () => {
    const { rig, left } = open();
    rig.type('P');
    await rig.until((text) => text.includes('Type 12 to disconnect'));
    // Slow, so that most are left.
    rig.type('----12');
    await rig.until((text) => text.includes('1 per second') && text.includes('disconnect: 12'));
    rig.type('\r');
    await rig.until((text) => text.includes('1 of 12 disconnected') && text.includes('x Stop sending'));
    rig.type('x');
    await rig.until(
      (text) => text.includes('Disconnect 12 marked clients: stopped') && text.includes('Enter/Esc Close'),
    );
    const { bulk } = rig.monitor.store.getState();
    expect(bulk === undefined ? 0 : bulk.done + bulk.notDone + bulk.unknown + bulk.skipped).toBe(12);
    const notReached = bulk?.skips.notReached ?? 0;
    expect(notReached).toBeGreaterThan(0);
    expect([...(left() ?? [])]).toEqual(many.map((_, place) => place).slice(-notReached));
    expect(rig.text()).toContain('── Disconnect 12 marked clients: stopped');
    expect(rig.text()).toContain(bulkDialogTexts.marked(notReached));
    expect(rig.text()).not.toContain('100 %');
    expect(flat(rig.text())).toContain(bulkTexts.counts('1', '0', '0', '0 skipped', String(notReached), '12'));
  });

  test('runs at the chosen rate, 1 to 200 per second, and shows the time it takes', async () => {
    const { rig, gone } = open();
    rig.type('P');
    await rig.until((text) => text.includes('20 per second'));
    for (const pace of [10, 5, 2, 1]) {
      rig.type('-');
      await rig.until((text) => text.includes(` ${pace} per second`));
    }
    expect(rig.text()).toContain('(+ -), about 11 s.');
    rig.type('-++++++++');
    await rig.until((text) => text.includes('200 per second'));
    expect(gone.size).toBe(0);
    rig.type('12');
    await rig.until((text) => text.includes('disconnect: 12'));
    rig.type('\r');
    await rig.until((text) => text.includes('Enter/Esc Close'));
    expect(rig.monitor.store.getState().bulk).toMatchObject({ perSecond: 200, done: 11, skipped: 1 });
    // Nothing is left to try again, so the next one starts at the default rate.
    rig.type('\r');
    await rig.until((text) => !text.includes('Enter/Esc Close'));
    rig.type('P');
    await rig.until((text) => text.includes('20 per second'));
  });

  test('continues when its dialog is left, one at a time, and can be opened again', async () => {
    const { rig } = open();
    rig.type('P');
    await rig.until((text) => text.includes('20 per second'));
    rig.type('----12');
    await rig.until((text) => text.includes('1 per second') && text.includes('disconnect: 12'));
    rig.type('\r');
    await rig.until((text) => text.includes('1 of 12 disconnected') && text.includes('Esc Run in background'));
    rig.type('\u001B');
    await rig.until((text) => !text.includes('Run in background'));
    expect(rig.monitor.store.getState().bulk).toMatchObject({ phase: 'running', perSecond: 1 });
    rig.type('P');
    await rig.until((text) => text.includes('Another bulk disconnect is still running: press B to see it'));
    expect(rig.text()).not.toContain('Type 12 to disconnect');
    rig.type('B');
    await rig.until((text) => text.includes('x Stop sending'));
    expect(flat(rig.text())).toContain('1 per second, about');
    rig.type('x');
    await rig.until(
      (text) => text.includes('Disconnect 12 marked clients: stopped') && text.includes('Enter/Esc Close'),
    );
    rig.type('\r');
    await rig.until((text) => !text.includes('Enter/Esc Close'));
    rig.type('B');
    await rig.until((text) => text.includes('Disconnect 12 marked clients: stopped'));
    expect(rig.heard).toEqual([]);
  });

  test('reports its end on the screen when its dialog is closed', async () => {
    const { rig } = open();
    rig.type('P');
    await rig.until((text) => text.includes('20 per second'));
    rig.type('12');
    await rig.until((text) => text.includes('disconnect: 12'));
    rig.type('\r');
    await rig.until((text) => text.includes('2 of 12 disconnected') && text.includes('Esc Run in background'));
    rig.type('b');
    await rig.until((text) => text.includes('behind Finished: 11 of 12 disconnected'));
    expect(rig.text()).not.toContain('Enter/Esc Close');
  });

  test('before the first one B opens nothing', async () => {
    const { rig } = open();
    rig.type('B');
    await rig.until((text) => text.includes('No bulk disconnect yet'));
    expect(rig.text()).not.toContain('Esc');
  });

  test('of sessions shows who their users are once the clients are read', async () => {
    const clients = deferred<{ readonly items: readonly Client[] }>();
    const sessions = many
      .slice(0, 3)
      .map(({ clientId }) => ({ kind: 'session', session: sessionOf(clientId, { node: 'broker1' }) }) as const);
    // One that may have connected since the clients were read.
    const late = {
      kind: 'session',
      session: sessionOf('late', { node: 'broker1', createdAt: brokerClock + 60 }),
    } as const;
    const rig = createAskedRig(
      { kind: 'bulk', targets: [...sessions, late], changedIds: new Set(), shownCount: 1 },
      {
        listNodes: async () => [infoOf('broker1')],
        listNodeStats: async () => [nodeStats('broker1', 'running', { clients: 3 })],
        listClients: async (_, page) => {
          const { items } = await clients.promise;
          return { ...page, items, totalItems: items.length, totalPages: 1 };
        },
      },
    );
    rig.type('P');
    await rig.until((text) => text.includes('by username: ··· client list'));
    expect(rig.text()).toContain('  all on broker1 ');
    expect(rig.text()).toContain('── Disconnect 4 marked clients (3 not shown)?');
    expect(rig.text()).not.toContain('not connected');
    clients.resolve({ items: many.slice(1, 3) });
    await rig.until((text) => text.includes('by username: factory 2 · – 1'));
    await rig.until((text) => flat(text).includes('! 1 will be skipped: not connected (○)'));
    expect(flat(rig.text())).toContain('! 1 will be skipped: not connected (○)');
    expect(rig.text()).toMatch(/○ pump-0 +– /u);
    expect(rig.text()).not.toMatch(/○ pump-[12]/u);
    expect(rig.text()).toMatch(/ {2}pump-1 +factory/u);
  });

  test('a client that has reconnected is not the marked one', () => {
    const marked = new Map(many.slice(0, 3).map((client) => [client.clientId, client]));
    expect(changedIdsOf(marked, many, selectableClients)).toEqual(new Set());
    expect(
      changedIdsOf(
        marked,
        many.map((client) => ({ ...client, port: 1 })),
        selectableClients,
      ),
    ).toEqual(new Set(marked.keys()));
    expect(changedIdsOf(marked, [], selectableClients)).toEqual(new Set(marked.keys()));
  });
});

describe('quitting', () => {
  const sure = async (rig: AskedRig): Promise<void> => {
    rig.type('P');
    await rig.until((text) => text.includes('Disconnect this client?'));
    rig.type('y');
    await rig.until((text) => text.includes('sent, waiting for the response'));
  };

  test('without a running action ends at once', async () => {
    const rig = createAskedRig(disconnectRequest(plainTheme, shownClient()), brokerWith(shownClient()));
    rig.type('q');
    await vi.waitFor(
      () => {
        expect(rig.heard).toEqual(['exit']);
      },
      { timeout: 20_000 },
    );
  });

  test('in the demo q asks once, because its cluster ends too; Ctrl-C ends at once', async () => {
    const rig = createAskedRig(disconnectRequest(plainTheme, shownClient()), brokerWith(shownClient()), {
      isDemo: true,
    });
    rig.type('q');
    await rig.until((text) => text.includes('Quit now?') && text.includes('The demo cluster stops too.'));
    rig.type('n');
    await rig.until((text) => !text.includes('Quit now?'));
    expect(rig.heard).toEqual([]);
    rig.type('\u0003');
    await vi.waitFor(
      () => {
        expect(rig.heard).toEqual(['exit']);
      },
      { timeout: 20_000 },
    );
  });

  test('in the demo y confirms', async () => {
    const rig = createAskedRig(disconnectRequest(plainTheme, shownClient()), brokerWith(shownClient()), {
      isDemo: true,
    });
    rig.type('q');
    await rig.until((text) => text.includes('The demo cluster stops too.'));
    rig.type('y');
    await vi.waitFor(
      () => {
        expect(rig.heard).toEqual(['exit']);
      },
      { timeout: 20_000 },
    );
  });

  test('while an action runs asks once, on top of the open dialog, and says which outcome would be unknown', async () => {
    const gate = deferred<void>();
    const rig = createAskedRig(
      disconnectRequest(plainTheme, shownClient()),
      brokerWith(shownClient(), {}, gate.promise),
    );
    await sure(rig);
    rig.type('\u0003');
    await rig.until((text) => text.includes('── Quit now?'));
    expect(flat(rig.text())).toContain('disconnect client pump-1: already sent, its outcome would be unknown.');
    rig.type('\r');
    // Staying is the default, and what was open is there again.
    await rig.until((text) => text.includes('sent, waiting for the response'));
    expect(rig.heard).toEqual([]);
    rig.type('\u0003');
    await rig.until((text) => text.includes('── Quit now?'));
    gate.resolve();
    await rig.until((text) => text.includes('No action is running.'));
    rig.type('y');
    await vi.waitFor(
      () => {
        expect(rig.heard).toEqual(['exit']);
      },
      { timeout: 20_000 },
    );
  });

  test('by q in the dialog of an action or bulk closes only the dialog; Ctrl-C asks', async () => {
    const gate = deferred<void>();
    const rig = createAskedRig(
      disconnectRequest(plainTheme, shownClient()),
      brokerWith(shownClient(), {}, gate.promise),
    );
    await sure(rig);
    rig.type('q');
    await rig.until((text) => !text.includes('sent, waiting for the response'));
    // The action still runs.
    rig.type('\u0003');
    await rig.until((text) => text.includes('── Quit now?'));
    rig.type('q');
    await rig.until((text) => !text.includes('── Quit now?'));
    gate.resolve();
    const many = createAskedRig(
      { kind: 'bulk', targets: [{ kind: 'client', client: shownClient() }], changedIds: new Set(), shownCount: 1 },
      brokerWith(shownClient(), {}, deferred<void>().promise),
    );
    many.type('P');
    await many.until((text) => text.includes('Type 1 to disconnect'));
    many.type('1');
    await many.until((text) => text.includes('disconnect: 1'));
    many.type('\r');
    await many.until((text) => text.includes('1 sent'));
    many.type('\u0003');
    await many.until((text) => text.includes('── Quit now?'));
    many.type('n');
    await many.until((text) => text.includes('1 sent'));
    many.type('q');
    await many.until((text) => !text.includes('1 sent'));
    expect([...rig.heard, ...many.heard]).toEqual([]);
  });

  test('twice ends the program', async () => {
    const gate = deferred<void>();
    const rig = createAskedRig(
      disconnectRequest(plainTheme, shownClient()),
      brokerWith(shownClient(), {}, gate.promise),
    );
    await sure(rig);
    rig.type('\u001B');
    await rig.until((text) => !text.includes('sent, waiting for the response'));
    rig.type('q');
    await rig.until((text) => text.includes('── Quit now?'));
    expect(rig.heard).toEqual([]);
    rig.type('\u0003');
    await vi.waitFor(
      () => {
        expect(rig.heard).toEqual(['exit']);
      },
      { timeout: 20_000 },
    );
    gate.resolve();
  });

  test('asks from the moment a bulk starts, even while states are batched', async () => {
    const monitor = createMonitor({
      api: createFakeApi({ capabilities: capabilitiesOfB, ...brokerWith(shownClient()) }),
      intervalSeconds: 60,
      holdMs: 3_600_000,
    });
    const bulk = monitor.startBulk([disconnectClient.create({ kind: 'client', client: shownClient() })], {
      title: 'Disconnect 1 marked clients',
    });
    expect(isActing(monitor.store.getState())).toBe(true);
    await bulk?.finished;
    monitor.stop();
  });

  test('during a bulk says how many would not be reached', () => {
    const bulk = {
      id: 'b',
      title: 'Disconnect 24 marked clients',
      phase: 'running',
      total: 24,
      perSecond: 20,
      done: 3,
      notDone: 0,
      unknown: 0,
      skipped: 0,
      skips: noSkips,
      running: 3,
      sent: 2,
      waiting: 18,
      failures: [],
      disconnectedIds: [],
      endedBecause: undefined,
      startedAtMs: 0,
      finishedAtMs: undefined,
    } as const;
    expect(isActing({ actions: [], bulk })).toBe(true);
    expect(quitQuestion(plainTheme, { actions: [], bulk }).details).toEqual([
      'Disconnect 24 marked clients: 19 of 24 would not be sent; the outcome of 2 already sent would be unknown.',
    ]);
    expect(isActing({ actions: [], bulk: { ...bulk, phase: 'finished' } })).toBe(false);
    expect(quitQuestion(plainTheme, { actions: [], bulk: { ...bulk, phase: 'finished' } }).details).toEqual([]);
    expect(quitQuestion(plainTheme, { actions: [], bulk: { ...bulk, sent: 0 } }).details?.join('')).not.toContain(
      '0 sent',
    );
  });

  test('says which outcomes are unknown, also when no action is running', () => {
    const record = (key: string, outcome: ActionResult['outcome']): ActionRecord => ({
      key,
      name: 'publish',
      title: `publish to ${key}`,
      startedAtMs: 0,
      phase: 'finished',
      result: { ...resultOfPublish, outcome },
    });
    const actions = [record('lost', 'unknown'), record('sent', 'accepted')];
    const bulk = {
      id: 'b',
      title: 'Disconnect 2 marked clients',
      phase: 'finished',
      total: 2,
      perSecond: 20,
      done: 1,
      notDone: 0,
      unknown: 1,
      skipped: 0,
      skips: noSkips,
      running: 0,
      sent: 0,
      waiting: 0,
      failures: [],
      disconnectedIds: [],
      endedBecause: undefined,
      startedAtMs: 0,
      finishedAtMs: 1,
    } as const;
    expect(quitQuestion(plainTheme, { actions, bulk })).toMatchObject({
      target: 'No action is running, but some outcomes are unknown.',
      details: [
        'Disconnect 2 marked clients: the outcome of 1 is unknown.',
        'publish to lost: its outcome is unknown.',
      ],
    });
    expect(quitQuestion(plainTheme, { actions: actions.slice(1), bulk: undefined })).toMatchObject({
      target: 'No action is running.',
      details: [],
    });
    const running: ActionRecord = { ...record('later', 'done'), phase: 'sending', result: undefined };
    expect(quitQuestion(plainTheme, { actions: [...actions, running], bulk: undefined })).toMatchObject({
      target: 'Actions are still running.',
      details: [
        'publish to later: already sent, its outcome would be unknown.',
        'publish to lost: its outcome is unknown.',
      ],
    });
    expect(quitQuestion(plainTheme, { actions: [running], bulk: undefined }, true)).toMatchObject({
      target: 'Actions are still running.',
      details: ['publish to later: already sent, its outcome would be unknown.', 'The demo cluster stops too.'],
    });
  });
});
