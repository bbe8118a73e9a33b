import { describe, expect, it } from 'vitest';
import { UsageError } from '../../../src/cli/errors.ts';
import { commands, scenarioNames } from '../../../src/cli/options/commands.ts';
import { parseArguments } from '../../../src/cli/options/flags.ts';
import { flagsMarkdown, helpText } from '../../../src/cli/options/help.ts';
import { brokerConfig, demoConfig, fleetConfig, monitorConfig, recordConfig } from '../../../src/cli/options/config.ts';
import { startScreenId, startScreens } from '../../../src/cli/options/start-screens.ts';
import { menuScreens, screens, type TabId, tabs } from '../../../src/screens/registry.ts';
import { apiChoices } from '../../../src/api/dialects/registry.ts';

const monitor = (...argv: string[]) => monitorConfig(parseArguments(argv).flags, false);

describe('parseArguments', () => {
  it('knows the commands; without one it is the monitor', () => {
    expect(parseArguments([]).command.name).toBe('');
    expect(parseArguments(['--once']).command.name).toBe('');
    expect(parseArguments(['broker', '--nodes', '2'])).toMatchObject({
      command: { name: 'broker' },
      flags: { nodes: '2' },
    });
  });

  it.each([
    [['nope'], 'Unknown command "nope". See brokertop --help.'],
    [
      ['--password', 'x'],
      'There is no --password flag, because other users could see the password in the process list. Use --password-file or --password-command. See brokertop --help.',
    ],
    [
      ['--password=x'],
      'There is no --password flag, because other users could see the password in the process list. Use --password-file or --password-command. See brokertop --help.',
    ],
    [['--colour'], 'Unknown flag "--colour". See brokertop --help.'],
    [['broker', '--url', 'x'], 'Unknown flag "--url". See brokertop broker --help.'],
    [["--it's"], 'Unknown flag "--it\'s". See brokertop --help.'],
    [['--url'], '--url requires a value. See brokertop --help.'],
    [['--user', '--once'], '--user requires a value. See brokertop --help.'],
    [['--once=3'], '--once takes no value. See brokertop --help.'],
    [['--once', 'stray'], 'Unexpected argument "stray". See brokertop --help.'],
    [['--user', 'a', '--user', 'b'], '--user can be used only once.'],
    [['--on-problem', 'a', '--on-finding', 'b'], '--on-problem can be used only once.'],
  ])('refuses %j', (argv, message) => {
    expect(() => parseArguments(argv)).toThrow(UsageError);
    expect(() => parseArguments(argv)).toThrow(message);
  });

  it.each([
    [['--config', 'x', 'list', 'clients'], 'list', { config: 'x' }, ['clients']],
    [
      ['-c', 'prod', '--limit=3', 'list', '--sort', '-queue', 'sessions'],
      'list',
      { context: 'prod', limit: '3', sort: '-queue' },
      ['sessions'],
    ],
    [['--user', 'list', '--once'], '', { user: 'list', once: true }, []],
    [
      ['--password-command', 'pass show x', 'check', '--warn', 'alarms'],
      'check',
      { 'password-command': 'pass show x', warn: 'alarms' },
      [],
    ],
    [['--help', 'context'], 'context', { help: true }, []],
  ] as const)('finds the command behind flags: %j', (argv, command, flags, words) => {
    const parsed = parseArguments(argv);
    expect([parsed.command.name, { ...parsed.flags }, parsed.arguments]).toEqual([command, flags, words]);
  });

  it('accepts older names of flags, which the help does not show', async () => {
    expect(parseArguments(['--on-finding', 'true']).flags).toEqual({ 'on-problem': 'true' });
    for (const command of commands) expect(await helpText(command)).not.toContain('on-finding');
  });

  it('keeps text that looks like a number', () => {
    expect(parseArguments(['--user', '007']).flags['user']).toBe('007');
  });
});

