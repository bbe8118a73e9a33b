import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const root = path.join(import.meta.dirname, '..', '..');

/** Imports that a file may have, and imports that the linter must refuse. */
interface Fence {
  readonly file: string;
  readonly allowed: readonly string[];
  readonly forbidden: readonly string[];
}

const inkAndReact = ['ink', 'ink-select-input', 'ink-table', 'react', 'react/jsx-runtime', 'zustand', 'zustand/react'];
const brokerPackages = ['mqtt', 'mqtt-packet', 'qlobber', 'ws', 'find-my-way'];
const harmless = ['string-width', 'p-limit', 'zustand/vanilla', './neighbor.ts', './folder/neighbor.ts'];
const systemModules = [
  'node:net',
  'node:http',
  'node:https',
  'node:tls',
  'node:fs',
  'node:fs/promises',
  'node:child_process',
  'fs',
];

/** Every layer of src, by the path that a file directly in another layer imports it by. */
const layers = {
  domain: '../domain/text.ts',
  terminal: '../terminal/safe-text.ts',
  api: '../api/management-api.ts',
  transport: '../api/transport/pool.ts',
  dialect: '../api/dialects/emq-v2/client.ts',
  monitor: '../monitor/store.ts',
  table: '../table/columns.ts',
  recording: '../recording/recording.ts',
  actions: '../actions/audit.ts',
  resources: '../resources/bans/resource.ts',
  views: '../resources/bans/view/columns.ts',
  triage: '../triage/check.ts',
  checks: '../checks/registry.ts',
  timeline: '../timeline/fields.ts',
  compare: '../compare/rows.ts',
  report: '../report/report.ts',
  replay: '../replay/texts.ts',
  tui: '../tui/screen.ts',
  screens: '../screens/app.tsx',
  broker: '../broker/cluster.ts',
  cli: '../cli/options/config.ts',
  main: '../main.ts',
} as const;
type Layer = keyof typeof layers;

/** The fence of a layer: it may import the layers named, and no other. */
function layer(file: string, imports: readonly Layer[], { allowed = [], forbidden = [] }: Partial<Fence> = {}): Fence {
  const up = '../'.repeat(file.split('/').length - 3);
  const paths = (isAllowed: boolean): string[] =>
    (Object.keys(layers) as Layer[])
      .filter((name) => imports.includes(name) === isAllowed)
      .map((name) => up + layers[name]);
  return { file, allowed: [...paths(true), ...allowed], forbidden: [...paths(false), ...forbidden] };
}

