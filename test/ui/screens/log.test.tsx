import { stripVTControlCharacters } from 'node:util';
import { afterEach, expect, test } from 'vitest';
import { appendLog } from '../../../src/monitor/journal.ts';
import type { LogEntry } from '../../../src/monitor/state.ts';
import { LogScreen, logLines } from '../../../src/ui/screens/log.tsx';
import { logTexts } from '../../../src/ui/screens/texts.ts';
import { createRig, endRigs, plainTheme } from '../support/rig.tsx';
import { sizes } from './frames.ts';
import { createFakeMonitor, propsOf } from './list-fixtures.ts';

afterEach(endRigs);

const log = Array.from({ length: 200 }, (_, index) => ({ atMs: index, level: 'info' as const, text: `entry ${index} \u001B]0;x\u0007` }));

test.each(sizes)('fills %i by %i, empty or full, and watches nothing', (width, height) => {
  const empty = createFakeMonitor();
  expect(createRig(<LogScreen {...propsOf(empty, [width, height])} />, { columns: width, rows: height + 1, theme: plainTheme }).lines()).toHaveLength(height);
  const full = createFakeMonitor({ log });
  const lines = createRig(<LogScreen {...propsOf(full, [width, height])} />, { columns: width, rows: height + 1, theme: plainTheme }).lines();
  expect(lines).toHaveLength(height);
  expect(lines[0]).toContain(logTexts.count(200));
  expect(lines[1]).toContain(String.raw`entry 199 \x1b]0;x\x07`);
  expect(lines.at(-1)).toContain(`lines 1–${height - 2} of 200`);
  expect(full.watching).toEqual([]);
});

test('says when it is empty, and scrolls', async () => {
  const monitor = createFakeMonitor();
  const rig = createRig(<LogScreen {...propsOf(monitor, [80, 18])} />, { columns: 80, rows: 19, theme: plainTheme });
  await rig.until((text) => text.includes(logTexts.empty));
  monitor.set({ log: log.slice(0, 1) });
  await rig.until((text) => text.includes(`${logTexts.count(1)} `));
  monitor.set({ log });
  await rig.until((text) => text.includes('lines 1–16 of 200'));
  rig.type('G');
  await rig.until((text) => text.includes('entry 0 ') && text.includes('lines 185–200 of 200'));
  rig.type('k');
  await rig.until((text) => text.includes('lines 184–199 of 200'));
  rig.type('g');
  const lines = await rig.until((text) => text.includes('entry 199 '));
  expect(lines.at(-1)).toContain('lines 1–16 of 200');
});

test('says how often an entry was repeated, and since when', () => {
  const first = { atMs: new Date(2026, 0, 2, 3, 4, 5).getTime(), level: 'warning', text: 'Not done.' } as const;
  const repeated = appendLog(appendLog([], first), { ...first, atMs: first.atMs + 4_000 });
  const linesOf = (entries: readonly LogEntry[]): readonly string[] => logLines(plainTheme, 80, entries, []).map((line) => stripVTControlCharacters(line).trimEnd());
  expect(linesOf(repeated)).toEqual([' 03:04:09 !  Not done. (2 times since 03:04:05)']);
  expect(linesOf(appendLog(repeated, { ...first, atMs: first.atMs + 60_000 }))).toEqual([' 03:05:05 !  Not done. (3 times since 03:04:05)']);
  expect(linesOf(appendLog(repeated, { ...first, level: 'info' }))).toHaveLength(2);
});

test('one entry does not hide the others', () => {
  const monitor = createFakeMonitor({ log: [...['\u200B', '世', 'x'].map((character, index) => ({ atMs: index, level: 'info' as const, text: character.repeat(65_000) })), { atMs: 9, level: 'info', text: 'short' }] });
  const lines = createRig(<LogScreen {...propsOf(monitor, [80, 40])} />, { columns: 80, rows: 41, theme: plainTheme }).lines();
  expect(lines[1]).toContain('short');
  for (const line of lines) expect(line.trimEnd().length).toBeLessThan(80);
  expect(lines.join('\n').replaceAll(/\n */gu, ' ').split(logTexts.cut(65_000))).toHaveLength(4);
});
