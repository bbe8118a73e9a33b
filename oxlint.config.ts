import type { OxlintConfig, OxlintOverride } from 'oxlint';

/** The parts of `src`, as others import them. Views of resources and their actions are parts of their own. */
const parts = {
  domain: 'domain/',
  terminal: 'terminal/',
  table: 'table/',
  api: 'api/',
  monitor: 'monitor/',
  recording: 'recording/',
  actions: 'actions/',
  resources: 'resources/',
  resourceActions: String.raw`resources/(?:.*/)?(?:actions|texts)\.ts$`,
  resourceViews: String.raw`resources/(?:.*/)?(?:view/|(?:screen|page|panel)\.tsx$|keys\.ts$)`,
  triage: 'triage/',
  checks: 'checks/',
  timeline: 'timeline/',
  compare: 'compare/',
  report: 'report/',
  replay: 'replay/',
  tui: 'tui/',
  screens: 'screens/',
  broker: 'broker/',
  cli: 'cli/',
  main: String.raw`main\.ts$`,
} as const;
type Part = keyof typeof parts;
const everything = Object.keys(parts) as Part[];

/** What only some parts may import: packages, Node's modules, dialects and the transport. */
const restricted = {
  io: ['^(node:)?(net|http|https|http2|tls|dgram|fs|child_process|fs/promises)$', 'no input or output here'],
  react: [
    '^(ink|ink-[^/]+|react|react-[^/]+)(/|$)|^zustand$|^zustand/(react|traditional|shallow)',
    'ink and react only in tui/, screens, views and cli/ (zustand elsewhere as zustand/vanilla)',
  ],
  undici: ['^undici(/|$)', 'undici only in api/transport/'],
  zod: ['^zod(/|$)', 'zod only in cli/ and api/dialects/'],
  mqtt: [
    '^(mqtt|mqtt-packet|qlobber|ws|find-my-way)(/|$)',
    'MQTT, WebSocket and router packages only in broker/ and the server half of a dialect',
  ],
  dialects: [
    String.raw`^(\.\./)+api/(transport|dialects)/`,
    'only cli/ knows a dialect or the transport; the port is api/management-api.ts',
  ],
} as const;
type Restricted = keyof typeof restricted;

interface Rule {
  /** What the files may import that is restricted. */
  readonly uses?: readonly Restricted[];
  /** Imports within the part that are refused, and why. */
  readonly inside?: readonly [pattern: string, message: string];
}

/** Refuses every import of files but those of these parts. */
const layer = (
  files: string | readonly string[],
  imports: readonly Part[],
  { uses = [], inside }: Rule = {},
): OxlintOverride => {
  const refused = everything.filter((part) => !imports.includes(part)).map((part) => parts[part]);
  const patterns = [
    ...(refused.length === 0
      ? []
      : [{ regex: String.raw`^(\.\./)+(?:${refused.join('|')})`, message: `imports only ${imports.join(', ')}` }]),
    ...(inside === undefined ? [] : [{ regex: inside[0], message: inside[1] }]),
    ...Object.entries(restricted)
      .filter(([name]) => !uses.some((used) => used === name))
      .map(([, [regex, message]]) => ({ regex, message })),
  ];
  return { files: [files].flat(), rules: { 'no-restricted-imports': ['error', { patterns }] } };
};

const api = ['domain', 'api'] as const;
const data = ['domain', 'table', 'api', 'monitor', 'resources'] as const;
const judged = [...data, 'actions', 'triage', 'checks'] as const;
const library = ['domain', 'terminal', 'table', 'api', 'monitor', 'actions', 'tui'] as const;
const screens = everything.filter((part) => !['broker', 'cli', 'main'].includes(part));

const inTui = (folders: string, above: string) =>
  layer(`src/tui/${folders}/**`, library, {
    uses: ['react'],
    inside: [String.raw`^(\.\./)+(${above})/`, 'in tui: keys, speech <- components, hooks <- list <- dialogs <- frame'],
  });

