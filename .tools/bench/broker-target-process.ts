/** The process behind `withTarget`: the embedded broker with its management interface, or a plain aedes. */
import { mkdtempSync, openSync, readSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Aedes } from 'aedes';
import { createManagementServer, emqV2Server } from '../../src/api/dialects/emq-v2/server/server.ts';
import { BrokerCluster } from '../../src/broker/cluster.ts';
import { startEmbeddedBroker } from '../../src/broker/embedded-broker.ts';
import { createBrokerApi } from '../../src/broker/management/broker-api.ts';
import type { SessionState } from '../../src/broker/sessions/session.ts';
import type { Stall, TargetOptions, TargetQuestion, TargetReady } from './broker.ts';

const options = JSON.parse(process.argv[2] ?? '') as TargetOptions;

function offlineSession(index: number, node: string): SessionState {
  const clientId = `${index % 3 === 0 ? 'dashboard' : 'sensor'}-${(index * 7919) % 1_000_003}`;
  return {
    clientId,
    node,
    createdAt: Math.floor(Date.now() / 1000) - index,
    subscriptions: [{ filter: `offline/${index}`, qos: 1 }],
    awaitingRel: [],
    outbox: { lastPacketId: 0, dropped: 0, delivered: 0, enqueued: 0, inflight: [], queue: [], queueQos0: [] },
  };
}

async function startEmbedded(): Promise<TargetReady> {
  const cluster = new BrokerCluster({ version: 'bench', nodes: 1, mqttPort: 0, wsPort: 0 });
  const node = cluster.nodes[0]?.name ?? '';
  cluster.restore({
    retained: [],
    sessions: Array.from({ length: options.sessions ?? 0 }, (_, index) => offlineSession(index, node)),
  });
  await cluster.start();
  const server = await createManagementServer({
    api: createBrokerApi(cluster),
    variant: 'b',
    authenticate: async () => true,
    host: '127.0.0.1',
    port: 0,
    onError: (error) => console.error(error),
  });
  return { port: cluster.nodes[0]?.ports.tcp ?? 0, url: server.url, node };
}

async function startKept(): Promise<TargetReady> {
  const folder = mkdtempSync(path.join(tmpdir(), 'brokertop-bench-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  const { cluster, server } = await startEmbeddedBroker({
    version: 'bench',
    nodes: 1,
    host: '127.0.0.1',
    port: 0,
    mqttPort: 0,
    wsPort: 0,
    dialect: emqV2Server,
    variant: 'b',
    user: 'admin',
    password: 'secret',
    data: path.join(folder, 'data'),
  });
  const [node] = cluster.nodes;
  return { port: node?.ports.tcp ?? 0, url: server.url, node: node?.name ?? '' };
}

async function startAedes(): Promise<TargetReady> {
  const broker = await Aedes.createBroker();
  const server = createServer({ noDelay: true }, broker.handle);
  return new Promise((resolve) => {
    server.listen({ host: '127.0.0.1', port: 0, backlog: 1024 }, () => {
      const address = server.address();
      resolve({ port: address !== null && typeof address === 'object' ? address.port : 0, url: '', node: '' });
    });
  });
}

// The first number is the processor time of the reading thread in nanoseconds (Linux).
const schedule = openSync('/proc/thread-self/schedstat', 'r');
const figures = Buffer.alloc(64);

function threadMs(): number {
  const length = readSync(schedule, figures, 0, figures.length, 0);
  return Number.parseInt(figures.toString('latin1', 0, length), 10) / 1e6;
}

let longest: Stall = { ms: 0, processorMs: 0 };
let last = { ms: 0, processorMs: 0 };
let watching: NodeJS.Timeout | undefined;

function look(): void {
  const now = { ms: performance.now(), processorMs: threadMs() };
  longest = {
    ms: Math.max(longest.ms, now.ms - last.ms),
    processorMs: Math.max(longest.processorMs, now.processorMs - last.processorMs),
  };
  last = now;
}

process.on('message', (question: TargetQuestion) => {
  if (question === 'watch') {
    longest = { ms: 0, processorMs: 0 };
    last = { ms: performance.now(), processorMs: threadMs() };
    watching = setInterval(look, 1);
  } else {
    clearInterval(watching);
  }
  process.send?.(longest);
});
process.on('disconnect', () => process.exit());
process.send?.(
  await (options.kind === 'aedes' ? startAedes() : options.isKept === true ? startKept() : startEmbedded()),
);
