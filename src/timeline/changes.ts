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

/** A list that people change, with what it was when it was last read to its end. */
interface Administration {
  readonly compared: Compared & { readonly administered: Administered<unknown> };
  readonly noun: Noun;
  before: Known | undefined;
}

interface Known {
  /** Those of nodes that do not run are of the time when they did. */
  readonly rows: ReadonlyMap<string, unknown>;
  readonly readMs: number;
  /** Another address may have its own users and settings. */
  readonly failover: ActingState['failover'];
}

/** Limits the events of one list at once. */
const maxTold = 20;
/** How long an action may take until what it changes is read. */
const maxActionMs = 60_000;
/** What is read more often than this changed when it was read. */
const exactMs = 5_000;

/** What says how an action was to be done, and not to what. */
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
function isCut({ listed, watches }: Noun, state: ActingState): boolean {
  if (listed === 'no' || !('whole' in listed)) return false;
  const [watchable] = watches(state);
  if (watchable === undefined) return false;
  const { query, key } = asWatch(watchable);
  const { data } = reading(state, query, ...(key as never)) as ResourceState<unknown>;
  const { rowsOf } = listed.whole as { rowsOf(content: unknown): { readonly isCut: boolean } };
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
function changeText(field: ComparedField, was: CellValue, is: CellValue): string {
  const label = field.label.toLowerCase();
  const values = [valueText(field, was), valueText(field, is)];
  return `${values.includes(label) ? '' : `${label} `}${values.join(' → ')}`;
}

/** Writes the times between which something changed, with the day of the first if that is another one. */
const betweenText = (fromMs: number, toMs: number): string =>
  logTexts.changedBetween((dateText(fromMs) === dateText(toMs) ? clockText : momentText)(fromMs), clockText(toMs));

/** Compares the readings of lists that people change, and tells what others have changed. */
export function createChangeWatch(): (state: ActingState, nowMs: number) => readonly EventNote[] {
  const lists = allNouns.flatMap(([, noun]): readonly Administration[] => {
    const { compared } = noun;
    if (compared === 'no' || compared.administered === undefined) return [];
    return [{ noun, compared: { ...compared, administered: compared.administered }, before: undefined }];
  });

  function compare(list: Administration, state: ActingState, nowMs: number): readonly EventNote[] {
    const { noun, compared, before } = list;
    const readMs = readMsOf(noun, state);
    if (readMs === undefined || readMs === before?.readMs) return [];
    const moment = compared.read(state);
    if (moment === undefined || !moment.isWhole || isCut(noun, state)) return [];
    const rows = new Map(moment.rows.map((row) => [compared.identity(row), row]));
    const known: Known = { rows, readMs, failover: state.failover };
    if (before === undefined || before.failover !== known.failover) {
      list.before = known;
      return [];
    }
    const running = new Set(selectNodes(state).flatMap(({ name, status }) => (status === 'running' ? [name] : [])));
    const nodeOf = (row: unknown): string | undefined => compared.node?.(row);
    const knownNodes = new Set([...before.rows.values()].map(nodeOf));
    const isOfOther = (row: unknown): boolean => {
      const node = nodeOf(row);
      return node !== undefined && (!running.has(node) || !knownNodes.has(node));
    };
    const actions = state.actions.filter(
      ({ phase, startedAtMs }) => phase !== 'finished' || startedAtMs >= before.readMs - maxActionMs,
    );
    const isOwn = (row: unknown): boolean => {
      const text = JSON.stringify(row);
      return actions.some((action) => isAbout(action, text));
    };
    const told: { readonly row: unknown; readonly isThere: boolean; readonly text: string }[] = [];
    const add = (row: unknown, isThere: boolean, text: (name: string) => string): void => {
      if (!isOfOther(row) && !isOwn(row))
        told.push({ row, isThere, text: text(`${compared.noun.one} ${compared.nameOf(row)}`) });
    };
    for (const [id, row] of rows) {
      const earlier = before.rows.get(id);
      if (earlier === row) continue;
      if (earlier === undefined) {
        add(row, true, logTexts.isNew);
        continue;
      }
      const changed = (compared.administered.fields ?? compared.fields).flatMap((field) => {
        const [was, is] = [field.get(earlier), field.get(row)];
        return was === is || was === undefined || is === undefined ? [] : [changeText(field, was, is)];
      });
      if (changed.length > 0) add(row, true, (name) => logTexts.isChanged(name, changed.join(', ')));
    }
    const kept = new Map(rows);
    for (const [id, row] of before.rows) {
      if (rows.has(id)) continue;
      const node = nodeOf(row);
      // What a node that does not run has is not known.
      if (node !== undefined && !running.has(node)) kept.set(id, row);
      else add(row, false, logTexts.isGone);
    }
    list.before = { ...known, rows: kept };
    const { screen, changedAt } = compared.administered;
    const [fromMs, toMs] = [wallMs(before.readMs), wallMs(Math.min(readMs, nowMs))];
    const between = toMs - fromMs > exactMs ? ` ${betweenText(fromMs, toMs)}` : '';
    const noteOf = (text: string, atMs: number | undefined, about: Partial<EventFacts> = {}): EventNote => ({
      atMs: (atMs ?? toMs) - wallMs(0),
      severity: 'info',
      text: atMs === undefined ? `${text}${between}` : text,
      about: { kind: 'change', jump: { screen }, ...about },
    });
    /** Returns the broker's time of a change, unless its clock is so far off that the readings contradict it. */
    const brokerMs = (row: unknown): number | undefined => {
      const atMs = (changedAt?.(row) ?? Number.NaN) * 1_000;
      // The broker leaves out the fraction of a second.
      return atMs > fromMs - 1_000 && atMs <= toMs ? Math.max(atMs, fromMs) : undefined;
    };
    return [
      ...told.slice(0, maxTold).map(({ row, isThere, text }) =>
        noteOf(text, isThere ? brokerMs(row) : undefined, {
          node: nodeOf(row),
          jump: { screen, row: compared.idOnScreen?.(row) ?? compared.identity(row) },
        }),
      ),
      ...(told.length > maxTold
        ? [noteOf(logTexts.moreChanges(pluralize(told.length - maxTold, 'more change'), compared.noun.many), undefined)]
        : []),
    ];
  }

  return (state, nowMs) => lists.flatMap((list) => compare(list, state, nowMs));
}
