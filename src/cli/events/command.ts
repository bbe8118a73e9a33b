import { parseTime } from '../../domain/time-text.ts';
import { eventFields } from '../../timeline/fields.ts';
import { createTheme } from '../../terminal/theme.ts';
import type { TimelineEvent } from '../../domain/event.ts';
import { columnsOf } from '../../tui/components/field-columns.ts';
import { UsageError } from '../errors.ts';
import { eventFilePath, openEventFile } from '../files/event-file.ts';
import { outputOf } from '../list/formats.ts';
import { createListing, type Listing, type ListRequest } from '../list/listing.ts';
import type { ListFormat } from '../list/resources.ts';
import { eventsTexts } from '../texts.ts';

export interface EventsCommand extends ListRequest {
  readonly format: ListFormat;
  /** A time as it is typed; `undefined` for all events that are kept. */
  readonly since: string | undefined;
}

export interface EventsStreams {
  readonly stdout: NodeJS.WritableStream & { readonly isTTY?: boolean };
  readonly stderr: NodeJS.WritableStream;
  readonly env: NodeJS.ProcessEnv;
}

/** The columns of a table, where none are chosen: what a person reads first. */
const tableColumns = ['time', 'severity', 'kind', 'event', 'object', 'lasted'] as const;

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
  { format, ...request }: Omit<EventsCommand, 'since'>,
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

/**
 * Prints the events that monitors of a cluster have kept, oldest first.
 *
 * @returns 0; 1 if the file cannot be read
 * @throws UsageError for a time or a column that there is not
 */
export async function runEvents(
  cluster: string,
  { since, ...request }: EventsCommand,
  { stdout, stderr, env }: EventsStreams,
  nowMs = Date.now(),
): Promise<number> {
  const file = eventFilePath(env, cluster);
  const kept = file === undefined ? [] : await openEventFile(file).read();
  const events = eventsSince(kept, since, nowMs);
  if (kept.length === 0) stderr.write(`brokertop: ${eventsTexts.none}\n`);
  printEvents(events, request, { stdout, env });
  return 0;
}
