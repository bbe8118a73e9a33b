import { createInterface } from 'node:readline';
import { emqV2Server } from '../../src/api/dialects/emq-v2/server/server.ts';
import { startEmbeddedBroker } from '../../src/broker/embedded-broker.ts';

// A broker in a process of its own, for memory.test.ts, with the settings of its argument: says its ports, and
// answers every line with what its memory holds after a collection. It ends with its input.
const broker = await startEmbeddedBroker({
  version: '1.2.3',
  nodes: 2,
  host: '127.0.0.1',
  port: 0,
  mqttPort: 0,
  wsPort: 0,
  dialect: emqV2Server,
  variant: 'b',
  user: 'admin',
  password: 'secret',
  settings: JSON.parse(process.argv[2] ?? '{}'),
});
const { tcp, ws } = broker.cluster.nodes[0]?.ports ?? { tcp: 0, ws: 0 };
console.log(JSON.stringify({ http: broker.server.port, tcp, ws }));

for await (const _ of createInterface({ input: process.stdin })) {
  for (let count = 0; count < 3; count += 1) {
    // Finalizers run between collections.
    global.gc?.();
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
  const { heapUsed, external, rss } = process.memoryUsage();
  const received = broker.cluster.nodes.reduce((sum, node) => sum + (node.readMetrics()['bytes.received'] ?? 0), 0);
  const clients = broker.cluster.nodes
    .flatMap((node) => node.describeListeners())
    .reduce((sum, { currentClients }) => sum + (currentClients ?? 0), 0);
  console.log(JSON.stringify({ bytes: heapUsed + external, rss, received, clients }));
}
await broker.close();
