import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { Past } from '../../../src/monitor/state.ts';
import { createTheme } from '../../../src/terminal/theme.ts';
import { barRange, timeBarLine } from '../../../src/tui/frame/time-bar.tsx';
import { momentAt } from '../../replay/sources.ts';

const minute = 60_000;
const startMs = new Date(2026, 10, 27, 14, 0, 0).getTime();
const at = (minutes: number): number => startMs + minutes * minute;

const pastOf = (patch: Partial<Past>, minutes = 30): Past => ({
  at: momentAt(at(minutes)),
  range: { fromMs: at(0), toMs: at(60) },
  gaps: [],
  events: [],
  program: '0.1.0',
  hasNow: true,
  visit: 1,
  ...patch,
});

const plain = createTheme({ LANG: 'C.UTF-8', TERM: 'xterm', NO_COLOR: '1' });
const ascii = createTheme({ TERM: 'dumb' });
const draw = (past: Past, theme = plain): string => stripVTControlCharacters(timeBarLine(theme, 80, past));

describe('the time bar', () => {
  test('shows the hour around the moment, with the moment and calm time', () => {
    expect(draw(pastOf({}))).toBe(` 14:00:00 ${'─'.repeat(30)}│${'─'.repeat(29)} 15:00:00 `);
  });

  test('tells a time in which nothing was recorded from a calm one, in every charset', () => {
    const past = pastOf({ gaps: [{ fromMs: at(40), toMs: at(50) }] });
    expect(draw(past)).toBe(` 14:00:00 ${'─'.repeat(30)}│${'─'.repeat(9)}${' '.repeat(10)}${'─'.repeat(10)} 15:00:00 `);
    expect(draw(past, ascii)).toBe(
      ` 14:00:00 ${'-'.repeat(30)}|${'-'.repeat(9)}${' '.repeat(10)}${'-'.repeat(10)} 15:00:00 `,
    );
  });

  test('marks events by severity, the worst where several are close', () => {
    const past = pastOf({
      events: [
        { atMs: at(5.1), severity: 'critical' },
        { atMs: at(5.2), severity: 'info' },
        { atMs: at(10.5), severity: 'warning' },
        { atMs: at(20.5), severity: 'info' },
      ],
    });
    expect(draw(past)).toBe(
      ` 14:00:00 ${'─'.repeat(5)}!${'─'.repeat(4)}+${'─'.repeat(9)}·${'─'.repeat(9)}│${'─'.repeat(29)} 15:00:00 `,
    );
  });

  test.each([
    ['a whole hour, if there is one', pastOf({ range: { fromMs: at(-600), toMs: at(600) } }), 0, 60],
    ['the last hour, at its end', pastOf({ range: { fromMs: at(-600), toMs: at(60) } }, 60), 0, 60],
    ['the first hour, at its beginning', pastOf({ range: { fromMs: at(0), toMs: at(600) } }, 1), 0, 60],
    ['all of twenty minutes', pastOf({ range: { fromMs: at(20), toMs: at(40) } }), 20, 40],
    ['ten minutes at least, none of them in the future', pastOf({ range: { fromMs: at(29), toMs: at(30) } }), 20, 30],
  ])('shows %s', (_, past, fromMinutes, toMinutes) => {
    expect(barRange(past)).toEqual({ fromMs: at(fromMinutes), toMs: at(toMinutes) });
  });
});