describe('monitorConfig', () => {
  it('has the defaults of --help', () => {
    expect(monitor()).toEqual({
      url: 'http://127.0.0.1:8080',
      otherUrls: [],
      api: 'auto',
      user: 'admin',
      passwordSource: { kind: 'prompt' },
      variant: 'auto',
      intervalSeconds: 2,
      maxRows: 1_000_000,
      isReadOnly: false,
      hasAudit: true,
      isPlainRender: false,
      isScreenReader: false,
      themeName: 'auto',
      firstScreen: 'overview',
      hasMouse: true,
      alerts: { hasBell: false, hasNotification: false, command: undefined },
      isInsecure: false,
      tls: { ca: undefined, cert: undefined, key: undefined, servername: undefined, isInsecure: false },
      recording: { isOn: false, folder: undefined, limits: { maxBytes: 2 ** 30, maxAgeMs: 7 * 86_400_000 } },
      once: undefined,
      isQuick: false,
    });
    expect(monitorConfig({}, true).passwordSource).toEqual({ kind: 'environment' });
  });

  it.each([
    ['http://127.0.0.1:8080/', 'http://127.0.0.1:8080'],
    ['http://localhost:8080/api/v2/', 'http://localhost:8080'],
    ['http://localhost:18083/api/v5', 'http://localhost:18083'],
    ['https://broker.example/mgmt/api/v2', 'https://broker.example/mgmt'],
    ['http://[::1]:8080', 'http://[::1]:8080'],
  ])('takes %s', (url, expected) => {
    expect(monitor('--url', url)).toMatchObject({ url: expected, isInsecure: false });
  });

  it('records to a folder that is named or not', () => {
    const on = { isOn: true, folder: undefined };
    expect(monitor('--record').recording).toMatchObject(on);
    expect(monitor('--record', '--read-only')).toMatchObject({ recording: on, isReadOnly: true });
    expect(monitor('--read-only', '--record')).toMatchObject({ recording: on, isReadOnly: true });
    expect(monitor('--record', 'DIR', '--read-only')).toMatchObject({
      recording: { isOn: true, folder: 'DIR' },
      isReadOnly: true,
    });
    expect(monitor('--record=DIR').recording).toMatchObject({ isOn: true, folder: 'DIR' });
    expect(monitor('--record', '--max-size', '500M', '--max-age', '12h').recording.limits).toEqual({
      maxBytes: 500 * 2 ** 20,
      maxAgeMs: 12 * 3_600_000,
    });
    expect(() => monitor('--max-size', '5')).toThrow('--max-size must be a size from 1M to 1000G, such as 500M or 2G.');
    expect(() => monitor('--max-age', '2w')).toThrow('--max-age must be a time from 1h to 1000d, such as 12h or 7d.');
  });

  it('takes a theme, and no mouse', () => {
    expect(monitor('--theme', 'light', '--no-mouse')).toMatchObject({ themeName: 'light', hasMouse: false });
    expect(demoConfig(parseArguments(['demo', '--theme=16', '--no-mouse']).flags)).toMatchObject({
      themeName: '16',
      hasMouse: false,
    });
    expect(() => monitor('--theme', 'blue')).toThrow(
      '--theme must be one of auto, dark, light, high-contrast, 16, mono.',
    );
  });

  it('takes an API, with its port', () => {
    expect(monitor('--api', 'v5')).toMatchObject({ api: 'v5', url: 'http://127.0.0.1:18083' });
    expect(monitor('--api', 'v5', '--url', 'http://127.0.0.1:8080').url).toBe('http://127.0.0.1:8080');
    expect(monitor('--api', 'v2').url).toBe('http://127.0.0.1:8080');
    expect(() => monitor('--api', 'v9')).toThrow(`--api must be one of ${apiChoices.join(', ')}.`);
  });

  it('takes a variant for API v2 only', () => {
    expect(monitor('--variant', 'a')).toMatchObject({ api: 'v2', variant: 'a' });
    expect(() => monitor('--api', 'v5', '--variant', 'a')).toThrow('--variant is for API v2, not v5.');
  });

  it('takes a number of rows', () => {
    expect(monitor('--max-rows', '25000').maxRows).toBe(25_000);
  });

  it('takes several addresses in their order', () => {
    expect(
      monitor('--url', 'http://127.0.0.1:2/', '--url', 'https://b.example', '--url=http://[::1]/api/v2'),
    ).toMatchObject({
      url: 'http://127.0.0.1:2',
      otherUrls: ['https://b.example', 'http://[::1]'],
      isInsecure: false,
    });
  });

  it.each([
    [['--url', 'broker:8080'], 'must start with http:// or https://'],
    [['--url', 'nonsense'], 'must be a complete URL, such as http://127.0.0.1:8080'],
    [['--url', 'http://127.0.0.1/?x=1'], 'must not contain a query or a fragment'],
    [
      ['--url', 'http://broker.example:8080'],
      'http:// to another machine sends the password unencrypted. Use https:// or an SSH tunnel, or add --insecure-http.',
    ],
    [
      ['--url', 'http://127.0.0.1:1', '--url', 'http://broker.example:8080'],
      'http:// to another machine sends the password unencrypted. Use https:// or an SSH tunnel, or add --insecure-http.',
    ],
    [
      ['--url', 'http://127.0.0.1:1', '--url', 'http://a:b@127.0.0.1:2'],
      'must not contain a username or password (use user and password-file)',
    ],
    [['--url', 'http://127.0.0.1:1', '--url', 'http://127.0.0.1:1/api/v2/'], 'The same --url is specified twice.'],
    [
      Array.from({ length: 17 }, (_, index) => ['--url', `http://127.0.0.1:${index + 1}`]).flat(),
      '--url can be used at most 16 times.',
    ],
    [['--user', 'a', '--user', 'b'], '--user can be used only once.'],
    [['--on-problem', 'a', '--on-finding', 'b'], '--on-problem can be used only once.'],
    [
      ['--url', 'http://127.example:8080'],
      'http:// to another machine sends the password unencrypted. Use https:// or an SSH tunnel, or add --insecure-http.',
    ],
    [['--interval', '0'], '--interval must be a number from 0.5 to 60.'],
    [['--interval', '1e1'], '--interval must be a number from 0.5 to 60.'],
    [['--max-rows', '999'], '--max-rows must be a whole number from 1,000 to 5,000,000.'],
    [['--max-rows', '1e6'], '--max-rows must be a whole number from 1,000 to 5,000,000.'],
    [['--variant', 'c'], '--variant must be one of auto, a, b.'],
    [['--json'], '--json requires --once.'],
    [['--quick'], '--quick requires --once.'],
    [['--user', 'a:b'], 'colon'],
    [['--user', ''], '--user must not be empty.'],
    [
      ['--password-file', 'f', '--password-command', 'c'],
      '--password-file and --password-command cannot be used together.',
    ],
    [['--ca', 'f'], '--ca requires a --url that starts with https://.'],
    [['--insecure-tls'], '--insecure-tls requires a --url that starts with https://.'],
    [['--url', 'https://h', '--ca', ''], '--ca must name a file.'],
    [['--url', 'https://h', '--cert', 'f'], '--cert and --key must be used together.'],
    [['--url', 'https://h', '--key', 'f'], '--cert and --key must be used together.'],
    [
      ['--url', 'https://h', '--insecure-tls', '--ca', 'f'],
      '--insecure-tls skips certificate verification, so --ca has no effect. Remove one of them.',
    ],
    [['--url', 'https://h', '--servername', '10.0.0.1'], '--servername must be a host name.'],
    [['--url', 'https://h', '--servername', 'a b'], '--servername must be a host name.'],
  ])('refuses %j', (argv, message) => {
    expect(() => monitor(...argv)).toThrow(UsageError);
    expect(() => monitor(...argv)).toThrow(message);
  });

  it('never quotes a password in the URL', () => {
    const attempt = () => monitor('--url', 'http://admin:hunter2@127.0.0.1:8080');
    expect(attempt).toThrow('must not contain a username or password (use user and password-file)');
    expect(attempt).not.toThrow('hunter2');
  });

  it('accepts the TLS flags', () => {
    expect(
      monitor('--url', 'https://h', '--ca', 'a', '--cert', 'c', '--key', 'k', '--servername', 'broker.test').tls,
    ).toEqual({ ca: 'a', cert: 'c', key: 'k', servername: 'broker.test', isInsecure: false });
    expect(monitor('--url', 'http://127.0.0.1', '--url', 'https://h', '--ca', 'a').tls.ca).toBe('a');
    expect(monitor('--url', 'https://h', '--insecure-tls')).toMatchObject({
      isInsecure: false,
      tls: { isInsecure: true },
    });
  });

  it('marks an unencrypted connection to another machine', () => {
    expect(monitor('--url', 'http://broker.example:8080', '--insecure-http').isInsecure).toBe(true);
    // What the name leads to is known when it is connected to, and then goes there unchecked.
    expect(monitor('--url', 'http://localhost:8080', '--insecure-http').isInsecure).toBe(true);
    expect(monitor('--url', 'http://localhost:8080').isInsecure).toBe(false);
    expect(monitor('--url', 'http://127.0.0.1:8080', '--url', 'http://[::1]', '--insecure-http').isInsecure).toBe(
      false,
    );
  });
});

