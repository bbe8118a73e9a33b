/**
 * Measures what the design has budgets for, and prints a table. By hand, on a quiet machine:
 *
 *   npm run bench [-- NAME…]            first-frame, scan, keys, lists, refresh, requests, broker, million, beside; all but million unless named
 *   npm run bench -- --readme [NAME…]   puts the tables of what was measured into README.md as well
 *
 * The monitor is the built one, in a terminal, on a synthetic server in another process. `beside` measures
 * it and those of htop, btop and top that are installed in the same way, in turns.
 */
import { measureBeside } from './beside.ts';
import { measureBroker } from './broker.ts';
import { measureFilterAndSort } from './filter-sort.ts';
import { measureFirstFrame } from './first-frame.ts';
import { measureKeys } from './key-to-paint.ts';
import { withLoadServer } from './load-server.ts';
import { measureLists, measureMillion } from './long-lists.ts';
import { markdown, table } from './measure.ts';
import type { Result, Row } from './measure.ts';
import { measureRefreshes } from './refresh.ts';
import { occasion, writeToReadme } from './report.ts';
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
const names = [...Object.keys(measurements), 'beside'];

const wanted = process.argv.slice(2).filter((argument) => argument !== '--readme');
const isForReadme = process.argv.includes('--readme');
const unknown = wanted.filter((name) => !names.includes(name));
if (unknown.length > 0) {
  console.error(`There is no measurement called ${unknown.join(', ')}; there are ${names.join(', ')}.`);
  process.exit(2);
}
const isWanted = (name: string): boolean => (wanted.length === 0 ? !onlyByName.has(name) : wanted.includes(name));

const results: Result[] = [];
for (const [name, measure] of Object.entries(measurements)) {
  if (!isWanted(name)) continue;
  console.error(`measuring ${name} …`);
  try {
    results.push(...await measure());
  } catch (error) {
    // One measurement that fails does not take the others with it.
    console.error(error);
    results.push({ name, measured: 'failed', budget: '', isWithin: false });
  }
}
let beside: Row[] = [];
if (isWanted('beside')) {
  console.error('measuring beside …');
  beside = await measureBeside();
}

console.log(`\n${occasion()}`);
if (results.length > 0) console.log(`\n${table(results)}`);
if (beside.length > 0) console.log(`\n${markdown(beside)}`);
if (isForReadme) {
  if (results.length > 0) writeToReadme('budgets', markdown(results.map(({ name, measured, budget }) => ({ what: name, measured, budget }))));
  if (beside.length > 0) writeToReadme('beside', markdown(beside));
}
process.exitCode = results.every((line) => line.isWithin !== false) ? 0 : 1;
