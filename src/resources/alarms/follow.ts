import { type Alarm, alarmName } from '../../domain/administration.ts';
import type { Journal } from '../../monitor/journal.ts';
import { followResource } from '../../monitor/query/query.ts';
import { journalTexts } from '../../monitor/texts.ts';
import { selectUnreadNodes } from '../nodes/select.ts';
import { alarms } from './resource.ts';
import { alarmSinceMs } from './select.ts';

/** Logs alarms that are set and cleared. */
export const alarmLog = followResource(alarms, ({ clock, journal, state }) => {
  let requestedMs = 0;
  const note = createAlarmLog(
    journal,
    (alarm) => alarmSinceMs(alarm, state(), clock.nowMs()),
    ({ node }) => node !== undefined && selectUnreadNodes(state(), requestedMs).includes(node),
  );
  return {
    onRequest() {
      requestedMs = clock.nowMs();
    },
    onAnswer: note,
  };
});

const maxNoted = 20;

/**
 * Logs alarms. @param sinceMs when an alarm was set, if known @param isUnknown whether the list cannot have an alarm,
 * as its node does not run
 */
export function createAlarmLog(
  journal: Pick<Journal, 'note'>,
  sinceMs: (alarm: Alarm) => number | undefined,
  isUnknown: (alarm: Alarm) => boolean,
): (alarms: readonly Alarm[]) => void {
  let known: ReadonlyMap<string, Alarm> = new Map();

  function noteAll(
    level: 'warning' | 'info',
    events: readonly { readonly alarm: Alarm; readonly text: string; readonly atMs?: number | undefined }[],
    moreText: (count: number) => string,
  ): void {
    const kind = level === 'info' ? 'alarm-cleared' : 'alarm-set';
    for (const { alarm, text, atMs } of events.slice(0, maxNoted))
      journal.note(level, text, {
        atMs,
        about: {
          kind,
          check: 'alarms',
          node: alarm.node,
          clientId: alarm.queueOf,
          problem: `alarm ${alarmName(alarm)}`,
          jump: { screen: 'alarms' },
        },
      });
    if (events.length > maxNoted) journal.note(level, moreText(events.length - maxNoted), { about: { kind } });
  }

  return (alarms) => {
    const before = new Map(known);
    // An alarm of the same name that was set later is another one: the first was cleared in between.
    const earlier = alarms.flatMap((alarm): (readonly [string, Alarm])[] => {
      const name = alarmName(alarm);
      const one = before.get(name);
      return one?.occurredAt !== undefined && (alarm.occurredAt ?? one.occurredAt) > one.occurredAt
        ? [[name, one]]
        : [];
    });
    for (const [name] of earlier) before.delete(name);
    const listed = new Map(alarms.map((alarm) => [alarmName(alarm), alarm]));
    const missing = [...before].filter(([name]) => !listed.has(name));
    const unknown = missing.filter(([, alarm]) => isUnknown(alarm));
    known = new Map([...listed, ...unknown]);
    noteAll(
      'info',
      [...missing.filter(([name]) => !known.has(name)), ...earlier].map(([name, alarm]) => ({
        alarm,
        text: journalTexts.alarmCleared(name),
      })),
      journalTexts.moreAlarmsCleared,
    );
    noteAll(
      'warning',
      alarms
        .filter((alarm) => !before.has(alarmName(alarm)))
        .map((alarm) => ({
          alarm,
          text: journalTexts.alarmSet(alarmName(alarm), alarm.summary ?? alarm.title),
          atMs: sinceMs(alarm),
        })),
      journalTexts.moreAlarmsSet,
    );
  };
}
