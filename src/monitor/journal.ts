import { type ApiError, BrokerError } from '../api/errors.ts';
import type { Clock } from './clock.ts';
import { forgetOldest } from './scan/scan-rows.ts';
import type { LogEntry } from './state.ts';
import type { StateWriter } from './store.ts';
import { journalTexts } from './texts.ts';

/** Limits the failures that are known: those of nodes and clients that are no longer read never end. */
const maxFailing = 500;

export interface Journal {
  /** Adds an entry. @param atMs when it happened, by default now */
  note(
    level: LogEntry['level'],
    text: string,
    options?: Pick<LogEntry, 'about' | 'isSetup'> & { readonly atMs?: number | undefined },
  ): void;
  /**
   * Logs an error once, also if several sources have it. @param isKnown whether it is logged as a problem, or as a part
   * of one
   */
  failure(source: string, error: ApiError, isKnown?: boolean): void;
  success(source: string): void;
  /** Logs once per `kind`; `undefined` resets it. */
  remark(key: string, kind: string | undefined, text?: string): void;
}

export function createJournal(writer: StateWriter, clock: Clock): Journal {
  const failing = new Map<string, { readonly text: string; readonly isLogged: boolean; readonly isKnown: boolean }>();
  const remarked = new Map<string, string>();

  const note: Journal['note'] = (level, text, { about, isSetup, atMs = clock.nowMs() } = {}) => {
    writer.write({
      log: appendLog(writer.state().log, {
        atMs,
        level,
        text,
        ...(about && { about }),
        ...(isSetup === true && { isSetup }),
      }),
    });
  };

  return {
    note,
    failure(source, error, isKnown = false) {
      const brokerText = error instanceof BrokerError ? error.brokerMessage : undefined;
      const text = brokerText === undefined ? error.message : journalTexts.withBrokerText(error.message, brokerText);
      const before = failing.get(source);
      // What fails before, during and after a problem is logged once; what still fails after one that it was a part of, then.
      if (before !== undefined && !before.isKnown && (isKnown || before.text === text)) return;
      if (before?.text === text && isKnown) return;
      failing.delete(source);
      const isLogged = !isKnown && ![...failing.values()].some((other) => other.text === text && other.isLogged);
      failing.set(source, { text, isLogged: isLogged || before?.isLogged === true, isKnown });
      forgetOldest(failing, maxFailing);
      if (isLogged) note('error', journalTexts.failure(source, text));
    },
    success(source) {
      const wasLogged = failing.get(source)?.isLogged === true;
      failing.delete(source);
      if (wasLogged) note('info', journalTexts.answersAgain(source));
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

/** Appends an entry to the last 500, sorted by time; equal ones in a row are one. */
export function appendLog(log: readonly LogEntry[], entry: LogEntry): readonly LogEntry[] {
  const last = log.at(-1);
  if (last !== undefined && last.atMs > entry.atMs) {
    const at = log.findLastIndex(({ atMs }) => atMs <= entry.atMs) + 1;
    return [...log.slice(0, at), entry, ...log.slice(at)].slice(-maxEntries);
  }
  if (last === undefined || last.level !== entry.level || last.text !== entry.text)
    return [...log.slice(-(maxEntries - 1)), entry];
  const { times, sinceMs } = last.repeated ?? { times: 1, sinceMs: last.atMs };
  return [...log.slice(0, -1), { ...entry, repeated: { times: times + 1, sinceMs } }];
}
