import { describe, expect, it } from 'vitest';
import { UsageError } from '../../../src/cli/errors.ts';
import { flagsMarkdown, helpText, parseArguments } from '../../../src/cli/options/arguments.ts';
import { brokerConfig, demoConfig, fleetConfig, monitorConfig } from '../../../src/cli/options/config.ts';
import { commands } from '../../../src/cli/options/flags.ts';

const monitor = (...argv: string[]) => monitorConfig(parseArguments(argv).flags, false);

describe('parseArguments', () => {
  it('knows the commands, and none is the monitor', () => {
    expect(parseArguments([]).command.name).toBe('');
    expect(parseArguments(['--once']).command.name).toBe('');
    expect(parseArguments(['broker', '--nodes', '2'])).toMatchObject({ command: { name: 'broker' }, flags: { nodes: '2' } });
  });

  it.each([
    [['nope'], 'There is no command "nope"'],
    [['--colour'], "Unknown option '--colour'. See brokertop --help."],
    [['broker', '--url', 'x'], "Unknown option '--url'. See brokertop broker --help."],
    [['--url'], 'argument missing'],
    [['--once', 'stray'], "Unexpected argument 'stray'"],
    [['--user', 'a', '--user', 'b'], '--user was given more than once.'],
  ])('refuses %j', (argv, message) => {
    expect(() => parseArguments(argv)).toThrow(UsageError);
    expect(() => parseArguments(argv)).toThrow(message);
  });

  it('keeps text that looks like a number', () => {
    expect(parseArguments(['--user', '007']).flags['user']).toBe('007');
  });
});

describe('monitorConfig', () => {
  it('has the defaults that help promises', () => {
    expect(monitor()).toEqual({
      url: 'http://127.0.0.1:8080',
      otherUrls: [],
      user: 'admin',
      passwordSource: { kind: 'prompt' },
      variant: 'auto',
      intervalSeconds: 2,
      maxRows: 1_000_000,
      isReadOnly: false, hasAudit: true, isPlainRender: false,
      isInsecure: false,
      tls: { ca: undefined, cert: undefined, key: undefined, servername: undefined, isInsecure: false },
      once: undefined,
    });
    expect(monitorConfig({}, true).passwordSource).toEqual({ kind: 'environment' });
  });

  it.each([
    ['http://127.0.0.1:8080/', 'http://127.0.0.1:8080'],
    ['http://localhost:8080/api/v2/', 'http://localhost:8080'],
    ['https://broker.example/mgmt/api/v2', 'https://broker.example/mgmt'],
    ['http://[::1]:8080', 'http://[::1]:8080'],
  ])('takes %s', (url, expected) => {
    expect(monitor('--url', url)).toMatchObject({ url: expected, isInsecure: false });
  });

  it('takes a number of rows', () => {
    expect(monitor('--max-rows', '25000').maxRows).toBe(25_000);
  });

  it('takes several addresses in their order', () => {
    expect(monitor('--url', 'http://127.0.0.1:2/', '--url', 'https://b.example', '--url=http://[::1]/api/v2')).toMatchObject({
      url: 'http://127.0.0.1:2', otherUrls: ['https://b.example', 'http://[::1]'], isInsecure: false,
    });
  });

  it.each([
    [['--url', 'broker:8080'], '--url must begin with'],
    [['--url', 'nonsense'], '--url must be a whole URL'],
    [['--url', 'http://127.0.0.1/?x=1'], 'query'],
    [['--url', 'http://broker.example:8080'], '--insecure-http'],
    [['--url', 'http://127.0.0.1:1', '--url', 'http://broker.example:8080'], '--insecure-http'],
    [['--url', 'http://127.0.0.1:1', '--url', 'http://a:b@127.0.0.1:2'], '--url must not hold a user name'],
    [['--url', 'http://127.0.0.1:1', '--url', 'http://127.0.0.1:1/api/v2/'], '--url was given twice with the same address.'],
    [Array.from({ length: 17 }, (_, index) => ['--url', `http://127.0.0.1:${index + 1}`]).flat(), '--url may be given 16 times at most.'],
    [['--user', 'a', '--user', 'b'], '--user was given more than once.'],
    [['--url', 'http://127.example:8080'], '--insecure-http'],
    [['--interval', '0'], '--interval must be a number from 0.5 to 60.'],
    [['--interval', '1e1'], '--interval must be a number from 0.5 to 60.'],
    [['--max-rows', '999'], '--max-rows must be a whole number from 1000 to 5,000,000.'],
    [['--max-rows', '1e6'], '--max-rows must be a whole number'],
    [['--variant', 'c'], '--variant must be auto, a or b.'],
    [['--json'], '--json goes with --once.'],
    [['--user', 'a:b'], 'colon'],
    [['--user', ''], '--user must not be empty.'],
    [['--password-file', 'f', '--password-command', 'c'], 'not both'],
    [['--ca', 'f'], '--ca needs a --url that begins with https://.'],
    [['--insecure-tls'], '--insecure-tls needs a --url that begins with https://.'],
    [['--url', 'https://h', '--ca', ''], '--ca must name a file.'],
    [['--url', 'https://h', '--cert', 'f'], '--cert and --key go together.'],
    [['--url', 'https://h', '--key', 'f'], '--cert and --key go together.'],
    [['--url', 'https://h', '--insecure-tls', '--ca', 'f'], 'leave one of them out'],
    [['--url', 'https://h', '--servername', '10.0.0.1'], '--servername must be a host name.'],
    [['--url', 'https://h', '--servername', 'a b'], '--servername must be a host name.'],
  ])('refuses %j', (argv, message) => {
    expect(() => monitor(...argv)).toThrow(UsageError);
    expect(() => monitor(...argv)).toThrow(message);
  });

  it('never quotes a password in the URL', () => {
    const attempt = () => monitor('--url', 'http://admin:hunter2@127.0.0.1:8080');
    expect(attempt).toThrow('--url must not hold a user name or password');
    expect(attempt).not.toThrow('hunter2');
  });

  it('takes what TLS needs', () => {
    expect(monitor('--url', 'https://h', '--ca', 'a', '--cert', 'c', '--key', 'k', '--servername', 'broker.test').tls)
      .toEqual({ ca: 'a', cert: 'c', key: 'k', servername: 'broker.test', isInsecure: false });
    expect(monitor('--url', 'http://127.0.0.1', '--url', 'https://h', '--ca', 'a').tls.ca).toBe('a');
    expect(monitor('--url', 'https://h', '--insecure-tls')).toMatchObject({ isInsecure: false, tls: { isInsecure: true } });
  });

  it('says when the password goes unencrypted to another machine', () => {
    expect(monitor('--url', 'http://broker.example:8080', '--insecure-http').isInsecure).toBe(true);
    // What the name leads to is known when it is connected to, and then goes there unchecked.
    expect(monitor('--url', 'http://localhost:8080', '--insecure-http').isInsecure).toBe(true);
    expect(monitor('--url', 'http://localhost:8080').isInsecure).toBe(false);
    expect(monitor('--url', 'http://127.0.0.1:8080', '--url', 'http://[::1]', '--insecure-http').isInsecure).toBe(false);
  });
});

