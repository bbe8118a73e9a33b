import { type Alarm, queueAlarmClient } from '../domain/administration.ts';
import { pluralize, literal, untrusted } from '../domain/text.ts';
import { hasNoAlarms } from '../monitor/polling/alarms.ts';
import { selectBrokerClock } from '../monitor/select/nodes.ts';
import type { CheckInput, CheckResult, Finding, Jump } from './check.ts';

const maxShown = 5;

const severityOfAlarm = ({ severity }: Alarm): Finding['severity'] => (severity === 'error' || severity === 'critical' ? 'error' : 'warning');

/** When it was set, by this machine's clock: the broker tells its own local time. */
function sinceMsOf({ occurredAt }: Alarm, { state, nowMs }: CheckInput): number | undefined {
  const clock = selectBrokerClock(state, undefined, nowMs);
  return occurredAt === undefined || clock === undefined || clock < occurredAt ? undefined : nowMs - (clock - occurredAt) * 1_000;
}

function findingOf(alarm: Alarm, input: CheckInput): Finding {
  const { id, summary, title } = alarm;
  const clientId = queueAlarmClient(alarm);
  const text = summary ?? title;
  const said = text === undefined ? [] : [literal(': '), untrusted(text)];
  return {
    check: 'alarms', key: `alarm ${id}`, severity: severityOfAlarm(alarm), sinceMs: sinceMsOf(alarm, input),
    parts: clientId === undefined
      ? [literal('Alarm '), untrusted(id), ...said, literal('.')]
      : [literal('Queue of session '), untrusted(clientId), literal(' is past its high-water mark (alarm)'), ...said, literal('.')],
    jump: clientId === undefined ? { screen: 'log' } : { screen: 'sessions', clientId },
  };
}

/** What the broker itself warns of, where it tells. It is true of sessions of offline clients, too, whose counters are not. */
export function alarmCheck(input: CheckInput): CheckResult {
  const { state } = input;
  const jump: Jump = { screen: 'log' };
  if (hasNoAlarms(state)) return { check: 'alarms', findings: [], doubts: [[literal('this broker has no list of alarms')]], evidence: [], jump, isNotOffered: true };
  const { data, updatedAtMs } = state.alarms;
  const sorted = (data ?? []).toSorted((a, b) => Number(severityOfAlarm(b) === 'error') - Number(severityOfAlarm(a) === 'error'));
  const rest = sorted.slice(maxShown);
  return {
    check: 'alarms', jump,
    findings: [
      ...sorted.slice(0, maxShown).map((alarm) => findingOf(alarm, input)),
      ...(['error', 'warning'] as const).flatMap((severity): readonly Finding[] => {
        const alike = rest.filter((alarm) => severityOfAlarm(alarm) === severity);
        return alike.length === 0 ? [] : [{ check: 'alarms', key: `alarms, more ${severity}`, severity, count: alike.length, sinceMs: undefined, jump, parts: [literal(`${pluralize(alike.length, 'more alarm')}.`)] }];
      }),
    ],
    doubts: data === undefined ? [[literal('alarms not read')]] : [],
    evidence: [literal('no alarm is set')],
    reading: { noun: 'alarms', atMs: updatedAtMs, isWatched: state.watched?.some(({ kind }) => kind === 'alarms') === true },
  };
}
