import { afterEach, describe, expect, it } from 'vitest';
import { createMonitor } from '../../src/actions/acting-monitor.ts';
import { createHttpApi } from '../../src/api/dialects/emq-v2/client.ts';
import { startEmbeddedBroker } from '../../src/broker/embedded-broker.ts';
import { type Scenario, startFleet } from '../../src/broker/fleet/fleet.ts';
import type { FleetTarget } from '../../src/broker/fleet/member.ts';
import type { MonitorState, Watched } from '../../src/monitor/state.ts';
import { createTriage, type TriageReport, triageWatches } from '../../src/triage/triage.ts';

const endings: (() => Promise<void> | void)[] = [];

afterEach(async () => {
  for (const end of endings.splice(0).toReversed()) await end();
});

interface Scene {
  /** The first report that satisfies; the test's own time limit is the bound. */
  until(isIt: (report: TriageReport) => boolean): Promise<TriageReport>;
  stopLastNode(): Promise<void>;
}

/** An embedded cluster with its fleet at work, and a monitor that reads all that Triage needs. */
async function stage(scenario: Scenario, variant: 'a' | 'b' = 'b'): Promise<Scene> {
  const broker = await startEmbeddedBroker({
    version: '1.2.3', nodes: 3, host: '127.0.0.1', port: 0, mqttPort: 0, wsPort: 0, variant, user: 'admin', password: 'only for tests',
  });
  endings.push(() => broker.close());
  const [first, ...rest] = broker.cluster.nodes.map(({ ports }): FleetTarget => ({ mqttPort: ports.tcp, wsPort: ports.ws }));
  if (first === undefined) throw new Error('no node');
  const fleet = startFleet({ size: 60, seed: 1, host: '127.0.0.1', targets: [first, ...rest], rampMs: 500, scenario });
  endings.push(() => { fleet.end(); });
  await fleet.ready;
  const api = createHttpApi({ url: broker.server.url, user: 'admin', password: 'only for tests', variant });
  endings.push(() => api.close());
  const monitor = createMonitor({ api, intervalSeconds: 0.5 });
  endings.push(() => { monitor.stop(); });
  const watched = new Set<string>();
  const watch = (each: Watched): void => {
    const key = JSON.stringify(each);
    if (watched.has(key)) return;
    watched.add(key);
    monitor.watch(each);
  };
  // Two samples are enough to compare with: a test does not wait for a minute to pass.
  const triage = createTriage(undefined, 8);
  // As often as may be: a test does not wait for a broker to rest.
  const pace = { first: 0, lists: 0, administration: 0 };
  const watchAll = (state: MonitorState): void => {
    const isFanOut = report?.findings.some(({ check }) => check === 'fanOut') === true;
    for (const { watched: each } of triageWatches(state, triage.sessionReadings(), isFanOut, pace)) watch(each);
  };
  let report: TriageReport | undefined = triage.update(monitor.store.getState(), Date.now());
  const listeners = new Set<() => void>();
  monitor.store.subscribe((state) => {
    watchAll(state);
    report = triage.update(state, Date.now());
    for (const listener of listeners) listener();
  });
  watchAll(monitor.store.getState());
  return {
    until: (isIt) => new Promise((resolve) => {
      const check = (): void => {
        if (report === undefined || !isIt(report)) return;
        listeners.delete(check);
        resolve(report);
      };
      listeners.add(check);
      check();
    }),
    stopLastNode: async () => broker.cluster.stopNode(broker.cluster.nodes.at(-1)?.name ?? ''),
  };
}

const wordsOf = ({ findings }: TriageReport): readonly string[] => findings.map(({ parts }) => parts.map(({ text }) => text).join(''));
const hasFound = (check: string) => ({ findings }: TriageReport): boolean => findings.some((finding) => finding.check === check);

describe('a scenario of the demo', { timeout: 60_000 }, () => {
  it('calm is calm: every check is judged and finds nothing', async () => {
    const scene = await stage('calm');
    const report = await scene.until(({ findings, isAllClear }) => isAllClear || findings.length > 0);
    expect(wordsOf(report)).toEqual([]);
    expect(report.isAllClear).toBe(true);
  });

  it('calm in variant A is calm, and says that there are no settings to compare', async () => {
    const scene = await stage('calm', 'a');
    const judged = await scene.until(({ findings, results }) => findings.length > 0 || results.every(({ isNotOffered, doubts }) => isNotOffered === true || doubts.length === 0));
    expect(wordsOf(judged)).toEqual([]);
    expect(judged.isAllClear).toBe(true);
    const settings = judged.results.find(({ check }) => check === 'settings');
    expect(settings?.isNotOffered).toBe(true);
    expect(settings?.doubts[0]?.[0]?.text).toContain('variant A');
  });

  it('reconnect-storm is found, with the ids that connected anew', async () => {
    const scene = await stage('reconnect-storm');
    const report = await scene.until(({ findings }) => findings.some(({ check, parts }) => check === 'reconnects' && parts.length > 3));
    expect(wordsOf(report).join('\n')).toMatch(/Reconnect storm: .* connects\/s over \d+ s, clients .*; \d+ ids? connected anew: \w+-\d+/u);
    expect(report.findings.map(({ check }) => check)).not.toContain('fanOut');
    const { jump } = report.findings.find(({ check }) => check === 'reconnects') ?? {};
    expect(jump?.found?.clientIds.length).toBeGreaterThan(0);
    expect(new Set(jump?.found?.clientIds).size).toBe(jump?.found?.clientIds.length);
  });

  it.each([
    ['b', /^Slow consumer worker-\d+: .*waiting of 1,000, .*inflight stuck at 32\/32\.$/u],
    // Nothing in this variant tells how long a queue may become.
    ['a', /^Slow consumer worker-\d+: (?!.*( of |full in)).*[\d,]+ waiting, .*inflight stuck at 32\/32\.$/u],
  ] as const)('slow-consumer is found in variant %s, with the workers that do not acknowledge', async (variant, words) => {
    const scene = await stage('slow-consumer', variant);
    const report = await scene.until(({ findings }) => findings.filter(({ parts }) => parts.some(({ text }) => text.includes('inflight stuck'))).length >= 3);
    const slow = report.findings.filter(({ check }) => check === 'slow');
    expect(slow.map(({ jump }) => jump.clientId).toSorted()).toEqual(['worker-000001', 'worker-000002', 'worker-000003']);
    expect(wordsOf(report)[0]).toMatch(words);
    expect(new Set(report.findings.map(({ check }) => check))).toEqual(new Set(['slow']));
  });

  it('node-down is found first of all', async () => {
    const scene = await stage('node-down');
    await scene.until(({ results }) => results.find(({ check }) => check === 'nodes')?.doubts.length === 0);
    await scene.stopLastNode();
    const report = await scene.until(hasFound('nodes'));
    expect(wordsOf(report)[0]).toMatch(/^Node broker3@127\.0\.0\.1 is stopped; it had \d+ clients?\.$/u);
    expect(report.findings[0]).toMatchObject({ severity: 'error', jump: { screen: 'node', node: 'broker3@127.0.0.1' } });
  });

  it('hot-topic is found as fan-out, and says that the topic can only be suspected', async () => {
    const scene = await stage('hot-topic');
    const report = await scene.until(({ findings }) => findings.some(({ check, jump }) => check === 'fanOut' && jump.topic !== undefined));
    expect(wordsOf(report)).toEqual([expect.stringMatching(/^High fan-out: .* traffic by topic is not counted, but most subscribed is market\/prices \(30 clients\)\.$/u)]);
  });
});
