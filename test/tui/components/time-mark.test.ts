import { afterEach, expect, test } from 'vitest';
import { showMoment } from '../../../src/monitor/shown-time.ts';
import { axisWidth, timeAxis } from '../../../src/resources/metrics/view/traffic.ts';
import { spansWidth } from '../../../src/terminal/line.ts';
import { endMark, timeMark } from '../../../src/tui/components/time-mark.ts';

afterEach(() => {
  showMoment(undefined);
});

test('axes of 15 minutes and more have clock times, of the moment that is shown', () => {
  const wallMs = new Date(2026, 10, 28, 14, 30).getTime();
  showMoment({ wallMs, steadyMs: wallMs - 7_000, monotonicMs: 0 });
  expect(timeMark(180, 180)).toBe('3 min');
  expect(timeMark(600, 899)).toBe('10 min');
  expect(timeMark(900, 900)).toBe('14:15');
  expect(timeMark(300, 900)).toBe('14:25');
  expect(timeMark(86_400, 86_400)).toBe('14:30');
});

test('the end of a graph of the past is not now', () => {
  expect(endMark()).toBe('now');
  const wallMs = new Date(2026, 10, 28, 14, 30).getTime();
  showMoment({ wallMs, steadyMs: wallMs, monotonicMs: 0 });
  expect(endMark()).toBe('14:30');
  const row = timeAxis(60, 180);
  expect(row.map(({ text }) => text).join('')).toMatch(/3 min ─+2 min ─+1 min ─+ 14:30$/u);
  expect(spansWidth(row)).toBe(60 + axisWidth);
});
