import type { DialogRequest, FormRequest } from '../../src/actions/requests.ts';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { afterEach, expect, test, vi } from 'vitest';
import { actionDefinitions } from '../../src/resources/actions.ts';
import { isLacking } from '../../src/api/capabilities.ts';
import type { ServedApi } from '../../src/api/dialect.ts';
import type { Capabilities, ManagementApi } from '../../src/api/management-api.ts';
import { endpoints } from '../../src/api/dialects/emq-v2/paths.ts';
import { createManagementServer } from '../../src/api/dialects/emq-v2/server/server.ts';
import { variants } from '../../src/api/dialects/emq-v2/variants.ts';
import { createHttpApi } from '../../src/api/dialects/index.ts';
import { type Clock, systemClock } from '../../src/monitor/clock.ts';
import { DialogContext, type OpenDialog } from '../../src/tui/hooks/open-dialog.ts';
import { Frame } from '../../src/screens/frame.tsx';
import type { Place } from '../../src/screens/navigation.ts';
import { CurrentScreen } from '../../src/screens/current-screen.tsx';
import { definitionOf, type ScreenId, screens } from '../../src/screens/registry.ts';
import { createSampleApi, nodeNames } from '../api/dialects/emq-v2/server/sample-api.ts';
import { endpointsOf, nameOf, specifiedEndpoints } from '../fixtures/specified-endpoints.ts';
import { createFakeApi } from '../monitor/fake-api.ts';
import { createFullBroker, fullCapabilities } from '../support/full-broker.ts';
import { listenerOf } from './list-fixtures.ts';
import { createRig, endRigs, type Rig } from '../tui/support/rig.tsx';
import { allBindings, catalog } from '../../src/screens/keys.ts';
import type { ScreenDefinition } from '../../src/tui/keys/catalog.ts';
import { commandOfAction } from '../../src/actions/define-action.ts';
import { createTriagedMonitor } from '../../src/timeline/triaged-monitor.ts';
import type { TriagedMonitor } from '../../src/triage/triaged-monitor.ts';
import type { Scope } from '../../src/tui/keys/bindings.ts';

type Variant = 'a' | 'b';

/** A request that is in no specification, but some real brokers have it. */
const unspecified = 'unknown: GET nodes/one@127.0.0.1/alarms';

/** Endpoints that are asked only while a node does not answer in time (api/dialects/emq-v2/frozen), and why no screen or action needs them before. */
const fallbackEndpoints: Readonly<Record<Variant, Readonly<Record<string, string>>>> = {
  a: {
    'GET management/nodes/{node_name}': 'the list of all nodes has the same, with the name',
    'GET monitoring/nodes/{node_name}': 'the list of all nodes has the same',
    'GET monitoring/listeners/{node_name}': 'the list of all nodes has the same',
    'GET monitoring/stats/{node_name}': 'the list of all nodes has the same',
    'GET monitoring/metrics/{node_name}': 'this variant returns the counters of all nodes at once',
  },
  b: {
    'GET management/nodes/{node_name}': 'the list of all nodes has the same, with the name',
    'GET monitoring/nodes/{node_name}': 'the list of all nodes has the same',
    'GET monitoring/listeners/{node_name}': 'the list of all nodes has the same',
    'GET monitoring/stats/{node_name}': 'the list of all nodes has the same',
    'GET nodes/{node_name}/subscriptions/{clientid}': 'subscriptions/{client_id} returns the same of all nodes',
  },
};

const [node] = nodeNames;
const plugin = 'broker_recon';

