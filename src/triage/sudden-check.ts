import { clockText, durationText, literal, type TextPart, untrusted, withThousands } from '../domain/text.ts';
import { doubtsAbout } from './base-checks.ts';
import { type CheckInput, type CheckResult, figure, type Finding, type Jump } from './check.ts';
import type { LevelChange, SuddenChanges, SuddenSubject } from './sudden-memory.ts';
import { suddenThresholds } from './thresholds.ts';

type ClusterChange = SuddenChanges['ofCluster'][number];
type ShareChange = SuddenChanges['ofShares'][number];

const maxNodes = 3;
/** A node that made up less of a change is not named. */
const minNodeShare = 0.1;
/** So far from the moment after the change, the present value is worth telling. */
const minReturn = 0.1;

const subjects: Readonly<Record<SuddenSubject, { readonly title: string; readonly isTraffic: boolean; readonly jump: Jump }>> = {
  clients: { title: 'clients', isTraffic: false, jump: { screen: 'clients', sort: { columnId: 'connected', isReversed: true } } },
  sessions: { title: 'sessions', isTraffic: false, jump: { screen: 'sessions' } },
  subscriptions: { title: 'subscriptions', isTraffic: false, jump: { screen: 'subscriptions' } },
  'messages.received': { title: 'messages received', isTraffic: true, jump: { screen: 'metrics', row: 'messages.received' } },
  'messages.sent': { title: 'messages sent', isTraffic: true, jump: { screen: 'metrics', row: 'messages.sent' } },
};

const amount = (value: number, isTraffic: boolean): string => (isTraffic ? `${figure(value)}/s` : withThousands(value));

/** Rounded, but 100 % only when it is all. */
const percent = (share: number): string => `${share < 1 ? Math.min(99, Math.round(share * 100)) : Math.round(share * 100)} %`;

const partOf = ({ before, after }: LevelChange): number => Math.abs(after - before) / Math.max(1, before);

/** `5,327 to 327 (-94 %)` */
function course(change: ClusterChange): string {
  const { before, after, direction, subject } = change;
  const { isTraffic } = subjects[subject];
  const part = before === 0 ? '' : ` (${direction === 'fall' ? '-' : '+'}${percent(partOf(change))})`;
  return `${amount(before, isTraffic)} to ${amount(after, isTraffic)}${part}`;
}

function severityOfChange(change: ClusterChange): Finding['severity'] {
  const error = subjects[change.subject].isTraffic ? suddenThresholds.trafficError : suddenThresholds.countsError;
  return change.direction === 'fall' && partOf(change) >= error ? 'error' : 'warning';
}

/** Nodes that made up most of a change: `; node a 2,700 to 20` */
function nodeParts({ before, after, beforeByNode, afterByNode }: LevelChange): readonly TextPart[] {
  if (beforeByNode === undefined || afterByNode === undefined) return [];
  const moved = [...beforeByNode].map(([node, had]) => ({ node, had, has: afterByNode.get(node) ?? 0 }))
    .filter(({ had, has }) => Math.abs(had - has) >= minNodeShare * Math.abs(before - after))
    .toSorted((a, b) => Math.abs(b.had - b.has) - Math.abs(a.had - a.has));
  return [
    ...moved.slice(0, maxNodes).flatMap(({ node, had, has }, index) => [literal(`${index === 0 ? '; ' : ', '}node `), untrusted(node), literal(` ${withThousands(had)} to ${withThousands(has)}`)]),
    ...(moved.length > maxNodes ? [literal(` and ${withThousands(moved.length - maxNodes)} more nodes`)] : []),
  ];
}

