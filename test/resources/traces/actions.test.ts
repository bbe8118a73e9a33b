import { describe, expect, test } from 'vitest';
import type { Trace } from '../../../src/domain/traces.ts';
import {
  deleteTrace,
  newTraceRequest,
  runningTraces,
  startTrace,
  stopTrace,
  traceClientRequest,
} from '../../../src/resources/traces/actions.ts';
import { timesCalled } from '../../actions/support.ts';
import { plainTheme } from '../../tui/support/rig.tsx';
import { now, setUp } from '../support.ts';

const running: Trace = {
  name: 'brokertop-1',
  kind: 'client-id',
  value: 'door-7',
  status: 'running',
  startAt: now - 60,
  endAt: now + 240,
  logBytes: new Map([['a', 2_048]]),
  unparsed: {},
};
const request = { name: 'brokertop-2', kind: 'client-id', value: 'door-7', seconds: 300 } as const;

describe('a trace', () => {
  test('runs for a while from when it is sent, by the clock of the broker', async () => {
    const rig = setUp();
    expect(await rig.run(startTrace.create(request))).toMatchObject({
      outcome: 'done',
      why: expect.stringMatching(/^It runs until \S+ \S+ \(broker time\)\. Its lines are in Traces\.$/u),
    });
    expect(rig.broker.traces).toMatchObject([{ name: 'brokertop-2', value: 'door-7', endAt: now + 300 }]);
  });

  test('of what is traced already is not started', async () => {
    const rig = setUp();
    rig.broker.traces = [running];
    expect(await rig.run(startTrace.create(request))).toMatchObject({
      reason: 'changed',
      why: 'brokertop-1 traces it already.',
    });
    expect(timesCalled(rig.calls, 'startTrace')).toBe(0);
  });

  test('is stopped, and only deleted when that is asked', async () => {
    const rig = setUp();
    rig.broker.traces = [running];
    expect(await rig.run(stopTrace.create(running))).toMatchObject({ outcome: 'done' });
    expect(rig.broker.traces).toMatchObject([{ status: 'stopped' }]);
    expect(await rig.run(deleteTrace.create(running))).toMatchObject({ outcome: 'done' });
    expect(rig.broker.traces).toEqual([]);
  });

  test('that is another one by now is not deleted', async () => {
    const rig = setUp();
    rig.broker.traces = [{ ...running, startAt: now }];
    expect(await rig.run(deleteTrace.create(running))).toMatchObject({
      reason: 'changed',
      why: 'another trace has this name now.',
    });
    expect(rig.broker.traces).toHaveLength(1);
  });

  test('must end within a day', () => {
    const build = (duration: string): unknown => traceClientRequest(plainTheme, 'door-7').build({ duration });
    expect(build('never')).toEqual({
      error: 'A trace must end: enter a duration of at most 1d.',
      field: 'duration',
    });
    expect(build('2d')).toMatchObject({ field: 'duration' });
    expect(build('5m')).toMatchObject({ next: { kind: 'confirm', target: 'door-7', showWith: 'screenTraces' } });
  });

  test('of nothing is refused', () => {
    expect(newTraceRequest(plainTheme).build({ kind: 'topic', value: '', duration: '5m' })).toEqual({
      error: 'Enter what to trace.',
      field: 'value',
    });
  });
});

test('what this run has started goes on until it ends, or is stopped', async () => {
  const rig = setUp();
  const result = await rig.run(startTrace.create(request));
  const record = (name: string) => ({
    key: name,
    name,
    title: name,
    target: { ...request },
    startedAtMs: 0,
    phase: 'finished' as const,
    result,
  });
  const endMs = result.finishedAtMs + 300_000;
  const started = [record('start-trace')];
  expect(runningTraces(started, endMs - 1)).toEqual([{ kind: 'client-id', value: 'door-7' }]);
  expect(runningTraces(started, endMs)).toEqual([]);
  expect(runningTraces([...started, record('stop-trace')], endMs - 1)).toEqual([]);
  expect(runningTraces([{ ...record('start-trace'), result: { ...result, outcome: 'not-done' } }], 0)).toEqual([]);
});
