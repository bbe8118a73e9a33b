import { say } from '../../domain/sentence.ts';
import { elapsedText, pluralize, untrusted, withThousands } from '../../domain/text.ts';
import { slowSubscriptions as slowSubscriptionsResource } from '../../resources/slow-subscriptions/resource.ts';
import { defineCheck } from '../../triage/check.ts';
import { judgeSlowSubscriptions } from './judge.ts';

export const slowSubscriptions = defineCheck({
  id: 'slowSubscriptions',
  title: 'Slow subs',
  noun: 'slow subscriptions',
  finds: 'subscriptions that the broker calls slow (API v5)',
  needs: ({ state, pace }) =>
    state.capabilities?.slowSubscriptions === true
      ? [{ watched: slowSubscriptionsResource, everySeconds: pace.lists }]
      : [],
  judge: judgeSlowSubscriptions,
  jump: { screen: 'slowSubscriptions' },
  passed: ({ leftOut, thresholdMs }) =>
    leftOut > 0
      ? say`only ${pluralize(leftOut, 'slow subscription')} of clients that have just reconnected`
      : say`no slow subscriptions${thresholdMs === undefined ? '' : ` (over ${withThousands(thresholdMs)} ms)`}`,
  unchecked: {
    'slow-unread': { text: () => say`slow subscriptions not read` },
    'slow-unavailable': { text: () => say`this broker has no list of slow subscriptions` },
    'slow-disabled': {
      text: ({ setting }) => say`the broker does not measure them${setting === undefined ? '' : ` (${setting})`}`,
    },
  },
  problems: {
    'slow-subscriptions': {
      title: ({ count, clientId }) =>
        count === 1
          ? say`Slow subscription of ${untrusted(clientId)}`
          : say`${withThousands(count)} slow subscriptions, worst: ${untrusted(clientId)}`,
      evidence: ({ topic, latencyMs, thresholdMs }) => [
        [untrusted(topic)],
        say`delivered after ${elapsedText(latencyMs)}`,
        ...(thresholdMs === undefined ? [] : [say`threshold ${elapsedText(thresholdMs)}`]),
      ],
      magnitude: ({ latencyMs }) => latencyMs,
      next: () =>
        '`Enter` lists them, slowest first. Check these clients, and the network between them and the broker.',
      jump: () => ({ screen: 'slowSubscriptions' }),
    },
  },
});
