/**
 * Measures the program against its budgets and prints a table; see README.md. Run it on a quiet machine:
 *
 *   npm run bench [-- NAME…]            start, keys, lists, rows, scan, refresh, requests, recording, seek, broker, kept, million, compare; all but million unless named
 *   npm run bench -- --readme [NAME…]   also writes the figures into README.md; those not measured stay
 */
import { measureComparison } from './compare.ts';
import { measureBroker, measureKept } from './broker.ts';
import { measureFilterAndSort } from './filter-sort.ts';
import { measureKeys } from './key-to-paint.ts';
import { measureLists, measureMillion } from './long-lists.ts';
import { markdown, type Result, table } from './measure.ts';
import { beginOccasion, budgetTable, machine, type Section, writeToReadme } from './report.ts';
import { measureRecording } from './recording.ts';
import { measureRefreshes } from './refresh.ts';
import { measureRequests } from './requests.ts';
import { measureScan } from './scan.ts';
import { measureSeek } from './seek.ts';
import { measureStart } from './start.ts';

interface Measurement {
  readonly title: string;
  /** Takes long; runs only when named. */
  readonly isOnlyByName?: boolean;
  readonly measure: () => Promise<Result[]>;
}

const measurements: Readonly<Record<string, Measurement>> = {
  start: { title: 'Start', measure: measureStart },
  keys: { title: 'Key to paint, 100,000 clients loaded, 200×60', measure: measureKeys },
  lists: { title: 'Long lists, 200×60', measure: measureLists },
  rows: { title: 'Filter and sort 100,000 rows', measure: measureFilterAndSort },
  scan: { title: 'Reading 100,000 clients', measure: measureScan },
  refresh: { title: 'A refresh', measure: measureRefreshes },
  requests: { title: 'Cost to the broker', measure: measureRequests },
  recording: { title: 'Recording', measure: measureRecording },
  seek: { title: 'Looking back, 100,000 clients', measure: measureSeek },
  broker: { title: 'The embedded broker and aedes', measure: measureBroker },
  kept: { title: 'The embedded broker with --data', measure: measureKept },
  million: { title: 'A million clients', isOnlyByName: true, measure: measureMillion },
};
const comparisonName = 'compare';
const comparisonTitle = 'On the same terminals';
const names = [...Object.keys(measurements), comparisonName];

const wanted = process.argv.slice(2).filter((argument) => argument !== '--readme');
const isForReadme = process.argv.includes('--readme');
const unknown = wanted.filter((name) => !names.includes(name));
if (unknown.length > 0) {
  console.error(`Unknown measurement: ${unknown.join(', ')}. Choose from ${names.join(', ')}.`);
  process.exit(2);
}
const isWanted = (name: string): boolean =>
  wanted.length === 0 ? measurements[name]?.isOnlyByName !== true : wanted.includes(name);

let isAllWithin = true;

/** Runs one measurement. `undefined` when it failed; the others still run. */
async function attempt<T>(
  name: string,
  title: string,
  measure: () => Promise<T>,
): Promise<{ readonly result: T; readonly occasion: string } | undefined> {
  console.error(`measuring ${name} …`);
  const endOccasion = beginOccasion();
  try {
    const result = await measure();
    return { result, occasion: endOccasion() };
  } catch (error) {
    console.error(error);
    console.log(`\n${title}: failed`);
    isAllWithin = false;
    return undefined;
  }
}

console.log(machine());
const sections: Section[] = [];
for (const [name, { title, measure }] of Object.entries(measurements)) {
  const measured = isWanted(name) ? await attempt(name, title, measure) : undefined;
  if (measured === undefined) continue;
  const { result, occasion } = measured;
  console.log(`\n${title} (${occasion})\n${table(result)}`);
  sections.push({ title, occasion, table: budgetTable(result) });
  isAllWithin &&= result.every((line) => line.isWithin !== false);
}
if (isForReadme && sections.length > 0)
  writeToReadme(
    'budgets',
    machine(),
    sections,
    Object.values(measurements).map(({ title }) => title),
  );

if (isWanted(comparisonName)) {
  const measured = await attempt(comparisonName, comparisonTitle, measureComparison);
  if (measured !== undefined) {
    const { occasion } = measured;
    const rows = markdown(measured.result);
    console.log(`\n${comparisonTitle} (${occasion})\n${rows}`);
    if (isForReadme)
      writeToReadme(comparisonName, machine(), [{ title: comparisonTitle, occasion, table: rows }], [comparisonTitle]);
  }
}
process.exitCode = isAllWithin ? 0 : 1;
