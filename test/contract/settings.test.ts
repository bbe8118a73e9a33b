import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Chain, errorOfKind, nextMessages, nodeNames, startChain } from './support.ts';

const [one, two, three] = nodeNames;

describe('settings, variant a', () => {
  let chain: Chain;
  beforeAll(async () => {
    chain = await startChain('a');
  });
  afterAll(() => chain.close());

  it('are none', async () => {
    const { api } = chain;
    const setting = { app: 'broker', key: 'mqtt.cache_acl', value: 'false' };
    for (const call of [
      api.listSettings(),
      api.getSettings(one),
      api.changeSetting(undefined, setting),
      api.changeSetting(one, setting),
      api.getPluginSettings(one, 'broker_retainer'),
      api.replacePluginSettings(one, 'broker_retainer', {}),
    ])
      await expect(call).rejects.toEqual(errorOfKind('not-supported'));
  });
});

describe('settings, variant b', () => {
  let chain: Chain;
  const valueOn = async (node: string, key: string): Promise<string | undefined> =>
    (await chain.api.getSettings(node)).find((setting) => setting.key === key)?.value;

  beforeAll(async () => {
    chain = await startChain('b');
  });
  afterAll(() => chain.close());

  it('are read of one node and of all', async () => {
    const all = await chain.api.listSettings();
    expect([...all.keys()]).toEqual([...nodeNames]);
    const settings = await chain.api.getSettings(one);
    expect(all.get(one)).toEqual(settings);
    expect(settings).toHaveLength(11);
    expect(settings).toContainEqual({
      key: 'mqtt.allow_anonymous',
      value: 'true',
      dataType: 'enum',
      app: 'broker',
      appliesTo: 'all',
      meaning: { about: 'Whether clients may connect without a username and password.' },
    });
    expect(new Set(settings.map(({ dataType }) => dataType))).toEqual(new Set(['enum', 'string', 'integer']));
    await expect(chain.api.getSettings('nobody@nowhere')).rejects.toEqual(errorOfKind('not-found'));
  });

  it('act at once, on one node or on all', async () => {
    const { api } = chain;
    const [app, key] = ['broker', 'mqtt.allow_anonymous'];
    await api.changeSetting(two, { app, key, value: 'false' });
    await chain.connect('anybody', 0);
    await expect(chain.connect('anybody', 1)).rejects.toMatchObject({ code: 5 });
    await api.changeSetting(undefined, { app, key, value: 'false' });
    await expect(chain.connect('anybody-2', 0)).rejects.toMatchObject({ code: 5 });
    await api.changeSetting(undefined, { app, key, value: 'true' });
    expect(await Promise.all(nodeNames.map((node) => valueOn(node, key)))).toEqual(['true', 'true', 'true']);
    await chain.connect('anybody-3', 1);
  });

  it('of the wrong type are refused, and stay what they were', async () => {
    const { api } = chain;
    for (const [key, value] of [
      ['mqtt.max_packet_size', 'abc'],
      ['mqtt.keepalive_backoff', '-1'],
      ['mqtt.cache_acl', ''],
      ['log.console.level', 'x\ny'],
    ] as const) {
      const before = await valueOn(one, key);
      await expect(api.changeSetting(undefined, { app: 'broker', key, value })).rejects.toEqual(errorOfKind('invalid'));
      await expect(api.changeSetting(one, { app: 'broker', key, value })).rejects.toEqual(errorOfKind('invalid'));
      expect(await valueOn(one, key)).toBe(before);
    }
    for (const [node, app, key] of [
      [undefined, 'broker', 'no.such.key'],
      [one, 'broker', '__proto__'],
      [one, 'a/b', 'mqtt.cache_acl'],
      ['nobody@nowhere', 'broker', 'mqtt.cache_acl'],
    ] as const)
      await expect(api.changeSetting(node, { app, key, value: 'true' })).rejects.toEqual(errorOfKind('failed'));
  });

  it('of rules that were changed: the cached answer stays until it is cleared', async () => {
    const { api, broker } = chain;
    const before = broker.operator.accessRules.rules;
    const [asker, publisher] = [await chain.connect('asker', 0), await chain.connect('publisher', 0)];
    await asker.subscribeAsync('guarded', { qos: 1 });
    await publisher.publishAsync('guarded', 'first', { qos: 1 });
    broker.operator.accessRules.replace([
      { permission: 'deny', who: { clientId: 'publisher' }, action: 'publish', topics: ['guarded'] },
      ...before,
    ]);
    const arrived = nextMessages(asker, 2);
    await publisher.publishAsync('guarded', 'cached', { qos: 1 });
    await api.clearAclCache('publisher', 'guarded');
    await publisher.publishAsync('guarded', 'refused', { qos: 1 });
    broker.operator.accessRules.replace(before);
    await api.clearAclCache('publisher', 'guarded');
    await publisher.publishAsync('guarded', 'again', { qos: 1 });
    expect((await arrived).map(({ payload }) => payload)).toEqual(['cached', 'again']);
  });

  describe('of plugins', () => {
    it('are read and replaced as a whole; an active plugin goes on with them', async () => {
      const { api } = chain;
      expect(await api.getPluginSettings(three, 'broker_modules')).toEqual([
        { key: 'module.presence.qos', value: '1', description: expect.any(String), required: true },
      ]);
      await api.replacePluginSettings(three, 'broker_modules', { 'module.presence.qos': '2' });
      expect((await api.getPluginSettings(three, 'broker_modules'))[0]?.value).toBe('2');
      const listener = await chain.connect('listener', 0);
      await listener.subscribeAsync('$SYS/brokers/+/clients/visitor/connected', { qos: 2 });
      const arrived = nextMessages(listener, 1);
      await chain.connect('visitor', 2);
      expect((await arrived)[0]?.packet.qos).toBe(2);
    });

    it('with which an active plugin cannot go on are refused; one that rests takes them and does not start', async () => {
      const { api } = chain;
      const before = await api.getPluginSettings(three, 'broker_modules');
      const failed = await api.replacePluginSettings(three, 'broker_modules', {}).catch((error: unknown) => error);
      expect(failed).toMatchObject({
        name: 'BrokerError',
        code: 102,
        brokerMessage: expect.stringContaining('module.presence.qos must be'),
      });
      expect(await api.listPlugins(three)).toContainEqual(
        expect.objectContaining({ name: 'broker_modules', active: true }),
      );
      expect(await api.getPluginSettings(three, 'broker_modules')).toEqual(before);
      await api.stopPlugin(three, 'broker_modules');
      await api.replacePluginSettings(three, 'broker_modules', {});
      expect((await api.getPluginSettings(three, 'broker_modules'))[0]?.value).toBe('');
      await expect(api.startPlugin(three, 'broker_modules')).rejects.toEqual(errorOfKind('failed'));
    });

    it('that do not exist are refused', async () => {
      const { api } = chain;
      await expect(api.getPluginSettings(one, 'broker_nope')).rejects.toEqual(errorOfKind('not-found'));
      await expect(api.replacePluginSettings(one, 'broker_nope', {})).rejects.toEqual(errorOfKind('failed'));
      await expect(api.replacePluginSettings(one, 'broker_retainer', { nope: '' })).rejects.toEqual(
        errorOfKind('failed'),
      );
      expect((await api.getPluginSettings(one, 'broker_retainer')).map(({ value }) => value)).toEqual([
        '1000000',
        '64KB',
      ]);
    });
  });
});
