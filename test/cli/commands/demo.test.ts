import { once } from 'node:events';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { createHttpApi } from '../../../src/api/dialects/index.ts';
import { type DemoBroker, type DemoOptions, runDemo } from '../../../src/cli/commands/demo.ts';
import type { DemoConfig } from '../../../src/cli/options/config.ts';
import { entry } from './program.ts';

const config: DemoConfig = {
  nodes: 2,
  api: 'v2',
  variant: 'a',
  profile: undefined,
  clients: 12,
  seed: 7,
  scenario: 'mixed',
  intervalSeconds: 2,
  isReadOnly: false,
  hasAudit: true,
  isPlainRender: false,
  isScreenReader: false,
  themeName: 'auto',
  firstScreen: 'overview',
  hasMouse: true,
};

/** Runs the demo; what it wrote on stderr comes with its exit code. */
async function run(options: DemoOptions): Promise<{ exitCode: number; stderr: string }> {
  let stderr = '';
  const write = (text: string): void => {
    stderr += text;
  };
  const exitCode = await runDemo(config, options, { stderr: { write }, execArgv: [] });
  return { exitCode, stderr };
}

it('runs a broker and a fleet for the monitor, and ends both with it', async () => {
  const ports: number[] = [];
  const runMonitor = async (broker: DemoBroker): Promise<number> => {
    const api = createHttpApi({ ...broker, variant: 'a' });
    await expect
      .poll(async () => (await api.listNodeStats()).reduce((sum, node) => sum + (node.clients ?? 0), 0), {
        timeout: 20_000,
      })
      .toBeGreaterThanOrEqual(config.clients - 1);
    const listeners = [...(await api.listListeners()).values()].flat();
    ports.push(...listeners.flatMap(({ port }) => port ?? []));
    expect([...(await api.listListeners()).keys()]).toHaveLength(config.nodes);
    await api.close();
    return 42;
  };
  expect(await run({ entry, runMonitor })).toEqual({ exitCode: 42, stderr: '' });
  expect(ports).toHaveLength(5);
  for (const port of ports) {
    await expect(once(connect({ host: '127.0.0.1', port }), 'connect')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  }
});

it('ends both children when the monitor throws', async () => {
  let url = '';
  const runMonitor = async (broker: DemoBroker): Promise<number> => {
    url = broker.url;
    throw new Error('no screen');
  };
  await expect(run({ entry, runMonitor })).rejects.toThrow('no screen');
  const { hostname, port } = new URL(url);
  await expect(once(connect({ host: hostname, port: Number(port) }), 'connect')).rejects.toMatchObject({
    code: 'ECONNREFUSED',
  });
});

it('prints one sentence when the broker cannot start', async () => {
  const failing = fileURLToPath(new URL('entry-that-fails.mjs', import.meta.url));
  const runMonitor = (): Promise<number> => Promise.reject(new Error('must not run'));
  expect(await run({ entry: failing, runMonitor })).toEqual({
    exitCode: 1,
    stderr: "brokertop: The demo's broker exited unexpectedly (Port 1 is \\x1b[31min use.).\n",
  });
});
