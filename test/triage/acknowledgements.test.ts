import { describe, expect, test } from 'vitest';
import { type Acknowledgement, type Acknowledgements, markAcknowledged, outdatedKeys } from '../../src/triage/acknowledgements.ts';
import type { CheckResult, Finding } from '../../src/triage/check.ts';
import type { FindingChange } from '../../src/triage/finding-changes.ts';
import type { Severity } from '../../src/triage/thresholds.ts';

const findingOf = (clientId: string, severity: Severity = 'warning'): Finding =>
  ({ check: 'slow', key: `slow ${clientId}`, severity, target: { kind: 'session', clientId }, code: 'slow-sessions', evidence: { clientIds: [clientId], isMore: false, areFar: true } });

const acknowledged: Acknowledgement = { note: 'Ann', atMs: 1, check: 'slow', severity: 'warning' };
const known: Acknowledgements = new Map([['slow a', acknowledged]]);

const resultOf = (findings: readonly Finding[], unchecked: CheckResult['unchecked'] = []): CheckResult => ({ check: 'slow', findings, unchecked, target: { kind: 'sessions' } });

describe('acknowledged problems', () => {
  test('are marked and come last, in their order', () => {
    const marked = markAcknowledged([findingOf('a', 'critical'), findingOf('b'), findingOf('c')], new Map([['slow b', acknowledged], ['slow a', acknowledged]]));
    expect(marked.map(({ key, acknowledged: by }) => [key, by?.note])).toEqual([['slow c', undefined], ['slow a', 'Ann'], ['slow b', 'Ann']]);
    const findings = [findingOf('a')];
    expect(markAcknowledged(findings, new Map())).toBe(findings);
  });

  const change = (kind: FindingChange['kind'], finding: Finding): FindingChange => ({ kind, finding });

  test.each<[string, readonly CheckResult[], readonly FindingChange[], readonly string[]]>([
    ['stay while the problem goes on', [resultOf([findingOf('a')])], [], []],
    ['stay as the program starts and finds them again', [resultOf([findingOf('a')])], [change('began', findingOf('a'))], []],
    ['stay while the check cannot be made', [resultOf([], [{ code: 'sessions-aborted' }])], [], []],
    ['end with the problem', [resultOf([findingOf('b')])], [change('ended', findingOf('a'))], ['slow a']],
    ['end as the problem becomes critical', [resultOf([findingOf('a', 'critical')])], [change('began', findingOf('a', 'critical'))], ['slow a']],
    ['end once the check finds nothing, as after a restart', [resultOf([])], [], ['slow a']],
  ])('%s', (_, results, changes, outdated) => {
    expect(outdatedKeys(known, results, changes)).toEqual(outdated);
  });
});
