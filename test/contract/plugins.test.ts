import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Chain, errorOfKind, nextMessages, nodeNames, startChain, variants } from './support.ts';

const [one, two] = nodeNames;
/** Target of an action: in variant A always all nodes. */
const nodeOf = { a: undefined, b: one } as const;

describe.each(variants)('plugins, variant %s', (variant) => {
  let chain: Chain;
  const node = nodeOf[variant];
  const active = async (name: string): Promise<readonly (boolean | undefined)[]> =>
    Promise.all(
      nodeNames.map(async (on) => (await chain.api.listPlugins(on)).find((plugin) => plugin.name === name)?.active),
    );

  beforeAll(async () => {
    const users = { active: false, settings: { 'auth.user.1.username': 'ann', 'auth.user.1.password': 'secret' } };
    const state = { settings: {}, plugins: { broker_auth_username: users } };
    chain = await startChain(variant, { state: { nodes: Object.fromEntries(nodeNames.map((name) => [name, state])) } });
  });
  afterAll(() => chain.close());

  it('are listed with all their fields', async () => {
    const plugins = await chain.api.listPlugins(one);
    expect(plugins.map(({ name }) => name).filter((name) => !name.startsWith('broker_'))).toEqual([]);
    expect(plugins).toHaveLength(variant === 'a' ? 21 : 20);
    expect(plugins.some(({ name }) => name === 'broker_lwm2m')).toBe(variant === 'a');
    expect(plugins).toContainEqual({
      name: 'broker_retainer',
      version: '1.2.3',
      description: 'Retained messages',
      active: true,
      duty: 'retaining',
    });
    await expect(chain.api.listPlugins('nobody@nowhere')).rejects.toEqual(errorOfKind('not-found'));
  });

  it('are stopped and started: on the node named, or everywhere where none can be', async () => {
    const { api } = chain;
    await api.stopPlugin(node, 'broker_retainer');
    expect(await active('broker_retainer')).toEqual(variant === 'a' ? [false, false, false] : [false, true, true]);
    await expect(api.stopPlugin(node, 'broker_retainer')).rejects.toEqual(errorOfKind('not-started'));
    await api.publish({ topic: 'kept', payload: 'x', retain: true });
    expect((await api.getStats(one)).retained.count).toBe(0);
    await api.startPlugin(node, 'broker_retainer');
    await expect(api.startPlugin(node, 'broker_retainer')).rejects.toEqual(errorOfKind('already-started'));
    await api.publish({ topic: 'kept', payload: 'x', retain: true });
    expect((await api.getStats(one)).retained.count).toBe(1);
  });

  it('say why they cannot', async () => {
    const { api } = chain;
    const failed = await api.startPlugin(node, 'broker_auth_mysql').catch((error: unknown) => error);
    expect(failed).toMatchObject({
      name: 'BrokerError',
      code: 102,
      brokerMessage: expect.stringContaining('needs a MySQL server'),
    });
    await expect(api.startPlugin(node, 'broker_nope')).rejects.toEqual(errorOfKind('failed'));
    await expect(api.stopPlugin(node, 'broker_nope')).rejects.toEqual(errorOfKind('not-started'));
    await expect(api.stopPlugin(node, 'broker_dashboard')).rejects.toEqual(errorOfKind('failed'));
    expect(await chain.api.listNodes()).toHaveLength(3);
  });

  it('ask for names and passwords from the moment they are started', async () => {
    const { api } = chain;
    await chain.connect('nobody', 0);
    await api.startPlugin(node, 'broker_auth_username');
    await expect(chain.connect('nobody-2', 0)).rejects.toMatchObject({ code: 5 });
    await expect(chain.connect('wrong', 0, { username: 'ann', password: 'no' })).rejects.toMatchObject({ code: 4 });
    await chain.connect('right', 0, { username: 'ann', password: 'secret' });
    const elsewhere = chain.connect('nobody-3', 1);
    await expect(
      elsewhere.then(
        () => 'in',
        () => 'out',
      ),
    ).resolves.toBe(variant === 'a' ? 'out' : 'in');
    await api.stopPlugin(node, 'broker_auth_username');
    await chain.connect('nobody-4', 0);
  });

  it('tell who comes and goes', async () => {
    const listener = await chain.connect('listener', 0);
    await listener.subscribeAsync('$SYS/brokers/+/clients/visitor/#', { qos: 1 });
    const arrived = nextMessages(listener, 2);
    const visitor = await chain.connect('visitor', 1);
    await visitor.endAsync();
    expect((await arrived).map(({ topic }) => topic)).toEqual(
      ['connected', 'disconnected'].map((what) => `$SYS/brokers/${two}/clients/visitor/${what}`),
    );
  });
});

describe('plugins of nodes that are not there, variant b', () => {
  let chain: Chain;
  beforeAll(async () => {
    chain = await startChain('b');
    await chain.broker.cluster.stopNode(two);
  });
  afterAll(() => chain.close());

  it('are neither read nor changed', async () => {
    for (const [node, kind] of [
      [two, 'node-unreachable'],
      ['nobody@nowhere', 'failed'],
    ] as const) {
      await expect(chain.api.listPlugins(node)).rejects.toEqual(errorOfKind('not-found'));
      await expect(chain.api.startPlugin(node, 'broker_web_hook')).rejects.toEqual(errorOfKind(kind));
      await expect(chain.api.stopPlugin(node, 'broker_retainer')).rejects.toEqual(errorOfKind(kind));
      await expect(chain.api.replacePluginSettings(node, 'broker_retainer', {})).rejects.toEqual(errorOfKind(kind));
    }
  });
});
