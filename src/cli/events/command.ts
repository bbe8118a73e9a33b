import { parseTime } from '../../domain/time-text.ts';
import { eventFields } from '../../timeline/fields.ts';
import { recordWriter } from '../../table/records.ts';
import { escapeText } from '../../terminal/safe-text.ts';
import { createTheme } from '../../terminal/theme.ts';
import type { TimelineEvent } from '../../domain/event.ts';
import { columnsOf } from '../../tui/components/field-columns.ts';
import { UsageError } from '../errors.ts';
import { createTwinFilter } from '../../timeline/merge-events.ts';
import { EventFileError, eventFilePath, openEventFile } from '../files/event-file.ts';
import { followEvents } from '../files/follow-events.ts';
import { type CommandProcess, waitForStop } from '../process/child.ts';
import { outputOf } from '../list/formats.ts';
import { createListing, type Listing, type ListRequest } from '../list/listing.ts';
import type { ListFormat } from '../list/resources.ts';
import { eventsTexts } from '../texts.ts';

export interface EventsCommand extends ListRequest {
  readonly format: ListFormat;
  /** A time as it is typed; `undefined` for all events that are kept. */
  readonly since: string | undefined;
  /** Goes on with what happens next. */
  readonly follow: boolean;
}

export interface EventsStreams {
  readonly stdout: NodeJS.WritableStream & { readonly isTTY?: boolean };
  readonly stderr: NodeJS.WritableStream;
  readonly env: NodeJS.ProcessEnv;
}

/** The columns of a table, where none are chosen: what a person reads first. */
const tableColumns = ['time', 'severity', 'kind', 'text', 'object', 'lasted'] as const;

export const eventListing = (events: readonly TimelineEvent[], env: NodeJS.ProcessEnv): Listing =>
  createListing({
    columns: columnsOf(eventFields, {}),
    rows: events,
    data: undefined,
    theme: createTheme(env),
    zoneSeconds: 0,
  });

/** Prints events as the command line says. @throws UsageError for a column that there is not */
export function printEvents(
  events: readonly TimelineEvent[],
  { format, ...request }: Omit<EventsCommand, 'since' | 'follow'>,
  { stdout, env }: Pick<EventsStreams, 'stdout' | 'env'>,
): void {
  const columns = request.columns ?? (format === 'table' ? tableColumns : undefined);
  const selection = eventListing(events, env).select({ ...request, columns });
  for (const piece of outputOf(format, selection, stdout.isTTY === true)) stdout.write(piece);
}

/** Returns the events since a time that is typed, which may be so long before `nowMs`. @throws UsageError */
export function eventsSince(
  events: readonly TimelineEvent[],
  since: string | undefined,
  nowMs: number,
): readonly TimelineEvent[] {
  if (since === undefined) return events;
  const fromMs = parseTime(since, nowMs);
  if (fromMs === undefined) throw new UsageError(eventsTexts.noTime(since));
  return events.filter(({ atMs }) => atMs >= fromMs);
}

/** How many rows before decide the widths of the columns of a table that goes on. */
const alignedRows = 200;

/** Prints events as they come, in the order of their arrival. @throws UsageError for a column that there is not */
function createPrinter(
  { format, limit = Number.POSITIVE_INFINITY, ...request }: Omit<EventsCommand, 'since' | 'follow'>,
  { stdout, env }: Pick<EventsStreams, 'stdout' | 'env'>,
  events: readonly TimelineEvent[],
) {
  const columns = request.columns ?? (format === 'table' ? tableColumns : undefined);
  const select = (events: readonly TimelineEvent[], count?: number) =>
    eventListing(events, env).select({ ...request, sort: undefined, columns, limit: count });
  let shown: readonly TimelineEvent[] = [];
  let left = limit;
  const writer =
    format === 'table'
      ? undefined
      : recordWriter(format, select([]).columns, stdout.isTTY === true ? escapeText : undefined);
  stdout.write(writer?.start ?? `${[...select(events).tableLines()][0] ?? ''}\n`);
  const printer = {
    isFull: () => left <= 0,
    print(added: readonly TimelineEvent[]): void {
      const rows = select(added, Number.isFinite(left) ? left : undefined);
      left -= rows.count;
      if (writer === undefined) {
        const before = select(shown).count;
        const lines = [...select([...shown, ...added]).tableLines()].slice(1 + before, 1 + before + rows.count);
        stdout.write(lines.map((line) => `${line}\n`).join(''));
        shown = [...shown, ...added].slice(-alignedRows);
      } else for (let row = 0; row < rows.count; row += 1) stdout.write(writer.row(rows.rawOf(row)));
    },
    end: () => stdout.write(writer?.end() ?? ''),
  };
  printer.print(events);
  return printer;
}

/**
 * Prints the events that monitors of a cluster have kept, oldest first; with `follow` those that come later, too, until a
 * signal ends it.
 *
 * @returns 0; 1 if the file cannot be read
 * @throws UsageError for a time or a column that there is not
 */
export async function runEvents(
  cluster: string,
  { since, follow, ...request }: EventsCommand,
  process: EventsStreams & CommandProcess,
  nowMs = Date.now(),
): Promise<number> {
  const { stderr, env } = process;
  const file = eventFilePath(env, cluster);
  let kept: readonly TimelineEvent[];
  try {
    kept = file === undefined ? [] : await openEventFile(file).read();
  } catch (error) {
    if (!(error instanceof EventFileError)) throw error;
    stderr.write(`brokertop: ${escapeText(eventsTexts.unreadable(file ?? '', error.code))}\n`);
    return 1;
  }
  const events = eventsSince(kept, since, nowMs);
  if (kept.length === 0) stderr.write(`brokertop: ${eventsTexts.none}\n`);
  if (!follow || file === undefined) {
    printEvents(events, request, process);
    return 0;
  }
  const stopped = waitForStop(process);
  const printer = createPrinter(request, process, events);
  const printed = new Set(kept.map(({ id }) => id));
  const isFirst = createTwinFilter();
  for (const event of kept) isFirst(event);
  let end = (): void => {};
  const full = new Promise<void>((resolve) => {
    end = resolve;
  });
  const follower = followEvents(file, {
    onEvents(appended) {
      const added = appended.filter((event) => !printed.has(event.id) && isFirst(event));
      for (const { id } of appended) printed.add(id);
      if (added.length > 0) printer.print(added);
      if (printer.isFull()) end();
    },
    onTrouble(error) {
      const code = error instanceof EventFileError ? error.code : String(error);
      stderr.write(`brokertop: ${escapeText(eventsTexts.unreadable(file, code))}\n`);
    },
  });
  if (printer.isFull()) end();
  await Promise.race([stopped, full]);
  await follower.close();
  printer.end();
  return 0;
}
