import type { ActionRecord } from '../../actions/acting-monitor.ts';
import type { Read } from '../../actions/action.ts';
import { askTexts, durationLine, readDuration } from '../../actions/asking.ts';
import { type ActionParts, defineAction, type ShownRows } from '../../actions/define-action.ts';
import type { Built, ConfirmRequest, DialogOrRefusal, FormField, FormRequest } from '../../actions/requests.ts';
import { brokerTimeText, invalidTexts, skipTexts } from '../../actions/texts.ts';
import { asWanted, notAsWanted, orUnsupported, readEnd } from '../../actions/verification.ts';
import { clientIdOf } from '../../domain/client.ts';
import type { NewTrace, Trace } from '../../domain/traces.ts';
import type { Effects } from '../../monitor/state.ts';
import { formatBytes } from '../../terminal/format.ts';
import { escapeText, trusted } from '../../terminal/safe-text.ts';
import type { Theme } from '../../terminal/theme.ts';
import type { ClientRow } from '../clients/actions.ts';
import { traceBytes, traceKindNames } from './fields.ts';
import { readTraces, traces } from './resource.ts';
import { traceSentences, traceTexts, traceWords } from './texts.ts';

type Kind = NewTrace['kind'];

export interface TraceRequest extends Pick<NewTrace, 'name' | 'kind' | 'value'> {
  /** The trace lasts so long from when it is sent. */
  readonly seconds: number;
}

/** The rows and facts that the actions of the screen Traces act on. */
export interface ShownTraces extends ShownRows<Trace> {
  readonly isOffered: boolean;
}

const tracesView: Effects = { refresh: [traces] };
const capability = 'traces';
const maxSeconds = 86_400;

const find = async (read: Read, name: string): Promise<Trace | undefined> =>
  (await read(readTraces)).find((trace) => trace.name === name);

/** Returns why a trace is not the one that was shown, as a sentence. */
const recheckTrace = (now: Trace | undefined, shown: Trace): string | undefined =>
  now === undefined
    ? traceSentences.gone
    : now.kind === shown.kind && now.value === shown.value && now.startAt === shown.startAt
      ? undefined
      : traceSentences.replaced;

function startParts({ name, kind, value, seconds }: TraceRequest): ActionParts<'name' | 'kind' | 'value' | 'seconds'> {
  return {
    target: { name, kind, value, seconds },
    ...traceWords.start(kind, value),
    invalid: problemOfTrace(value),
    async recheck(read) {
      const listed = await read(readTraces);
      if (listed.some((trace) => trace.name === name)) return { changed: traceSentences.exists };
      const same = listed.find((trace) => trace.kind === kind && trace.value === value && trace.status === 'running');
      if (same !== undefined) return { changed: traceSentences.traced(same.name) };
      const end = await readEnd(read, seconds);
      if (end?.until === undefined) return { changed: skipTexts.noClock };
      const endAt = end.until;
      return {
        plan: {
          before: {},
          after: { end: brokerTimeText(endAt) },
          requests: [
            {
              node: undefined,
              send: (api, options) =>
                orUnsupported('start a trace', api.startTrace?.({ name, kind, value, endAt }, options)),
            },
          ],
          async verify(readAgain) {
            const now = await find(readAgain, name);
            if (now === undefined) return [notAsWanted(traceSentences.missing)];
            return [
              now.status === 'stopped'
                ? notAsWanted(traceSentences.notRunning)
                : { ...asWanted, text: traceSentences.runsUntil(brokerTimeText(now.endAt ?? endAt)) },
            ];
          },
        },
      };
    },
    effects: () => tracesView,
  };
}

function problemOfTrace(value: string): string | undefined {
  if (value === '') return traceSentences.empty;
  if (value.includes('\u0000')) return invalidTexts.nul('text');
  return value.isWellFormed() ? undefined : invalidTexts.unicode('text');
}

const startFields = ['name', 'kind', 'value', 'seconds'] as const;

