import { figure, percent, say } from '../../domain/sentence.ts';
import { pluralize, untrusted, withThousands } from '../../domain/text.ts';
import { defineCheck } from '../../triage/check.ts';
import { everyRefresh } from '../../triage/needs.ts';
import { triageThresholds } from '../../triage/thresholds.ts';
import { judgeBalance } from './judge.ts';

export const balance = defineCheck({
  id: 'balance',
  title: 'Balance',
  noun: 'balance',
  finds: 'nodes with far more clients or load than the others',
  needs: () => everyRefresh('nodeStats'),
  datedBy: ['nodeStats'],
  judge: judgeBalance,
  jump: { screen: 'nodes' },
  passed: ({ nodes, highest }) =>
    highest === undefined
      ? say`${pluralize(nodes, 'running node')}, nothing to compare`
      : say`busiest node: ${percent(highest.share)} of clients (warning at ${percent(Math.min(1, triageThresholds.unevenness.warning / nodes))})`,
  unchecked: { 'figure-unknown': { text: ({ figure: of }) => say`${of} of a node unknown` } },
  problems: {
    'uneven-clients': {
      title: ({ node, clients, total }) =>
        say`Node ${untrusted(node)} has ${withThousands(clients)} of ${pluralize(total, 'client')}`,
      evidence: ({ ratio }) => [say`${figure(ratio)} times the average`],
      magnitude: ({ ratio }) => ratio,
      next: () => '`Enter` lists its clients. Check the load balancer. Clients move only when they reconnect.',
      jump: ({ node }) => ({ screen: 'clients', node }),
    },
    'uneven-load': {
      title: ({ node, load }) => say`Node ${untrusted(node)} has a load of ${load.toFixed(2)}`,
      evidence: ({ ratio, nodes }) => [say`${figure(ratio)} times the average of ${pluralize(nodes, 'node')}`],
      magnitude: ({ ratio }) => ratio,
      next: () => '`Enter` opens the node, `c` lists its clients. Check what else runs on its host.',
      jump: ({ node }) => ({ screen: 'node', node }),
    },
  },
});
