import { readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { lacking, pictureNames, runs } from '../../.tools/shots.ts';
import { loadingText } from '../../src/terminal/format.ts';
import { listTexts } from '../../src/tui/list/texts.ts';
import { type ScreenId, screens } from '../../src/screens/registry.ts';
import { TerminalScreen } from '../support/terminal-screen.ts';

const folder = path.join(import.meta.dirname, '..', '..', 'screenshots');
const shots = runs.flatMap((run) => run.shots);

async function screenOf(tabs: string, ...lines: readonly string[]): Promise<TerminalScreen> {
  const screen = new TerminalScreen(60, 12);
  await screen.write([' brokertop', tabs, ...lines].join('\r\n'));
  return screen;
}

const nodesTabs = ' 1 Overview \x1b[48;5;237m 2 Nodes \x1b[0m 3 Listeners';
const listenersTabs = ' 1 Overview  2 Nodes \x1b[7m 3 Listeners \x1b[0m';
const listeners = { on: 'listeners', holds: ['mqtt:tcp', /node-\d/u] } as const;

describe('a picture', () => {
  test('is good with the tab of its screen and all its texts', async () => {
    expect(lacking(listeners, await screenOf(listenersTabs, 'node-1 mqtt:tcp'))).toEqual([]);
  });

  test('is not taken on another screen that has the same texts', async () => {
    expect(lacking(listeners, await screenOf(nodesTabs, 'node-1 mqtt:tcp'))).toEqual(['no tab Listeners']);
  });

  test('is not taken while a text is missing', async () => {
    expect(lacking(listeners, await screenOf(listenersTabs, 'mqtt:ws'))).toEqual([
      'no mqtt:tcp',
      String.raw`no /node-\d/u`,
    ]);
  });

  test('is not taken while something is loading, unless it may be unfinished', async () => {
    const screen = await screenOf(listenersTabs, `node-1 mqtt:tcp ${loadingText}`, listTexts.unread);
    expect(lacking(listeners, screen)).toEqual([`still ${loadingText}`, `still ${listTexts.unread}`]);
    expect(lacking({ ...listeners, mayBeUnfinished: true }, screen)).toEqual([]);
  });

  test('of a screen under More has its name in the tab, one opened from a list the tab of that list', async () => {
    const isOn = async (on: ScreenId, tab: string): Promise<boolean> =>
      lacking({ on, holds: [] }, await screenOf(` 1 Overview \x1b[7m ${tab} \x1b[0m`)).length === 0;
    expect(await isOn('log', 'L Timeline')).toBe(true);
    expect(await isOn('client', '4 Clients')).toBe(true);
    expect(await isOn('client', '5 Sessions')).toBe(false);
  });
});

test('every picture has a name of its own and a check', () => {
  expect(new Set(pictureNames).size).toBe(pictureNames.length);
  expect(shots.filter(({ holds }) => holds.length === 0).map(({ name }) => name)).toEqual([]);
});

test('every screen has a picture', () => {
  const names = new Set(pictureNames);
  expect(screens.map(({ id }) => id).filter((id) => !names.has(id))).toEqual([]);
});

test('screenshots/ has the pictures that the tool makes and no others', () => {
  const files = readdirSync(folder).map((file) => file.replace(/\.png$/u, ''));
  expect(files.toSorted()).toEqual([...pictureNames].toSorted());
});

test('a moving picture has at least two frames, each shown for some time', () => {
  const moving = runs.filter(({ animation }) => animation !== undefined);
  expect(moving.length).toBeGreaterThan(0);
  for (const run of moving) expect(run.shots.filter(({ frameMs = 0 }) => frameMs >= 1000).length).toBeGreaterThan(1);
});
