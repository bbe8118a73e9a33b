import { names, say } from '../../domain/sentence.ts';
import { pluralize, untrusted } from '../../domain/text.ts';
import { alarmWatches } from '../../resources/alarms/select.ts';
import { defineCheck, type Row } from '../../triage/check.ts';
import { criticalFirst, rowOf } from '../../triage/grouping.ts';
import type { Finding, Jump } from '../../triage/problem.ts';
import { type AlarmProblem, judgeAlarms } from './judge.ts';

const allAlarms: Jump = { screen: 'alarms' };

const alarmIdOf = (evidence: object): unknown => ('id' in evidence ? evidence.id : undefined);

/** More alarms share a row. */
const maxRows = 5;

function rowsOf(alarms: readonly Finding<AlarmProblem>[], suffix: string): readonly Row<AlarmProblem>[] {
  const sorted = criticalFirst(alarms);
  const rest = Map.groupBy(sorted.slice(maxRows), ({ severity }) => severity);
  return [
    ...sorted.slice(0, maxRows),
    ...[...rest].map(([severity, members]) =>
      rowOf<AlarmProblem>(
        {
          key: `alarms, more ${severity}${suffix}`,
          severity,
          code: 'more-alarms',
          evidence: { count: members.length },
        },
        members,
      ),
    ),
  ];
}

export const alarms = defineCheck({
  id: 'alarms',
  title: 'Alarms',
  noun: 'alarms',
  finds: "the broker's alarms, if its API has them",
  needs: ({ state, pace }) => alarmWatches(state).map((watched) => ({ watched, everySeconds: pace.lists })),
  judge: judgeAlarms,
  jump: allAlarms,
  passed: (_, toldElsewhere) =>
    toldElsewhere === 0 ? say`no alarms` : say`${pluralize(toldElsewhere, 'alarm')}, all about the problems above`,
  unchecked: {
    'alarms-unread': { text: () => say`alarms not read` },
    'alarms-unavailable': { text: () => say`this broker has no alarm list` },
    'alarms-elsewhere': {
      text: ({ nodes }) =>
        say`alarms of ${names(nodes)} not visible from here (add ${nodes.length === 1 ? 'its URL' : 'their URLs'})`,
      isOutOfReach: true,
    },
    'alarms-stale': {
      text: ({ clientIds }) => say`${pluralize(clientIds.length, 'stale alarm')}: no session of ${names(clientIds)}`,
      isNote: true,
    },
  },
  problems: {
    alarm: {
      title: ({ id, nodes }) => [
        ...say`Alarm ${untrusted(id)}`,
        ...(nodes.length === 0 ? [] : say` on ${names(nodes)}`),
      ],
      brief: ({ id, nodes }) =>
        nodes.length < 2 ? say`Alarm ${untrusted(id)}` : say`Alarm ${untrusted(id)} on ${nodes.length} nodes`,
      evidence: ({ text }) => (text === undefined ? [] : [[untrusted(text)]]),
      next: () => '`Enter` shows all alarms.',
      jump: ({ row }) => ({ ...allAlarms, row }),
    },
    'queue-alarm': {
      title: ({ clientId }) => say`Queue of ${untrusted(clientId)} is above its high-water mark (alarm)`,
      evidence: ({ text }) => (text === undefined ? [] : [[untrusted(text)]]),
      next: () => '`Enter` opens the client.',
      jump: ({ clientId }) => ({ screen: 'client', clientId }),
    },
    'more-alarms': {
      title: ({ count }) => say`${pluralize(count, 'more alarm')}`,
      next: () => '`Enter` shows all alarms.',
      jump: () => allAlarms,
    },
  },
  rows: (alarmsFound, _, suffix) => rowsOf(alarmsFound, suffix),
  partsText: (parts, problem) => {
    if (problem.code !== 'alarm') return [say`${pluralize(parts.length, 'alarm')}`];
    // The title names the nodes of the same alarm.
    const others = parts.filter(({ evidence }) => alarmIdOf(evidence) !== alarmIdOf(problem.evidence));
    return others.length === 0 ? [] : [say`${pluralize(others.length, 'more alarm')} of the same cause`];
  },
  isLogged: true,
});
