import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import {
  inBatches,
  mapInBatches,
  runAtOnce,
  runSliced,
  type SlicedTask,
  startSliced,
} from '../../src/domain/sliced-task.ts';

/** Counts its steps, each of which takes at least a millisecond. */
function* countTo(count: number, onStep: (step: number) => void = () => {}): SlicedTask<number> {
  for (let step = 1; step <= count; step += 1) {
    const endMs = performance.now() + 1;
    while (performance.now() < endMs);
    onStep(step);
    yield;
  }
  return count;
}

function* fail(): SlicedTask<never> {
  yield;
  throw new Error('failed');
}

describe('runAtOnce', () => {
  test('returns the result', () => {
    expect(runAtOnce(countTo(3))).toBe(3);
  });
});

describe('inBatches', () => {
  test('covers every index once', () => {
    for (const length of [0, 1, 4_096, 4_097, 10_000]) {
      const seen: number[] = [];
      runAtOnce(
        inBatches(length, (start, end) => {
          for (let index = start; index < end; index += 1) seen.push(index);
        }),
      );
      expect(seen).toEqual(Array.from({ length }, (_, index) => index));
    }
  });

  test('mapInBatches maps like map', () => {
    const rows = Array.from({ length: 9_000 }, (_, index) => `row ${index}`);
    expect(runAtOnce(mapInBatches(rows, (row, index) => row + index))).toEqual(rows.map((row, index) => row + index));
  });
});

describe('startSliced', () => {
  test('starts later and passes the result on', async () => {
    let result = 0;
    startSliced(countTo(2), (count) => {
      result = count;
    });
    expect(result).toBe(0);
    while (result === 0) await setImmediate();
    expect(result).toBe(2);
  });

  test('does nothing more once cancelled', async () => {
    let steps = 0;
    let isDone = false;
    const cancel = startSliced(
      countTo(1_000, (step) => {
        steps = step;
      }),
      () => {
        isDone = true;
      },
    );
    while (steps === 0) await setImmediate();
    cancel();
    const before = steps;
    for (let turn = 0; turn < 5; turn += 1) await setImmediate();
    expect(steps).toBe(before);
    expect(isDone).toBe(false);
  });
});

describe('runSliced', () => {
  test('runs a short task at once', async () => {
    let steps = 0;
    const result = runSliced(
      countTo(1, (step) => {
        steps = step;
      }),
    );
    expect(steps).toBe(1);
    expect(await result).toBe(1);
  });

  test('lets the event loop run between slices', async () => {
    let turns = 0;
    let isDone = false;
    const result = runSliced(countTo(30)).finally(() => {
      isDone = true;
    });
    while (!isDone) {
      await setImmediate();
      turns += 1;
    }
    expect(await result).toBe(30);
    expect(turns).toBeGreaterThan(2);
  });

  test('rejects with what the task throws', async () => {
    await expect(runSliced(fail())).rejects.toThrow('failed');
  });

  test('stops when the signal is aborted', async () => {
    const controller = new AbortController();
    let steps = 0;
    const result = runSliced(
      countTo(1_000, (step) => {
        steps = step;
      }),
      { signal: controller.signal },
    );
    controller.abort(new Error('no longer needed'));
    await expect(result).rejects.toThrow('no longer needed');
    expect(steps).toBeLessThan(1_000);
  });

  test('does not start with an aborted signal', async () => {
    let steps = 0;
    await expect(
      runSliced(
        countTo(3, (step) => {
          steps = step;
        }),
        { signal: AbortSignal.abort(new Error('too late')) },
      ),
    ).rejects.toThrow('too late');
    expect(steps).toBe(0);
  });
});
