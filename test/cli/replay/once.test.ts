import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { UsageError } from '../../../src/cli/errors.ts';
import { runReplayOnce } from '../../../src/cli/replay/once.ts';
import { momentText } from '../../../src/domain/time-text.ts';
import { initialActingState } from '../../../src/actions/acting-monitor.ts';
import { capabilitiesOfB } from '../../actions/support.ts';
import { nodeStats } from '../../monitor/fake-api.ts';
import { ready } from '../../screens/list-fixtures.ts';
import { patched, readingsOf } from '../../support/readings.ts';
import { withReading } from '../../../src/monitor/query/part.ts';
import { triageView } from '../../../src/triage/view.ts';
import { recordStates } from '../../support/recordings.ts';

const startMs = new Date(2026, 10, 27, 14, 0, 0).getTime();
const stateAt = (atMs: number, clients: number) =>
  patched(
    initialActingState(2),
    readingsOf({ nodeStats: { ...ready([nodeStats('a', 'running', { clients })]), updatedAtMs: atMs } }),
  );
const record = (): Promise<string> =>
  recordStates([
    { atMs: startMs, state: stateAt(startMs, 5) },
    { atMs: startMs + 60_000, state: stateAt(startMs + 60_000, 7) },
  ]);

async function print(place: string, at: string | undefined, format: 'text' | 'json'): Promise<string> {
  const stdout = new PassThrough();
  await runReplayOnce({ place, at, once: format }, format, { stdout, env: {} }, startMs + 120_000);
  stdout.end();
  return text(stdout);
}

test('prints a moment of a recording as --once prints now', async () => {
  const place = await record();
  expect(JSON.parse(await print(place, '14:00:10', 'json'))).toMatchObject({
    takenAt: new Date(startMs).toISOString(),
    url: 'prod',
    clients: { byNode: { a: 5 } },
  });
  expect(JSON.parse(await print(place, undefined, 'json'))).toMatchObject({
    takenAt: new Date(startMs + 60_000).toISOString(),
    clients: { byNode: { a: 7 } },
  });
  expect(await print(place, 'start', 'text')).toContain(new Date(startMs).toISOString());
});

test('names the API that was recorded', async () => {
  const state = patched(stateAt(startMs, 5), { capabilities: capabilitiesOfB });
  const place = await recordStates([{ atMs: startMs, state }]);
  expect(await print(place, undefined, 'text')).toContain('  API v2 B\n');
  expect(await print(await record(), undefined, 'text')).toContain('  API unknown\n');
});

test('says what a time or a recording lacks', async () => {
  const place = await record();
  await expect(print(place, 'soon', 'json')).rejects.toThrow(
    new UsageError('"soon" is not a time. Examples: 14:02, 27 Nov 14:02:31, 10m, start, end.'),
  );
  await expect(print(place, '2026-11-27T13:00', 'json')).rejects.toThrow(
    new UsageError(`${place} begins at ${momentText(startMs)}.`),
  );
  await expect(print('/nonexistent', undefined, 'json')).rejects.toThrow(UsageError);
});

test('says that problems are unknown where they were not recorded', async () => {
  const place = await record();
  const printed = JSON.parse(await print(place, undefined, 'json')) as { readonly notChecked: readonly string[] };
  expect(printed).toMatchObject({ problems: [], ok: [] });
  expect(printed.notChecked).toEqual(['problems were not recorded']);
  expect(await print(place, undefined, 'text')).toContain('note     not checked: problems were not recorded');
});

test('says that problems are unknown where another version found them with other checks', async () => {
  const found = { check: 'tides', findings: [], unchecked: [], jump: { screen: 'nodes' }, toldElsewhere: 0 } as const;
  const report = { results: [found], problems: [], findings: [], isAllClear: true };
  const before = stateAt(startMs, 5);
  const state = { ...before, ...withReading(before, triageView, { ...triageView.empty, report }) };
  const place = await recordStates([{ atMs: startMs, state }]);
  expect(JSON.parse(await print(place, undefined, 'json'))).toMatchObject({
    problems: [],
    ok: [],
    notChecked: ['problems were recorded by another version, with other checks'],
  });
});