/** The map in `src/README.md`, from the bottom up. A later line replaces an earlier one for the files of both. */
const layers: OxlintOverride[] = [
  {
    files: ['src/domain/**'],
    rules: {
      'no-restricted-imports': ['error', { patterns: [{ group: ['**', '!./**'], message: 'domain imports nothing' }] }],
    },
  },
  layer('src/terminal/**', ['domain', 'terminal'], {
    inside: [String.raw`^(\.\./)+(package\.json|version\.ts)`, 'terminal imports domain'],
  }),
  layer('src/table/**', ['domain', 'table']),
  layer('src/api/*.ts', ['domain'], {
    inside: [String.raw`^\./(transport|dialects)/`, 'the port knows no transport and no dialect'],
  }),
  layer('src/api/transport/**', api, {
    uses: ['io', 'undici'],
    inside: [String.raw`^(\.\./)+dialects/`, 'the transport knows HTTP and no broker'],
  }),
  layer('src/api/server/**', api, {
    uses: ['io'],
    inside: [String.raw`^(\.\./)+(transport|dialects)/`, 'what servers share knows no dialect'],
  }),
  layer('src/api/dialects/**', api, { uses: ['io', 'zod', 'dialects'] }),
  layer('src/api/dialects/*/server/**', api, { uses: ['io', 'zod', 'mqtt', 'dialects'] }),
  layer('src/monitor/**', ['domain', 'api', 'monitor']),
  layer('src/recording/**', ['domain', 'api', 'monitor', 'recording'], { uses: ['io'] }),
  layer('src/actions/**', ['domain', 'terminal', 'table', 'api', 'monitor', 'actions']),
  layer('src/resources/**', [...data, 'terminal', 'actions', 'resourceActions'], {
    inside: [String.raw`^\.{1,2}/(?:.*/)?(?:view/|(?:screen|page|panel)\.tsx$|keys\.ts$)`, 'only views import views'],
  }),
  layer('src/triage/**', [...data, 'actions', 'triage']),
  layer('src/checks/**', judged),
  layer('src/timeline/**', [...judged, 'timeline', 'resourceActions']),
  layer('src/compare/**', [...data, 'terminal', 'compare']),
  layer('src/report/**', [...judged, 'terminal', 'recording', 'timeline', 'compare', 'report']),
  layer('src/replay/**', [...judged, 'recording', 'timeline', 'replay']),
  layer('src/tui/**', library, { uses: ['react'] }),
  inTui('{keys,speech}', 'components|hooks|list|dialogs|frame'),
  inTui('{components,hooks}', 'list|dialogs|frame'),
  inTui('list', 'dialogs|frame'),
  inTui('dialogs', 'frame'),
  layer(
    ['src/resources/*/{screen,page,panel}.tsx', 'src/resources/{*/,}view/**', 'src/resources/{*/,}keys.ts'],
    [...library, ...judged, 'resourceActions', 'resourceViews', 'timeline'],
    { uses: ['react'] },
  ),
  layer('src/screens/**', screens, { uses: ['react'] }),
  layer('src/broker/**', [...api, 'broker'], { uses: ['io', 'mqtt'] }),
  layer(
    'src/cli/**',
    everything.filter((part) => part !== 'main'),
    { uses: ['io', 'react', 'zod', 'dialects'] },
  ),
  layer('src/*.ts', everything, { uses: ['io', 'dialects'] }),
];

export default {
  plugins: ['typescript', 'import', 'react', 'unicorn', 'oxc', 'promise', 'node', 'vitest'],
  categories: { correctness: 'error', suspicious: 'warn' },
  env: { node: true, es2024: true },
  rules: {
    eqeqeq: 'error',
    'no-console': 'error',
    'no-control-regex': 'off',
    'react/react-in-jsx-scope': 'off',
    'import/no-default-export': 'error',
    'import/no-cycle': 'error',
    'typescript/no-explicit-any': 'error',
    'typescript/ban-ts-comment': 'error',
    'typescript/consistent-type-imports': 'error',
    'unicorn/filename-case': ['error', { case: 'kebabCase' }],
    'no-shadow': 'off',
    'no-underscore-dangle': 'off',
    'no-await-in-loop': 'off',
    'import/no-named-as-default': 'off',
    'import/no-named-as-default-member': 'off',
    'no-unmodified-loop-condition': 'off',
    'promise/always-return': 'off',
    'unicorn/consistent-function-scoping': 'off',
  },
  ignorePatterns: ['dist/**', 'out/**', 'coverage/**'],
  overrides: [
    { files: ['test/vitest.config.ts', 'oxlint.config.ts'], rules: { 'import/no-default-export': 'off' } },
    { files: ['.tools/**', 'test/**'], rules: { 'no-console': 'off', 'import/no-unassigned-import': 'off' } },
    {
      files: ['test/e2e/**'],
      rules: {
        'vitest/expect-expect': [
          'error',
          { assertFunctionNames: ['expect', 'expect*', 'waitFor*', 'show*', '**.waitFor'] },
        ],
      },
    },
    { files: ['.tools/launcher.cjs'], rules: { 'no-unused-vars': 'off' } },
    ...layers,
  ],
} satisfies OxlintConfig;