/** Places with more than a screen id, and scopes that use other endpoints. */
const specialPlaces: Readonly<Partial<Record<ScreenId, readonly Place[]>>> = {
  node: [{ screen: 'node', node }],
  client: [{ screen: 'client', clientId: 'id-00' }],
  'session-messages': [{ screen: 'session-messages', clientId: 'id-00' }],
  trace: [],
  'plugin-settings': [{ screen: 'plugin-settings', node, plugin }],
  subscriptions: [{ screen: 'subscriptions' }, { screen: 'subscriptions', scope: { kind: 'topic', topic: 'a/#' } }],
  routes: [{ screen: 'routes' }, { screen: 'routes', scope: { kind: 'topic', topic: 'a/#' } }],
};

const placesOf = (id: ScreenId): readonly Place[] =>
  specialPlaces[id] ??
  (id === 'node' || id === 'client' || id === 'session-messages' || id === 'trace' || id === 'plugin-settings'
    ? []
    : [{ screen: id }]);

/** The scope of the keys that act on the rows of a list; `undefined` where there are none. */
const actingScopeOf = ({ scopes, listKeys }: ScreenDefinition): Scope | undefined =>
  listKeys === undefined
    ? allBindings.find(({ scope, group }) => scopes.includes(scope) && group === 'Actions')?.scope
    : undefined;

/** The sample API with lists that agree with its details, so that no action is skipped as changed. */
const sampleApi = (): Omit<ServedApi, 'capabilities'> => {
  const { api } = createSampleApi();
  const settings = [{ key: 'mqtt.x', value: '1', dataType: 'integer', app: 'mqtt' }];
  const subscription = { clientId: 'id-00', topic: 'a/#', qos: 1, node };
  return {
    ...api,
    listClients: async (name, page) =>
      name === node ? api.listClients(name, page) : { ...page, items: [], totalItems: 0, totalPages: 0 },
    listSubscriptions: async (name, page) => ({
      ...page,
      items: name === node ? [subscription] : [],
      totalItems: 1,
      totalPages: 1,
    }),
    getSubscriptions: async () => [subscription],
    listSettings: async () => new Map(nodeNames.map((name) => [name, settings])),
    getSettings: async () => settings,
    listUsers: async () => [{ username: 'op1', tags: 'viewer' }],
  };
};

const valueOf = ({ id, kind, initial = '' }: FormRequest['fields'][number]): string => {
  if (kind === 'hidden') return id === 'old' ? 'before' : 'after';
  return id === 'duration' ? initial : `${initial}1`;
};

/** Values for a form: each field typed in, and each choice of each field once. */
const formValues = ({ fields }: FormRequest): readonly Readonly<Record<string, string>>[] => {
  const base = Object.fromEntries(
    fields.map((field) => [field.id, field.kind === 'choice' ? (field.choices?.[0] ?? '') : valueOf(field)]),
  );
  return [
    base,
    ...fields.flatMap(({ id, choices = [] }) => choices.slice(1).map((choice) => ({ ...base, [id]: choice }))),
  ];
};

/** Confirms everything, after trying all choices. */
const confirmAll = (monitor: TriagedMonitor): OpenDialog => {
  const agree = (request: DialogRequest): void => {
    switch (request.kind) {
      case 'confirm':
        void monitor.runAction(request.action);
        break;
      case 'menu':
        for (const { next } of request.choices) {
          if (typeof next !== 'string') agree(next);
        }
        break;
      case 'form':
        for (const values of formValues(request)) {
          const built = request.build(values);
          if ('next' in built) agree(built.next);
        }
        break;
      case 'read':
        void request.read({ monitor, signal: new AbortController().signal }).then((outcome) => {
          if ('request' in outcome) agree(outcome.request);
        });
        break;
      // Leads to the same confirmations.
      case 'bulk':
        break;
    }
  };
  return agree;
};

const actingKeys = (scope: Scope, capabilities: Capabilities | undefined): readonly string[] => {
  const ids = new Set<string>(actionDefinitions.map(commandOfAction));
  return allBindings
    .filter((each) => each.scope === scope && ids.has(each.id) && !catalog.isAbsent(each.id, capabilities))
    .map(({ keys }) => keys[0] ?? '');
};