/** Starts a trace of the client in a row. */
export const traceClient = defineAction({
  id: 'trace-client',
  label: 'trace a client',
  menuLabel: 'Trace',
  danger: 'changes',
  capability,
  where: 'Clients, Sessions, Subscriptions, a client',
  key: {
    id: 'traceClient',
    scope: 'row',
    keys: ['f'],
    label: 'trace',
    help: 'Follow the client in a trace: what the broker does for it, and why; asks first',
    aliases: ['follow', 'debug'],
  },
  rowChoice: (theme, { target: { subject }, state }: ClientRow) =>
    state().capabilities?.traces === true ? { next: traceClientRequest(theme, clientIdOf(subject)) } : undefined,
  operations: ['startTrace'],
  confirmation: 'form, y/N',
  auditFields: startFields,
  create: startParts,
});

/** Starts a trace of a client ID, a topic or an address. */
export const startTrace = defineAction({
  id: 'start-trace',
  label: 'start a trace',
  danger: 'changes',
  capability,
  where: 'Traces',
  key: {
    id: 'startTrace',
    scope: 'traces',
    keys: ['n'],
    label: 'start',
    help: 'Start a trace of a client ID, topic or address; asks first',
  },
  ask: (theme, { isOffered }: ShownTraces) => (isOffered ? () => ({ request: newTraceRequest(theme) }) : undefined),
  operations: ['startTrace'],
  confirmation: 'form, y/N',
  auditFields: startFields,
  create: startParts,
});

export const stopTrace = defineAction({
  id: 'stop-trace',
  label: 'stop a trace',
  danger: 'changes',
  capability,
  where: 'Traces',
  key: { id: 'stopTrace', scope: 'traces', keys: ['K'], label: 'stop', help: 'Stop the trace; asks first' },
  ask: (theme, { row }: ShownTraces) => row && (() => stopRequest(theme, row)),
  operations: ['stopTrace'],
  confirmation: 'y/N',
  auditFields: ['name', 'kind', 'value'],
  create(shown: Trace) {
    const { name, kind, value } = shown;
    return {
      target: { name, kind, value },
      ...traceWords.stop(name),
      async recheck(read) {
        const now = await find(read, name);
        const changed = recheckTrace(now, shown);
        if (changed !== undefined) return { changed };
        if (now?.status === 'stopped') return { already: traceSentences.alreadyStopped };
        return {
          plan: {
            requests: [
              {
                node: undefined,
                send: (api, options) => orUnsupported('stop a trace', api.stopTrace?.(name, options)),
              },
            ],
            async verify(readAgain) {
              const after = await find(readAgain, name);
              return [after?.status === 'running' ? notAsWanted(traceSentences.stillRuns) : asWanted];
            },
          },
        };
      },
      effects: () => tracesView,
    };
  },
});

/** Removes a trace with its log. */
export const deleteTrace = defineAction({
  id: 'delete-trace',
  label: 'delete a trace',
  danger: 'destroys',
  capability,
  where: 'Traces',
  key: {
    id: 'deleteTrace',
    scope: 'traces',
    keys: ['D'],
    label: 'delete',
    help: 'Delete the trace with its log; asks first',
  },
  ask: (theme, { row }: ShownTraces) => row && (() => ({ request: deleteRequest(theme, row) })),
  operations: ['deleteTrace'],
  confirmation: 'y/N',
  auditFields: ['name', 'kind', 'value'],
  create(shown: Trace) {
    const { name, kind, value } = shown;
    return {
      target: { name, kind, value },
      ...traceWords.delete(name),
      async recheck(read) {
        const changed = recheckTrace(await find(read, name), shown);
        if (changed !== undefined) return { changed };
        return {
          plan: {
            requests: [
              {
                node: undefined,
                send: (api, options) => orUnsupported('delete a trace', api.deleteTrace?.(name, options)),
              },
            ],
            verify: async (readAgain) => [
              (await find(readAgain, name)) === undefined ? asWanted : notAsWanted(traceSentences.remains),
            ],
          },
        };
      },
      effects: () => tracesView,
    };
  },
});

const kinds = ['client-id', 'topic', 'address'] as const satisfies readonly Kind[];

const kindOf = (name: string | undefined): Kind => kinds.find((each) => traceKindNames[each] === name) ?? 'client-id';

const durationInput: FormField = {
  id: 'duration',
  label: traceTexts.duration,
  initial: '5m',
  help: traceTexts.durationHelp,
};

/** Names a trace by its start, so that others see whose it is. Names of traces have letters, digits, `-` and `_` only. */
const newName = (): string => `brokertop-${new Date().toISOString().slice(0, 19).replaceAll(/\D/gu, '')}`;

