import { join, names, say, type Sentence } from '../../domain/sentence.ts';
import { pluralize, untrusted } from '../../domain/text.ts';
import type { MonitorState } from '../../monitor/state.ts';
import { alarmWatches } from '../../resources/alarms/select.ts';
import { clusterViews } from '../../resources/cluster-views/resource.ts';
import { type ClusterPart, selectHasPartitionAlarm, selectViewsDiffer } from '../../resources/cluster-views/select.ts';
import { selectNodes } from '../../resources/nodes/select.ts';
import { defineCheck } from '../../triage/check.ts';
import type { Jump } from '../../triage/problem.ts';
import { hasSeveralAddresses, judgeSplit } from './judge.ts';

const allNodes: Jump = { screen: 'nodes' };

/** A node that does not run may run for itself. */
const isUrgent = (state: MonitorState): boolean =>
  selectViewsDiffer(state) || selectNodes(state).some(({ status }) => status !== 'running');

const see = (by: readonly string[]): Sentence => say`${names(by)} ${by.length === 1 ? 'sees' : 'see'}`;

/** The smallest part, which is the one to mend. */
const smallest = (parts: readonly ClusterPart[]): ClusterPart => parts.at(-1) ?? { by: [], nodes: [] };

const onlyWhom = ({ by, nodes }: ClusterPart): Sentence =>
  by.length === 1 && nodes.length === 1 && nodes[0] === by[0] ? say`only itself` : say`only ${names(nodes)}`;

const shownText = (shown: string | undefined): readonly Sentence[] =>
  shown === undefined ? [] : [say`shown: the view of ${untrusted(shown)}`];

const mend =
  'Both sides accept clients, and no messages cross. Check the network between the nodes. If they do not join again by themselves, restart the smaller side.';

export const split = defineCheck({
  id: 'split',
  title: 'Split brain',
  noun: 'split brain',
  finds: 'nodes that run and do not see each other: with several URLs by the views of all of them, else by the alarms',
  needs: ({ state, pace }) => [
    ...(hasSeveralAddresses(state) || selectHasPartitionAlarm(state)
      ? [{ watched: clusterViews, everySeconds: isUrgent(state) ? pace.urgent : pace.lists }]
      : []),
    ...(state.capabilities?.partitionAlarms === true
      ? alarmWatches(state).map((watched) => ({ watched, everySeconds: pace.lists }))
      : []),
  ],
  judge: judgeSplit,
  jump: allNodes,
  passed: ({ by, views, nodes }) =>
    by === 'one-node'
      ? say`one node`
      : by === 'alarms'
        ? say`no partition alarm`
        : say`${views === 1 ? '1 address' : `${views} addresses`} asked, all see the same ${pluralize(nodes, 'node')}`,
  unchecked: {
    'views-unread': { text: () => say`views of the cluster not read yet` },
    'views-differ': { text: () => say`the addresses see different nodes: asking again` },
    'view-missing': {
      text: ({ urls }) =>
        say`${names(urls)} did not answer: ${urls.length === 1 ? 'its view is' : 'their views are'} unknown`,
    },
    'partition-alarms-unread': { text: () => say`alarms not read` },
    'one-view': {
      text: () => say`one view only (add the URLs of the other nodes)`,
      isOutOfReach: true,
    },
    'nodes-not-asked': {
      text: ({ nodes }) => say`${names(nodes)} not asked (add ${nodes.length === 1 ? 'its URL' : 'their URLs'})`,
      isOutOfReach: true,
    },
  },
  problems: {
    'split-brain': {
      title: ({ parts }) => say`Cluster is split: ${see(smallest(parts).by)} ${onlyWhom(smallest(parts))}`,
      brief: () => say`Cluster is split`,
      evidence: ({ parts, shown }) => [
        ...parts.slice(0, -1).map(({ by, nodes }) => say`${see(by)} ${names(nodes)}`),
        ...shownText(shown),
      ],
      next: () => `\`Enter\` lists the nodes. ${mend}`,
      jump: () => allNodes,
    },
    partition: {
      title: ({ lost }) =>
        say`Cluster is split: ${join(
          lost.map(({ node, from }) =>
            node === undefined
              ? say`a node lost touch with ${names(from)}`
              : say`${untrusted(node)} lost touch with ${names(from)}`,
          ),
          '; ',
        )}`,
      brief: () => say`Cluster is split`,
      evidence: ({ shown }) => [say`by the broker's partition alarm`, ...shownText(shown)],
      next: () => `\`Enter\` lists the nodes. ${mend} Add the URLs of all nodes to compare what each of them sees.`,
      jump: () => allNodes,
    },
  },
});
