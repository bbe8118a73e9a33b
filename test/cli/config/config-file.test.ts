import { describe, expect, test } from 'vitest';
import { parseConfig } from '../../../src/cli/config/config-file.ts';
import { exampleConfig } from '../../../src/cli/config/example.ts';
import { listPreferences } from '../../../src/cli/config/list-preferences.ts';
import { fieldNames, listNames } from '../../../src/resources/lists.ts';
import { screenFlags, settingsAsFlags } from '../../../src/cli/config/settings.ts';
import { emptyList } from '../../../src/cli/list/read.ts';
import { thresholdNames } from '../../../src/triage/thresholds.ts';
import { commandName } from '../../../src/tui/keys/keymap.ts';
import { createTheme } from '../../../src/terminal/theme.ts';
import { keyCommands } from '../../../src/screens/keys.ts';

const problemsOf = async (...lines: readonly string[]): Promise<readonly string[]> =>
  (await parseConfig(lines.join('\n'))).problems.map(({ line, column, message }) => `${line}:${column} ${message}`);

describe('a wrong configuration is refused, with where and why', () => {
  test.each<[string, readonly string[], readonly string[]]>([
    [
      'unknown setting',
      ['[defaults]', '  intervall = 3'],
      [`2:3 "intervall" is not a setting. Did you mean interval?`],
    ],
    ['a table in place of a name', ['[context.prod]'], [`1:2 "context" must be a quoted string.`]],
    [
      'unknown in a context',
      ['[contexts.prod]', 'url = "http://127.0.0.1"', 'colour = "red"'],
      [`3:1 "colour" is not a setting. Did you mean color?`],
    ],
    [
      'wrong type',
      ['[defaults]', 'mouse = "yes"', 'interval = "2"'],
      [`2:1 "mouse" must be true or false.`, `3:1 "interval" must be a number.`],
    ],
    ['out of range', ['defaults.interval = 61'], [`1:1 "interval" must be a number from 0.5 to 60.`]],
    [
      'not one of',
      ['defaults = { theme = "neon" }'],
      [`1:14 "theme" must be one of auto, dark, light, high-contrast, 16, mono.`],
    ],
    [
      'a command that cannot be run',
      ['[defaults]', 'on-problem = "a\\u0000b"', 'password-command = ""'],
      [`2:1 "on-problem" must be a command.`, `3:1 "password-command" must be a command.`],
    ],
    [
      'a password',
      ['[contexts.prod]', 'password = "x"'],
      [`2:1 "password" is not allowed: the file must not contain secrets. Use password-file or password-command.`],
    ],
    [
      'a token',
      ['api-token = "x"'],
      [`1:1 "api-token" is not allowed: the file must not contain secrets. Use password-file or password-command.`],
    ],
    [
      'a login in a URL',
      ['[contexts.prod]', 'url = [', '  "http://127.0.0.1",', '  "http://a:b@127.0.0.1",', ']'],
      [`2:1 "url" must not contain a username or password (use user and password-file).`],
    ],
    [
      'a login in a proxy',
      ['[contexts.prod]', 'proxy = "http://a:b@proxy"'],
      [`2:1 "proxy" must not contain a username or password: set https_proxy in the environment instead.`],
    ],
    [
      'not a proxy',
      ['[contexts.prod]', 'proxy = "socks5://proxy"'],
      [`2:1 "proxy" must be the URL of a proxy, such as http://proxy.example:3128, or empty for none.`],
    ],
    [
      'a name with spaces',
      ['[contexts."a b"]', 'user = "x"'],
      [`1:2 "a b" is not a valid name: use up to 64 letters, digits, dots, hyphens and underscores.`],
    ],
    ['no such context', ['context = "prd"', '[contexts.prod]'], [`1:1 "context" must be one of prod.`]],
    [
      'no such threshold',
      ['[thresholds]', 'memry = { warning = 0.5 }'],
      [`2:1 "memry" is not a setting. Did you mean memory?`],
    ],
    [
      'a threshold the wrong way round',
      ['[thresholds]', 'memory = { critical = 0.5 }', 'drops = { warning = -1 }'],
      [`2:1 "memory" has a critical value (0.5) below its warning (0.9).`, `3:11 "warning" must not be negative.`],
    ],
    [
      'part of a threshold',
      ['[thresholds.memory]', 'warn = 0.5'],
      [`2:1 "warn" is not a setting. Did you mean warning?`],
    ],
    ['no such list', ['[lists.client]', 'sort = "id"'], [`1:2 "client" is not a setting. Did you mean clients?`]],
    [
      'no such column',
      ['[lists.clients]', 'columns = ["id", "adress"]', 'sort = "-when"'],
      [
        `2:18 "columns" must be one of ${fieldNames('clients').join(', ')}.`,
        `3:1 "sort" must be one of ${fieldNames('clients').join(', ')}.`,
      ],
    ],
    [
      'no columns',
      ['[lists.nodes]', 'columns = []'],
      [`2:1 "columns" must be a list of columns, such as ["id", "node"].`],
    ],
    [
      'no such command',
      ['[keys]', 'disconect = "Alt-f"'],
      [`2:1 "disconect" is not a command. Did you mean disconnect?`],
    ],
    [
      'no such key',
      ['[keys]', 'disconnect = "Hyper-F"'],
      [`2:1 "Hyper-F" is not a key. Use one character, or a name such as Space, PageDown, Ctrl-G or Alt-g.`],
    ],
    ['a key that is taken', ['[keys]', 'disconnect = ["Alt-f", "o"]'], [`2:1 "o" is already bound to group-by.`]],
    [
      'a key twice',
      ['[keys]', 'disconnect = "Alt-f"', 'filter = "Alt-f"'],
      [`2:1 "Alt-f" is already bound to filter.`, `3:1 "Alt-f" is already bound to disconnect.`],
    ],
    [
      'a key of shells for an action',
      ['[keys]', 'disconnect = "Ctrl-K"', 'filter = "Ctrl-D"'],
      [`2:1 "Ctrl-K" is reserved by the shell and cannot be used for an action.`],
    ],
    [
      'several, in order',
      ['[contexts.b]', 'usr = "x"', '[defaults]', 'mouse = 1'],
      [`2:1 "usr" is not a setting. Did you mean user?`, `4:1 "mouse" must be true or false.`],
    ],
  ])('%s', async (_name, lines, problems) => {
    expect(await problemsOf(...lines)).toEqual(problems);
  });

  test('text that is not TOML', async () => {
    expect(await problemsOf('[defaults]', 'interval =')).toEqual([expect.stringMatching(/^2:\d+ Not valid TOML: /u)]);
    expect(await problemsOf('a = 1', 'a = 2')).toEqual([expect.stringMatching(/^2:\d+ Not valid TOML: /u)]);
  });
});

