import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { withChild } from '../../.tools/bench/child.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'bench-child-'));
afterEach(() => { rmSync(folder, { recursive: true, force: true }); });

test('a process answers; after its death pending and later requests fail', async () => {
  const file = path.join(folder, 'child.cjs');
  writeFileSync(file, `
    process.on('message', (question) => { if (question === 'die') process.exit(1); process.send(question.length); });
    process.on('disconnect', () => process.exit());
    process.send(process.argv[2]);
  `);
  await withChild<string, string, number, void>(file, { a: 1 }, async ({ ready, ask }) => {
    expect(ready).toBe('{"a":1}');
    expect(await ask('four')).toBe(4);
    await expect(ask('die')).rejects.toThrow('child.cjs ended.');
    await expect(ask('four')).rejects.toThrow('child.cjs ended.');
  });
  writeFileSync(file, 'process.exit(1);');
  await expect(withChild(file, undefined, async () => undefined)).rejects.toThrow('child.cjs ended.');
});
