import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createReplyWait } from '../../src/terminal/reply-wait.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const heard: string[] = [];
const end = (): void => {
  heard.push('end');
};
beforeEach(() => {
  heard.length = 0;
});

test('nothing is awaited without a question, or after its answer', () => {
  const wait = createReplyWait();
  wait.before(end);
  expect(heard).toEqual(['end']);
  wait.noteQuestion();
  wait.noteAnswer();
  wait.before(end);
  expect(heard).toEqual(['end', 'end']);
});

test('the end comes with the answer, once', () => {
  const wait = createReplyWait();
  wait.noteQuestion();
  wait.before(end);
  vi.advanceTimersByTime(60);
  expect(heard).toEqual([]);
  wait.noteAnswer();
  expect(heard).toEqual(['end']);
  vi.advanceTimersByTime(1_000);
  expect(heard).toEqual(['end']);
});

test('a terminal that does not answer holds up the end for 100 ms, and later not at all', () => {
  const wait = createReplyWait();
  wait.noteQuestion();
  wait.before(end);
  vi.advanceTimersByTime(99);
  expect(heard).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(heard).toEqual(['end']);
  wait.noteQuestion();
  vi.advanceTimersByTime(1_000);
  wait.before(end);
  expect(heard).toEqual(['end', 'end']);
});
