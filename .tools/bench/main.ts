/**
 * Measures what the design has budgets for, and prints a table. By hand, on a quiet machine:
 *
 *   npm run bench [-- NAME…]      first-frame, keys, lists, refresh, requests, broker, scan, million; all but the last unless named
 *
 * The monitor is the built one, in a terminal, on a synthetic server in another process.
 */
import { measureBroker } from './broker.ts';
import { measureFilterAndSort } from './filter-sort.ts';
import { measureFirstFrame } from './first-frame.ts';
import { measureKeys } from './key-to-paint.ts';
import { withLoadServer } from './load-server.ts';
import { measureLists, measureMillion } from './long-lists.ts';
import { table } from './measure.ts';
import type { Result } from './measure.ts';
import { measureRefreshes } from './refresh.ts';
import { measureRequests } from './requests.ts';
import { measureScan } from './scan.ts';

const clients = 100_000;

const measurements: Readonly<Record<string, () => Promise<Result[]>>> = {
  'first-frame': measureFirstFrame,
  scan: () => withLoadServer({ clients, changing: 0 }, async (server) => {
    const scan = await measureScan(server);
    return [...scan.results, ...measureFilterAndSort(scan.clients)];
  }),
  keys: () => withLoadServer({ clients, changing: 0 }, (server) => measureKeys(server, clients)),
  lists: measureLists,
  refresh: measureRefreshes,
  requests: measureRequests,
  broker: measureBroker,
  million: measureMillion,
};
/** Takes minutes. */
const onlyByName: ReadonlySet<string> = new Set(['million']);

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !Object.hasOwn(measurements, name));
if (unknown.length > 0) {
  console.error(`There is no measurement called ${unknown.join(', ')}; there are ${Object.keys(measurements).join(', ')}.`);
  process.exit(2);
}

const results: Result[] = [];
for (const [name, measure] of Object.entries(measurements)) {
  if (wanted.length > 0 ? !wanted.includes(name) : onlyByName.has(name)) continue;
  console.error(`measuring ${name} …`);
  try {
    results.push(...await measure());
  } catch (error) {
    // One measurement that fails does not take the others with it.
    console.error(error);
    results.push({ name, measured: 'failed', budget: '', isWithin: false });
  }
}
console.log(`\n${table(results)}`);
process.exitCode = results.every((line) => line.isWithin !== false) ? 0 : 1;
