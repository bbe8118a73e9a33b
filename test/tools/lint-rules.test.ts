import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const root = path.join(import.meta.dirname, '..', '..');

/** What a file of a folder may import, and what not. */
interface Fence {
  readonly file: string;
  readonly allowed: readonly string[];
  readonly forbidden: readonly string[];
}

const inkAndReact = ['ink', 'ink-select-input', 'ink-text-input', 'ink-table', 'react', 'react/jsx-runtime', 'zustand'];
const brokerPackages = ['mqtt', 'mqtt-packet', 'qlobber', 'ws', 'find-my-way'];
const harmless = ['string-width', 'p-limit', 'zustand/vanilla', './neighbour.ts', './folder/neighbour.ts'];

const fences: readonly Fence[] = [
  {
    file: 'src/domain/sample.ts',
    allowed: ['./neighbour.ts'],
    forbidden: ['zod', 'string-width', 'node:fs', 'react', '../api/errors.ts', '../store/state.ts', '../ui/format.ts', '../main.ts'],
  },
  {
    file: 'src/api/sample.ts',
    allowed: [...harmless, '../domain/node.ts'],
    forbidden: ['undici', 'zod', 'node:http', ...brokerPackages, ...inkAndReact, '../store/state.ts', '../ui/format.ts', '../broker/users.ts', '../commands/demo.ts', '../config/config.ts', '../main.ts'],
  },
  {
    file: 'src/api/v2/sample.ts',
    allowed: [...harmless, '../errors.ts', '../connection-errors.ts', '../management-api.ts', '../../domain/node.ts', 'node:http'],
    forbidden: ['undici', 'zod', 'zod/mini', ...brokerPackages, ...inkAndReact, '../../store/state.ts', '../../ui/format.ts', '../../broker/users.ts', '../../config/config.ts'],
  },
  { file: 'src/api/transport/pool.ts', allowed: ['undici', '../errors.ts', '../../domain/node.ts'], forbidden: ['zod', ...brokerPackages, ...inkAndReact, '../../store/state.ts'] },
  { file: 'src/api/dialects/emq-v2/wire.ts', allowed: ['zod', '../../domain/node.ts'], forbidden: ['undici', ...brokerPackages, ...inkAndReact, '../../store/state.ts'] },
  { file: 'src/api/dialects/emq-v2/server/server.ts', allowed: ['find-my-way', '../management-api.ts'], forbidden: ['undici', 'zod', ...inkAndReact, '../../broker/users.ts'] },
  {
    file: 'src/store/sample.ts',
    allowed: [...harmless, '../domain/node.ts', '../api/errors.ts', '../api/connection-errors.ts', '../api/management-api.ts'],
    forbidden: ['undici', 'zod', 'node:http', 'node:fs', ...brokerPackages, ...inkAndReact, '../api/v2/client.ts', '../api/v2/wire.ts', '../ui/format.ts', '../broker/users.ts', '../config/config.ts', '../commands/demo.ts'],
  },
  {
    file: 'src/store/actions/sample.ts',
    allowed: [...harmless, '../clock.ts', '../../domain/node.ts', '../../api/errors.ts', '../../api/connection-errors.ts', '../../api/management-api.ts'],
    forbidden: ['undici', 'zod', 'node:http', 'node:fs', ...brokerPackages, ...inkAndReact, '../../api/v2/client.ts', '../../ui/format.ts', '../../broker/users.ts', '../../commands/demo.ts'],
  },
  {
    file: 'src/ui/sample.tsx',
    allowed: [...harmless, 'ink', 'react', '../domain/node.ts', '../store/state.ts', './widgets/rows.tsx', './screens/clients.tsx'],
    forbidden: ['undici', 'zod', 'node:net', ...brokerPackages, '../api/errors.ts', '../api/v2/client.ts', '../broker/users.ts', '../config/config.ts', '../commands/demo.ts', '../main.ts'],
  },
  {
    file: 'src/ui/screens/sample.tsx',
    allowed: [...harmless, 'ink', 'react', 'ink-table', '../theme.ts', '../widgets/rows.tsx', '../hooks/use-keys.ts', '../../store/state.ts', '../../domain/node.ts'],
    forbidden: ['undici', 'zod', ...brokerPackages, '../../api/errors.ts', '../../api/v2/client.ts', '../../broker/users.ts', '../../config/config.ts', '../../main.ts'],
  },
  {
    file: 'src/ui/hooks/sample.ts',
    allowed: ['react', 'ink', '../keymap.ts', '../../store/state.ts'],
    forbidden: ['undici', 'zod', ...brokerPackages, '../../api/v2/client.ts', '../../broker/users.ts'],
  },
  {
    file: 'src/ui/widgets/sample.tsx',
    allowed: [...harmless, 'ink', 'react', 'ink-text-input', '../theme.ts', '../format.ts', '../keymap.ts', '../safe-text.ts'],
    forbidden: ['undici', 'zod', ...brokerPackages, '../app.tsx', '../hooks/use-store.ts', '../screens/clients.tsx', '../../store/state.ts', '../../domain/node.ts', '../../api/errors.ts', '../../broker/users.ts'],
  },
  {
    file: 'src/broker/sample.ts',
    allowed: [...harmless, ...brokerPackages, 'node:net', '../domain/node.ts', '../api/management-api.ts', '../api/v2/server.ts'],
    forbidden: ['undici', 'zod', ...inkAndReact, '../store/state.ts', '../ui/format.ts', '../config/config.ts', '../commands/demo.ts', '../main.ts'],
  },
  {
    file: 'src/broker/plugins/sample.ts',
    allowed: [...harmless, ...brokerPackages, 'node:net', './plugin.ts', '../node.ts', '../../domain/node.ts', '../../api/errors.ts', '../../api/v2/variants.ts'],
    forbidden: ['undici', 'zod', ...inkAndReact, '../../store/state.ts', '../../ui/format.ts', '../../config/config.ts', '../../commands/demo.ts', '../../main.ts'],
  },
  {
    file: 'src/config/sample.ts',
    allowed: [...harmless, 'zod', 'cac', '../api/v2/variants.ts'],
    forbidden: ['undici', ...brokerPackages, ...inkAndReact, '../store/state.ts', '../ui/format.ts', '../broker/users.ts', '../commands/demo.ts'],
  },
  {
    file: 'src/commands/sample.tsx',
    allowed: ['ink', 'react', '../api/v2/client.ts', '../store/monitor.ts', '../ui/app.tsx', '../broker/cluster.ts', '../config/config.ts', '../domain/node.ts'],
    forbidden: ['undici', 'zod', ...brokerPackages, '../main.ts'],
  },
  {
    file: 'src/main.ts',
    allowed: ['./commands/demo.ts', './config/config.ts', './ui/app.tsx', './broker/cluster.ts'],
    forbidden: ['undici', 'zod', ...brokerPackages, ...inkAndReact],
  },
];

