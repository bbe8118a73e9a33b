import { escapeText } from '../../terminal/safe-text.ts';
import { createTheme } from '../../terminal/theme.ts';
import { resourceNames } from '../../ui/list/resource-notice.ts';
import { type MonitorSession, openApi } from '../commands/monitor-session.ts';
import { readCluster, type Reading, type Snapshot, snapshotOf } from './once.ts';
import { readingText } from './text.tsx';

export interface OnceStreams {
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WritableStream;
  readonly env: NodeJS.ProcessEnv;
}

export interface OnceTimes {
  /** Time between the two readings of the counters. */
  readonly rateSeconds?: number | undefined;
  /** For all requests together. */
  readonly deadlineMs?: number | undefined;
}

/**
 * Reads the cluster once (its counters twice, for rates) and prints it as text or one JSON document.
 *
 * @returns 0, or 1 when a part could not be read; the reasons are on standard error
 */
export async function runOnce(session: MonitorSession, format: 'text' | 'json', streams: OnceStreams, { rateSeconds = 1, deadlineMs = 10_000 }: OnceTimes = {}): Promise<number> {
  const api = openApi(session);
  const { stdout, stderr, env } = streams;
  api.onServingChange(({ url, insteadOf, because }) => {
    stderr.write(`brokertop: ${escapeText(`${insteadOf}: ${because.message} Read from ${url} instead.`)}\n`);
  });
  api.onAddressSkipped(({ url, because }) => {
    stderr.write(`brokertop: ${escapeText(`Skipped ${url}. ${because.message}`)}\n`);
  });
  let reading;
  try {
    reading = await readCluster(api, { variant: () => api.info.version, rateSeconds, deadlineMs });
  } finally {
    await api.close();
  }
  const url = api.servingUrl;
  // When everything failed there is nothing to print as text; JSON is still a document.
  if (format === 'json') stdout.write(snapshotJson(snapshotOf(reading), url));
  else if (hasAnything(reading)) stdout.write(readingText(reading, { url, isInsecure: session.isInsecure, isTlsUnchecked: session.tls?.isInsecure === true }, createTheme(env)));
  const { errors } = reading;
  for (const reason of new Set(errors.map(({ message }) => message))) {
    const parts = errors.filter(({ message }) => message === reason).map(({ part }) => resourceNames[part]).toSorted();
    stderr.write(`brokertop: ${escapeText(reason)} (${parts.join(', ')})\n`);
  }
  return errors.length === 0 ? 0 : 1;
}

function hasAnything({ state }: Reading): boolean {
  return Object.values(state.resources).some(({ data }) => data !== undefined);
}

/** One line of ASCII JSON with `null` for unknown values. The broker's text cannot affect a terminal it is printed on. */
export function snapshotJson({ takenAt, ...rest }: Snapshot, url: string): string {
  const text = JSON.stringify({ takenAt, url, ...rest }, (_, value: unknown) => value ?? null);
  return `${text.replaceAll(/[^ -~]/gu, escapeUnits)}\n`;
}

function escapeUnits(character: string): string {
  return Array.from({ length: character.length }, (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`).join('');
}
