import { figure, say, type Sentence } from '../../domain/sentence.ts';
import { durationText, untrusted } from '../../domain/text.ts';
import { defineCheck } from '../../triage/check.ts';
import { everyRefresh } from '../../triage/needs.ts';
import type { Jump } from '../../triage/problem.ts';
import { judgeRefusals } from './judge.ts';

const refuserText = (by: { readonly id: string; readonly perSecond: number } | undefined): readonly Sentence[] =>
  by === undefined ? [] : [say`${figure(by.perSecond)}/s by ${untrusted(by.id)}`];

const refusedCounter: Jump = { screen: 'metrics', row: 'packets.connack.error' };

export const refusals = defineCheck({
  id: 'refusals',
  title: 'Refusals',
  noun: 'refusals',
  finds: 'refused connections, and denied publish and subscribe requests (API v5, which does not name the clients)',
  needs: () => everyRefresh('metrics'),
  datedBy: ['metrics'],
  judge: judgeRefusals,
  jump: refusedCounter,
  passed: ({ seconds }) => say`few or no connections refused in the last ${durationText(Math.round(seconds))}`,
  unchecked: { 'refusals-uncounted': { text: () => say`this broker does not count refused connections` } },
  problems: {
    'connections-refused': {
      title: ({ perSecond }) => say`${figure(perSecond)} connections/s refused`,
      magnitude: ({ perSecond }) => perSecond,
      evidence: ({ seconds, loginPerSecond, by }) => [
        ...refuserText(by),
        ...(loginPerSecond === undefined
          ? []
          : [say`${figure(loginPerSecond)}/s with wrong credentials or not authorized`]),
        say`over ${durationText(Math.round(seconds))}`,
      ],
      next: () =>
        "`Enter` shows the counter. The broker's log names the clients. Banned clients that keep trying also count (`X` lists the bans).",
      jump: () => refusedCounter,
    },
    'access-denied': {
      title: ({ perSecond }) => say`${figure(perSecond)} publish or subscribe requests/s denied`,
      magnitude: ({ perSecond }) => perSecond,
      evidence: ({ seconds, by }) => [...refuserText(by), say`over ${durationText(Math.round(seconds))}`],
      next: () => "`Enter` shows the counter. The broker's log names the clients and topics. Check their ACL rules.",
      jump: () => ({ screen: 'metrics', row: 'authorization.deny' }),
    },
  },
});
