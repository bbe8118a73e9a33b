import { describe, expect, test } from 'vitest';
import { createSteadyClock } from '../../src/monitor/clock.ts';

/** A machine whose clocks can be moved: time passes, the wall clock is set, the machine sleeps. */
function createMachine() {
  let [wall, monotonic, sleptMs] = [1_000_000_000_000, 5_000, 700];
  const clock = createSteadyClock({
    wallMs: () => wall,
    monotonicMs: () => monotonic,
    uptimeMs: () => monotonic + sleptMs,
  });
  return {
    clock,
    pass(ms: number) {
      [wall, monotonic] = [wall + ms, monotonic + ms];
    },
    setClock(ms: number) {
      wall += ms;
    },
    suspend(ms: number) {
      [wall, sleptMs] = [wall + ms, sleptMs + ms];
    },
    wall: () => wall,
  };
}

describe('the steady clock', () => {
  test.each([
    ['back by five minutes', -300_000],
    ['on by five minutes', 300_000],
    ['back by a year', -31_536_000_000],
  ])('passes as the seconds do while the system time is set %s', (_, ms) => {
    const { clock, pass, setClock, wall } = createMachine();
    const began = clock.nowMs();
    pass(10_000);
    setClock(ms);
    expect(clock.nowMs() - began).toBe(10_000);
    pass(10_000);
    expect(clock.nowMs() - began).toBe(20_000);
    expect(clock.wallMs(clock.nowMs())).toBe(wall());
    expect(clock.wallMs(began)).toBe(wall() - 20_000);
  });

  test('counts the time that the machine was suspended', () => {
    const { clock, pass, suspend, setClock, wall } = createMachine();
    const began = clock.nowMs();
    suspend(3_600_000);
    expect(clock.nowMs() - began).toBe(3_600_000);
    pass(1_000);
    setClock(-60_000);
    suspend(7_200_000);
    expect(clock.nowMs() - began).toBe(10_801_000);
    expect(clock.wallMs(clock.nowMs())).toBe(wall());
  });

  test('is the wall clock as long as nobody sets it', () => {
    const { clock, pass, wall } = createMachine();
    pass(86_400_000);
    expect([clock.nowMs(), clock.wallMs(clock.nowMs())]).toEqual([wall(), wall()]);
  });
});
