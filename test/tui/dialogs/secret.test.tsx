import { newKeyRequest } from '../../../src/resources/api-keys/actions.ts';
import { afterEach, expect, test } from 'vitest';
import { NoAnswerError } from '../../../src/api/errors.ts';
import type { ManagementApi } from '../../../src/api/management-api.ts';
import { capabilitiesOfB } from '../../actions/support.ts';
import { nodeInfo } from '../../monitor/fake-api.ts';
import { createFullBroker, fullCapabilities, newSecret } from '../../support/full-broker.ts';
import { confirmed } from '../../screens/administration-fixtures.tsx';
import { endRigs, plainTheme } from '../support/rig.tsx';
import { type AskedRig, createAskedRig, endMonitors, flat } from './harness.tsx';

afterEach(() => {
  endRigs();
  endMonitors();
});

const open = (change: Partial<ManagementApi> = {}): AskedRig =>
  createAskedRig(confirmed(newKeyRequest(plainTheme, []), { name: 'ci', duration: '30d' }), {
    capabilities: { ...capabilitiesOfB, ...fullCapabilities },
    listNodes: async () => [nodeInfo('a', { clock: 1_000 })],
    ...createFullBroker(() => 1_000).parts,
    ...change,
  });

const confirm = async (rig: AskedRig): Promise<void> => {
  rig.type('P');
  await rig.until((text) => text.includes('Add this API key?'));
  rig.type('y');
};

test('the secret of a new key is shown once, and only y closes it', async () => {
  const rig = open();
  await confirm(rig);
  await rig.until((text) => text.includes(newSecret));
  expect(flat(rig.text())).toContain(
    'The secret is shown only now. Copy it before you close this: it cannot be read again, and is in no log.',
  );
  expect(rig.text()).toContain('key-of-ci');
  rig.type('\r\u001Bq');
  rig.type('y');
  const frames: string[] = [];
  await rig.until((text) => {
    frames.push(text);
    return !text.includes(newSecret);
  });
  expect(rig.heard).toEqual([]);
  // Neither the log nor the record of the action has it.
  expect(JSON.stringify(rig.monitor.store.getState())).not.toContain(newSecret);
});

test.each(['\r', '\u001B', 'q'])('%j does not close it', async (key) => {
  const rig = open();
  await confirm(rig);
  await rig.until((text) => text.includes(newSecret));
  rig.type(key);
  rig.resize(110, 40);
  await rig.until((text) => text.includes('behind'));
  expect(rig.text()).toContain(newSecret);
});

test('Ctrl-C asks before the secret is lost, and cancelling shows it again', async () => {
  const rig = open();
  await confirm(rig);
  await rig.until((text) => text.includes(newSecret));
  rig.type('\u0003');
  await rig.until((text) => text.includes('Quit now?'));
  expect(flat(rig.text())).toContain('The secret of the new API key cannot be read again.');
  rig.type('n');
  await rig.until((text) => text.includes(newSecret) && !text.includes('Quit now?'));
});

test('the dialog cannot be left while the secret may still arrive', async () => {
  const { promise, resolve } = Promise.withResolvers<{ readonly key: string; readonly secret: string }>();
  const rig = open({ addApiKey: () => promise });
  await confirm(rig);
  await rig.until((text) => text.includes('sent, waiting for the response'));
  expect(rig.text()).not.toContain('Run in background');
  rig.type('\u001Bq');
  resolve({ key: 'k', secret: newSecret });
  await rig.until((text) => text.includes(newSecret));
  expect(rig.heard).toEqual([]);
});

test('a lost answer has no secret, and closes like any other', async () => {
  const broker = createFullBroker(() => 1_000);
  const rig = open({
    ...broker.parts,
    addApiKey: async (key) => {
      await broker.parts.addApiKey(key);
      throw new NoAnswerError();
    },
  });
  await confirm(rig);
  await rig.until((text) => text.includes('Done'));
  expect(flat(rig.text())).toContain('Its secret was lost with the response. Delete the key and add another.');
  rig.type('\r');
  await rig.until((text) => !text.includes('Done'));
});
