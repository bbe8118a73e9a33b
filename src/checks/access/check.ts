import { averageRate } from '../../domain/rates.ts';
import { figure, names, say } from '../../domain/sentence.ts';
import { untrusted } from '../../domain/text.ts';
import { reading } from '../../monitor/query/part.ts';
import { accessBackends, accessRates } from '../../resources/access-backends/resource.ts';
import { selectRateSeries } from '../../resources/metrics/rates.ts';
import { defineCheck } from '../../triage/check.ts';
import { judgeAccess } from './judge.ts';

export const access = defineCheck({
  id: 'access',
  title: 'Access',
  noun: 'access backends',
  finds: 'backends of authentication and authorization that are down (API v5)',
  needs: ({ state, pace }) => {
    if (state.capabilities?.accessBackends !== true) return [];
    const { data } = reading(state, accessBackends);
    const rates = reading(state, accessRates);
    const isRated = data?.length === 0 || [...rates.values()].some((byNode) => byNode.size > 0);
    // Who refuses is named soon.
    const isRefusing = (averageRate(selectRateSeries(state, 'packets.connack.error'))?.perSecond ?? 0) > 0;
    return [{ watched: accessBackends, everySeconds: isRefusing ? pace.urgent : isRated ? pace.lists : pace.first }];
  },
  judge: judgeAccess,
  jump: { screen: 'accessBackends' },
  passed: ({ authentication, authorization }) =>
    authentication + authorization === 0
      ? say`no authentication and authorization backends`
      : say`no backend is down (authentication ${authentication}, authorization ${authorization})`,
  unchecked: {
    'access-unread': { text: () => say`access backends not read` },
    'access-unavailable': { text: () => say`this broker does not tell of its access backends` },
  },
  problems: {
    'backend-down': {
      title: ({ purpose, id, on, nodes }) =>
        say`${purpose === 'authentication' ? 'Authentication' : 'Authorization'} backend ${untrusted(id)} is down${on.length === nodes ? '' : say` on ${names(on, 2)}`}`,
      evidence: ({ unansweredPerSecond }) =>
        unansweredPerSecond === undefined
          ? []
          : unansweredPerSecond > 0
            ? [say`asked ${figure(unansweredPerSecond)}/s in vain`]
            : [say`not asked now`],
      magnitude: ({ unansweredPerSecond }) => unansweredPerSecond,
      next: ({ purpose }) =>
        `\`Enter\` shows all backends. ${purpose === 'authentication' ? 'Clients are refused unless another backend accepts them' : 'Other rules decide, or what the broker does without a match'}: check the service, and its address and login in the broker.`,
      jump: ({ purpose, id }) => ({ screen: 'accessBackends', row: `${purpose} ${id}` }),
    },
  },
});
