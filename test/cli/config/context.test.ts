import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { configPath, loadConfig, resolve } from '../../../src/cli/config/context.ts';
import type { ConfigSettings } from '../../../src/cli/config/settings.ts';
import { UsageError } from '../../../src/cli/errors.ts';

const prod = { url: 'https://prod', user: 'ops', 'password-command': 'pass prod', color: 'red', proxy: '' } as const;
const staging = { url: ['https://one', 'https://two'] };
const config: ConfigSettings = {
  context: 'prod',
  defaults: { interval: 5, 'password-file': 'shared' },
  contexts: { prod, staging },
};

test('flags beat the environment, which beats the file', () => {
  expect(resolve(config, {}, {}, false)).toEqual({
    flags: { interval: '5', url: ['https://prod'], user: 'ops', 'password-command': 'pass prod' },
    context: 'prod',
    color: 'red',
    proxy: '',
  });
  expect(resolve(config, {}, { BROKERTOP_CONTEXT: 'staging' }, false)).toMatchObject({
    context: 'staging',
    flags: { url: ['https://one', 'https://two'], 'password-file': 'shared' },
  });
  const flags = { context: 'prod', interval: '1' };
  expect(resolve(config, flags, { BROKERTOP_CONTEXT: 'staging' }, true)).toMatchObject({
    context: 'prod',
    flags: { interval: '1', user: 'ops' },
  });
  expect(resolve(config, flags, {}, true).flags).not.toHaveProperty('password-command');
  expect(resolve(config, { 'password-file': 'own' }, {}, false).flags).toMatchObject({ 'password-file': 'own' });
  expect(resolve(config, { 'password-file': 'own' }, {}, false).flags).not.toHaveProperty('password-command');
});

test('another address alone gets nothing of a context', () => {
  const { flags, context } = resolve(config, { url: ['http://127.0.0.1:1'] }, { BROKERTOP_CONTEXT: 'prod' }, false);
  expect(context).toBeUndefined();
  expect(flags).toEqual({ interval: '5', 'password-file': 'shared', url: ['http://127.0.0.1:1'] });
  expect(resolve(config, { url: ['http://127.0.0.1:1'], context: 'prod' }, {}, false).flags).toMatchObject({
    user: 'ops',
    url: ['http://127.0.0.1:1'],
  });
});

test('without a preference the only context is used, and one of several must be chosen', () => {
  expect(resolve({ contexts: { staging } }, {}, {}, false).context).toBe('staging');
  expect(() => resolve({ contexts: { prod, staging } }, {}, {}, false)).toThrow(
    'Choose a context with -c NAME: prod, staging.',
  );
  expect(() => resolve(config, { context: 'stagin' }, {}, false)).toThrow(
    'Context "stagin" does not exist. Contexts: prod, staging.',
  );
  expect(() => resolve(undefined, { context: 'prod' }, {}, false)).toThrow(
    'Context "prod" does not exist. The configuration has no contexts.',
  );
  expect(resolve(undefined, {}, {}, false)).toEqual({
    flags: {},
    context: undefined,
    color: undefined,
    proxy: undefined,
  });
});

test('the file is found under XDG_CONFIG_HOME; only one that was named must exist', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'brokertop-config-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  expect(configPath({ XDG_CONFIG_HOME: folder })).toBe(path.join(folder, 'brokertop', 'config.toml'));
  expect(configPath({ XDG_CONFIG_HOME: 'relative', HOME: '/home/ops' })).toBe(
    '/home/ops/.config/brokertop/config.toml',
  );
  expect(await loadConfig({}, { XDG_CONFIG_HOME: folder })).toBeUndefined();
  const file = path.join(folder, 'own.toml');
  await expect(loadConfig({ config: file }, {})).rejects.toThrow(UsageError);
  await writeFile(file, '[defaults]\ninterval = 7\n');
  expect(await loadConfig({ config: file }, {})).toEqual({ defaults: { interval: 7 } });
  await writeFile(file, '[defaults]\ninterval = 70\n');
  await expect(loadConfig({ config: file }, {})).rejects.toThrow(`${file}:2:1: `);
});