function built(
  theme: Theme,
  define: typeof startTrace | typeof traceClient,
  target: Pick<TraceRequest, 'kind' | 'value'>,
  duration: string,
): Built {
  const read = readDuration(duration);
  if ('error' in read) return { error: read.error, field: 'duration' };
  const { seconds } = read;
  if (seconds === undefined || seconds > maxSeconds)
    return { error: escapeText(traceSentences.endless), field: 'duration' };
  const action = define.create({ name: newName(), ...target, seconds });
  if (action.invalid !== undefined) return { error: theme.escape(action.invalid), field: 'value' };
  return {
    next: {
      kind: 'confirm',
      question: traceTexts.start.question(trusted(traceKindNames[target.kind])),
      target: target.value,
      details: [durationLine(seconds), traceTexts.writes],
      verb: traceTexts.start.verb,
      action,
      showWith: 'screenTraces',
    },
  };
}

/** Asks to trace a client. */
export const traceClientRequest = (theme: Theme, clientId: string): FormRequest => ({
  kind: 'form',
  title: traceTexts.start.titleOf(theme.escape(clientId, 60)),
  fields: [durationInput],
  verb: askTexts.continue,
  build: ({ duration = '' }) => built(theme, traceClient, { kind: 'client-id', value: clientId }, duration),
});

export const newTraceRequest = (theme: Theme): FormRequest => ({
  kind: 'form',
  title: traceTexts.start.title,
  fields: [
    {
      id: 'kind',
      label: traceTexts.kind,
      kind: 'choice',
      choices: kinds.map((each) => traceKindNames[each]),
      help: traceTexts.kindHelp,
    },
    { id: 'value', label: traceTexts.value, help: ({ kind }) => traceTexts.valueHelp[kindOf(kind)] },
    durationInput,
  ],
  verb: askTexts.continue,
  build: ({ kind, value = '', duration = '' }) => built(theme, startTrace, { kind: kindOf(kind), value }, duration),
});

const followed = (theme: Theme, { kind, value }: Trace): ConfirmRequest['details'] => [
  traceTexts.follows(trusted(kind === undefined ? '' : traceKindNames[kind]), theme.escape(value, 300)),
];

export const stopRequest = (theme: Theme, trace: Trace): DialogOrRefusal =>
  trace.status === 'stopped'
    ? { refused: escapeText(traceSentences.alreadyStopped) }
    : {
        request: {
          kind: 'confirm',
          question: traceTexts.stop.question,
          target: trace.name,
          details: [...(followed(theme, trace) ?? []), traceTexts.logStays],
          verb: traceTexts.stop.verb,
          action: stopTrace.create(trace),
        },
      };

export const deleteRequest = (theme: Theme, trace: Trace): ConfirmRequest => ({
  kind: 'confirm',
  question: traceTexts.delete.question,
  target: trace.name,
  details: [
    ...(followed(theme, trace) ?? []),
    traceTexts.size(formatBytes(traceBytes(trace))),
    ...(trace.status === 'running' ? [traceTexts.stillRuns] : []),
  ],
  verb: traceTexts.delete.verb,
  action: deleteTrace.create(trace),
});

/** Returns the traces that this run started and that have neither ended nor been stopped. @param nowMs wall clock */
export function runningTraces(
  actions: readonly ActionRecord[],
  nowMs: number,
): readonly Pick<TraceRequest, 'kind' | 'value'>[] {
  const isDone = ({ result }: ActionRecord): boolean => result?.outcome === 'done';
  const ended = new Set(
    actions
      .filter((each) => isDone(each) && (each.name === stopTrace.id || each.name === deleteTrace.id))
      .map(({ target }) => target?.['name']),
  );
  return actions.flatMap((each) => {
    const { name, target = {}, result } = each;
    const { value, kind, seconds } = target;
    if (!isDone(each) || result === undefined || (name !== startTrace.id && name !== traceClient.id)) return [];
    if (ended.has(target['name']) || result.finishedAtMs + Number(seconds) * 1_000 <= nowMs) return [];
    return [{ value: String(value), kind: kinds.find((known) => known === kind) ?? 'client-id' }];
  });
}

export const traceActions = [traceClient, startTrace, stopTrace, deleteTrace] as const;
