import { once } from 'node:events';
import { systemClock } from '../../monitor/clock.ts';
import { journalTexts } from '../../monitor/texts.ts';
import { escapeText } from '../../terminal/safe-text.ts';
import { createTheme } from '../../terminal/theme.ts';
import { type MonitorSession, openApi } from '../commands/monitor-session.ts';
import { listOutputTexts, onceErrorTexts } from '../texts.ts';
import { outputOf } from './formats.ts';
import type { ListRequest } from './listing.ts';
import { emptyList, readList } from './read.ts';
import type { ListFormat, ListResource } from './resources.ts';

export interface ListCommand extends ListRequest {
  readonly resource: ListResource;
  readonly format: ListFormat;
}

export interface ListStreams {
  readonly stdout: NodeJS.WritableStream & { readonly isTTY?: boolean };
  readonly stderr: NodeJS.WritableStream;
  readonly env: NodeJS.ProcessEnv;
}

/** Some rows are missing. */
const partlyCode = 3;

/** Enough that a long list is not written in small pieces. */
const chunkLength = 65_536;

/** @throws UsageError for a column that the list does not have, or an invalid filter, as far as they are known without a connection */
export function checkList({ resource, ...request }: ListCommand, env: NodeJS.ProcessEnv): void {
  // Plugins have a column for each node.
  if (resource !== 'plugins') emptyList(resource, createTheme(env)).select(request);
}

/**
 * Reads a list of the broker to its end and prints it.
 *
 * @returns 0; 1 if nothing could be read; 3 if a part could not be read. The reasons are on standard error
 * @throws UsageError for a column or a filter that the list does not have
 */
export async function runList(session: MonitorSession, { resource, format, ...request }: ListCommand, { stdout, stderr, env }: ListStreams, rateSeconds = 1): Promise<number> {
  const theme = createTheme(env);
  const api = openApi(session);
  const say = (text: string): void => { stderr.write(`brokertop: ${escapeText(text)}\n`); };
  api.onServingChange(({ url, insteadOf, because }) => { say(onceErrorTexts.failover(url, insteadOf, because.message)); });
  api.onAddressSkipped(({ url, because }) => { say(journalTexts.skippedAddress({ url, message: because.message })); });
  let list;
  try {
    list = await readList(resource, { api, clock: systemClock, theme, ownUser: session.user, maxRows: session.maxRows ?? 1_000_000, rateSeconds });
  } finally {
    await api.close();
  }
  const { listing, missing } = list;
  if (listing === undefined) {
    say(listOutputTexts.failed(session.otherUrls?.length ? undefined : api.servingUrl, missing));
    return 1;
  }
  let chunk = '';
  for (const piece of outputOf(format, listing.select(request), stdout.isTTY === true)) {
    chunk += piece;
    if (chunk.length < chunkLength) continue;
    if (!stdout.write(chunk)) await once(stdout, 'drain');
    chunk = '';
  }
  if (chunk !== '') stdout.write(chunk);
  if (missing.length === 0) return 0;
  say(listOutputTexts.incomplete(missing));
  return partlyCode;
}
