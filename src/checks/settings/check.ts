import { names, say } from '../../domain/sentence.ts';
import { pluralize, untrusted } from '../../domain/text.ts';
import { settings as settingsResource } from '../../resources/settings/resource.ts';
import { defineCheck } from '../../triage/check.ts';
import { ascending, type Jump } from '../../triage/problem.ts';
import { differenceReasons, differenceRows, moreDifferences } from '../differences.ts';
import { judgeSettings } from './judge.ts';

const allSettings: Jump = { screen: 'settings', sort: ascending('key') };

export const settings = defineCheck({
  id: 'settings',
  title: 'Settings',
  noun: 'settings',
  finds: 'settings that differ between nodes',
  needs: ({ state, pace }) =>
    state.capabilities?.settings === true ? [{ watched: settingsResource, everySeconds: pace.administration }] : [],
  judge: judgeSettings,
  jump: ({ capabilities }) => (capabilities?.settings === false ? { screen: 'log' } : allSettings),
  passed: ({ rows, nodes }) => say`${pluralize(rows, 'setting')}, same on ${pluralize(nodes, 'node')}`,
  unchecked: {
    ...differenceReasons,
    'settings-by-node': { text: () => say`settings are read node by node on this broker` },
    'settings-unavailable': { text: ({ apiName }) => say`${apiName ?? 'this broker'} has no settings` },
  },
  problems: {
    'setting-differs': {
      title: ({ key }) => say`Setting ${untrusted(key)} differs between nodes`,
      evidence: ({ values, nodes, on }, maxNames = 2) => [
        on.length === 0
          ? say`${values} values on ${pluralize(nodes, 'node')}`
          : say`different value on ${names(on, maxNames)}`,
      ],
      next: (_, { canAct }) => `\`Enter\` shows the setting on each node.${canAct ? ' `e` changes it.' : ''}`,
      jump: ({ id }) => ({ ...allSettings, row: id }),
    },
    'more-differences': moreDifferences,
  },
  rows: (problems, _, suffix) => differenceRows('settings', problems, suffix),
});
