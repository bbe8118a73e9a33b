import { names, say } from '../../domain/sentence.ts';
import { pluralize, untrusted } from '../../domain/text.ts';
import { watchOf } from '../../monitor/query/part.ts';
import { plugins as pluginsResource } from '../../resources/plugins/resource.ts';
import { defineCheck } from '../../triage/check.ts';
import { runningNodeNames } from '../../triage/needs.ts';
import { ascending, type Jump } from '../../triage/problem.ts';
import { differenceReasons, differenceRows, moreDifferences } from '../differences.ts';
import { judgePlugins } from './judge.ts';

const allPlugins: Jump = { screen: 'plugins', sort: ascending('plugin') };

export const plugins = defineCheck({
  id: 'plugins',
  title: 'Plugins',
  noun: 'plugins',
  finds: 'plugins that differ between nodes',
  needs: ({ state, pace }) =>
    runningNodeNames(state).map((node) => ({
      watched: watchOf(pluginsResource, node),
      everySeconds: pace.administration,
    })),
  judge: judgePlugins,
  jump: allPlugins,
  passed: ({ rows, nodes }) => say`${pluralize(rows, 'plugin')}, same on ${pluralize(nodes, 'node')}`,
  unchecked: differenceReasons,
  problems: {
    'plugin-differs': {
      title: (difference) =>
        say`Plugin ${untrusted(difference.plugin)} ${
          difference.difference === 'versions'
            ? `has ${difference.count} versions`
            : `is ${difference.difference === 'inactive' ? 'active' : 'installed'} on ${difference.count} of ${pluralize(difference.nodes, 'node')}`
        }`,
      evidence: (difference, maxNames = 2) =>
        difference.difference === 'versions'
          ? []
          : [say`${difference.difference} on ${names(difference.on, maxNames)}`],
      next: (_, { canAct }) =>
        `\`Enter\` shows the plugin on each node.${canAct ? ' There, `S` starts it on the chosen node, and `K` stops it.' : ''}`,
      jump: ({ plugin }) => ({ ...allPlugins, row: plugin }),
    },
    'more-differences': moreDifferences,
  },
  rows: (problems, _, suffix) => differenceRows('plugins', problems, suffix),
});
