import { figure, say } from '../../domain/sentence.ts';
import { pluralize, untrusted } from '../../domain/text.ts';
import { defineCheck } from '../../triage/check.ts';
import { everyRefresh } from '../../triage/needs.ts';
import { judgeFanOut } from './judge.ts';
import { subscriptionScan } from '../../resources/subscriptions/resource.ts';

export const fanOut = defineCheck({
  id: 'fanOut',
  title: 'Fan-out',
  noun: 'fan-out',
  finds: 'many deliveries per message, and their topic',
  needs: ({ findings, isShort, pace }) => [
    ...everyRefresh('metrics'),
    // To find a suspect.
    ...(findings.length > 0 && isShort('subscriptions')
      ? [{ watched: subscriptionScan, everySeconds: pace.lists } as const]
      : []),
  ],
  datedBy: ['metrics'],
  judge: judgeFanOut,
  jump: { screen: 'subscriptions' },
  passed: ({ receivedPerSecond, sentPerSecond }) =>
    say`${figure(receivedPerSecond)} msg/s in, ${figure(sentPerSecond)} msg/s out`,
  unchecked: {},
  problems: {
    'fan-out': {
      title: ({ ratio, suspect }) =>
        typeof suspect === 'string'
          ? say`High fan-out: ${figure(ratio)} deliveries per message`
          : say`High fan-out, probably on ${untrusted(suspect.topic)}`,
      evidence: ({ ratio, sentPerSecond, receivedPerSecond, suspect }) => [
        ...(typeof suspect === 'string'
          ? [say`topic unknown, subscriptions ${suspect === 'list-cut' ? 'only partly read' : 'not read yet'}`]
          : [
              say`${suspect.isMin ? 'at least ' : ''}${pluralize(suspect.subscribers, 'subscriber')}`,
              say`cluster: ${figure(ratio)} deliveries per message`,
            ]),
        say`${figure(receivedPerSecond)} msg/s in, ${figure(sentPerSecond)} msg/s out`,
      ],
      magnitude: ({ ratio }) => ratio,
      next: ({ suspect, hasTalkers }) =>
        typeof suspect === 'string'
          ? '`Enter` lists the subscriptions; there, `o` groups them by topic filter.'
          : `\`Enter\` lists its subscribers. Reduce their number, or publish to it less often. ${hasTalkers ? 'Its publisher is probably one of the top talkers (`F`).' : 'The API does not say who publishes.'}`,
      jump: ({ suspect }) => ({
        screen: 'subscriptions',
        topic: typeof suspect === 'string' ? undefined : suspect.topic,
      }),
      counter: 'messages.sent',
    },
  },
});
