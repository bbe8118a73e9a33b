import { type ApiError, BrokerError } from '../api/errors.ts';
import type { Clock } from './clock.ts';
import { forgetOldest } from './forget-oldest.ts';
import type { LogEntry } from './state.ts';
import type { StateWriter } from './store.ts';

/** Failures remembered: those of nodes or clients that are no longer read never end. */
const maxFailing = 500;

/** Writes the log: each failure once, until it ends or changes. */
export interface Journal {
  note(level: LogEntry['level'], text: string): void;
  failure(source: string, error: ApiError): void;
  success(source: string): void;
  /** Writes a warning once per `kind`; `undefined` when the reason has gone. */
  remark(key: string, kind: string | undefined, text?: string): void;
}

export function createJournal(writer: StateWriter, clock: Clock): Journal {
  /** Texts of current failures, by source. */
  const failing = new Map<string, string>();
  const remarked = new Map<string, string>();

  function note(level: LogEntry['level'], text: string): void {
    writer.write({ log: appendLog(writer.state().log, { atMs: clock.nowMs(), level, text }) });
  }

  return {
    note,
    failure(source, error) {
      const brokerText = error instanceof BrokerError ? error.brokerMessage : undefined;
      const text = brokerText === undefined ? error.message : `${error.message} It says: ${brokerText}`;
      if (failing.get(source) === text) return;
      failing.delete(source);
      failing.set(source, text);
      forgetOldest(failing, maxFailing);
      note('error', `${source}: ${text}`);
    },
    success(source) {
      if (failing.delete(source)) note('info', `${source}: answers again.`);
    },
    remark(key, kind, text = '') {
      if (remarked.get(key) === kind) return;
      remarked.delete(key);
      if (kind === undefined) return;
      remarked.set(key, kind);
      forgetOldest(remarked, maxFailing);
      note('warning', text);
    },
  };
}

const maxEntries = 500;

/** The log with one more entry, the oldest falling out after 500; the same log when the last entry says the same. */
export function appendLog(log: readonly LogEntry[], entry: LogEntry): readonly LogEntry[] {
  const last = log.at(-1);
  if (last !== undefined && last.level === entry.level && last.text === entry.text) return log;
  return [...log.slice(-(maxEntries - 1)), entry];
}
