import type { CallOptions, ReadingApi } from '../../api/management-api.ts';
import type { NodeName } from '../../domain/node.ts';
import type { Trace } from '../../domain/traces.ts';
import { defineResource } from '../../monitor/query/query.ts';
import type { PartOfList } from '../../monitor/state.ts';
import { offered } from '../offered.ts';
import { linesOf, type TraceLine } from './lines.ts';

/** Reads the traces of all nodes. @throws ApiError; NotAvailableError where the API has no traces */
export const readTraces = async (api: ReadingApi, options: CallOptions): Promise<readonly Trace[]> =>
  offered(api, 'listTraces', 'traces')(options);

/** Logs that the broker keeps of single clients, topics or addresses. */
export const traces = defineResource<readonly Trace[]>({
  name: 'traces',
  source: 'traces',
  every: 'fifthTick',
  read: readTraces,
});

/** So many lines of a trace are kept, the newest. */
export const maxTraceLines = 1_000;

/** The log of a trace that was there before is read from so many bytes before its end. */
const tailBytes = 65_536;
const maxPieceBytes = 65_536;
/** Limits the pieces of one reading: a busy trace is read on at the next tick. */
const maxPieces = 4;

/** The newest lines of a trace, in the order of their times. `hasMore`: older ones were left out. */
export const traceLog = defineResource<PartOfList<TraceLine>, [name: string]>({
  name: 'traceLog',
  source: (name) => `trace ${name}`,
  every: 'tick',
  isInParts: true,
  maxUnwatched: 2,
  // A line may quote a payload.
  recorded: 'no',
  open({ api }, name) {
    const positions = new Map<NodeName, number>();
    let lines: readonly TraceLine[] = [];
    let hasMore = false;
    let count = 0;
    return async (call) => {
      const found = (await call.request(() => readTraces(api, call))).find((trace) => trace.name === name);
      const fresh: TraceLine[] = [];
      for (const [node, size] of found?.logBytes ?? []) {
        const known = positions.get(node);
        // A shorter log is another one of the same name.
        let from = known === undefined || size < known ? Math.max(0, size - tailBytes) : known;
        let isCut = known === undefined && from > 0;
        hasMore ||= isCut;
        for (let pieces = 0; from < size && pieces < maxPieces; pieces += 1) {
          const range = { from, maxBytes: Math.min(maxPieceBytes, size - from) };
          const { text, next } = await call.request(() => offered(api, 'readTrace', 'traces')(name, node, range, call));
          if (next <= from) break;
          // What follows the last end of a line is read again, once the line is whole.
          const end = text.lastIndexOf('\n') + 1;
          if (end === 0 && range.maxBytes < maxPieceBytes) break;
          const whole = end === 0 ? text : text.slice(0, end);
          fresh.push(...linesOf(isCut ? whole.slice(whole.indexOf('\n') + 1) : whole, node));
          from = end === 0 ? next : from + Buffer.byteLength(whole);
          isCut = false;
        }
        positions.set(node, from);
      }
      if (fresh.length === 0) return { items: lines, hasMore };
      const sorted = fresh.toSorted((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0));
      const numbered = sorted.map((line): TraceLine => ({ ...line, place: (count += 1) }));
      hasMore ||= lines.length + numbered.length > maxTraceLines;
      lines = [...lines, ...numbered].slice(-maxTraceLines);
      return { items: lines, hasMore };
    };
  },
});
