import type { NodeName } from '../../domain/node.ts';
import { say, type Sentence } from '../../domain/sentence.ts';
import { capitalized, pluralize, untrusted } from '../../domain/text.ts';
import { partialText, unusableText } from '../../monitor/scan/missing-rows.ts';
import type { ScanName } from '../../resources/scans.ts';
import { defineCheck } from '../../triage/check.ts';
import { type ReadingName, readingNames } from '../../triage/reading-names.ts';
import { everyRefresh } from '../../triage/needs.ts';
import type { Jump } from '../../triage/problem.ts';
import { judgeReadings } from './judge.ts';

const log: Jump = { screen: 'log' };

const scanScreens: Readonly<Record<ScanName, Jump>> = {
  clientScan: { screen: 'clients' },
  sessionScan: { screen: 'sessions' },
  subscriptionScan: { screen: 'subscriptions' },
  routeScan: log,
};

const incompleteTitle = ({
  list,
  nodes: [first, ...others],
}: {
  readonly list: ReadingName;
  readonly nodes: readonly NodeName[];
}): Sentence => {
  const name = capitalized(readingNames[list]);
  if (first === undefined) return say`${name} incomplete`;
  return say`${name} of ${untrusted(first)}${others.length === 0 ? '' : ` and ${pluralize(others.length, 'more node')}`} incomplete`;
};

export const readings = defineCheck({
  id: 'readings',
  title: 'API',
  noun: 'API',
  finds: 'failed requests, incomplete lists, invalid rows',
  needs: () => everyRefresh('nodes', 'nodeStats', 'stats', 'metrics', 'listeners'),
  judge: judgeReadings,
  jump: log,
  passed: () => say`all requests succeeded`,
  unchecked: {},
  problems: {
    'login-rejected': {
      title: ({ proxyMessage }) =>
        say`${proxyMessage === undefined ? 'Login rejected (401)' : `${proxyMessage} Polling has stopped.`}`,
      evidence: ({ proxyMessage }) => (proxyMessage === undefined ? [say`polling has stopped`] : []),
      next: ({ proxyMessage }) =>
        proxyMessage === undefined
          ? '`A` signs in again. Check the username and password first.'
          : "Check the proxy's username and password.",
      jump: () => log,
    },
    'read-failed': {
      title: ({ resources, isAll, unreachable }) =>
        say`${unreachable !== undefined ? `API not reachable: ${unreachable.brief}` : isAll ? 'All requests failed' : `Failed to read ${resources.map((name) => readingNames[name]).join(', ')}`}`,
      evidence: ({ reason, unreachable }) =>
        unreachable === undefined
          ? [say`${reason}`]
          : unreachable.urls.length === 0
            ? []
            : [say`tried ${unreachable.urls.join(', ')}`],
      next: ({ unreachable }) => {
        if (unreachable === undefined) return '`Ctrl-R` retries now, `L` shows every error.';
        const cause =
          unreachable.isSilent === true
            ? 'The broker may be overloaded, a node may be hung, or a firewall drops the requests.'
            : 'Check that the broker is running, that its management API listens on this port, and that no firewall is in between.';
        return `\`Ctrl-R\` retries now. ${cause} Until it answers, the last known figures are shown.`;
      },
      jump: () => log,
    },
    'api-version': {
      title: ({ message }) => say`${message}`,
      next: () => '`Enter` opens the timeline. To set the API variant yourself, start with --variant.',
      jump: () => log,
    },
    'list-cut': {
      title: incompleteTitle,
      evidence: (coverage) => {
        const text = partialText(coverage);
        return text === undefined ? [] : [say`${text}`];
      },
      next: ({ list, cut }) =>
        `\`Enter\` opens ${list === 'routeScan' ? 'the timeline' : 'the rows that were read'}. ${cut === 'rows' ? 'Start with a higher --max-rows to read more.' : '`Ctrl-R` on the list tries again.'}`,
      jump: ({ list }) => scanScreens[list],
    },
    'rows-unusable': {
      title: incompleteTitle,
      evidence: ({ count, read }) => [say`${unusableText({ count }, read)}`],
      next: () => '`Enter` opens the timeline, which shows an example.',
      jump: () => log,
    },
  },
});
