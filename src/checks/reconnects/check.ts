import { averageSeconds } from '../../domain/rates.ts';
import { figure, names, say, type Sentence } from '../../domain/sentence.ts';
import { durationText, pluralize, untrusted, withThousands } from '../../domain/text.ts';
import type { ClientPattern, CommonTrait } from './common-trait.ts';
import { defineCheck } from '../../triage/check.ts';
import { everyRefresh } from '../../triage/needs.ts';
import { type Attempt, descending, type Jump } from '../../triage/problem.ts';
import { historyOf } from '../../triage/reasons.ts';
import { judgeReconnects, type ReconnectStorm } from './judge.ts';
import { clientScan } from '../../resources/clients/resource.ts';

/** Writes `300 clients (121 more in 22 s)`. */
const clientChange = ({ clients, change, seconds }: Pick<ReconnectStorm, 'clients' | 'change' | 'seconds'>): string =>
  `${pluralize(clients, 'client')} (${change === 0 ? 'no change' : `${withThousands(Math.abs(change))} ${change < 0 ? 'fewer' : 'more'}`} in ${Math.round(seconds)} s)`;

const traitTexts: Readonly<Record<CommonTrait['trait'], string>> = {
  username: 'mostly from user',
  network: 'mostly from',
  prefix: 'mostly IDs starting with',
  node: 'mostly on',
};

/** Writes `, mostly from user x`, in a title. */
const traitText = (pattern: ClientPattern | undefined): Sentence =>
  pattern === undefined || pattern.trait === 'none'
    ? []
    : say`, ${traitTexts[pattern.trait]} ${untrusted(pattern.value)}`;

const stormTitle = ({ lostNode, pattern, isAttempts }: ReconnectStorm): Sentence =>
  isAttempts === true
    ? say`Connection attempts, but no client reconnects`
    : lostNode === undefined
      ? [...say`Reconnect storm`, ...traitText(pattern)]
      : say`Reconnects after the loss of ${untrusted(lostNode)}`;

const traitSteps: Readonly<Record<CommonTrait['trait'], string>> = {
  username: 'They share a username: check its credentials, and the program that uses it.',
  network: 'They share a network: check it, its firewall and its load balancer.',
  prefix: 'Their IDs share a prefix: check that program or kind of device.',
  node: 'They share a node: check its log, its network and its listeners.',
};

const stormStep = (pattern: ClientPattern | undefined): string => {
  if (pattern === undefined) return 'There, `o` groups them by username or network.';
  if (pattern.trait !== 'none') return traitSteps[pattern.trait];
  return 'No username, network or node stands out: check what is between the clients and the broker, such as a load balancer.';
};

/**
 * Whether a storm is of clients that were disconnected from here: they reconnect within a minute; one that goes on
 * longer has another cause.
 */
const isOwnStorm = ({ way, seconds }: Attempt): boolean => way === 'disconnect' && seconds < 2 * averageSeconds;

const disconnectText = ({ clients }: Attempt): string =>
  `disconnected ${clients === undefined ? 'them' : pluralize(clients, 'client')}`;

const theseClients = (clientIds: readonly string[]): Jump => ({
  screen: 'clients',
  found: clientIds.length === 0 ? undefined : { name: 'reconnected', clientIds },
  sort: descending('connected'),
});

