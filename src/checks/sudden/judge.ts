import type { NodeName } from '../../domain/node.ts';
import { wallMs } from '../../monitor/clock.ts';
import type { CheckInput, Judgement } from '../../triage/check.ts';
import type { Found, Problem } from '../../triage/problem.ts';
import { type SharedReason, unreadReasons } from '../../triage/reasons.ts';
import type { LevelChange, SuddenChanges, SuddenSubject } from '../../triage/sudden-memory.ts';
import { type Severity, suddenThresholds } from '../../triage/thresholds.ts';

export interface NodeDifference {
  readonly node: NodeName;
  readonly before: number;
  readonly after: number;
}

interface SubjectChange {
  readonly subject: SuddenSubject;
  readonly before: number;
  readonly after: number;
}

export interface SuddenChange {
  readonly direction: 'fall' | 'rise';
  /** The time of the change by the wall clock: the words stay true in a recording. */
  readonly clockMs: number;
  readonly changes: readonly [SubjectChange, ...SubjectChange[]];
  readonly nodes: readonly NodeDifference[];
  readonly now: number | undefined;
  /** Who publishes most of the messages. */
  readonly talker?: { readonly clientId: string; readonly perSecond: number } | undefined;
}

interface ClientsMoved {
  readonly clockMs: number;
  /** Shares of all clients. */
  readonly nodes: readonly NodeDifference[];
  readonly clients: number | undefined;
}

type SuddenProblem = Problem<'sudden-change', SuddenChange> | Problem<'clients-moved', ClientsMoved>;

type ClusterChange = SuddenChanges['clusterChanges'][number];
type ShareChange = SuddenChanges['shareChanges'][number];

const minNodeShare = 0.1;
const minReturn = 0.1;

const isTraffic = (subject: SuddenSubject): boolean => subject === 'messages.received' || subject === 'messages.sent';

function severityOfChange({ subject, direction, before, after }: ClusterChange): Severity {
  const critical = isTraffic(subject) ? suddenThresholds.trafficCritical : suddenThresholds.countsCritical;
  return direction === 'fall' && Math.abs(after - before) / Math.max(1, before) >= critical ? 'critical' : 'warning';
}

function changedNodes({ before, after, beforeByNode, afterByNode }: LevelChange): readonly NodeDifference[] {
  if (beforeByNode === undefined || afterByNode === undefined) return [];
  return byExtent(
    [...beforeByNode]
      .map(([node, had]) => ({ node, before: had, after: afterByNode.get(node) ?? 0 }))
      .filter((change) => extentOf(change) >= minNodeShare * Math.abs(before - after)),
  );
}

const extentOf = ({ before, after }: Pick<NodeDifference, 'before' | 'after'>): number => Math.abs(after - before);

const byExtent = <Change extends Pick<NodeDifference, 'before' | 'after'>>(
  changes: readonly Change[],
): readonly Change[] => changes.toSorted((a, b) => extentOf(b) - extentOf(a));

const toSubjectChange = ({ subject, before, after }: ClusterChange): SubjectChange => ({ subject, before, after });

function changeFinding(
  [first, ...others]: readonly [ClusterChange, ...ClusterChange[]],
  talker: CheckInput['history']['talker'],
): Found<SuddenProblem> {
  const { subject, direction, atMs, now } = first;
  const hasReturned = Math.abs(now - first.after) > minReturn * extentOf(first);
  return {
    key: `sudden ${direction} ${subject}`,
    severity: [first, ...others].some((change) => severityOfChange(change) === 'critical') ? 'critical' : 'warning',
    atMs,
    code: 'sudden-change',
    evidence: {
      direction,
      clockMs: wallMs(atMs),
      changes: [toSubjectChange(first), ...others.map(toSubjectChange)],
      nodes: changedNodes(first),
      now: hasReturned ? now : undefined,
      ...(talker !== undefined &&
        [first, ...others].some(
          (change) =>
            change.subject === 'messages.received' && change.direction === 'rise' && change.atMs === talker.roseAtMs,
        ) && { talker: { clientId: talker.clientId, perSecond: talker.perSecond } }),
    },
  };
}

const isTogether = (a: LevelChange, b: LevelChange): boolean =>
  Math.abs(a.atMs - b.atMs) <= suddenThresholds.togetherSeconds * 1_000;

/**
 * Groups changes by time and direction: clients take their sessions and messages along. The first names them all, also
 * once others have joined it.
 */
function grouped(changes: readonly ClusterChange[]): readonly (readonly [ClusterChange, ...ClusterChange[]])[] {
  const groups: [ClusterChange, ...ClusterChange[]][] = [];
  for (const change of changes.toSorted((a, b) => a.atMs - b.atMs)) {
    const group = groups.find(([first]) => first.direction === change.direction && isTogether(first, change));
    if (group === undefined) groups.push([change]);
    else group.push(change);
  }
  return groups;
}

function moveFinding(shares: readonly ShareChange[], clients: number | undefined): readonly Found<SuddenProblem>[] {
  const [latest] = shares.toSorted((a, b) => b.atMs - a.atMs);
  if (latest === undefined) return [];
  const moved = byExtent(shares.filter((change) => isTogether(change, latest)));
  const atMs = Math.min(...moved.map((change) => change.atMs));
  return [
    {
      key: 'sudden move',
      severity: 'warning',
      atMs,
      code: 'clients-moved',
      evidence: {
        clockMs: wallMs(atMs),
        clients,
        nodes: moved.map(({ node, before, after }) => ({ node, before, after })),
      },
    },
  ];
}

/** Finds sudden changes in clients, sessions, subscriptions, traffic, or a node's share of the clients. */
export function judgeSudden({
  history: { talker, sudden },
  nowMs,
  unjudged,
}: CheckInput): Judgement<SuddenProblem, { readonly seconds: number }, SharedReason> {
  const { clusterChanges, shareChanges, clients, knownSinceMs, readAtMs, minSeconds } = sudden;
  const isRecent = ({ atMs }: LevelChange): boolean => nowMs - atMs <= suddenThresholds.shownSeconds * 1_000;
  const changes = clusterChanges.filter(isRecent);
  const counts = changes.filter(({ subject }) => subject === 'clients');
  // When clients leave one node, the shares of all others change too.
  const shares = shareChanges.filter(isRecent).filter((share) => !counts.some((change) => isTogether(change, share)));
  const unread = unreadReasons({ unjudged }, ['nodeStats', 'stats', 'metrics']);
  const seconds = knownSinceMs === undefined || readAtMs === undefined ? 0 : (readAtMs - knownSinceMs) / 1_000;
  return {
    passed: { seconds },
    findings: [...grouped(changes).map((group) => changeFinding(group, talker)), ...moveFinding(shares, clients)],
    unchecked:
      unread.length > 0 || seconds >= minSeconds ? unread : [{ code: 'history-short', of: 'totals', minSeconds }],
  };
}
