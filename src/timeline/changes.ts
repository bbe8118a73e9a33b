import type { ActingState, ActionRecord } from '../actions/acting-monitor.ts';
import type { EventFacts } from '../domain/event.ts';
import { clockText, pluralize } from '../domain/text.ts';
import { dateText, momentText } from '../domain/time-text.ts';
import { wallMs } from '../monitor/clock.ts';
import type { EventNote } from '../monitor/events.ts';
import { asWatch, reading } from '../monitor/query/part.ts';
import type { ResourceState } from '../monitor/state.ts';
import { logTexts } from '../resources/log/texts.ts';
import { selectNodes } from '../resources/nodes/select.ts';
import type { Administered, Compared, ComparedField, Noun } from '../resources/noun.ts';
import { allNouns } from '../resources/nouns.ts';
import type { CellValue } from '../table/column.ts';

/** A row of a list that people change, as it was when it was read. */
export interface KnownRow {
  readonly name: string;
  readonly node?: string | undefined;
  readonly rowOnScreen: string;
  /** The fields that people change, as texts by their names; without those that were not known. */
  readonly values: Readonly<Record<string, string>>;
}

/** A list that people change, for the next run of the program. Times are milliseconds since 1970. */
export interface KnownList {
  readonly readMs: number;
  readonly rows: Readonly<Record<string, KnownRow>>;
}

/** The rows that are known of the lists that people change, by their noun. */
export type KnownLists = Readonly<Record<string, KnownList>>;

/** A list that people change, with what it was when it was last read to its end. */
interface Administration {
  readonly id: string;
  readonly compared: Compared & { readonly administered: Administered<unknown> };
  readonly noun: Noun;
  before: Known | undefined;
}

interface Known {
  /** Those of nodes that do not run are of the time when they did. */
  readonly rows: ReadonlyMap<string, KnownRow>;
  /** The rows as they were read: those that did not change stay the same objects. */
  readonly objects: ReadonlyMap<string, unknown>;
  readonly readMs: number;
  /** Another address may have its own users and settings. */
  readonly failover: ActingState['failover'];
  /** An earlier run of the program has read it. */
  readonly isEarlier?: true;
}

/** Limits what is kept of one list for the next run: of a longer one, nothing is. */
const maxKept = 2_000;
/** Limits the events of one list at once. */
const maxTold = 20;
/** The longest time from an action until the reading of what it changes. */
const maxActionMs = 60_000;
/** What is read more often than this changed when it was read. */
const exactMs = 5_000;

/** Fields that say how an action was to be done, and not to what. */
const otherFields: ReadonlySet<string> = new Set([
  'node',
  'nodes',
  'kind',
  'app',
  'reason',
  'by',
  'tags',
  'description',
]);

/** Whether an action from here was about a row: then the action tells. */
const isAbout = ({ target = {} }: ActionRecord, rowText: string): boolean =>
  Object.entries(target).some(
    ([field, value]) =>
      typeof value === 'string' && value !== '' && !otherFields.has(field) && rowText.includes(JSON.stringify(value)),
  );

const readMsOf = (noun: Noun, state: ActingState): number | undefined => {
  const times = noun.watches(state).map((watchable) => {
    const { query, key } = asWatch(watchable);
    return (reading(state, query, ...(key as never)) as ResourceState<unknown>).updatedAtMs;
  });
  return times.length === 0 || times.includes(undefined) ? undefined : Math.min(...times.map((atMs) => atMs ?? 0));
};

/** The beginning of a list that is longer does not show what is gone. */
function isCut({ whole, watches }: Noun, state: ActingState): boolean {
  if (whole === undefined) return false;
  const [watchable] = watches(state);
  if (watchable === undefined) return false;
  const { query, key } = asWatch(watchable);
  const { data } = reading(state, query, ...(key as never)) as ResourceState<unknown>;
  const { rowsOf } = whole as { rowsOf(content: unknown): { readonly isCut: boolean } };
  return data !== undefined && rowsOf(data).isCut;
}