describe('the other commands', () => {
  it('serve an API, which has variants only if it is v2', () => {
    expect(brokerConfig(parseArguments(['broker']).flags)).toMatchObject({ api: 'v2', variant: 'b', port: 8080 });
    expect(brokerConfig(parseArguments(['broker', '--api', 'v5']).flags)).toMatchObject({ api: 'v5', port: 18_083 });
    expect(brokerConfig(parseArguments(['broker', '--api', 'v5', '--port', '0']).flags)).toMatchObject({ port: 0 });
    expect(demoConfig({})).toMatchObject({ api: 'v2', variant: 'b', profile: 'emq-2.3' });
    expect(demoConfig({ variant: 'a' })).toMatchObject({ api: 'v2', variant: 'a', profile: undefined });
    expect(demoConfig({ profile: 'emqx-5.0' })).toMatchObject({ api: 'v5', profile: 'emqx-5.0' });
    expect(demoConfig(parseArguments(['demo', '--api', 'v5']).flags)).toMatchObject({ api: 'v5', profile: 'emqx-5.8' });
    expect(brokerConfig({ profile: 'emqx-5.8' })).toMatchObject({
      api: 'v5',
      profile: 'emqx-5.8',
      port: 18_083,
      faults: [],
    });
    expect(brokerConfig({ profile: 'emq-2.3', fault: ['busy', 'frozen-node'] })).toMatchObject({
      api: 'v2',
      variant: 'b',
      port: 8080,
      faults: ['busy', 'frozen-node'],
    });
    expect(() => brokerConfig({ profile: 'emqx-5.8', api: 'v2' })).toThrow('--profile emqx-5.8 is for API v5.');
    expect(() => brokerConfig({ profile: 'emq-2.3', variant: 'a' })).toThrow('--profile emq-2.3 is for variant b.');
    expect(() => brokerConfig({ fault: ['busy'] })).toThrow('--fault requires --profile.');
    expect(() => brokerConfig({ profile: 'emq-2.3', fault: ['listener-down'], nodes: '1' })).toThrow(
      '--fault requires at least 2 nodes.',
    );
    expect(() => brokerConfig({ profile: 'emq-2.3', port: '65535' })).toThrow(
      '--port 65535 is too high for 3 nodes: each needs its own port, and the max is 65535.',
    );
    for (const command of ['broker', 'demo']) {
      const { flags } = parseArguments([command, '--api', 'v5', '--variant', 'a']);
      expect(() => (command === 'demo' ? demoConfig(flags) : brokerConfig(flags))).toThrow(
        '--variant is for API v2, not v5.',
      );
    }
  });

  it('read their flags', () => {
    expect(
      brokerConfig(parseArguments(['broker', '--nodes', '2', '--variant', 'a', '--port', '0']).flags),
    ).toMatchObject({
      nodes: 2,
      api: 'v2',
      variant: 'a',
      host: '127.0.0.1',
      port: 0,
      mqttPort: 1883,
      wsPort: 8083,
      user: 'admin',
      passwordFile: undefined,
      data: undefined,
    });
    expect(demoConfig({ 'no-audit': true }).hasAudit).toBe(false);
    expect(monitorConfig({ 'no-audit': true }, false).hasAudit).toBe(false);
    expect(demoConfig({ 'plain-render': true }).isPlainRender).toBe(true);
    expect(monitorConfig({ 'plain-render': true }, false).isPlainRender).toBe(true);
    expect(demoConfig({})).toEqual({
      nodes: 3,
      api: 'v2',
      variant: 'b',
      profile: 'emq-2.3',
      clients: 300,
      seed: 1,
      scenario: 'mixed',
      intervalSeconds: 2,
      isReadOnly: false,
      hasAudit: true,
      isPlainRender: false,
      isScreenReader: false,
      themeName: 'auto',
      firstScreen: 'overview',
      hasMouse: true,
    });
    expect(fleetConfig({ 'mqtt-ports': '1883,1884', 'ws-ports': '8083,8084' })).toMatchObject({
      targets: [
        { mqttPort: 1883, wsPort: 8083 },
        { mqttPort: 1884, wsPort: 8084 },
      ],
    });
  });

  it('reject invalid ports', () => {
    expect(() => brokerConfig({ port: '65536' })).toThrow('--port must be a whole number from 0 to 65535.');
    expect(() => brokerConfig({ 'mqtt-port': '65535' })).toThrow(
      '--mqtt-port 65535 is too high for 3 nodes: each needs its own port, and the max is 65535.',
    );
    expect(() => fleetConfig({})).toThrow('--mqtt-ports is required.');
    for (const [mqtt, ws] of [
      ['1883,1884', '8083'],
      ['1883', '8083,8084'],
    ]) {
      expect(() => fleetConfig({ 'mqtt-ports': mqtt, 'ws-ports': ws })).toThrow(
        '--mqtt-ports and --ws-ports must have the same length.',
      );
    }
  });

  it('accept a scenario, and the time after which a node stops, given two nodes', () => {
    expect(demoConfig({ scenario: 'hot-topic' }).scenario).toBe('hot-topic');
    expect(() => demoConfig({ scenario: 'war' })).toThrow(`--scenario must be one of ${scenarioNames.join(', ')}.`);
    expect(() => demoConfig({ scenario: 'node-down', nodes: '1' })).toThrow(
      '--scenario node-down requires at least 2 nodes.',
    );
    expect(demoConfig({ scenario: 'dead-sink', api: 'v5' }).scenario).toBe('dead-sink');
    expect(() => demoConfig({ scenario: 'dead-sink' })).toThrow('--scenario dead-sink requires --api v5.');
    expect(brokerConfig({}).stopLastNodeAfter).toBeUndefined();
    expect(brokerConfig({ 'stop-last-node': '15' }).stopLastNodeAfter).toBe(15);
    expect(() => brokerConfig({ 'stop-last-node': '0' })).toThrow(
      '--stop-last-node must be a whole number from 1 to 99,999.',
    );
    expect(() => brokerConfig({ 'stop-last-node': '15', nodes: '1' })).toThrow(
      '--stop-last-node requires at least 2 nodes.',
    );
  });
});

