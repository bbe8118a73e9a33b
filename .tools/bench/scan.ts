import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { withChild } from './child.ts';
import { withLoadServer } from './load-server.ts';
import { median, result, type Result } from './measure.ts';

const clients = 100_000;
const runs = 9;
const warmUps = 2;

/** `bare`: the requests and `JSON.parse`. `scan`: what the program does. `page`: what checking a page costs. */
export type ReaderQuestion = 'bare' | 'scan' | 'page';

export interface ReaderAnswer {
  /** Milliseconds of the first scan. */
  readonly firstMs: number;
  /** Milliseconds of the second scan; 0 for bare requests. */
  readonly againMs: number;
  readonly rows: number;
  readonly page?:
    | {
        readonly rows: number;
        readonly parseMs: number;
        readonly guardsMs: number;
        readonly zodMs: number;
        readonly decodeMs: number;
        readonly decodeByZodMs: number;
      }
    | undefined;
}

type Ask = (question: ReaderQuestion) => Promise<ReaderAnswer>;

/** Runs a bundled process that reads lists while `use` runs. */
function withReader<T>(folder: string, url: string, use: (ask: Ask) => Promise<T>): Promise<T> {
  return withChild<string, ReaderQuestion, ReaderAnswer, T>(
    path.join(folder, 'brokertop-program.cjs'),
    { url },
    ({ ask }) => use(ask),
  );
}

/**
 * Compares a scan of all clients, without rests or drawing, to bare requests with `JSON.parse`, each in its own
 * process. Measures the checks of a page too.
 */
export async function measureScan(): Promise<Result[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'brokertop-bench-'));
  try {
    const [build, entry] = [
      path.join(import.meta.dirname, '..', 'build.mjs'),
      path.join(import.meta.dirname, 'scan-process.ts'),
    ];
    execFileSync(process.execPath, [build, '--quiet', '--entry', entry, '--out', folder], { stdio: 'inherit' });
    return await withLoadServer({ clients, changing: 0.2 }, ({ url }) =>
      withReader(folder, url, (bare) => withReader(folder, url, (scan) => compare(bare, scan))),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function compare(bare: Ask, scan: Ask): Promise<Result[]> {
  const [bareRuns, scanRuns]: [ReaderAnswer[], ReaderAnswer[]] = [[], []];
  // Alternately, so that a busy machine affects both.
  for (let run = 0; run < warmUps + runs; run += 1) {
    const pair = [await bare('bare'), await scan('scan')] as const;
    for (const { rows } of pair) if (rows !== clients) throw new Error(`${rows} of ${clients} clients were read.`);
    if (run < warmUps) continue;
    bareRuns.push(pair[0]);
    scanRuns.push(pair[1]);
  }
  const { page } = await scan('page');
  if (page === undefined) throw new Error('The page was not checked.');
  const times = (pick: (run: ReaderAnswer) => number): number =>
    median(scanRuns.map((run, index) => pick(run) / (bareRuns[index]?.firstMs ?? Number.NaN)));
  const onePage = `a page of ${page.rows.toLocaleString('en-US')}`;
  return [
    result('requests and JSON.parse only', median(bareRuns.map(({ firstMs }) => firstMs)), 'ms'),
    result('a scan, without pauses and drawing', median(scanRuns.map(({ firstMs }) => firstMs)), 'ms'),
    result(
      'a scan, relative to requests only',
      times(({ firstMs }) => firstMs),
      'times',
      { atMost: 1.3 },
    ),
    result('the next scan, 20 % changed', median(scanRuns.map(({ againMs }) => againMs)), 'ms', { isDetail: true }),
    result(
      'the next scan, relative to requests only',
      times(({ againMs }) => againMs),
      'times',
      { atMost: 1.3 },
    ),
    result(`${onePage}: JSON.parse alone`, page.parseMs, 'ms'),
    result(`${onePage}: checked by comparisons`, page.guardsMs, 'ms'),
    result(`${onePage}: checked by zod`, page.zodMs, 'ms'),
    result(`${onePage}: parsed, checked and decoded`, page.decodeMs, 'ms'),
    result(`${onePage}: parsed and read by zod, not decoded`, page.decodeByZodMs, 'ms', { isDetail: true }),
  ];
}
