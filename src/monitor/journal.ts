import { type ApiError, BrokerError } from '../api/errors.ts';
import type { EventFacts, EventSeverity } from '../domain/event.ts';
import type { Clock } from './clock.ts';
import { addEvent, eventOf, timelineEvents } from './events.ts';
import { reading, withReading } from './query/part.ts';
import { forgetOldest } from './scan/scan-rows.ts';
import type { StateWriter } from './store.ts';
import { journalTexts } from './texts.ts';

/** Limits the failures that are known: those of nodes and clients that are no longer read never end. */
const maxFailing = 500;

export interface Journal {
  /** Adds an event to the timeline. @param atMs when it happened, by default now */
  note(
    severity: EventSeverity,
    text: string,
    options?: { readonly about?: EventFacts | undefined; readonly atMs?: number | undefined },
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

  const note: Journal['note'] = (severity, text, { about, atMs = clock.nowMs() } = {}) => {
    const state = writer.state();
    const event = eventOf({ atMs, severity, text, about });
    writer.write(withReading(state, timelineEvents, addEvent(reading(state, timelineEvents), event)));
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
      // What fails to be read is no problem of the cluster unless a check says so.
      if (isLogged) note('warning', journalTexts.failure(source, text));
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