describe('rules of the broker', () => {
  it('are a topic filter and an http URL, of the API that has rules', () => {
    const url = new URL('http://127.0.0.1:9/in?x=1');
    expect(brokerConfig({}).rules).toEqual([]);
    expect(brokerConfig({ api: 'v5', rule: ['a/+/#=http://127.0.0.1:9/in?x=1'] }).rules).toEqual([
      { filter: 'a/+/#', url },
    ]);
    expect(() => brokerConfig({ rule: ['a=http://127.0.0.1:9'] })).toThrow('--rule requires --api v5.');
    for (const wrong of [
      'a',
      '=http://127.0.0.1',
      'a=ftp://127.0.0.1',
      'a/#/b=http://127.0.0.1',
      'a"=http://127.0.0.1',
    ])
      expect(() => brokerConfig({ api: 'v5', rule: [wrong] })).toThrow('must be a topic filter, =, and an http URL');
  });
});

describe('help', () => {
  it('records to --out alone', () => {
    const record = (...args: readonly string[]) => recordConfig(parseArguments(['record', ...args]).flags);
    expect(record('--out', 'DIR', '--max-age', '30d')).toEqual({
      folder: 'DIR',
      maxBytes: 2 ** 30,
      maxAgeMs: 30 * 86_400_000,
    });
    expect(() => record()).toThrow('--out is required.');
  });

  it('lists every flag of every command', async () => {
    for (const command of commands) {
      const text = await helpText(command);
      for (const flag of command.flags) expect(text).toContain(`--${flag.name}`);
      expect(text.split('\n').filter((line) => line.length > 80)).toEqual([]);
    }
  });

  it('omits internal commands', () => {
    expect(flagsMarkdown()).not.toContain('fleet`');
    expect(flagsMarkdown()).toContain('`brokertop broker`');
  });
});

it('a screen to start with is any that opens without a row', () => {
  const opened = screens
    .filter(({ id }) => tabs.includes(id as TabId) || menuScreens.some((screen) => screen.id === id))
    .map(({ id }) => id);
  expect(startScreens.map(startScreenId)).toEqual(opened);
});