describe('the other commands', () => {
  it('read their flags', () => {
    expect(brokerConfig(parseArguments(['broker', '--nodes', '2', '--variant', 'a', '--port', '0']).flags)).toMatchObject({
      nodes: 2, variant: 'a', host: '127.0.0.1', port: 0, mqttPort: 1883, wsPort: 8083, user: 'admin', passwordFile: undefined, data: undefined,
    });
    expect(demoConfig({ 'no-audit': true }).hasAudit).toBe(false);
    expect(monitorConfig({ 'no-audit': true }, false).hasAudit).toBe(false);
    expect(demoConfig({ 'plain-render': true }).isPlainRender).toBe(true);
    expect(monitorConfig({ 'plain-render': true }, false).isPlainRender).toBe(true);
    expect(demoConfig({})).toEqual({ nodes: 3, variant: 'b', clients: 300, seed: 1, scenario: 'mixed', intervalSeconds: 2, isReadOnly: false, hasAudit: true, isPlainRender: false });
    expect(fleetConfig({ 'mqtt-ports': '1883,1884', 'ws-ports': '8083,8084' })).toMatchObject({ targets: [{ mqttPort: 1883, wsPort: 8083 }, { mqttPort: 1884, wsPort: 8084 }] });
  });

  it('refuse ports that do not exist', () => {
    expect(() => brokerConfig({ port: '65536' })).toThrow('--port must be a whole number from 0 to 65,535.');
    expect(() => brokerConfig({ 'mqtt-port': '65535' })).toThrow('leaves no room for 3 nodes');
    expect(() => fleetConfig({})).toThrow('--mqtt-ports is needed.');
    for (const [mqtt, ws] of [['1883,1884', '8083'], ['1883', '8083,8084']]) {
      expect(() => fleetConfig({ 'mqtt-ports': mqtt, 'ws-ports': ws })).toThrow('--mqtt-ports and --ws-ports must name the same number of nodes.');
    }
  });

  it('take a scenario, and the time after which a node stops, where there is another one', () => {
    expect(demoConfig({ scenario: 'hot-topic' }).scenario).toBe('hot-topic');
    expect(() => demoConfig({ scenario: 'war' })).toThrow('--scenario must be one of mixed, calm,');
    expect(() => demoConfig({ scenario: 'node-down', nodes: '1' })).toThrow('--scenario node-down needs at least 2 nodes.');
    expect(brokerConfig({}).stopLastNodeAfter).toBeUndefined();
    expect(brokerConfig({ 'stop-last-node': '15' }).stopLastNodeAfter).toBe(15);
    expect(() => brokerConfig({ 'stop-last-node': '0' })).toThrow('--stop-last-node must be a whole number from 1 to 99,999.');
    expect(() => brokerConfig({ 'stop-last-node': '15', nodes: '1' })).toThrow('--stop-last-node needs at least 2 nodes.');
  });
});

describe('help', () => {
  it('names every flag of every command', () => {
    for (const command of commands) {
      const text = helpText(command);
      for (const flag of command.flags) expect(text).toContain(`--${flag.name}`);
    }
  });

  it('keeps internal commands to itself', () => {
    expect(flagsMarkdown()).not.toContain('fleet`');
    expect(flagsMarkdown()).toContain('`brokertop broker`');
  });
});
