import { Text } from 'ink';
import type { ReactNode } from 'react';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { steadyNowMs } from '../../../src/monitor/clock.ts';
import { showMoment, shownNowMs, shownWallMs } from '../../../src/monitor/shown-time.ts';
import { useNow, useTicksWith } from '../../../src/tui/hooks/use-now.ts';
import { createRig, endRigs } from '../support/rig.tsx';

let startMs = 0;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval', 'performance'], now: 5_000 });
  startMs = steadyNowMs() - 5_000;
});
afterEach(() => {
  endRigs();
  vi.useRealTimers();
});

/** Something that changes and says so. */
const createStore = () => {
  const listeners = new Set<() => void>();
  return {
    subscribe: (listener: () => void) => {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    change: () => {
      for (const listener of listeners) listener();
    },
    count: () => listeners.size,
  };
};

const Now = (): ReactNode => <Text>{`<${useNow(1_000) - startMs}>`}</Text>;

test('all users show the same time in one frame', async () => {
  const rig = createRig(
    <>
      <Now />
    </>,
  );
  await rig.until((text) => text.includes('<5000>'));
  vi.advanceTimersByTime(400);
  rig.rerender(
    <>
      <Now />
      <Now key="later" />
    </>,
  );
  await rig.until((text) => text.includes('<5400>'));
  const before = rig.frameCount();
  vi.advanceTimersByTime(600);
  await rig.until((text) =>
    text
      .trim()
      .split(/\s+/)
      .every((now) => now === '<6000>'),
  );
  expect(rig.frameCount() - before).toBe(1);
});

test('the timer ends with its last user', async () => {
  const rig = createRig(
    <>
      <Now />
      <Now key="later" />
    </>,
  );
  await rig.until((text) => text.includes('<5000>'));
  expect(vi.getTimerCount()).toBe(1);
  rig.rerender(<Now key="later" />);
  await rig.until((text) => text.trim() === '<5000>');
  expect(vi.getTimerCount()).toBe(1);
  rig.rerender(<Text>none</Text>);
  await rig.until((text) => text.includes('none'));
  await vi.waitFor(
    () => {
      expect(vi.getTimerCount()).toBe(0);
    },
    { timeout: 20_000 },
  );
});

describe('with a store', () => {
  const setUp = async () => {
    const store = createStore();
    const Along = (): ReactNode => {
      useTicksWith(store);
      return (
        <>
          <Now />
          <Now key="second" />
        </>
      );
    };
    const rig = createRig(<Along />);
    const shows = (ms: number) =>
      rig.until((text) =>
        text
          .trim()
          .split(/\s+/)
          .every((now) => now === `<${ms}>`),
      );
    await shows(5_000);
    return { store, rig, shows };
  };

  test('a tick that is nearly due comes with a change, in one frame', async () => {
    const { store, rig, shows } = await setUp();
    vi.advanceTimersByTime(700);
    const before = rig.frameCount();
    store.change();
    await shows(5_700);
    expect(rig.frameCount() - before).toBe(1);
  });

  test('changes at the interval replace the ticks, even if slightly off', async () => {
    const { store, rig, shows } = await setUp();
    // Right after a tick: that one came too early.
    vi.advanceTimersByTime(30);
    store.change();
    vi.advanceTimersByTime(1_050);
    const before = rig.frameCount();
    store.change();
    await shows(6_080);
    vi.advanceTimersByTime(1_010);
    store.change();
    await shows(7_090);
    expect(rig.frameCount() - before).toBe(2);
  });

  test('ticks on its own without changes', async () => {
    const { store, rig, shows } = await setUp();
    vi.advanceTimersByTime(700);
    store.change();
    await shows(5_700);
    const before = rig.frameCount();
    vi.advanceTimersByTime(1_100);
    await shows(6_800);
    vi.advanceTimersByTime(1_000);
    await shows(7_800);
    expect(rig.frameCount() - before).toBe(2);
  });

  test('unsubscribes from the store when unmounted', async () => {
    const { store, rig } = await setUp();
    expect(store.count()).toBe(1);
    rig.rerender(<Text>none</Text>);
    await rig.until((text) => text.includes('none'));
    await vi.waitFor(
      () => {
        expect(store.count()).toBe(0);
      },
      { timeout: 20_000 },
    );
  });
});

test('it goes on while the system time is set back', async () => {
  const rig = createRig(<Now />);
  await rig.until((text) => text.includes('<5000>'));
  vi.setSystemTime(1_000);
  vi.advanceTimersByTime(1_000);
  await rig.until((text) => text.includes('<6000>'));
  expect(steadyNowMs() - startMs).toBe(6_000);
});

test('a moment of the past stands still, by its own clocks, and its end shows the time that went on', async () => {
  const rig = createRig(<Now />);
  await rig.until((text) => text.includes('<5000>'));
  showMoment({ steadyMs: startMs + 70, monotonicMs: 0, wallMs: 1_000_000 });
  onTestFinished(() => {
    showMoment(undefined);
  });
  await rig.until((text) => text.includes('<70>'));
  expect(shownNowMs()).toBe(startMs + 70);
  expect(shownWallMs(startMs + 60)).toBe(999_990);
  vi.advanceTimersByTime(3_000);
  await rig.until((text) => text.includes('<70>'));
  showMoment(undefined);
  await rig.until((text) => text.includes('<8000>'));
  expect(shownNowMs()).toBe(startMs + 8_000);
});
