import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Chain,
  errorOfKind,
  failuresOf,
  nodeNames,
  speakers,
  startChain,
  traitsOf,
  untilClosed,
} from './support.ts';

const [one, two, three] = nodeNames;
const page = { page: 1, pageSize: 10 };

describe.each(speakers)('a stopped node, %s', (variant) => {
  const traits = traitsOf(variant);
  let chain: Chain;

  beforeAll(async () => {
    chain = await startChain(variant);
    await chain.connect('stays', 0);
    const leaves = await chain.connect('leaves', 1);
    const stopped = untilClosed(leaves);
    await chain.broker.cluster.stopNode(two);
    await stopped;
  });
  afterAll(() => chain.close());

  it('is listed with its name and status only, or not at all', async () => {
    const stats = await chain.api.listNodeStats();
    expect(stats.map(({ name, status }) => [name, status])).toEqual([
      [one, 'running'],
      ...(traits.stoppedText === undefined ? [] : [[two, 'stopped']]),
      [three, 'running'],
    ]);
    if (traits.stoppedText === undefined) return;
    const { name, status, statusText, unparsed, ...rest } = stats[1] ?? {};
    expect([name, status, statusText, unparsed]).toEqual([two, 'stopped', traits.stoppedText, {}]);
    expect(new Set(Object.values(rest))).toEqual(new Set([undefined]));
  });

  it('is absent everywhere else', async () => {
    const { api } = chain;
    expect((await api.listNodes()).map((node) => node.name)).toEqual([one, three]);
    for (const byNode of [await api.listStats(), ...(traits.hasSessions ? [await api.listListeners()] : [])])
      expect([...byNode.keys()]).toEqual([one, three]);
    const metrics = await api.listMetrics();
    expect(metrics.kind === 'by-node' ? [...metrics.nodes.keys()] : metrics.kind).toEqual(
      api.capabilities?.metricsByNode === true ? [one, three] : 'total',
    );
    expect(await api.getClient('leaves')).toEqual([]);
    expect(await failuresOf([api.disconnectClient('leaves')])).toEqual([
      traits.refusesUnknown ? errorOfKind('not-connected') : undefined,
    ]);
  });

  it('does not answer for itself', async () => {
    const { api } = chain;
    for (const failure of await failuresOf([
      api.getNode(two),
      api.getNodeStats(two),
      api.getMetrics(two),
      api.getStats(two),
      api.listClients(two, page),
      api.listSubscriptions(two, page),
      ...(traits.hasSessions && !traits.findsOnUnknownNode ? [api.getListeners(two)] : []),
      ...(traits.hasSessions ? [api.listSessions(two, page)] : []),
    ]))
      expect(failure).toEqual(errorOfKind(traits.stoppedNode));
  });

  it('does not affect the other nodes', async () => {
    expect((await chain.api.listClients(one, page)).items.map(({ clientId }) => clientId)).toEqual(['stays']);
  });

  it('returns when it is started, with counters from zero', async () => {
    await chain.broker.cluster.startNode(two);
    expect((await chain.api.listNodes()).map(({ name }) => name)).toEqual(nodeNames);
    expect(await chain.api.getMetrics(two)).toMatchObject({ 'packets.connect': 0, 'bytes.received': 0 });
    await chain.connect('returns', 1);
    expect((await chain.api.getNodeClient(two, 'returns')).map(({ node }) => node)).toEqual([two]);
  });
});