const size = { width: 100, height: 12 };
const nothing = (): void => {};

const open = (monitor: TriagedMonitor, place: Place, ask: OpenDialog = nothing, notify = nothing): Rig => {
  const screen = (
    <CurrentScreen {...size} monitor={monitor} place={place} go={nothing} notify={notify} ownUser="admin" />
  );
  return createRig(<DialogContext value={ask}>{screen}</DialogContext>, { columns: size.width, rows: size.height });
};

/** Opens a screen and presses every key of an action once there is a row. */
const runActions = async (monitor: TriagedMonitor, place: Place, scope: Scope): Promise<void> => {
  const agree = confirmAll(monitor);
  let answers = 0;
  const rig = open(
    monitor,
    place,
    (request) => {
      answers += 1;
      agree(request);
    },
    () => {
      answers += 1;
    },
  );
  await rig.until((text) => text.includes('▸'));
  for (const key of actingKeys(scope, monitor.store.getState().capabilities)) {
    const before = answers;
    rig.type(key);
    await vi.waitFor(
      () => {
        expect(answers, `${key} on ${place.screen}`).toBe(before + 1);
      },
      { timeout: 30_000, interval: 10 },
    );
  }
  rig.unmount();
};

const publish = async (monitor: TriagedMonitor): Promise<void> => {
  const session = {
    url: 'http://127.0.0.1',
    isReadOnly: false,
    isInsecure: false,
    readPayload: async () => '',
    describeApi: () => '',
  };
  const rig = createRig(
    <Frame
      monitor={monitor}
      session={session}
      signIn={{ source: undefined, readAgain: async () => '', takePassword: () => {} }}
    />,
    { columns: 100, rows: 30 },
  );
  rig.type('P');
  await rig.until((text) => text.includes('Publish a message'));
  rig.type('t');
  await rig.until((text) => /Topic +t/u.test(text));
  for (let field = 0; field < 6; field += 1) rig.type('\r');
  await rig.until((text) => text.includes('Publish this message?'));
  rig.type('y');
  await rig.until((text) => !text.includes('Publish this message?'));
  rig.unmount();
};

interface Recording {
  readonly requests: ReadonlySet<string>;
  readonly stop: () => void;
}

const isRequest = (
  message: unknown,
): message is { readonly request: { readonly method: string; readonly path: string } } =>
  typeof message === 'object' && message !== null && 'request' in message;

/** Records every request of this process. */
const record = (): Recording => {
  const requests = new Set<string>();
  const note = (message: unknown): void => {
    if (!isRequest(message)) return;
    const { method, path } = message.request;
    requests.add(`${method} ${path.split('?', 1)[0]?.replace('/api/v2/', '') ?? ''}`);
  };
  subscribe('undici:request:create', note);
  return {
    requests,
    stop: () => {
      unsubscribe('undici:request:create', note);
    },
  };
};

/** A clock that runs thirty times as fast, because actions poll for their effect. */
const fastClock: Clock = {
  ...systemClock,
  monotonicMs: () => systemClock.monotonicMs() * 30,
  setTimer: (delayMs, onElapsed) => systemClock.setTimer(delayMs / 30, onElapsed),
};

const closing: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  endRigs();
  for (const close of closing.splice(0).toReversed()) await close();
});

/** The endpoints of requests by their names in the specification. */
const endpointsOfRequests = (requests: ReadonlySet<string>, variant: Variant): ReadonlySet<string> =>
  new Set(
    [...requests].map((line) => {
      const [method = '', path = ''] = line.split(' ');
      const [found, another] = endpointsOf(method, path, variant);
      return found === undefined || another !== undefined ? `unknown: ${line}` : nameOf(found);
    }),
  );