const valueText = ({ type }: ComparedField, value: CellValue): string =>
  type === 'time' && typeof value === 'number'
    ? new Date(value * 1_000).toISOString().slice(0, 19).replace('T', ' ')
    : typeof value === 'boolean'
      ? value
        ? 'yes'
        : 'no'
      : String(value ?? '-');

/** Names a state by itself, and any other value by its field: `running → stopped`, `reason noisy → loud`. */
function changeText({ label }: ComparedField, was: string, is: string): string {
  const field = label.toLowerCase();
  return `${[was, is].includes(field) ? '' : `${field} `}${was} → ${is}`;
}

/** Writes the times between which something changed, with the day of the first if that is another one. */
const betweenText = (fromMs: number, toMs: number): string =>
  logTexts.changedBetween((dateText(fromMs) === dateText(toMs) ? clockText : momentText)(fromMs), clockText(toMs));

/** Follows what people change. */
export interface ChangeWatch {
  /** Compares the readings with those before, and tells what others have changed. */
  changesIn(state: ActingState, nowMs: number): readonly EventNote[];
  /** Takes what an earlier run of the program knew: what differs now has changed since. */
  takeOn(lists: KnownLists): void;
  /** Returns what is known now, for the next run. */
  known(): KnownLists;
  /** Counts what made a difference to what is known. */
  changeCount(): number;
}

