import { describe, expect, test } from 'vitest';
import { type Acknowledgements, outdatedKeys } from '../../src/triage/acknowledgements.ts';
import type { CheckResult } from '../../src/triage/check.ts';
import type { Acknowledgement, Finding } from '../../src/triage/problem.ts';
import type { FindingChange } from '../../src/triage/finding-changes.ts';
import { sortFindings } from '../../src/triage/grouping.ts';
import type { Severity } from '../../src/triage/thresholds.ts';

const findingOf = (clientId: string, severity: Severity = 'warning'): Finding => ({
  check: 'slow',
  key: `slow ${clientId}`,
  severity,
  jump: { screen: 'client', clientId },
  code: 'slow-sessions',
  evidence: { clientIds: [clientId], isMore: false, isNoneFullSoon: true },
});

const acknowledged: Acknowledgement = { note: 'Ann', atMs: 1, check: 'slow', severity: 'warning' };
const known: Acknowledgements = new Map([['slow a', acknowledged]]);

const resultOf = (findings: readonly Finding[], unchecked: CheckResult['unchecked'] = []): CheckResult => ({
  check: 'slow',
  findings,
  unchecked,
  jump: { screen: 'sessions' },
  toldElsewhere: 0,
});

describe('acknowledged problems', () => {
  test('come last, in their order', () => {
    const findings = [findingOf('a', 'critical'), findingOf('b'), findingOf('c')].map((finding): Finding =>
      finding.key === 'slow c' ? finding : { ...finding, acknowledged },
    );
    expect(sortFindings(findings, 0).map(({ key }) => key)).toEqual(['slow c', 'slow a', 'slow b']);
  });

  const change = (kind: FindingChange['kind'], finding: Finding): FindingChange => ({ kind, finding, isQuiet: false });

  test.each<[string, readonly CheckResult[], readonly FindingChange[], readonly string[]]>([
    ['stay while the problem goes on', [resultOf([findingOf('a')])], [], []],
    [
      'stay as the program starts and finds them again',
      [resultOf([findingOf('a')])],
      [change('began', findingOf('a'))],
      [],
    ],
    ['stay while the check cannot be made', [resultOf([], [{ code: 'sessions-aborted' }])], [], []],
    ['end with the problem', [resultOf([findingOf('b')])], [change('ended', findingOf('a'))], ['slow a']],
    [
      'end as the problem becomes critical',
      [resultOf([findingOf('a', 'critical')])],
      [change('began', findingOf('a', 'critical'))],
      ['slow a'],
    ],
    ['end once the check finds nothing, as after a restart', [resultOf([])], [], ['slow a']],
  ])('%s', (_, results, changes, outdated) => {
    expect(outdatedKeys(known, results, changes)).toEqual(outdated);
  });
});
