import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { withChild } from '../../.tools/bench/child.ts';
import { result } from '../../.tools/bench/measure.ts';
import { budgetTable, describeOccasion, machine as machineLine, mergeSections } from '../../.tools/bench/report.ts';

const machine = 'Measured on a machine.';
const section = (title: string, table: string, occasion = '2026-11-21') => ({ title, occasion, table });

test('new measurements replace old ones; the rest keeps its order and date', () => {
  const before = mergeSections(
    '',
    machine,
    [section('Keys', '| 5 ms |'), section('Start', '| 90 ms |')],
    ['Start', 'Keys'],
  );
  expect(before).toBe(`${machine}\n\n**Start** (2026-11-21)\n\n| 90 ms |\n\n**Keys** (2026-11-21)\n\n| 5 ms |`);
  const after = mergeSections(
    `\n${before}\n`,
    machine,
    [section('Start', '| **over** |', '2026-11-22')],
    ['Start', 'Keys'],
  );
  expect(after).toBe(before.replace('2026-11-21)\n\n| 90 ms |', '2026-11-22)\n\n| **over** |'));
});

test('drops figures that are no longer measured or come from another machine', () => {
  const before = mergeSections('', machine, [section('Old', '| 1 |'), section('Kept', '| 2 |')], ['Old', 'Kept']);
  expect(mergeSections(before, machine, [section('New', '| 3 |')], ['New', 'Kept'])).toBe(
    `${machine}\n\n**New** (2026-11-21)\n\n| 3 |\n\n**Kept** (2026-11-21)\n\n| 2 |`,
  );
  expect(mergeSections(before, 'Measured on another.', [section('New', '| 3 |')], ['New', 'Kept'])).toBe(
    'Measured on another.\n\n**New** (2026-11-21)\n\n| 3 |',
  );
});

test('the table marks what is over budget, and leaves details out', () => {
  const table = budgetTable([
    result('within', 5, 'ms', { atMost: 5 }),
    result('over', 5.1, 'ms', { atMost: 5 }),
    result('too little', 0.89, 'times', { atLeast: 0.9 }),
    result('unknown', Number.NaN, 'ms', { atMost: 5 }),
    result('without', 12_345, 'ms'),
    result('detail', 1, 'ms', { isDetail: true }),
  ]);
  const cells = table.split('\n').map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
  expect(cells.slice(2)).toEqual([
    ['within', '5 ms', '5 ms', ''],
    ['over', '5.1 ms', '5 ms', '**over**'],
    ['too little', '0.89 times', 'at least 0.9 times', '**over**'],
    ['unknown', 'NaN ms', '5 ms', '**over**'],
    ['without', '12,345 ms', '', ''],
  ]);
});

test('names the machine without its system, which changes while the figures stay comparable', () => {
  expect(machineLine()).toMatch(/^Measured on \d+ × .+, \d+ GB\.$/u);
});

test('reports a busy machine', () => {
  const facts = { sortMs: 20.6, day: '2026-11-21', system: 'Linux 6.18, Node 22', loadBefore: 0.2, loadAfter: 1.25 };
  expect(describeOccasion({ ...facts, othersPercent: 3 })).toBe(
    '2026-11-21, Linux 6.18, Node 22, reference sort 21 ms, load average 0.20 before and 1.25 after',
  );
  expect(describeOccasion({ ...facts, othersPercent: 85.2 })).toContain('; other programs used 85 % of a core');
});

test('a process answers; after its death pending and later requests fail', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'bench-child-'));
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  const file = path.join(folder, 'child.cjs');
  writeFileSync(
    file,
    `
    process.on('message', (question) => { if (question === 'die') process.exit(1); process.send(question.length); });
    process.on('disconnect', () => process.exit());
    process.send(process.argv[2]);
  `,
  );
  await withChild<string, string, number, void>(file, { a: 1 }, async ({ ready, ask }) => {
    expect(ready).toBe('{"a":1}');
    expect(await ask('four')).toBe(4);
    await expect(ask('die')).rejects.toThrow('child.cjs exited early.');
    await expect(ask('four')).rejects.toThrow('child.cjs exited early.');
  });
  writeFileSync(file, 'process.exit(1);');
  await expect(withChild(file, undefined, async () => undefined)).rejects.toThrow('child.cjs exited early.');
});
