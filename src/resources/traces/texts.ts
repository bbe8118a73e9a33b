import { quoteIfNeeded, words } from '../../actions/texts.ts';
import type { TraceKind } from '../../domain/traces.ts';
import { safe, type SafeText } from '../../terminal/safe-text.ts';
import { traceKindNames } from './fields.ts';

export const traceWords = {
  start: (kind: TraceKind, value: string) =>
    words('start', 'Started', `a trace of ${traceKindNames[kind]} ${quoteIfNeeded(value)}`),
  stop: (name: string) => words('stop', 'Stopped', `trace ${quoteIfNeeded(name)}`),
  delete: (name: string) => words('delete', 'Deleted', `trace ${quoteIfNeeded(name)}`),
};

/** Says why a trace is not started, stopped or deleted, and what became of it. */
export const traceSentences = {
  exists: 'a trace with this name already exists.',
  traced: (name: string): string => `${quoteIfNeeded(name)} traces it already.`,
  gone: 'it no longer exists.',
  replaced: 'another trace has this name now.',
  alreadyStopped: 'It has stopped already.',
  empty: 'Enter what to trace.',
  filter: 'The topic must be a valid topic filter.',
  missing: 'The trace is not listed.',
  notRunning: 'The trace is listed, but does not run.',
  stillRuns: 'The trace still runs.',
  remains: 'The trace is still listed.',
  runsUntil: (end: string): string => `It runs until ${end} (broker time). Its lines are in Traces.`,
  endless: 'A trace must end: enter a duration of at most 1d.',
};

export const traceTexts = {
  kind: safe`Kind`,
  kindHelp: safe`what the trace follows (← → or Space)`,
  value: safe`Value`,
  valueHelp: {
    'client-id': safe`a client ID`,
    topic: safe`a topic or topic filter, such as plant/#`,
    address: safe`an IP address, such as 10.2.4.17`,
  },
  duration: safe`Duration`,
  durationHelp: safe`such as 5m or 1h, at most 1d; the broker ends it by itself`,
  start: {
    title: safe`New trace`,
    titleOf: (clientId: SafeText) => safe`Trace ${clientId}`,
    question: (kind: SafeText) => safe`Trace this ${kind}?`,
    verb: safe`trace`,
  },
  writes: safe`The broker writes a log of what it does on each node, which may hold payloads. It costs the broker disk and time.`,
  stop: { question: safe`Stop this trace?`, verb: safe`stop` },
  logStays: safe`Its log stays until it is deleted.`,
  delete: { question: safe`Delete this trace with its log?`, verb: safe`delete` },
  stillRuns: safe`It still runs.`,
  size: (bytes: SafeText) => safe`log: ${bytes}`,
  follows: (kind: SafeText, value: SafeText) => safe`follows ${kind} ${value}`,
};

export const tracesTexts = {
  notOffered: safe`traces`,
  empty: safe`No traces. Press n to start one, or f on a client.`,
  emptyReadOnly: safe`No traces.`,
  lines: safe`lines of the trace`,
  noLines: safe`No lines yet.`,
  log: safe`Trace`,
  line: safe`Line of a trace`,
  time: safe`time`,
  node: safe`node`,
  level: safe`level`,
  text: safe`text`,
  older: safe`older lines were left out`,
  running: (kind: SafeText, value: SafeText) =>
    safe`The trace of ${kind} ${value} goes on at the broker until it ends; stop it in Traces.`,
};