test.each(['a', 'b'] as const)(
  'screens and actions reach every endpoint of variant %s',
  { timeout: 100_000 },
  async (variant) => {
    const recording = record();
    closing.push(recording.stop);
    const server = await createManagementServer({
      api: sampleApi(),
      variant,
      authenticate: async () => true,
      host: '127.0.0.1',
      port: 0,
    });
    closing.push(() => server.close());
    const api = createHttpApi({ url: server.url, user: 'admin', password: 'public', variant });
    closing.push(() => api.close());
    const monitorOn = (clock: Clock): TriagedMonitor => {
      const monitor = createTriagedMonitor({ api, clock, intervalSeconds: 30 });
      closing.push(() => {
        monitor.stop();
      });
      return monitor;
    };
    const acted = monitorOn(fastClock);

    for (const { id } of screens) {
      const definition = definitionOf(id);
      const scope = actingScopeOf(definition);
      const [place] = placesOf(id);
      const isOffered =
        definition.capability === undefined || !isLacking(definition.capability, variants[variant].capabilities);
      if (
        place !== undefined &&
        scope !== undefined &&
        isOffered &&
        actingKeys(scope, variants[variant].capabilities).length > 0
      )
        await runActions(acted, place, scope);
    }
    await publish(acted);
    const { actions, capabilities } = acted.store.getState();
    const possible = actionDefinitions.filter(
      (each) => !('capability' in each) || !isLacking(each.capability, capabilities),
    );
    // The sample's plugin is inactive, so there is nothing to stop.
    expect(new Set(actions.map(({ name }) => name))).toEqual(
      new Set(possible.map(({ id }) => id).filter((id) => id !== 'stop-plugin')),
    );
    // Real time: with so many screens the fast clock would redraw all the time.
    const watched = monitorOn(systemClock);
    for (const { id } of screens) for (const place of placesOf(id)) open(watched, place);

    const isNeeded = (name: string): boolean => !Object.hasOwn(fallbackEndpoints[variant], name);
    const expected = specifiedEndpoints
      .filter(({ variants }) => variants.includes(variant))
      .map(nameOf)
      .filter(isNeeded)
      .toSorted();
    // On a busy machine any node may be late.
    await vi.waitFor(
      () => {
        expect([...endpointsOfRequests(recording.requests, variant)].filter(isNeeded).toSorted()).toEqual([
          ...expected,
          unspecified,
        ]);
      },
      { timeout: 60_000, interval: 100 },
    );
  },
);

