import { createHttpApi } from '../api/v2/client.ts';
import { takeSnapshot, type Snapshot } from '../store/once.ts';
import { createTheme } from '../ui/theme.ts';
import { escapeText } from '../ui/safe-text.ts';
import { resourceNames } from '../ui/screens/resource-names.ts';
import type { MonitorSession } from './monitor.tsx';
import { snapshotText } from './once-text.tsx';

export interface OnceStreams {
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WritableStream;
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Reads the cluster once and prints it, as text or as one JSON document.
 *
 * @returns 0, or 1 when a part could not be read; the reason stands on standard error.
 */
export async function runOnce(session: MonitorSession, format: 'text' | 'json', streams: OnceStreams): Promise<number> {
  const api = createHttpApi({ url: session.url, otherUrls: session.otherUrls, user: session.user, password: session.password, variant: session.variant, tls: session.tls, proxyFor: session.proxyFor });
  const { stdout, stderr, env } = streams;
  api.onServingChange(({ url, insteadOf, because }) => {
    stderr.write(`brokertop: ${escapeText(`${insteadOf}: ${because.message} Read from ${url} instead.`)}\n`);
  });
  let snapshot;
  try {
    snapshot = await takeSnapshot(api, { variant: () => api.variantKnowledge.variant });
  } finally {
    await api.close();
  }
  const url = api.servingUrl;
  // Nothing but failures is no summary; a script that reads JSON still gets its document.
  if (format === 'json') stdout.write(snapshotJson(snapshot, url));
  else if (hasAnything(snapshot)) stdout.write(snapshotText(snapshot, { url, isInsecure: session.isInsecure, isTlsUnchecked: session.tls?.isInsecure === true }, createTheme(env)));
  for (const reason of new Set(snapshot.errors.map(({ message }) => message))) {
    const parts = snapshot.errors.filter(({ message }) => message === reason).map(({ part }) => resourceNames[part]).toSorted();
    stderr.write(`brokertop: ${reason} (${parts.join(', ')})\n`);
  }
  return snapshot.errors.length === 0 ? 0 : 1;
}

function hasAnything({ nodes, listeners, metrics, stats }: Snapshot): boolean {
  return [nodes, listeners, metrics, stats].some((part) => part !== undefined);
}

/**
 * One line of JSON. What is not known is `null`. Everything beyond ASCII is escaped, so that text of
 * the broker does nothing to a terminal that the document is printed on.
 */
export function snapshotJson({ takenAt, ...rest }: Snapshot, url: string): string {
  const text = JSON.stringify({ takenAt, url, ...rest }, (_, value: unknown) => value ?? null);
  return `${text.replaceAll(/[^ -~]/gu, escapeUnits)}\n`;
}

function escapeUnits(character: string): string {
  return Array.from({ length: character.length }, (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`).join('');
}
