import type { LossReason } from '../../domain/integrations.ts';
import { figure, names, percent, say, type Sentence } from '../../domain/sentence.ts';
import { pluralize, untrusted, withThousands } from '../../domain/text.ts';
import { reading } from '../../monitor/query/part.ts';
import { integrationRates, integrations as integrationsResource } from '../../resources/integrations/resource.ts';
import { defineCheck } from '../../triage/check.ts';
import type { Jump } from '../../triage/problem.ts';
import { judgeIntegrations, type Loss } from './judge.ts';

const jumpTo = (kind: string, id: string): Jump => ({ screen: 'integrations', row: `${kind} ${id}` });

/** Says why messages are lost, as the broker counts it. */
const lossTexts: Readonly<Record<LossReason, string>> = {
  expired: 'expired',
  'queue-full': 'buffer full',
  failed: 'refused by the other system',
  exception: 'its SQL fails',
  action: 'its action fails',
  stopped: 'stopped',
  'not-found': 'not installed',
  other: 'dropped',
};

const lossCount = ({ lost, matched, mostly }: Pick<Loss, 'lost' | 'matched' | 'mostly'>): Sentence =>
  say`lost ${withThousands(lost)} of ${pluralize(matched, 'message')}${mostly === undefined ? '' : `: ${lossTexts[mostly]}`}`;

const rate = ({ perSecond, share }: Pick<Loss, 'perSecond' | 'share'>): Sentence =>
  say`losing ${figure(perSecond)} msg/s (${percent(share)})`;

const queue = ({ queued }: Pick<Loss, 'queued'>): readonly Sentence[] =>
  queued === undefined || queued === 0 ? [] : [say`${withThousands(queued)} queued`];

const because = (reason: string | undefined): Sentence => (reason === undefined ? [] : say`: ${untrusted(reason)}`);

const where = (on: readonly string[], nodes: number): Sentence => (on.length === nodes ? [] : say` on ${names(on, 2)}`);

const sum = (losses: readonly Loss[]): Pick<Loss, 'lost' | 'matched' | 'mostly'> => ({
  lost: losses.reduce((total, { lost }) => total + lost, 0),
  matched: losses.reduce((total, { matched }) => total + matched, 0),
  mostly: losses[0]?.mostly,
});

export const integrations = defineCheck({
  id: 'integrations',
  title: 'Integrations',
  noun: 'integrations',
  finds: 'connectors, actions and sources that are down, actions that lose messages, and rules that fail (API v5)',
  needs: ({ state, pace }) => {
    if (state.capabilities?.integrations !== true) return [];
    const { data } = reading(state, integrationsResource);
    const rates = reading(state, integrationRates);
    const isRated = data?.length === 0 || [...rates.values()].some((byNode) => byNode.size > 0);
    return [{ watched: integrationsResource, everySeconds: isRated ? pace.lists : pace.first }];
  },
  judge: judgeIntegrations,
  jump: { screen: 'integrations' },
  passed: ({ connectors, actions, rules }) =>
    connectors + actions + rules === 0
      ? say`no connectors or rules`
      : say`${pluralize(connectors, 'connector')}, ${pluralize(actions, 'action')} and ${pluralize(rules, 'rule')}, none down, failing or losing messages`,
  unchecked: {
    'integrations-unread': { text: () => say`integrations not read` },
    'integrations-unavailable': { text: () => say`this broker has no connectors and rules` },
    'integration-rates': { text: () => say`losses need two readings of the counters` },
  },
  partsText: () => [],
  problems: {
    'integration-down': {
      title: ({ kind, id, on, nodes, reason, losing }) => {
        const [first] = losing;
        const isOwn = first?.id === id && kind !== 'connector';
        if (first === undefined || isOwn)
          return say`${kind === 'connector' ? 'Connector' : kind === 'action' ? 'Action' : 'Source'} ${untrusted(id)} ${first === undefined ? '' : [...lossCount(first), ...say`; it `]}is down${where(on, nodes)}${because(reason)}`;
        return losing.length === 1
          ? say`Action ${untrusted(first.id)} ${lossCount(first)}; its connector is down${where(on, nodes)}${because(reason)}`
          : say`${losing.length} actions of ${untrusted(id)} ${lossCount(sum(losing))}; it is down${where(on, nodes)}${because(reason)}`;
      },
      brief: ({ id, losing: [first] }) =>
        first === undefined
          ? say`${untrusted(id)} is down`
          : say`${untrusted(first.id)} ${lossCount({ ...first, mostly: undefined })}: ${first.id === id ? 'down' : 'connector down'}`,
      evidence: ({ id, losing, actions, sources }) => {
        const [first] = losing;
        return [
          ...(first === undefined
            ? []
            : [
                rate({ perSecond: losing.reduce((all, each) => all + each.perSecond, 0), share: first.share }),
                ...queue(first),
              ]),
          ...(first === undefined || first.id === id ? [] : [say`connector ${untrusted(id)}`]),
          ...(first === undefined && actions > 0 ? [pluralSentence(actions, 'action')] : []),
          ...(sources > 0 ? [pluralSentence(sources, 'source')] : []),
        ];
      },
      magnitude: ({ losing }) => losing.reduce((all, { perSecond }) => all + perSecond, 0),
      next: (_, { canAct }) =>
        `\`Enter\` shows it. Check the other system, and its address and login in the broker.${canAct ? ' There, `R` reconnects it at once.' : ''}`,
      jump: ({ kind, id }) => jumpTo(kind, id),
    },
    'action-losing': {
      title: ({ id, on, nodes, ...loss }) =>
        say`Action ${untrusted(id)} ${lossCount(loss)}${on.length > 0 && on.length < nodes ? say`, on ${names(on, 2)}` : ''}`,
      brief: ({ id }) => say`Action ${untrusted(id)} loses messages`,
      evidence: (loss) => [rate(loss), ...queue(loss)],
      magnitude: ({ perSecond }) => perSecond,
      next: ({ mostly }) =>
        mostly === 'failed'
          ? "`Enter` shows it. The other system refuses the messages: the broker's log has its answers."
          : '`Enter` shows it. It is slower than the messages come, or does not answer in time: check the other system, or raise the buffer or the time to live.',
      jump: ({ id }) => jumpTo('action', id),
    },
    'rule-failing': {
      title: ({ id, lost, matched, mostly }) =>
        say`Rule ${untrusted(id)} failed on ${withThousands(lost)} of ${pluralize(matched, 'message')}${mostly === undefined ? '' : `: ${lossTexts[mostly]}`}`,
      brief: ({ id }) => say`Rule ${untrusted(id)} fails`,
      evidence: ({ perSecond, share, sql }) => [
        say`failing on ${figure(perSecond)} msg/s (${percent(share)})`,
        ...(sql === undefined ? [] : [[untrusted(sql)]]),
      ],
      magnitude: ({ perSecond }) => perSecond,
      next: (_, { canAct }) =>
        `\`Enter\` shows it. Its SQL does not fit the messages: the broker's log has the error.${canAct ? ' There, `K` disables it.' : ''}`,
      jump: ({ id }) => jumpTo('rule', id),
    },
  },
});

function pluralSentence(count: number, noun: string): Sentence {
  return say`${pluralize(count, noun)}`;
}