test('screens and actions reach every call of a broker of today', { timeout: 100_000 }, async () => {
  const clock = (): number => Math.floor(Date.now() / 1_000);
  const broker = createFullBroker(clock);
  broker.listeners = new Map(nodeNames.map((name) => [name, [listenerOf({ id: 'tcp:default', running: 'partly' })]]));
  broker.bans = [
    { kind: 'username', value: 'eve', reason: undefined, by: undefined, since: undefined, until: undefined },
  ];
  broker.endedAlarms = [
    {
      id: 'partition',
      severity: undefined,
      title: undefined,
      summary: undefined,
      occurredAt: 1,
      endedAt: 2,
      node: nodeNames[0],
    },
  ];
  broker.retained = [
    {
      topic: 'a/b',
      qos: 1,
      publishedAt: 1,
      fromClientId: undefined,
      fromUsername: undefined,
      payload: new Uint8Array([1]),
    },
  ];
  const nodeState = new Map([[node, { status: 'disconnected' as const, reason: 'Connection refused' }]]);
  broker.integrations = [
    { kind: 'connector', id: 'http:a', isEnabled: true, nodes: nodeState },
    { kind: 'rule', id: 'r', isEnabled: undefined, sql: 'SELECT *', actions: [], nodes: new Map() },
  ];
  // Above the one that the form adds.
  broker.apiKeys = [
    { name: '0', key: 'k', description: undefined, isEnabled: undefined, createdAt: undefined, expiresAt: undefined },
  ];
  broker.traces = [
    {
      name: 'other',
      kind: 'client-id',
      value: 'id-09',
      status: 'running',
      startAt: clock() + 60,
      endAt: clock() + 600,
      logBytes: new Map([[nodeNames[0], 10]]),
      unparsed: {},
    },
  ];
  const called = new Set<string>();
  const noted = Object.fromEntries(
    Object.entries(broker.parts).map(([name, call]) => [
      name,
      (...values: readonly unknown[]): unknown => {
        called.add(name);
        return Reflect.apply(call, undefined, values);
      },
    ]),
  );
  const api: ManagementApi = createFakeApi({
    ...sampleApi(),
    ...noted,
    capabilities: { ...variants.b.capabilities, ...fullCapabilities },
  });
  const monitor = createTriagedMonitor({ api, clock: fastClock, intervalSeconds: 30 });
  closing.push(() => {
    monitor.stop();
  });
  const newer = actionDefinitions.filter(
    (each) => 'capability' in each && isLacking(each.capability, variants.b.capabilities),
  );
  open(monitor, { screen: 'session-messages', clientId: 'id-00' });
  open(monitor, { screen: 'slowSubscriptions' });
  open(monitor, { screen: 'accessBackends' });
  open(monitor, { screen: 'trace', name: 'other' });
  for (const id of ['bans', 'listeners', 'apiKeys', 'retained', 'traces'] as const) {
    const scope = actingScopeOf(definitionOf(id));
    if (scope !== undefined) await runActions(monitor, { screen: id }, scope);
  }
  const integrations = open(monitor, { screen: 'integrations' }, confirmAll(monitor));
  await integrations.until((text) => text.includes('▸'));
  integrations.type('R');
  await integrations.until((text) => /http:a +connector +connected/u.test(text));
  integrations.type('j');
  for (const [key, name] of [
    ['S', 'enable-rule'],
    ['K', 'disable-rule'],
  ] as const) {
    integrations.type(key);
    await vi.waitFor(
      () => {
        expect(monitor.store.getState().actions.map((action) => action.name)).toContain(name);
      },
      { timeout: 30_000, interval: 10 },
    );
  }
  const clients = open(monitor, { screen: 'clients' }, confirmAll(monitor));
  await clients.until((text) => text.includes('▸'));
  clients.type('f');
  const alarms = open(monitor, { screen: 'alarms' }, confirmAll(monitor));
  await vi.waitFor(
    () => {
      expect(called).toContain('listAlarms');
    },
    { timeout: 30_000, interval: 10 },
  );
  alarms.type('v');
  await alarms.until((text) => text.includes('partition'));
  alarms.type('D');
  await vi.waitFor(
    () => {
      expect([...called].toSorted()).toEqual(Object.keys(broker.parts).toSorted());
      // Asked by a dialog that reads the session first (dialogs/menu-and-bulk).
      expect(new Set(monitor.store.getState().actions.map(({ name }) => name))).toEqual(
        new Set(newer.map(({ id }) => id).filter((id) => id !== 'end-session')),
      );
    },
    { timeout: 60_000, interval: 100 },
  );
});

test('the endpoints not reached are named as in the specification', () => {
  for (const variant of ['a', 'b'] as const) {
    const names = specifiedEndpoints.filter(({ variants }) => variants.includes(variant)).map(nameOf);
    expect(names).toEqual(expect.arrayContaining(Object.keys(fallbackEndpoints[variant])));
  }
});

test('the client knows exactly the endpoints of the specification', () => {
  const params = { node: 'n', clientId: 'c', topic: 't', plugin: 'p', app: 'x', username: 'u' };
  const known = Object.values(endpoints).map(({ method, build }) => {
    const path = build(params);
    const lines = new Set([...endpointsOf(method, path, 'a'), ...endpointsOf(method, path, 'b')]);
    return [...lines].map(nameOf).join(' and ');
  });
  expect(known.toSorted()).toEqual(specifiedEndpoints.map(nameOf).toSorted());
});
