import { names, say } from '../../domain/sentence.ts';
import { pluralize, untrusted, withThousands } from '../../domain/text.ts';
import { judgeNodes, type NodeDown } from './judge.ts';
import { defineCheck } from '../../triage/check.ts';
import { everyRefresh } from '../../triage/needs.ts';

/** Fewer clients are missing at any time. */
const maxAwayShare = 0.02;

function downNodeStep({ clients, clusterClients: cluster }: NodeDown): string {
  const check = "Check its host and its broker's log.";
  if (clients === undefined || clients === 0) return check;
  const away = cluster === undefined ? 0 : cluster.before - cluster.now;
  if (away > maxAwayShare * (cluster?.before ?? 0))
    return `${check} ${pluralize(away, 'client')} ${away === 1 ? 'has' : 'have'} not come back yet.`;
  return `${check} ${cluster === undefined ? '' : 'Its clients have moved to other nodes. '}Press \`4\`, then \`o\`, to group the clients by node.`;
}

export const nodes = defineCheck({
  id: 'nodes',
  title: 'Nodes',
  noun: 'nodes',
  finds: 'stopped and missing nodes, unusual status',
  needs: () => everyRefresh('nodes', 'nodeStats'),
  datedBy: ['nodeStats'],
  judge: judgeNodes,
  jump: { screen: 'nodes' },
  passed: (facts, toldElsewhere) => say`${pluralize(facts.nodes - toldElsewhere, 'node')} running`,
  partsText: (parts) => [
    say`${names(parts.flatMap(({ evidence }) => ('node' in evidence ? String(evidence.node) : [])))} not seen by the others`,
  ],
  unchecked: {},
  problems: {
    'node-down': {
      title: ({ node, status }) =>
        say`Node ${untrusted(node)} ${status === 'stopped' ? 'is stopped' : 'is missing from the node list'}`,
      evidence: ({ clients, clusterClients: cluster }) => [
        ...(clients === undefined ? [] : [say`had ${pluralize(clients, 'client')}`]),
        // More than before, while clients are only arriving.
        ...(cluster === undefined || cluster.now > cluster.before
          ? []
          : [say`all nodes: ${withThousands(cluster.now)} of ${pluralize(cluster.before, 'client')} connected`]),
      ],
      next: (down) => `\`Enter\` opens the node. ${downNodeStep(down)}`,
      jump: ({ node }) => ({ screen: 'node', node }),
    },
    'node-silent': {
      title: ({ node }) => say`Node ${untrusted(node)} is not responding`,
      evidence: ({ clients }) => (clients === undefined ? [] : [say`had ${pluralize(clients, 'client')}`]),
      next: () =>
        "`Enter` opens the node. It is hung or unreachable: check its host and network, and restart it if it stays silent. The other nodes' figures are current.",
      jump: ({ node }) => ({ screen: 'node', node }),
    },
    'node-status': {
      title: ({ node, status }) =>
        status === ''
          ? say`Node ${untrusted(node)} reports no status`
          : say`Node ${untrusted(node)} reports status ${untrusted(status)}`,
      next: () => "`Enter` opens the node. Check its broker's log.",
      jump: ({ node }) => ({ screen: 'node', node }),
    },
  },
});
