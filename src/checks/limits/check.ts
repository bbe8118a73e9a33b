import { percent, say } from '../../domain/sentence.ts';
import { pluralize, untrusted } from '../../domain/text.ts';
import { defineCheck } from '../../triage/check.ts';
import { everyRefresh } from '../../triage/needs.ts';
import { unknownLimitWords } from '../../triage/reasons.ts';
import { judgeLimits } from './judge.ts';

const limitNames = { memory: 'memory', processes: 'process limit', descriptors: 'file descriptors' } as const;

export const limits = defineCheck({
  id: 'limits',
  title: 'Node limits',
  noun: 'limits',
  finds: 'memory, processes and file descriptors near their limit',
  needs: () => everyRefresh('nodeStats'),
  datedBy: ['nodeStats'],
  judge: judgeLimits,
  jump: { screen: 'nodes' },
  passed: ({ nodesDown }) =>
    say`memory, processes, file descriptors below 90 %${nodesDown === 0 ? '' : `; ${pluralize(nodesDown, 'node')} not running`}`,
  unchecked: { 'limit-unknown': unknownLimitWords },
  problems: {
    'node-near-limit': {
      title: ({ node, figure, share }) =>
        say`Node ${untrusted(node)} uses ${figure === 'descriptors' ? 'at least ' : ''}${percent(share)} of its ${limitNames[figure]}`,
      magnitude: ({ share }) => share,
      next: ({ figure }) =>
        figure === 'descriptors'
          ? '`Enter` opens the node. Raise its open file limit, or move clients to other nodes.'
          : '`Enter` opens the node, `i` lists its sessions. Look for long queues, or move clients to other nodes.',
      jump: ({ node }) => ({ screen: 'node', node }),
    },
  },
});
