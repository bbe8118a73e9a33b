import { existsSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pass } from 'node:timers/promises';
import { openTerminal, type TerminalSession } from '../../test/support/terminal.ts';

/** The built program. */
export const program = path.join(import.meta.dirname, '..', '..', 'dist', 'brokertop.cjs');

/** Whether the overview shows figures of the cluster and of its last node. */
export const hasFigures = (terminal: TerminalSession): boolean =>
  /● \d\/\d nodes[^]*● broker3\S* +(?:running +)?\d/u.test(terminal.text());

interface MonitorOptions {
  readonly url: string;
  readonly cols: number;
  readonly rows: number;
  readonly intervalSeconds: number;
  /** The folder of compiled code; by default the user's own. */
  readonly cacheFolder?: string | undefined;
  readonly onOutput?: ((bytes: Uint8Array) => void) | undefined;
}

/** Runs the built monitor in a terminal while `use` runs. */
export async function withMonitor<T>(
  options: MonitorOptions,
  use: (terminal: TerminalSession) => Promise<T>,
): Promise<T> {
  const { url, cols, rows, intervalSeconds, cacheFolder, onOutput } = options;
  const terminal = openTerminal({
    command: process.execPath,
    args: [program, '--url', url, '--variant', 'b', '--interval', String(intervalSeconds)],
    env: { BROKERTOP_PASSWORD: 'secret', ...(cacheFolder !== undefined && { XDG_CACHE_HOME: cacheFolder }) },
    cols,
    rows,
    onOutput,
  });
  try {
    return await use(terminal);
  } finally {
    await terminal.close();
  }
}

/** Runs the monitor until it has kept its compiled code, so that later starts are as those of users. */
export function keepCode(url: string, cacheFolder: string): Promise<void> {
  return withMonitor({ url, cols: 100, rows: 30, intervalSeconds: 1, cacheFolder }, async () => {
    while (!existsSync(codeFile(cacheFolder))) await pass(100);
  });
}

const codeFile = (cacheFolder: string): string =>
  path.join(cacheFolder, 'brokertop', `monitor-${process.version}-${process.arch}.code`);

/** Opens a list and waits until it is read completely. Earlier lists must have fewer rows. */
export async function openList(terminal: TerminalSession, key: string, rows: number): Promise<void> {
  const all = rows.toLocaleString('en-US');
  await terminal.waitFor(hasFigures);
  terminal.press(key);
  await terminal.waitFor(`showing ${all} of ${all}`, { timeoutMs: 600_000 });
}
