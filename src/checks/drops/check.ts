import { figure, say } from '../../domain/sentence.ts';
import { durationText } from '../../domain/text.ts';
import { defineCheck } from '../../triage/check.ts';
import { everyRefresh } from '../../triage/needs.ts';
import { dropMetric, type DropReason, judgeDrops } from './judge.ts';

const reasonTexts: Readonly<Record<DropReason, string>> = {
  queue_full: 'queue full',
  too_large: 'too large for the client',
  expired: 'expired',
  qos0_msg: 'QoS 0, not queued by the session',
};

const queueStep = (countersSeconds: number | undefined): string =>
  `Sessions (\`5\`) lists the fullest queues first${countersSeconds === undefined ? '' : `: the broker updates them every ${countersSeconds} s`}.`;

const nextSteps: Readonly<Record<Exclude<DropReason, 'queue_full'>, string>> = {
  too_large: 'These clients accept only smaller packets: look for large payloads.',
  expired: 'These messages had an expiry interval: their subscribers are offline or slow.',
  qos0_msg: 'Their subscribers are offline or slow. Publish messages that must not be lost with QoS 1.',
};

export const drops = defineCheck({
  id: 'drops',
  title: 'Drops',
  noun: 'drops',
  finds: 'messages dropped as too large, expired or QoS 0, or from full queues (API v5)',
  needs: () => everyRefresh('metrics'),
  datedBy: ['metrics'],
  judge: judgeDrops,
  jump: { screen: 'metrics', row: 'delivery.dropped' },
  passed: ({ seconds }) => say`few or no drops by size, age or QoS in the last ${durationText(Math.round(seconds))}`,
  unchecked: { 'reasons-uncounted': { text: () => say`this broker does not count drops by reason` } },
  problems: {
    'messages-dropped': {
      title: ({ reason, perSecond }) => say`${figure(perSecond)} msg/s dropped: ${reasonTexts[reason]}`,
      evidence: ({ seconds }) => [say`over ${durationText(Math.round(seconds))}`],
      magnitude: ({ perSecond }) => perSecond,
      next: ({ reason, countersSeconds }) =>
        `\`Enter\` shows the counter. ${reason === 'queue_full' ? queueStep(countersSeconds) : nextSteps[reason]}`,
      jump: ({ reason }) => ({ screen: 'metrics', row: dropMetric(reason) }),
    },
  },
});