/** Compares the readings of lists that people change, and tells what others have changed. */
export function createChangeWatch(): ChangeWatch {
  const lists = allNouns.flatMap(([id, noun]): readonly Administration[] => {
    const { compared } = noun;
    if (compared === 'no' || compared.administered === undefined) return [];
    return [{ id, noun, compared: { ...compared, administered: compared.administered }, before: undefined }];
  });
  const earlier = new Map<string, Known>();
  let changeCount = 0;

  function compare(list: Administration, state: ActingState, nowMs: number): readonly EventNote[] {
    const { id: listId, noun, compared } = list;
    const ofEarlierRun = earlier.get(listId);
    const readMs = readMsOf(noun, state);
    if (readMs === undefined || (readMs === list.before?.readMs && ofEarlierRun === undefined)) return [];
    const moment = compared.read(state);
    if (moment === undefined || !moment.isWhole || isCut(noun, state)) return [];
    // Which address an earlier run has read is not known.
    const before = ofEarlierRun === undefined || state.failover !== undefined ? list.before : ofEarlierRun;
    const { screen, changedAt, fields = compared.fields } = compared.administered;
    const nodeOf = (row: unknown): string | undefined => compared.node?.(row);
    const knownOf = (row: unknown): KnownRow => ({
      name: compared.nameOf(row),
      node: nodeOf(row),
      rowOnScreen: compared.idOnScreen?.(row) ?? compared.identity(row),
      values: Object.fromEntries(
        fields.flatMap((field) => {
          const value = field.get(row);
          return value === undefined ? [] : [[field.name, valueText(field, value)]];
        }),
      ),
    });
    const objects = new Map(moment.rows.map((row) => [compared.identity(row), row]));
    const rows = new Map(
      [...objects].map(([id, row]) => {
        const same = before?.objects.get(id) === row ? before?.rows.get(id) : undefined;
        return [id, same ?? knownOf(row)];
      }),
    );
    const now: Known = { rows, objects, readMs, failover: state.failover };
    const running = new Set(selectNodes(state).flatMap(({ name, status }) => (status === 'running' ? [name] : [])));
    // What a node has is compared once it is known which nodes run.
    if (before?.isEarlier === true && running.size === 0 && [...rows.values()].some(({ node }) => node !== undefined))
      return [];
    earlier.delete(listId);
    if (before === undefined || (before.isEarlier !== true && before.failover !== now.failover)) {
      list.before = now;
      changeCount += 1;
      return [];
    }
    const knownNodes = new Set([...before.rows.values()].map(({ node }) => node));
    const isOfOther = ({ node }: KnownRow): boolean =>
      node !== undefined && (!running.has(node) || !knownNodes.has(node));
    const actions = state.actions.filter(
      ({ phase, startedAtMs }) => phase !== 'finished' || startedAtMs >= before.readMs - maxActionMs,
    );
    const isOwn = (row: unknown): boolean => {
      const text = JSON.stringify(row);
      return actions.some((action) => isAbout(action, text));
    };
    const told: { readonly row: KnownRow; readonly text: string; readonly object?: unknown }[] = [];
    const add = (row: KnownRow, text: (name: string) => string, object?: unknown): void => {
      changeCount += 1;
      const whole = object ?? before.objects.get(idOf(row)) ?? row;
      if (!isOfOther(row) && !isOwn(whole)) told.push({ row, object, text: text(`${compared.noun.one} ${row.name}`) });
    };
    const ids = new Map([...before.rows, ...rows].map(([id, row]) => [row, id]));
    const idOf = (row: KnownRow): string => ids.get(row) ?? '';
    for (const [id, row] of rows) {
      const was = before.rows.get(id);
      if (was === row) continue;
      const object = objects.get(id);
      if (was === undefined) {
        add(row, logTexts.isNew, object);
        continue;
      }
      const changed = fields.flatMap((field) => {
        const [earlierValue, value] = [was.values[field.name], row.values[field.name]];
        return earlierValue === value || earlierValue === undefined || value === undefined
          ? []
          : [changeText(field, earlierValue, value)];
      });
      if (changed.length > 0) add(row, (name) => logTexts.isChanged(name, changed.join(', ')), object);
    }
    const kept = new Map(rows);
    for (const [id, row] of before.rows) {
      if (rows.has(id)) continue;
      // What a node that does not run has is not known.
      if (row.node !== undefined && !running.has(row.node)) kept.set(id, row);
      else add(row, logTexts.isGone);
    }
    list.before = { ...now, rows: kept };
    const [fromMs, toMs] = [wallMs(before.readMs), wallMs(Math.min(readMs, nowMs))];
    const between = toMs - fromMs > exactMs ? ` ${betweenText(fromMs, toMs)}` : '';
    const meanwhile = before.isEarlier === true ? ` ${logTexts.notRunning}` : '';
    const noteOf = (text: string, atMs: number | undefined, about: Partial<EventFacts> = {}): EventNote => ({
      atMs: (atMs ?? toMs) - wallMs(0),
      severity: 'info',
      text: `${text}${meanwhile}${atMs === undefined ? between : ''}`,
      about: { kind: 'change', jump: { screen }, ...about },
    });
    /** Returns the broker's time of a change, unless its clock is so far off that the readings contradict it. */
    const brokerMs = (row: unknown): number | undefined => {
      const atMs = (row === undefined ? Number.NaN : (changedAt?.(row) ?? Number.NaN)) * 1_000;
      // The broker leaves out the fraction of a second.
      return atMs > fromMs - 1_000 && atMs <= toMs ? Math.max(atMs, fromMs) : undefined;
    };
    return [
      ...told
        .slice(0, maxTold)
        .map(({ row: { node, rowOnScreen }, object, text }) =>
          noteOf(text, brokerMs(object), { node, jump: { screen, row: rowOnScreen } }),
        ),
      ...(told.length > maxTold
        ? [noteOf(logTexts.moreChanges(pluralize(told.length - maxTold, 'more change'), compared.noun.many), undefined)]
        : []),
    ];
  }

  return {
    changesIn: (state, nowMs) => lists.flatMap((list) => compare(list, state, nowMs)),
    takeOn(known) {
      for (const [id, { readMs, rows }] of Object.entries(known))
        earlier.set(id, {
          rows: new Map(Object.entries(rows)),
          objects: new Map(),
          readMs: readMs - wallMs(0),
          failover: undefined,
          isEarlier: true,
        });
    },
    changeCount: () => changeCount,
    known: () =>
      Object.fromEntries(
        lists.flatMap(({ id, before }) =>
          before === undefined || before.failover !== undefined || before.rows.size > maxKept
            ? []
            : [[id, { readMs: wallMs(before.readMs), rows: Object.fromEntries(before.rows) }]],
        ),
      ),
  };
}
