import { figure, percent, say } from '../../domain/sentence.ts';
import { durationText } from '../../domain/text.ts';
import { defineCheck } from '../../triage/check.ts';
import { everyRefresh } from '../../triage/needs.ts';
import type { Jump } from '../../triage/problem.ts';
import { judgeUnrouted } from './judge.ts';

const counter: Jump = { screen: 'metrics', row: 'messages.dropped' };

export const unrouted = defineCheck({
  id: 'unrouted',
  title: 'Unrouted',
  noun: 'unrouted',
  finds: 'messages published to topics without subscribers',
  needs: () => everyRefresh('metrics'),
  datedBy: ['metrics'],
  judge: judgeUnrouted,
  jump: counter,
  passed: ({ perSecond, seconds }) =>
    say`${figure(perSecond)} msg/s without a subscriber in the last ${durationText(Math.round(seconds))}`,
  unchecked: {},
  problems: {
    'unrouted-messages': {
      title: ({ perSecond }) => say`${figure(perSecond)} msg/s unrouted (no subscribers)`,
      magnitude: ({ perSecond }) => perSecond,
      evidence: ({ seconds, share }) => [
        ...(share === undefined ? [] : [say`${percent(share)} of received`]),
        say`over ${durationText(Math.round(seconds))}`,
      ],
      next: () =>
        "`Enter` shows the counter. The API does not name the topics: compare the publishers' topics with the subscriptions (`6`).",
      jump: () => counter,
    },
  },
});
