import { once } from 'node:events';
import { systemClock } from '../../monitor/clock.ts';
import { journalTexts } from '../../monitor/texts.ts';
import { escapeText } from '../../terminal/safe-text.ts';
import { type RecordFormat, type RecordWriter, recordWriter } from '../../table/records.ts';
import { createTheme } from '../../terminal/theme.ts';
import { type MonitorSession, openApi } from '../commands/monitor-session.ts';
import { keptBegins } from '../files/kept-begins.ts';
import { listOutputTexts, onceErrorTexts } from '../texts.ts';
import { outputOf } from './formats.ts';
import type { Listing, ListRequest, ListedRows } from './listing.ts';
import { emptyList, readList, streamed } from './read.ts';
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

/** The exit code when some rows are missing. */
const partlyCode = 3;

/** Long enough that a list is not written in small pieces. */
const chunkLength = 65_536;

/**
 * @throws UsageError for a column that the list does not have, or an invalid filter, as far as they are known without a
 * connection
 */
export function checkList({ resource, ...request }: ListCommand, env: NodeJS.ProcessEnv): void {
  // Plugins have a column for each node.
  if (resource !== 'plugins') emptyList(resource, createTheme(env)).select(request);
}

/**
 * Reads a list of the broker and prints it: rows as their pages arrive, where no order, table or second reading is
 * wanted.
 *
 * @returns 0; 1 if nothing could be read; 3 if a part could not be read. The reasons are on standard error
 * @throws UsageError for a column or a filter that the list does not have
 */
export async function runList(
  session: MonitorSession,
  { resource, format, ...request }: ListCommand,
  { stdout, stderr, env }: ListStreams,
  rateSeconds = 1,
  deadlineMs = 10_000,
): Promise<number> {
  const theme = createTheme(env);
  const api = openApi(session);
  const say = (text: string): void => {
    stderr.write(`brokertop: ${escapeText(text)}\n`);
  };
  api.onServingChange(({ url, insteadOf, because }) => {
    say(onceErrorTexts.failover(url, insteadOf, because.message));
  });
  api.onAddressSkipped(({ url, because }) => {
    say(journalTexts.skippedAddress({ url, message: because.message }));
  });
  const stream =
    format === 'table' || request.sort !== undefined || !streamed.has(resource)
      ? undefined
      : createStream(format, request, stdout);
  let list;
  try {
    list = await readList(resource, {
      api,
      clock: systemClock,
      theme,
      ownUser: session.user,
      maxRows: session.maxRows ?? 1_000_000,
      rateSeconds,
      deadlineMs,
      whyLost: api.whyLost,
      begins: keptBegins(env, session.context ?? session.url, say),
      onRows: stream?.write,
    });
  } finally {
    await api.close();
  }
  const { listing, missing } = list;
  if (listing === undefined) {
    // Errors at the other addresses begin with them.
    say(listOutputTexts.failed(api.whyLost() === undefined ? api.servingUrl : undefined, missing));
    return 1;
  }
  if (stream !== undefined) stream.end(listing);
  else await print(outputOf(format, listing.select(request), stdout.isTTY === true), stdout);
  if (missing.length === 0) return 0;
  say(listOutputTexts.incomplete(missing));
  return partlyCode;
}

async function print(pieces: Iterable<string>, stdout: NodeJS.WritableStream): Promise<void> {
  let chunk = '';
  for (const piece of pieces) {
    chunk += piece;
    if (chunk.length < chunkLength) continue;
    if (!stdout.write(chunk)) await once(stdout, 'drain');
    chunk = '';
  }
  if (chunk !== '') stdout.write(chunk);
}

interface Stream {
  /** Writes rows. Returns `false` once there are as many as were asked for. */
  readonly write: (rows: Listing) => boolean;
  /** Ends the output. `listing` has all rows, because a list without rows has columns too. */
  readonly end: (listing: Listing) => void;
}

/** Prints rows while the list is read. */
function createStream(format: RecordFormat, request: ListRequest, stdout: ListStreams['stdout']): Stream {
  let writer: RecordWriter | undefined;
  let left = request.limit ?? Number.POSITIVE_INFINITY;
  const begin = ({ columns }: ListedRows): RecordWriter => {
    const begun = recordWriter(format, columns, stdout.isTTY === true ? escapeText : undefined);
    stdout.write(begun.start);
    return begun;
  };
  return {
    write(rows) {
      const selection = rows.select({ ...request, limit: Number.isFinite(left) ? left : undefined });
      const output = (writer ??= begin(selection));
      stdout.write(Array.from({ length: selection.count }, (_, row) => output.row(selection.rawOf(row))).join(''));
      left -= selection.count;
      return left > 0;
    },
    end(listing) {
      const output = writer ?? begin(listing.select({ ...request, limit: 0 }));
      stdout.write(output.end());
    },
  };
}
