import { expect, onTestFinished, test } from 'vitest';
import { changeThresholds, severityOf, thresholdNames, thresholdOf, thresholds } from '../../src/triage/thresholds.ts';

test('a changed threshold applies everywhere, and omitted values stay', () => {
  const { memory } = thresholds;
  const before = { warning: memory.warning, critical: memory.critical };
  onTestFinished(() => {
    changeThresholds({ memory: before });
  });
  expect(severityOf(0.85, memory)).toBeUndefined();
  changeThresholds({ memory: { warning: 0.8, critical: undefined } });
  expect(severityOf(0.85, memory)).toBe('warning');
  expect(severityOf(before.critical, memory)).toBe('critical');
  changeThresholds({ memory: { critical: 0.84 } });
  expect(severityOf(0.85, memory)).toBe('critical');
});

test('every threshold warns before it is critical', () => {
  for (const name of thresholdNames) expect(thresholdOf(name).critical).toBeGreaterThan(thresholdOf(name).warning);
});
