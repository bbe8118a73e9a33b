import { expect, test } from 'vitest';
import { type ApiError, UnreachableError } from '../../src/api/errors.ts';
import { updateSeenNodes } from '../../src/resources/nodes/history.ts';
import { createJournal } from '../../src/monitor/journal.ts';
import { createStateWriter, initialState } from '../../src/monitor/store.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { nodeStats } from './fake-api.ts';
import type { SeenNode } from '../../src/resources/nodes/resource.ts';
import { eventsIn } from '../support/events.ts';

test('all listed nodes are stored, and the latest of those that left', () => {
  let seen: ReadonlyMap<string, SeenNode> = new Map();
  const running = Array.from({ length: 40 }, (_, index) => nodeStats(`steady-${index}`));
  for (let turn = 0; turn < 1_000; turn += 1)
    ({ seen } = updateSeenNodes(seen, [...running, nodeStats(`pod-${turn}`)], true, turn));
  const unknown = [...seen].filter(([, { status }]) => status === 'unknown').map(([name]) => name);
  expect(unknown).toEqual(Array.from({ length: 32 }, (_, index) => `pod-${967 + index}`));
  expect(seen.size).toBe(40 + 1 + 32);
});

test('a failure is logged once, and again when many others failed in between', () => {
  const writer = createStateWriter(initialState(2));
  const journal = createJournal(writer, createFakeClock());
  // One error of many sources is logged once.
  const errorOf = (index: number): ApiError => new UnreachableError(`E${index}`);
  const told = (source: string): number =>
    eventsIn(writer.state()).filter(({ text }) => text.startsWith(`${source}:`)).length;
  for (let index = 0; index < 500; index += 1) journal.failure(`client ${index}`, errorOf(index));
  journal.failure('client 0', errorOf(0));
  expect(told('client 0')).toBe(1);
  journal.failure('client 500', errorOf(500));
  journal.failure('client 0', errorOf(0));
  expect(told('client 0')).toBe(2);
  for (let index = 0; index < 2_500; index += 1) journal.note('info', `note ${index}`);
  expect(eventsIn(writer.state())).toHaveLength(2_000);
});
