import { names, percent, say } from '../../domain/sentence.ts';
import { pluralize, untrusted } from '../../domain/text.ts';
import { defineCheck } from '../../triage/check.ts';
import { everyRefresh } from '../../triage/needs.ts';
import { descending, type Jump } from '../../triage/problem.ts';
import { unknownLimitWords } from '../../triage/reasons.ts';
import { judgeListeners } from './judge.ts';

const fullestListeners: Jump = { screen: 'listeners', sort: descending('used') };

export const listeners = defineCheck({
  id: 'listeners',
  title: 'Listeners',
  noun: 'listeners',
  finds: 'listeners that are enabled but do not run, on one node or all, and listeners near their connection limit',
  needs: () => everyRefresh('listeners', 'nodeStats'),
  datedBy: ['listeners'],
  judge: judgeListeners,
  jump: fullestListeners,
  passed: ({ listeners: count, nodesDown }) =>
    say`${pluralize(count, 'listener')} below 90 % of the connection limit${nodesDown === 0 ? '' : `; ${pluralize(nodesDown, 'node')} not running`}`,
  unchecked: { 'limit-unknown': unknownLimitWords },
  problems: {
    'listener-down': {
      title: ({ listener, on, nodes }) =>
        say`Listener ${untrusted(listener)} is down${on.length === nodes && nodes > 1 ? ' on all nodes' : say` on ${names(on, 2)}`}`,
      evidence: ({ on, nodes }) =>
        on.length === nodes
          ? [say`enabled, but does not run`]
          : [say`running on ${nodes - on.length} of ${pluralize(nodes, 'node')}`],
      magnitude: ({ on }) => on.length,
      next: ({ on }, { canAct }) =>
        `\`Enter\` lists the listeners. Check the log of the ${on.length === 1 ? 'node' : 'nodes'}: the port may be in use.${canAct ? ' There, `S` starts it on all nodes.' : ''}`,
      jump: ({ on }) => ({ ...fullestListeners, node: on.length === 1 ? on[0] : undefined }),
    },
    'listener-near-limit': {
      title: ({ listener, node, share }) =>
        say`Listener ${untrusted(listener)} of ${untrusted(node)} is at ${percent(share)} of its connection limit`,
      magnitude: ({ share }) => share,
      next: () =>
        '`Enter` lists the listeners of its node, fullest first. Raise the connection limit, or move clients to other nodes.',
      jump: ({ node }) => ({ ...fullestListeners, node }),
    },
  },
});