export const reconnects = defineCheck({
  id: 'reconnects',
  title: 'Reconnects',
  noun: 'reconnects',
  finds: 'reconnect storms, and the clients that reconnect',
  needs: ({ findings, areReadingsFew, isShort, isOften, pace }) => {
    const isUnnamed = findings.some(
      (finding) =>
        finding.code === 'reconnect-storm' &&
        finding.evidence.clientIds.length === 0 &&
        finding.evidence.isAttempts !== true,
    );
    // Clients that reconnect together are all away in some readings.
    const everySeconds =
      isUnnamed || (findings.length > 0 && isOften('clients')) ? pace.storm : areReadingsFew ? pace.first : pace.lists;
    return [
      ...everyRefresh('metrics', 'stats', 'nodeStats'),
      ...(isShort('clients') ? [{ watched: clientScan, everySeconds } as const] : []),
    ];
  },
  datedBy: ['metrics', 'stats'],
  judge: judgeReconnects,
  jump: theseClients([]),
  passed: (figures) => say`${figure(figures.connectsPerSecond)} connects/s, ${clientChange(figures)}`,
  unchecked: {
    'counters-restarted': {
      text: ({ agoSeconds }) =>
        say`reconnect rate (counters were reset, ready in ${Math.max(1, averageSeconds - agoSeconds)} s)`,
    },
    'clients-arriving': {
      text: ({ change, seconds }) => say`${withThousands(change)} new clients in ${seconds} s, reconnects not counted`,
    },
  },
  problems: {
    'reconnect-storm': {
      title: (storm) =>
        storm.isAttempts === true
          ? say`${figure(storm.connectsPerSecond)} connection attempts/s, but no client reconnects`
          : [...stormTitle(storm), ...say`, ${figure(storm.connectsPerSecond)} connects/s`],
      magnitude: ({ connectsPerSecond }) => connectsPerSecond,
      brief: stormTitle,
      // Narrow terminals show the first alone, or the first and the last.
      evidence: ({ clientIds, pattern, known, ...counts }, maxNames = 1) =>
        clientIds.length === 0
          ? [say`${clientChange(counts)}`]
          : [
              say`${withThousands(clientIds.length)} of ${pluralize(known, 'client')} reconnected`,
              say`over ${durationText(Math.round(counts.seconds))}`,
              names(clientIds, maxNames),
              ...(pattern?.trait === 'none'
                ? [
                    say`${pattern.usernames === 0 ? 'no usernames' : pluralize(pattern.usernames, 'username')}, ${pluralize(pattern.nodes, 'node')}`,
                  ]
                : []),
            ],
      next: ({ clientIds, pattern, isAttempts }, _, attempt) => {
        const step =
          attempt !== undefined && isOwnStorm(attempt)
            ? `You ${disconnectText(attempt)} ${durationText(attempt.seconds)} ago: this should end by itself.`
            : isAttempts === true
              ? "Logins are probably refused: the broker's log names the clients."
              : stormStep(pattern);
        return `\`Enter\` lists ${clientIds.length === 0 ? 'all clients' : 'the clients that reconnect'}, latest first. ${step}`;
      },
      ownCause: (_, attempt) => (isOwnStorm(attempt) ? `you ${disconnectText(attempt)}` : undefined),
      jump: ({ clientIds }) => theseClients(clientIds),
      counter: 'packets.connect',
    },
    'clients-reconnecting': {
      title: ({ clientIds: [first, ...others], perSecond }) =>
        others.length === 0
          ? say`${untrusted(first)} keeps reconnecting, ${figure(perSecond)} times/s`
          : say`${pluralize(others.length + 1, 'client')} keep reconnecting, ${figure(perSecond)} times/s`,
      magnitude: ({ perSecond }) => perSecond,
      evidence: ({ clientIds, seconds }, maxNames = 1) => [
        ...(clientIds.length === 1 ? [] : [names(clientIds, maxNames)]),
        say`over ${durationText(Math.round(seconds))}`,
      ],
      next: ({ clientIds }) =>
        `\`Enter\` lists ${clientIds.length === 1 ? 'it' : 'them'}. Check for ${clientIds.length === 1 ? 'two devices with this ID' : 'devices that share an ID'}, and for a client that gives up too early.`,
      jump: ({ clientIds }) => theseClients(clientIds),
      counter: 'packets.connect',
    },
  },
  waitFor: (reason, { areRead }) =>
    reason.code === 'clients-arriving' && areRead(historyOf['client counts']) ? { wait: undefined } : undefined,
});
