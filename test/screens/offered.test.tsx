import { afterEach, expect, test } from 'vitest';
import type { Capabilities } from '../../src/api/management-api.ts';
import { Frame } from '../../src/screens/frame.tsx';
import { definitionOf, type ScreenId } from '../../src/screens/registry.ts';
import { createTriagedMonitor } from '../../src/timeline/triaged-monitor.ts';
import { createFakeApi } from '../monitor/fake-api.ts';
import { fullCapabilities } from '../support/full-broker.ts';
import { capabilitiesB } from './administration-fixtures.tsx';
import { createRig, endRigs, type Rig } from '../tui/support/rig.tsx';

const monitors: { stop(): void }[] = [];
afterEach(() => {
  endRigs();
  for (const monitor of monitors.splice(0)) monitor.stop();
});

const open = (capabilities: Capabilities): Rig => {
  const monitor = createTriagedMonitor({ api: createFakeApi({ capabilities }), intervalSeconds: 60 });
  monitors.push(monitor);
  const session = {
    url: 'http://127.0.0.1',
    isReadOnly: false,
    isInsecure: false,
    readPayload: async () => '',
    describeApi: () => '',
  };
  return createRig(
    <Frame
      monitor={monitor}
      session={session}
      signIn={{ source: undefined, readAgain: async () => '', takePassword: () => {} }}
    />,
    { columns: 200, rows: 60 },
  );
};

const noteOf = (id: ScreenId): string => definitionOf(id).note ?? '';
const added = ['bans', 'apiKeys'] as const;

/** Returns what More, the palette and the help show. */
const shown = async (
  capabilities: Capabilities,
): Promise<{ readonly more: string; readonly palette: string; readonly help: string }> => {
  const rig = open(capabilities);
  rig.type('0');
  const more = (await rig.until((text) => text.includes(noteOf('triage')))).join('\n');
  rig.type(':API keys');
  const palette = (await rig.until((text) => text.includes(':API keys') && text.includes('Commands'))).join('\n');
  rig.type('\u001B');
  await rig.until((text) => !text.includes('Commands'));
  rig.type('?');
  const help = (await rig.until((text) => text.includes('Symbols'))).join('\n');
  return { more, palette, help };
};

test('a broker of today has its screens in More, the palette and the help', async () => {
  const { more, palette, help } = await shown({ ...capabilitiesB, ...fullCapabilities });
  for (const id of added) expect(more).toContain(noteOf(id));
  expect(palette).not.toContain('No command matches');
  expect(help).toMatch(/X +Bans/u);
  expect(help).not.toContain('Not supported by this broker');
});

test('another one has them nowhere, and the palette says so if asked', async () => {
  const { more, palette, help } = await shown(capabilitiesB);
  for (const id of added) expect(more).not.toContain(noteOf(id));
  // Active alarms have all.
  expect(more).toContain(noteOf('alarms'));
  expect(more).toContain(noteOf('users'));
  expect(palette).toContain('API keys: not available with this broker');
  expect(help).not.toMatch(/X +Bans/u);
  expect(help).not.toContain('Not supported by this broker');
});

test('an API key sees why users and API keys are missing', async () => {
  const { more, help } = await shown({
    ...capabilitiesB,
    ...fullCapabilities,
    users: false,
    apiKeys: false,
    isApiKey: true,
  });
  for (const text of [more, help]) {
    for (const part of ['Users, API keys', 'need a dashboard login, not an API key']) expect(text).toContain(part);
  }
  expect(more).not.toContain(noteOf('users'));
  expect(more).toContain(noteOf('bans'));
});
