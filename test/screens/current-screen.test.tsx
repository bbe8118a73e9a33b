import { afterEach, expect, test } from 'vitest';
import { CurrentScreen } from '../../src/screens/current-screen.tsx';
import { minNamedWidth, screenTitle } from '../../src/screens/registry.ts';
import { createRig, endRigs } from '../tui/support/rig.tsx';
import { createFakeMonitor, propsOf } from './list-fixtures.ts';

afterEach(endRigs);

const firstLine = (screen: 'settings' | 'users' | 'clients' | 'log', width: number): string => {
  const { lines } = createRig(<CurrentScreen {...propsOf(createFakeMonitor(), [width, 20])} place={{ screen }} />, {
    columns: width,
    rows: 20,
  });
  expect(lines().length).toBeLessThanOrEqual(20);
  return lines()[0] ?? '';
};

test.each(['settings', 'users'] as const)('%s says its name where the tabs do not', (screen) => {
  expect(firstLine(screen, minNamedWidth - 1)).toContain(` ${screenTitle(screen)} `);
  expect(firstLine(screen, minNamedWidth)).not.toContain(` ${screenTitle(screen)} `);
});

test('a screen with a tab or a title of its own has no other title', () => {
  expect(firstLine('clients', 80)).not.toMatch(/^──/u);
  expect(firstLine('log', 80)).toMatch(/^ Timeline/u);
});
