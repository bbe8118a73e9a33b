import { journalTexts } from '../../monitor/texts.ts';
import { asciiJson } from '../../table/records.ts';
import { escapeText } from '../../terminal/safe-text.ts';
import { createTheme } from '../../terminal/theme.ts';
import { type MonitorSession, openApi } from '../commands/monitor-session.ts';
import { keptBegins } from '../files/kept-begins.ts';
import { onceErrorTexts } from '../texts.ts';
import { hasAnything, maxOnceRows, readCluster, type Snapshot, snapshotOf } from './once.ts';
import { partName, readingText } from './text.tsx';

export interface OnceStreams {
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WritableStream;
  readonly env: NodeJS.ProcessEnv;
}

export interface OnceOptions {
  readonly rateSeconds?: number | undefined;
  readonly deadlineMs?: number | undefined;
  /** Skips what only checks need: sessions, clients, alarms, plugins, settings and the like. */
  readonly isQuick?: boolean | undefined;
}

/**
 * Reads the cluster once (its counters and sessions twice, for rates) and prints it as text or one JSON document.
 *
 * @returns 0, or 1 when a part could not be read; the reasons are on standard error
 */
export async function runOnce(
  session: MonitorSession,
  format: 'text' | 'json',
  streams: OnceStreams,
  { rateSeconds = 1, deadlineMs = 10_000, isQuick }: OnceOptions = {},
): Promise<number> {
  const api = openApi(session);
  const { stdout, stderr, env } = streams;
  api.onServingChange(({ url, insteadOf, because }) => {
    stderr.write(`brokertop: ${escapeText(onceErrorTexts.failover(url, insteadOf, because.message))}\n`);
  });
  api.onAddressSkipped(({ url, because }) => {
    stderr.write(`brokertop: ${escapeText(journalTexts.skippedAddress({ url, message: because.message }))}\n`);
  });
  let reading;
  try {
    reading = await readCluster(api, {
      variant: () => api.info.version,
      rateSeconds,
      deadlineMs,
      whyLost: api.whyLost,
      isQuick,
      begins: keptBegins(env, session.context ?? session.url, (text) => {
        stderr.write(`brokertop: ${escapeText(text)}\n`);
      }),
      maxRows: Math.min(maxOnceRows, session.maxRows ?? maxOnceRows),
    });
  } finally {
    await api.close();
  }
  const url = api.servingUrl;
  const hasAny = hasAnything(reading);
  // If everything failed there is no text to print; JSON is still a document.
  if (format === 'json') stdout.write(snapshotJson(snapshotOf(reading), url));
  else if (hasAny)
    stdout.write(
      readingText(
        reading,
        { url, isInsecure: session.isInsecure, isTlsUnchecked: session.tls?.isInsecure === true },
        createTheme(env),
      ),
    );
  const { errors } = reading;
  for (const reason of new Set(errors.map(({ message }) => message))) {
    const parts = errors
      .filter(({ message }) => message === reason)
      .map(({ part }) => partName(part))
      .toSorted();
    stderr.write(
      `brokertop: ${escapeText(onceErrorTexts.failed(api.whyLost() === undefined ? url : undefined, reason, hasAny ? parts : []))}\n`,
    );
  }
  return errors.length === 0 ? 0 : 1;
}

/**
 * Writes one line of ASCII JSON with `null` for unknown values. The broker's text cannot affect a terminal it is
 * printed on.
 */
export function snapshotJson({ takenAt, ...rest }: Snapshot, url: string): string {
  const text = JSON.stringify({ takenAt, url, ...rest }, (_, value: unknown) => value ?? null);
  return `${asciiJson(text)}\n`;
}
