import { figure, names, say } from '../../domain/sentence.ts';
import { durationText, pluralize, untrusted } from '../../domain/text.ts';
import { clientScan } from '../../resources/clients/resource.ts';
import { defineCheck, type Row } from '../../triage/check.ts';
import { rowOf } from '../../triage/grouping.ts';
import { everyRefresh } from '../../triage/needs.ts';
import { descending, type Finding, type Jump } from '../../triage/problem.ts';
import { judgeSharedIds, type SharedIdProblem, takeoversPerSecond } from './judge.ts';

/** More IDs share a row. */
const maxRows = 3;
/** So many take-overs, three a minute, are worth a look at who they are. */
const minTakeoversPerSecond = 0.05;

const clientsJump = (clientIds: readonly string[]): Jump => ({
  screen: 'clients',
  found: clientIds.length === 0 ? undefined : { name: 'used by several devices', clientIds },
  sort: descending('connected'),
});

function rowsOf(all: readonly Finding<SharedIdProblem>[], suffix: string): readonly Row<SharedIdProblem>[] {
  const rest = all.slice(maxRows);
  if (rest.length < 2) return all;
  const clientIds = rest.flatMap((each) => (each.code === 'shared-id' ? [each.evidence.clientId] : []));
  return [
    ...all.slice(0, maxRows),
    rowOf<SharedIdProblem>(
      { key: `shared, more${suffix}`, severity: 'warning', code: 'more-shared-ids', evidence: { clientIds } },
      rest,
    ),
  ];
}

export const sharedIds = defineCheck({
  id: 'sharedIds',
  title: 'Shared IDs',
  noun: 'shared client IDs',
  finds: 'client IDs for which devices at several addresses fight',
  needs: ({ state, isUrgent, isShort, isOften, pace }) => [
    ...everyRefresh('metrics'),
    ...(isShort('clients')
      ? [
          {
            watched: clientScan,
            everySeconds:
              (isUrgent || (takeoversPerSecond(state) ?? 0) >= minTakeoversPerSecond) && isOften('clients')
                ? pace.urgent
                : pace.lists,
          } as const,
        ]
      : []),
  ],
  judge: judgeSharedIds,
  jump: clientsJump([]),
  passed: () => say`no client ID comes from several addresses in turn`,
  unchecked: {
    'addresses-unread': { text: () => say`clients not read twice yet` },
    'addresses-partly-read': { text: () => say`clients only partly read` },
  },
  problems: {
    'shared-id': {
      title: ({ clientId, addresses }) =>
        say`${addresses.length === 2 ? 'Two' : addresses.length} devices fight for client ID ${untrusted(clientId)}`,
      evidence: ({ addresses, moves, seconds, takeoversPerSecond: perSecond }) => [
        say`at ${names(addresses)}`,
        say`${moves} changes of address in ${durationText(seconds)}`,
        ...(perSecond === undefined ? [] : [say`cluster: ${figure(perSecond)} take-overs/s`]),
      ],
      magnitude: ({ moves }) => moves,
      next: () => '`Enter` opens the client. Each connection ends the other: give each device an ID of its own.',
      jump: ({ clientId }) => ({ screen: 'client', clientId }),
    },
    'more-shared-ids': {
      title: ({ clientIds }) => say`${pluralize(clientIds.length, 'more client ID')} that devices fight for`,
      evidence: ({ clientIds }, maxNames = 1) => [names(clientIds, maxNames)],
      next: () => '`Enter` lists them. Give each device an ID of its own.',
      jump: ({ clientIds }) => clientsJump(clientIds),
    },
  },
  rows: (findings, _, suffix) => rowsOf(findings, suffix),
  isUrgent: (findings, { addressMoves }) => findings.length > 0 || addressMoves.size > 0,
});