test('an empty file is a configuration', async () => {
  expect(await parseConfig('')).toEqual({ settings: {}, problems: [] });
});

test('the example has every setting', async () => {
  expect((await parseConfig(exampleConfig)).problems).toEqual([]);
  const whole = await parseConfig(exampleConfig.replaceAll(/^# (?=[\w-]+ = )/gmu, ''));
  expect(whole.problems).toEqual([]);
  expect(Object.keys(whole.settings.thresholds ?? {})).toEqual(thresholdNames);
  expect(Object.keys(whole.settings.keys ?? {})).toEqual(keyCommands.map(commandName));
  const named = new Set(
    [whole.settings.defaults, ...Object.values(whole.settings.contexts ?? {})].flatMap((settings) =>
      Object.keys(settings ?? {}),
    ),
  );
  // Both sources of a password cannot be set together.
  expect([...named, 'password-file'].toSorted()).toEqual(settingNames.toSorted());
});

const settingNames = [
  'max-age',
  'max-size',
  'record',
  'api',
  'audit',
  'bell',
  'ca',
  'cert',
  'color',
  'insecure-http',
  'insecure-tls',
  'interval',
  'key',
  'max-rows',
  'mouse',
  'notify',
  'on-problem',
  'password-command',
  'password-file',
  'plain-render',
  'proxy',
  'read-only',
  'screen',
  'screen-reader',
  'servername',
  'theme',
  'url',
  'user',
  'variant',
];

test('settings are flags, and later layers win', () => {
  expect(
    settingsAsFlags(
      { interval: 5, mouse: false, 'read-only': true, 'password-file': 'a' },
      { url: 'http://127.0.0.1', interval: 1, 'read-only': false, audit: true, 'password-command': 'b' },
    ),
  ).toEqual({
    url: ['http://127.0.0.1'],
    interval: '1',
    'no-mouse': true,
    'read-only': undefined,
    'no-audit': undefined,
    'password-command': 'b',
  });
});

test('the demo takes the defaults of the screen', () => {
  expect(
    screenFlags({ defaults: { interval: 5, theme: 'light', mouse: false, user: 'ops', 'read-only': true } }),
  ).toEqual({ interval: '5', theme: 'light', 'no-mouse': true });
  expect(screenFlags({})).toEqual({});
});

describe('columns and sorts of lists', () => {
  test.each(listNames)('%s has the columns of its list', (name) => {
    const everything = { filter: undefined, sort: undefined, columns: undefined, limit: undefined };
    expect(
      emptyList(name, createTheme({}))
        .select(everything)
        .columns.map(({ id }) => id),
    ).toEqual(fieldNames(name));
  });

  test('are what the screens begin with: the columns given, in their order, without the others', async () => {
    const { settings } = await parseConfig(
      '[lists.routes]\ncolumns = ["topic", "node"]\n[lists.clients]\nsort = "-connected"\n',
    );
    expect(listPreferences(settings?.lists)).toEqual({
      routes: {
        sort: undefined,
        columns: {
          isWide: false,
          choice: {
            order: ['topic', 'node', 'wildcard', 'nodes'],
            hidden: new Set(['wildcard', 'nodes']),
            wanted: new Set(['topic', 'node']),
            widths: new Map(),
          },
        },
      },
      clients: { sort: { columnId: 'connected', isReversed: true }, columns: undefined },
    });
  });
});
