import { Text } from 'ink';
import type { ReactNode } from 'react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { useNow } from '../../../src/ui/hooks/use-now.ts';
import { createRig, endRigs } from '../support/rig.tsx';

beforeEach(() => { vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'], now: 5_000 }); });
afterEach(() => {
  endRigs();
  vi.useRealTimers();
});

const Now = (): ReactNode => <Text>{`<${useNow(1_000)}>`}</Text>;

test('all see the same moment in one frame, whenever they came', async () => {
  const rig = createRig(<><Now /></>);
  await rig.until((text) => text.includes('<5000>'));
  vi.setSystemTime(5_400);
  rig.rerender(<><Now /><Now key="later" /></>);
  await rig.until((text) => text.includes('<5400>'));
  const before = rig.frameCount();
  vi.advanceTimersByTime(1_000);
  await rig.until((text) => text.trim().split(/\s+/).every((now) => now === '<6400>'));
  expect(rig.frameCount() - before).toBe(1);
});

test('the timer ends with the last of them', async () => {
  const rig = createRig(<><Now /><Now key="later" /></>);
  await rig.until((text) => text.includes('<5000>'));
  expect(vi.getTimerCount()).toBe(1);
  rig.rerender(<Now key="later" />);
  await rig.until((text) => text.trim() === '<5000>');
  expect(vi.getTimerCount()).toBe(1);
  rig.rerender(<Text>none</Text>);
  await rig.until((text) => text.includes('none'));
  await vi.waitFor(() => { expect(vi.getTimerCount()).toBe(0); });
});