const fences: readonly Fence[] = [
  {
    file: 'src/domain/sample.ts',
    allowed: ['./neighbor.ts'],
    forbidden: [
      'zod',
      'undici',
      'string-width',
      'react',
      'node:fs',
      ...Object.values(layers).filter((path) => path !== layers.domain),
    ],
  },
  layer('src/terminal/sample.ts', ['domain', 'terminal'], {
    allowed: harmless,
    forbidden: ['undici', 'zod', ...systemModules, ...brokerPackages, ...inkAndReact],
  }),
  {
    file: 'src/api/sample.ts',
    allowed: [...harmless, '../domain/text.ts', './errors.ts'],
    forbidden: [
      'undici',
      'zod',
      ...systemModules,
      ...brokerPackages,
      ...inkAndReact,
      './transport/pool.ts',
      './dialects/emq-v2/client.ts',
      layers.terminal,
      layers.monitor,
      layers.table,
      layers.actions,
      layers.triage,
      layers.checks,
      layers.tui,
      layers.screens,
      layers.broker,
      layers.cli,
      layers.main,
    ],
  },
  {
    file: 'src/api/transport/sample.ts',
    allowed: [
      ...harmless,
      'undici',
      'node:net',
      'node:tls',
      '../errors.ts',
      '../management-api.ts',
      '../../domain/text.ts',
    ],
    forbidden: [
      'zod',
      'zod/mini',
      ...brokerPackages,
      ...inkAndReact,
      '../dialects/emq-v2/client.ts',
      '../dialects/records.ts',
      '../../terminal/safe-text.ts',
      '../../monitor/store.ts',
      '../../screens/app.tsx',
      '../../broker/cluster.ts',
      '../../cli/options/config.ts',
    ],
  },
  {
    file: 'src/api/server/sample.ts',
    allowed: [...harmless, 'node:http', '../errors.ts', '../dialect.ts', '../../domain/text.ts'],
    forbidden: [
      'undici',
      'zod',
      ...brokerPackages,
      ...inkAndReact,
      '../transport/pool.ts',
      '../dialects/emq-v2/paths.ts',
      '../../monitor/store.ts',
      '../../screens/app.tsx',
      '../../broker/cluster.ts',
      '../../cli/options/config.ts',
    ],
  },
  {
    file: 'src/api/dialects/emq-v2/sample.ts',
    allowed: [...harmless, 'zod', '../../transport/pool.ts', '../../errors.ts', '../../../domain/text.ts'],
    forbidden: [
      'undici',
      ...brokerPackages,
      ...inkAndReact,
      '../../../terminal/safe-text.ts',
      '../../../monitor/store.ts',
      '../../../actions/audit.ts',
      '../../../screens/app.tsx',
      '../../../broker/cluster.ts',
    ],
  },
  {
    file: 'src/api/dialects/emq-v2/server/sample.ts',
    allowed: [
      ...harmless,
      ...brokerPackages,
      'zod',
      'node:http',
      '../wire.ts',
      '../../../management-api.ts',
      '../../../../domain/text.ts',
    ],
    forbidden: [
      'undici',
      ...inkAndReact,
      '../../../../monitor/store.ts',
      '../../../../screens/app.tsx',
      '../../../../broker/cluster.ts',
      '../../../../cli/options/config.ts',
    ],
  },
  layer('src/monitor/sample.ts', ['domain', 'api', 'monitor'], {
    allowed: harmless,
    forbidden: ['undici', 'zod', ...systemModules, ...brokerPackages, ...inkAndReact],
  }),
  layer('src/monitor/scan/sample.ts', ['domain', 'api', 'monitor'], {
    allowed: harmless,
    forbidden: ['undici', 'zod', ...systemModules, ...brokerPackages, ...inkAndReact],
  }),
  layer('src/table/sample.ts', ['domain', 'table'], {
    allowed: harmless,
    forbidden: ['undici', 'zod', ...systemModules, ...brokerPackages, ...inkAndReact],
  }),
  layer('src/resources/bans/resource.ts', ['domain', 'terminal', 'api', 'monitor', 'table', 'actions', 'resources'], {
    allowed: [...harmless, './texts.ts', '../clients/actions.ts'],
    forbidden: [
      'undici',
      'zod',
      ...systemModules,
      ...brokerPackages,
      ...inkAndReact,
      './view/columns.ts',
      './screen.tsx',
      '../view/scan-list.ts',
      '../clients/page.tsx',
      '../clients/keys.ts',
    ],
  }),
  layer('src/actions/sample.ts', ['domain', 'terminal', 'api', 'monitor', 'table', 'actions'], {
    allowed: harmless,
    forbidden: ['undici', 'zod', ...systemModules, ...brokerPackages, ...inkAndReact],
  }),
  layer('src/triage/sample.ts', ['domain', 'api', 'monitor', 'table', 'resources', 'actions', 'triage'], {
    allowed: harmless,
    forbidden: ['undici', 'zod', ...systemModules, ...brokerPackages, ...inkAndReact],
  }),
  layer(
    'src/checks/sample/sample.ts',
    ['domain', 'api', 'monitor', 'table', 'resources', 'actions', 'triage', 'checks'],
    {
      allowed: [...harmless, '../../resources/sessions/trouble.ts'],
      forbidden: [
        'undici',
        'zod',
        ...systemModules,
        ...brokerPackages,
        ...inkAndReact,
        '../../resources/bans/actions.ts',
        '../../resources/bans/texts.ts',
        '../../resources/bans/screen.tsx',
        '../../resources/keys.ts',
      ],
    },
  ),
  ...(
    [
      ['keys', ['../components/table.tsx', '../hooks/use-store.ts', '../list/use-list.tsx', '../frame/help.tsx']],
      ['components', ['../list/use-list.tsx', '../dialogs/texts.ts', '../frame/help.tsx']],
      ['list', ['../dialogs/texts.ts', '../frame/help.tsx']],
      ['dialogs', ['../frame/help.tsx']],
      ['frame', []],
    ] as const
  ).map(([folder, above]) =>
    layer(`src/tui/${folder}/sample.tsx`, ['domain', 'terminal', 'api', 'monitor', 'table', 'actions', 'tui'], {
      allowed: [...harmless, ...inkAndReact, '../keys/use-keys.ts', '../speech/texts.ts'],
      forbidden: ['undici', 'zod', ...systemModules, ...brokerPackages, ...above],
    }),
  ),
  layer(
    'src/resources/bans/screen.tsx',
    [
      'domain',
      'terminal',
      'api',
      'monitor',
      'table',
      'actions',
      'resources',
      'views',
      'triage',
      'checks',
      'timeline',
      'tui',
    ],
    {
      allowed: [...harmless, ...inkAndReact],
      forbidden: ['undici', 'zod', ...systemModules, ...brokerPackages],
    },
  ),
  layer(
    'src/screens/overview/sample.tsx',
    (Object.keys(layers) as Layer[]).filter(
      (name) => !['transport', 'dialect', 'broker', 'cli', 'main'].includes(name),
    ),
    {
      allowed: [...harmless, ...inkAndReact],
      forbidden: ['undici', 'zod', ...systemModules, ...brokerPackages],
    },
  ),
  layer('src/broker/sample.ts', ['domain', 'api', 'broker'], {
    allowed: [...harmless, ...brokerPackages, 'node:net', 'node:fs'],
    forbidden: ['undici', 'zod', ...inkAndReact],
  }),
  layer('src/broker/plugins/sample.ts', ['domain', 'api', 'broker'], {
    allowed: [...harmless, ...brokerPackages, 'node:net'],
    forbidden: ['undici', 'zod', ...inkAndReact],
  }),
  layer(
    'src/cli/commands/sample.tsx',
    (Object.keys(layers) as Layer[]).filter((name) => name !== 'main'),
    {
      allowed: [...harmless, ...inkAndReact, 'zod', 'node:fs'],
      forbidden: ['undici', ...brokerPackages],
    },
  ),
  {
    file: 'src/main.ts',
    allowed: ['./cli/commands/demo.ts', './screens/app.tsx', './broker/cluster.ts'],
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
  copyFileSync(path.join(root, 'oxlint.config.ts'), path.join(folder, 'oxlint.config.ts'));
  for (const fence of fences) {
    mkdirSync(path.dirname(path.join(folder, fence.file)), { recursive: true });
    writeFileSync(path.join(folder, fence.file), linesOf(fence).join('\n'));
  }
  const lint = spawnSync(path.join(root, 'node_modules', '.bin', 'oxlint'), ['--format', 'json', '.'], {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  refused = refusedLines(lint.stdout);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the linter keeps each layer within its imports', () => {
  test.each(fences)('$file', (fence) => {
    const lines = linesOf(fence);
    const expected = lines.slice(fence.allowed.length * forms.length);
    const actual = (refused.get(fence.file) ?? []).map((line) => lines[line - 1]);
    expect(actual).toEqual(expected);
  });
});

/** Line numbers of the refused imports by file. */
function refusedLines(report: string): Map<string, number[]> {
  const { diagnostics } = JSON.parse(report) as {
    diagnostics: { code: string; filename: string; labels: { span: { line: number } }[] }[];
  };
  const found = new Map<string, number[]>();
  for (const { code, filename, labels } of diagnostics) {
    if (code !== 'eslint(no-restricted-imports)') continue;
    const lines = found.get(filename) ?? [];
    lines.push(labels[0]?.span.line ?? 0);
    found.set(
      filename,
      [...new Set(lines)].toSorted((one, other) => one - other),
    );
  }
  return found;
}
