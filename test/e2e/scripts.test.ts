import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type BuiltCluster, startBuiltCluster } from '../support/built-cluster.ts';
import { closeTerminalsAtEnd, connectQuietClients, open, type QuietClients, run } from './support.ts';

closeTerminalsAtEnd();

let cluster: BuiltCluster;
let quiet: QuietClients;

beforeAll(async () => {
  cluster = await startBuiltCluster({ nodes: 2 });
  quiet = await connectQuietClients(cluster.mqttPorts, ['one', 'two', 'three']);
}, 180_000);

afterAll(async () => {
  await quiet?.end();
  await cluster?.stop();
});

const list = (...args: readonly string[]) => run(['list', ...args], cluster.monitor.env);
const target = (): readonly string[] => ['--url', cluster.url];

describe.concurrent('list', () => {
  test('prints the rows that were asked for', async () => {
    expect(
      await list('clients', ...target(), '--format', 'csv', '--sort', '-id', '--columns', 'id,clean', '--limit', '2'),
    ).toEqual({ code: 0, stdout: 'id,clean\r\ntwo,true\r\nthree,true\r\n', stderr: '' });
  });

  test('a wrong command line is a usage error that names what there is, before the password is needed', async () => {
    const columns =
      (await list('subscriptions', ...target(), '--format', 'csv', '--limit', '1')).stdout
        .split('\r\n')[0]
        ?.split(',') ?? [];
    const usage = (text: string) => ({ code: 2, stdout: '', stderr: `brokertop: ${text}\n` });
    const resources = 'nodes, listeners, clients, sessions, subscriptions, routes, ';
    expect(await run(['list'])).toEqual({
      ...usage(''),
      stderr: expect.stringMatching(
        new RegExp(
          `^brokertop: RESOURCE is missing: use ${resources}[^.]+, problems\\. See brokertop list --help\\.\n$`,
          'u',
        ),
      ) as string,
    });
    expect(await run(['list', 'things'])).toEqual({
      ...usage(''),
      stderr: expect.stringMatching(
        new RegExp(
          `^brokertop: "things" is not a valid RESOURCE: use ${resources}[^.]+, problems\\. See brokertop list --help\\.\n$`,
          'u',
        ),
      ) as string,
    });
    expect(await run(['list', 'subscriptions', '--sort', 'x'])).toEqual(
      usage(`--sort: no column "x". Columns: ${columns.join(', ')}.`),
    );
    expect(await run(['list', 'subscriptions', '--columns', 'id,id'])).toEqual(usage('--columns names "id" twice.'));
    expect(await run(['list', 'subscriptions', '--filter', '/(/'])).toMatchObject({ code: 2, stdout: '' });
    expect(await run(['list', 'users', 'nodes'])).toEqual(
      usage('Unexpected argument "nodes". See brokertop list --help.'),
    );
  });

  test('fails if there is no broker', async () => {
    expect(await list('nodes', '--url', 'http://127.0.0.1:1')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^brokertop: [^\n]+\n$/u) as string,
    });
  });

  test('flags may come before the command', async () => {
    const env = cluster.monitor.env;
    expect(
      await run([...target(), '--format', 'csv', 'list', '--sort', '-id', 'clients', '--columns', 'id'], env),
    ).toEqual({ code: 0, stdout: 'id\r\ntwo\r\nthree\r\none\r\n', stderr: '' });
    expect(await run(['--nonsense', 'check'])).toMatchObject({
      code: 3,
      stdout: expect.stringContaining('BROKERTOP UNKNOWN - ') as string,
      stderr: '',
    });
  });

  test('a closed pipe is not an error', async () => {
    const terminal = open({
      command: 'bash',
      args: [
        '-c',
        '"$1" "$2" list clients --url "$3" --format ndjson | head -1 >/dev/null; echo "codes ${PIPESTATUS[*]}"',
        'bash',
        process.execPath,
        cluster.monitor.args[0] ?? '',
        cluster.url,
      ],
      env: cluster.monitor.env,
      cols: 120,
    });
    await terminal.exited;
    expect(terminal.text()).toContain('codes 0 0');
  });
});

describe.concurrent('check', () => {
  test('prints a line with performance data and exits with its status', async () => {
    const { code, stdout, stderr } = await run(['check', ...target()], cluster.monitor.env);
    expect(stderr).toBe('');
    expect(stdout).toMatch(
      /^BROKERTOP (?:OK|WARNING|CRITICAL) - [^|\n]+ \| clients=3;;;0 sessions=3;;;0 messages_in=\S+ messages_out=\S+ queue_drops=0 nodes_running=2;;;0;2 critical=\d+ warning=\d+\n/u,
    );
    expect(['OK', 'WARNING', 'CRITICAL'][code ?? -1]).toBe(
      /^BROKERTOP (?<status>\w+)/u.exec(stdout)?.groups?.['status'],
    );
  });

  test('a result that cannot be printed is unknown', async () => {
    const terminal = open({
      command: 'bash',
      args: [
        '-c',
        '"$1" "$2" check --url "$3" >/dev/full; echo "code $?"; "$1" "$2" check --nonsense >/dev/full; echo "code $?"',
        'bash',
        process.execPath,
        cluster.monitor.args[0] ?? '',
        cluster.url,
      ],
      env: cluster.monitor.env,
      cols: 120,
    });
    await terminal.exited;
    expect(terminal.text().match(/code \d+/gu)).toEqual(['code 3', 'code 3']);
  });

  test('everything else is unknown, with the reason on standard output', async () => {
    const unknown = (text: string) => ({ code: 3, stdout: `BROKERTOP UNKNOWN - ${text}\n`, stderr: '' });
    expect(await run(['check', '--crit', 'x'])).toEqual({
      ...unknown(''),
      stdout: expect.stringMatching(
        /^BROKERTOP UNKNOWN - --crit: no check "x"\. Checks: readings, [^.]+, settings\.\n$/u,
      ) as string,
    });
    expect(await run(['check', '--nonsense'])).toMatchObject({
      code: 3,
      stdout: expect.stringContaining('BROKERTOP UNKNOWN - ') as string,
    });
    for (const [args, env] of [
      [['--url', 'http://127.0.0.1:1'], cluster.monitor.env],
      [target(), { BROKERTOP_PASSWORD: 'wrong' }],
    ] as const) {
      expect(await run(['check', ...args], env)).toMatchObject({
        code: 3,
        stdout: expect.stringMatching(/^BROKERTOP UNKNOWN - [^|\n]+\n$/u) as string,
      });
    }
  });
});