const folder = mkdtempSync(path.join(tmpdir(), 'lint-rules-'));
const forms = [
  (source: string) => `import '${source}';`,
  (source: string, index: number) => `import { thing as thing${index} } from '${source}';`,
  (source: string, index: number) => `import type { Thing as Thing${index} } from '${source}';`,
  (source: string) => `export * from '${source}';`,
  (source: string) => `await import('${source}');`,
];
let refused: ReadonlyMap<string, readonly number[]>;

function linesOf({ allowed, forbidden }: Fence): string[] {
  return [...allowed, ...forbidden].flatMap((source, index) => forms.map((form) => form(source, index)));
}

beforeAll(() => {
  copyFileSync(path.join(root, '.oxlintrc.json'), path.join(folder, '.oxlintrc.json'));
  for (const fence of fences) {
    mkdirSync(path.dirname(path.join(folder, fence.file)), { recursive: true });
    writeFileSync(path.join(folder, fence.file), linesOf(fence).join('\n'));
  }
  const lint = spawnSync(path.join(root, 'node_modules', '.bin', 'oxlint'), ['--format', 'json', '.'], { cwd: folder, encoding: 'utf8' });
  refused = refusedLines(lint.stdout);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('who may import what', () => {
  test.each(fences)('$file', (fence) => {
    const lines = linesOf(fence);
    const expected = lines.slice(fence.allowed.length * forms.length);
    const actual = (refused.get(fence.file) ?? []).map((line) => lines[line - 1]);
    expect(actual).toEqual(expected);
  });
});

/** Line numbers of the refused imports, by file. */
function refusedLines(report: string): Map<string, number[]> {
  const { diagnostics } = JSON.parse(report) as { diagnostics: { code: string; filename: string; labels: { span: { line: number } }[] }[] };
  const found = new Map<string, number[]>();
  for (const { code, filename, labels } of diagnostics) {
    if (code !== 'eslint(no-restricted-imports)') continue;
    const lines = found.get(filename) ?? [];
    lines.push(labels[0]?.span.line ?? 0);
    found.set(filename, [...new Set(lines)].toSorted((one, other) => one - other));
  }
  return found;
}
