import { join, say, type Sentence } from '../../domain/sentence.ts';
import { pluralize, untrusted } from '../../domain/text.ts';
import { defineCheck } from '../../triage/check.ts';
import { everyRefresh } from '../../triage/needs.ts';
import { ascending, type Jump } from '../../triage/problem.ts';
import { judgeVersions, type VersionCount } from './judge.ts';

const versionsText = (versions: readonly VersionCount[]): Sentence =>
  join(
    versions.map(({ version, nodes }) => say`${untrusted(version)} on ${pluralize(nodes, 'node')}`),
    ', ',
  );

const nodesByVersion: Jump = { screen: 'nodes', sort: ascending('version') };

export const versions = defineCheck({
  id: 'versions',
  title: 'Versions',
  noun: 'versions',
  finds: 'nodes with different versions',
  needs: () => everyRefresh('nodes', 'nodeStats'),
  datedBy: ['nodes'],
  judge: judgeVersions,
  jump: nodesByVersion,
  passed: (facts) => versionsText(facts.versions),
  unchecked: { 'version-unknown': { text: ({ node }) => say`version of ${untrusted(node)} unknown` } },
  problems: {
    'mixed-versions': {
      title: () => say`Nodes run different versions`,
      evidence: (facts) => [versionsText(facts.versions)],
      next: () => '`Enter` lists the nodes by version. Expected during an upgrade. Otherwise, upgrade the other nodes.',
      jump: () => nodesByVersion,
    },
  },
});
