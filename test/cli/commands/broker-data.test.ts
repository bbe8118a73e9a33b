import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import mqtt, { type IClientOptions, type MqttClient } from 'mqtt';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createHttpApi } from '../../../src/api/dialects/index.ts';
import { brokerTexts } from '../../../src/cli/commands/broker.ts';
import { type BrokerReport, isBrokerReport } from '../../../src/cli/commands/demo.ts';
import { message, type Program, startProgram } from './program.ts';

const programs: Program[] = [];
const clients: MqttClient[] = [];
let folder: string;

async function start(): Promise<{ readonly program: Program; readonly report: BrokerReport }> {
  const program = startProgram(
    'broker',
    '--port',
    '0',
    '--mqtt-port',
    '0',
    '--ws-port',
    '0',
    '--nodes',
    '2',
    '--data',
    path.join(folder, 'data'),
  );
  programs.push(program);
  return { program, report: await message(program.child, isBrokerReport) };
}

async function connect(port: number | undefined, options: IClientOptions, arrived: string[] = []): Promise<MqttClient> {
  const client = mqtt.connect({ host: '127.0.0.1', port: port ?? 0, protocol: 'mqtt', reconnectPeriod: 0, ...options });
  clients.push(client);
  client.on('error', () => undefined);
  client.on('message', (topic, payload) => arrived.push(`${topic}: ${payload.toString()}`));
  await new Promise<void>((resolve) => client.once('connect', () => resolve()));
  return client;
}

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'brokertop-'));
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.end(true);
  for (const { child } of programs) child.kill('SIGKILL');
  await Promise.all(programs.splice(0).map(({ exited }) => exited));
  await rm(folder, { recursive: true });
});

it.each(['SIGTERM', 'SIGKILL'] as const)('keeps everything over %s', async (signal) => {
  const first = await start();
  await first.program.printed(brokerTexts.inFolder(path.join(folder, 'data')));
  const api = createHttpApi({ url: first.report.url, user: 'admin', password: first.report.password, variant: 'b' });
  await api.addUser({ username: 'op', password: 'of op', tags: 'user' });
  await api.publish({ topic: 'kept', payload: 'retained', retain: true });
  const away = await connect(first.report.mqttPorts[1], { clientId: 'away', clean: false });
  await away.subscribeAsync('queue/#', { qos: 1 });
  await away.endAsync();
  await api.publish({ topic: 'queue/1', payload: 'for later', qos: 1 });
  await api.close();
  first.program.child.kill(signal);
  await first.program.exited;

  const second = await start();
  await second.program.printed('curl');
  expect(second.program.output.stdout).toContain(brokerTexts.existingUsers);
  expect(second.program.output.stdout).not.toContain(first.report.password);
  expect(second.report.password).toBe('');
  const again = createHttpApi({ url: second.report.url, user: 'admin', password: first.report.password, variant: 'b' });
  expect((await again.listUsers()).map(({ username }) => username)).toEqual(['admin', 'op']);
  expect(await again.getSubscriptions('away')).toMatchObject([{ topic: 'queue/#', qos: 1 }]);
  await again.close();
  const arrived: string[] = [];
  const client = await connect(second.report.mqttPorts[0], { clientId: 'away', clean: false }, arrived);
  await client.subscribeAsync('kept');
  await expect.poll(() => arrived.toSorted(), { timeout: 30_000 }).toEqual(['kept: retained', 'queue/1: for later']);
});

it('rejects a folder that another broker uses, in one sentence', async () => {
  const first = await start();
  const second = startProgram(
    'broker',
    '--port',
    '0',
    '--mqtt-port',
    '0',
    '--ws-port',
    '0',
    '--data',
    path.join(folder, 'data'),
  );
  programs.push(second);
  expect(await second.exited).toEqual({ code: 1, signal: null });
  expect(second.output.stderr).toBe(
    `brokertop: The data folder ${JSON.stringify(path.join(folder, 'data'))} is in use by process ${first.program.child.pid}. Each broker needs its own.\n`,
  );
  expect(second.output.stdout).toBe('');
});

it('rejects a broken file in one sentence, and does not change it', async () => {
  const first = await start();
  first.program.child.kill('SIGTERM');
  await first.program.exited;
  const file = path.join(folder, 'data', 'users.jsonl');
  const half = (await readFile(file, 'utf8')).slice(0, -20);
  await writeFile(file, half);
  const second = startProgram(
    'broker',
    '--port',
    '0',
    '--mqtt-port',
    '0',
    '--ws-port',
    '0',
    '--data',
    path.join(folder, 'data'),
  );
  programs.push(second);
  expect(await second.exited).toEqual({ code: 1, signal: null });
  expect(second.output.stderr).toMatch(
    /^brokertop: The data file ".*users\.jsonl" is damaged at line 1 \(the number of records does not match\)\. It was not changed[^\n]*\n$/u,
  );
  expect(await readFile(file, 'utf8')).toBe(half);
});