function findingOf([first, ...others]: readonly [ClusterChange, ...ClusterChange[]]): Finding {
  const { title, isTraffic, jump } = subjects[first.subject];
  const went = first.direction === 'fall' ? 'fell' : 'rose';
  const hasReturned = Math.abs(first.now - first.after) > minReturn * Math.abs(first.before - first.after);
  const severities = [first, ...others].map((change) => severityOfChange(change));
  return {
    check: 'sudden', key: `sudden ${first.direction} ${first.subject}`, severity: severities.includes('error') ? 'error' : 'warning',
    sinceMs: undefined, atMs: first.atMs, jump,
    parts: [
      literal(`${title.charAt(0).toUpperCase()}${title.slice(1)} ${went} from ${course(first)} at ${clockText(first.atMs)}`),
      ...others.map((other) => literal(`, ${subjects[other.subject].title} from ${course(other)}`)),
      ...nodeParts(first),
      literal(hasReturned ? `; now ${amount(first.now, isTraffic)}.` : '.'),
    ],
  };
}

const isTogether = (a: LevelChange, b: LevelChange): boolean => Math.abs(a.atMs - b.atMs) <= suddenThresholds.togetherSeconds * 1_000;

/** Changes of one direction about the same moment are one: the clients that went took their sessions and messages along. */
function grouped(changes: readonly ClusterChange[]): readonly (readonly [ClusterChange, ...ClusterChange[]])[] {
  const groups: [ClusterChange, ...ClusterChange[]][] = [];
  for (const change of changes) {
    const group = groups.find(([first]) => first.direction === change.direction && isTogether(first, change));
    if (group === undefined) groups.push([change]);
    else group.push(change);
  }
  return groups;
}

function moveFinding(shares: readonly ShareChange[], clients: number | undefined): readonly Finding[] {
  const [latest] = shares.toSorted((a, b) => b.atMs - a.atMs);
  if (latest === undefined) return [];
  const moved = shares.filter((change) => isTogether(change, latest)).toSorted((a, b) => Math.abs(b.after - b.before) - Math.abs(a.after - a.before));
  const atMs = Math.min(...moved.map((change) => change.atMs));
  return [{
    check: 'sudden', key: 'sudden move', severity: 'warning', sinceMs: undefined, atMs, jump: { screen: 'nodes' },
    parts: [
      literal(`Clients moved between nodes at ${clockText(atMs)}: `),
      ...moved.slice(0, maxNodes).flatMap(({ node, before, after }, index) => [literal(`${index === 0 ? '' : ', '}node `), untrusted(node), literal(` from ${percent(before)} to ${percent(after)}`)]),
      literal(clients === undefined ? '.' : ` of ${withThousands(clients)}.`),
    ],
  }];
}

/** Clients, sessions, subscriptions, traffic and the nodes' shares of the clients, against the minutes before. */
export function suddenCheck(input: CheckInput): CheckResult {
  const { history: { sudden }, nowMs } = input;
  const isRecent = ({ atMs }: LevelChange): boolean => nowMs - atMs <= suddenThresholds.shownSeconds * 1_000;
  const changes = sudden.ofCluster.filter(isRecent);
  const counts = changes.filter(({ subject }) => subject === 'clients');
  // Where clients went, the others have other shares of what is left: said already.
  const shares = sudden.ofShares.filter(isRecent).filter((share) => !counts.some((change) => isTogether(change, share)));
  const unread = doubtsAbout(input, ['nodeStats', 'stats', 'metrics']);
  const knownSeconds = sudden.knownSinceMs === undefined || sudden.readAtMs === undefined ? 0 : (sudden.readAtMs - sudden.knownSinceMs) / 1_000;
  return {
    check: 'sudden', jump: { screen: 'metrics' },
    findings: [...grouped(changes).map((group) => findingOf(group)), ...moveFinding(shares, sudden.clients)],
    doubts: unread.length > 0 || knownSeconds >= sudden.minSeconds ? unread : [[literal(`counts known for less than ${sudden.minSeconds} s`)]],
    evidence: [literal(`clients, sessions, subscriptions, messages and shares of nodes, against the last ${durationText(knownSeconds)}`)],
  };
}
