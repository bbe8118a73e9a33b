import type { MetricName } from '../../domain/metrics.ts';
import { figure, join, say, type Sentence } from '../../domain/sentence.ts';
import { capitalized, clockText, durationText, pluralize, untrusted, withThousands } from '../../domain/text.ts';
import { defineCheck } from '../../triage/check.ts';
import { everyRefresh } from '../../triage/needs.ts';
import { descending, type Jump } from '../../triage/problem.ts';
import { historyOf } from '../../triage/reasons.ts';
import type { SuddenSubject } from '../../triage/sudden-memory.ts';
import { judgeSudden, type NodeDifference } from './judge.ts';
import { clientScan } from '../../resources/clients/resource.ts';

/** Rounds a share to a percentage, to 100 % only when it is all. */
const changePercent = (share: number): string =>
  `${share < 1 ? Math.min(99, Math.round(share * 100)) : Math.round(share * 100)} %`;

const subjectNames: Readonly<Record<SuddenSubject, string>> = {
  clients: 'clients',
  sessions: 'sessions',
  subscriptions: 'subscriptions',
  'messages.received': 'messages received',
  'messages.sent': 'messages sent',
};

const subjectScreens: Readonly<Record<SuddenSubject, Jump>> = {
  clients: { screen: 'clients', sort: descending('connected') },
  sessions: { screen: 'sessions' },
  subscriptions: { screen: 'subscriptions' },
  'messages.received': { screen: 'metrics', row: 'messages.received' satisfies MetricName },
  'messages.sent': { screen: 'metrics', row: 'messages.sent' satisfies MetricName },
};

const amount = (subject: SuddenSubject, value: number): string =>
  subject.startsWith('messages.') ? `${figure(value)}/s` : withThousands(value);

const changeText = (
  { before, after }: Pick<NodeDifference, 'before' | 'after'>,
  format: (value: number) => string,
): string => `${format(before)} to ${format(after)}`;

const maxNodes = 3;

const nodeChanges = (nodes: readonly NodeDifference[], format: (value: number) => string): Sentence => [
  ...join(
    nodes.slice(0, maxNodes).map((change) => say`node ${untrusted(change.node)} ${changeText(change, format)}`),
    ', ',
  ),
  ...(nodes.length > maxNodes ? say` and ${pluralize(nodes.length - maxNodes, 'more node')}` : []),
];

export const sudden = defineCheck({
  id: 'sudden',
  title: 'Sudden changes',
  noun: 'sudden changes',
  finds: "sudden changes in clients, sessions, subscriptions, traffic, or a node's share",
  needs: ({ state, findings, isShort, isOften, pace }) => [
    ...everyRefresh('nodeStats', 'stats', 'metrics'),
    // To find who publishes most of a rise.
    ...(state.capabilities?.clientTraffic === true &&
    findings.some(
      (finding) =>
        finding.code === 'sudden-change' &&
        finding.evidence.direction === 'rise' &&
        finding.evidence.talker === undefined &&
        finding.evidence.changes.some(({ subject }) => subject === 'messages.received'),
    ) &&
    isShort('clients') &&
    isOften('clients')
      ? [{ watched: clientScan, everySeconds: pace.urgent } as const]
      : []),
  ],
  judge: judgeSudden,
  jump: { screen: 'metrics' },
  passed: ({ seconds }) => say`no sudden change in the last ${durationText(seconds)}`,
  unchecked: {},
  problems: {
    'sudden-change': {
      title: ({ changes: [{ subject, before, after }], direction, clockMs }) =>
        say`${capitalized(subjectNames[subject])} ${direction === 'fall' ? 'fell' : 'rose'}${before === 0 ? '' : ` by ${changePercent(Math.abs(after - before) / before)}`} at ${clockText(clockMs)}`,
      evidence: ({ changes: [first, ...others], nodes, now, talker }) => [
        ...(talker === undefined ? [] : [say`${untrusted(talker.clientId)} publishes ${figure(talker.perSecond)}/s`]),
        say`${changeText(first, (value) => amount(first.subject, value))}`,
        ...others.map(
          (change) =>
            say`${subjectNames[change.subject]} ${changeText(change, (value) => amount(change.subject, value))}`,
        ),
        ...(nodes.length === 0 ? [] : [nodeChanges(nodes, withThousands)]),
        ...(now === undefined ? [] : [say`now ${amount(first.subject, now)}`]),
      ],
      next: ({ changes: [{ subject }], direction, talker }) => {
        if (talker !== undefined) return '`F` lists the top talkers. Check the client that publishes most.';
        if (subject === 'messages.received' || subject === 'messages.sent')
          return '`Enter` shows the counter. Compare it with the number of clients (`4`) and subscriptions (`6`).';
        if (subject !== 'clients') return `\`Enter\` lists the ${subject}. Compare with the clients (\`4\`).`;
        return direction === 'fall'
          ? '`Enter` lists the remaining clients. Check the network and the listeners (`3`) of the node that lost most.'
          : '`Enter` lists the clients, latest first. There, `o` groups them by username or network.';
      },
      jump: ({ changes: [{ subject }] }) => subjectScreens[subject],
    },
    'clients-moved': {
      title: ({ clockMs }) => say`Clients moved between nodes at ${clockText(clockMs)}`,
      evidence: ({ nodes, clients }) => [
        say`${nodeChanges(nodes, changePercent)}${clients === undefined ? '' : ` of ${pluralize(clients, 'client')}`}`,
      ],
      next: () =>
        '`Enter` lists the nodes. Check the node that lost clients (its log and network) and the load balancer.',
      jump: () => ({ screen: 'nodes' }),
    },
  },
  isCalmWithout: true,
  waitFor: (reason, { passed, areRead }) =>
    reason.code === 'history-short' && passed !== undefined && areRead(historyOf[reason.of])
      ? { wait: Math.max(1, Math.ceil(reason.minSeconds - passed.seconds)) }
      : undefined,
});
