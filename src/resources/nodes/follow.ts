import type { NodeInfo, NodeName, NodeStats } from '../../domain/node.ts';
import { startingSeconds } from '../../monitor/polling/intervals.ts';
import { reading } from '../../monitor/query/part.ts';
import { followResource, type QueryContext } from '../../monitor/query/query.ts';
import { journalTexts } from '../../monitor/texts.ts';
import { listeners } from '../listeners/resource.ts';
import { createMetricRecorder } from '../metrics/follow.ts';
import { metricHistory } from '../metrics/resource.ts';
import { stats } from '../statistics/resource.ts';
import { createLastKnown, updateSeenNodes } from './history.ts';
import { lastKnownNodes, nodes, nodeStats, seenNodes } from './resource.ts';
import { selectLowestUptime } from './select.ts';

/** Notes which nodes come and go, and what was last known of those that are down. */
function createNodeWatch({ clock, journal, onNodeBack, share, state, write }: QueryContext) {
  const lastKnown = createLastKnown();
  const { history } = share(createMetricRecorder);
  let silentNodes: ReadonlySet<NodeName> = new Set();
  let hasSeenAll = false;

  return {
    lastKnown,
    /** @param isWhole the answer lists stopped nodes too */
    noteStatus(answer: readonly (NodeInfo | NodeStats)[], isWhole: boolean): void {
      const before = reading(state(), seenNodes);
      const { seen, changes } = updateSeenNodes(before, answer, isWhole, clock.nowMs(), !hasSeenAll);
      hasSeenAll ||= isWhole;
      if (seen === before) return;
      const wasSilent = silentNodes;
      const silent = new Set<NodeName>(answer.filter(({ isSilent }) => isSilent === true).map(({ name }) => name));
      const down = [...seen]
        .filter(([node, { status }]) => status === 'stopped' || status === 'unknown' || silent.has(node))
        .map(([node]) => node);
      silentNodes = silent;
      write(seenNodes, seen);
      write(lastKnownNodes, lastKnown.of(down));
      if (before.size === 0) return;
      write(metricHistory, history.breakTotal());
      if (changes.some(({ to }) => to === 'running')) onNodeBack();
      const statusTextOf = new Map(answer.map(({ name, statusText }) => [name, statusText]));
      for (const { node, from, to } of changes) {
        // A node that does not respond is a problem, whose beginning and end are logged.
        if (silent.has(node) || (to === 'running' && wasSilent.has(node))) continue;
        journal.note(
          to === 'running' ? 'info' : 'warning',
          journalTexts.nodeStatus(node, {
            to,
            from,
            statusText: statusTextOf.get(node),
            wasSilent: wasSilent.has(node),
          }),
          { about: { kind: 'node', node, jump: { screen: 'node', node } } },
        );
      }
    },
  };
}

/** Follows what names nodes or says how they are. */
export const nodeFollowers = [
  followResource(nodes, (context) => {
    const { lastKnown, noteStatus } = context.share(createNodeWatch);
    return {
      onAnswer(answer) {
        noteStatus(answer, false);
        lastKnown.noteNodes(answer);
        // Its next reading may have been planned before the uptimes were known.
        if (isStarting(context.state(), context.clock.nowMs())) context.reschedule(listeners);
      },
    };
  }),
  followResource(nodeStats, (context) => {
    const { lastKnown, noteStatus } = context.share(createNodeWatch);
    return {
      onAnswer(answer) {
        noteStatus(answer, true);
        lastKnown.noteNodeStats(answer, context.clock.nowMs());
      },
    };
  }),
  followResource(listeners, ({ share }) => ({ onAnswer: share(createNodeWatch).lastKnown.noteListeners })),
  followResource(stats, ({ share }) => ({ onAnswer: share(createNodeWatch).lastKnown.noteStats })),
];

/** Whether a node started so recently that its clients come back. */
export const isStarting = (state: Parameters<typeof selectLowestUptime>[0], nowMs: number): boolean =>
  (selectLowestUptime(state, nowMs) ?? startingSeconds) < startingSeconds;
