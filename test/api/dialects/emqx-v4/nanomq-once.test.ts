import { expect, onTestFinished, test } from 'vitest';
import { createHttpApi } from '../../../../src/api/dialects/index.ts';
import { emqxV4 } from '../../../../src/api/dialects/emqx-v4/dialect.ts';
import { uncheckedText } from '../../../../src/checks/words.ts';
import { readCluster, snapshotOf } from '../../../../src/cli/once/once.ts';
import { plainText } from '../../../../src/domain/sentence.ts';
import { startRawServer } from '../../../support/raw-http-server.ts';
import { nanoMqRecordings, v4Script } from '../../../support/v4-recordings.ts';

test('what NanoMQ lacks is absent with the reason: no failure and no problem', async () => {
  const server = await startRawServer(v4Script(nanoMqRecordings));
  const api = createHttpApi({ url: server.url, user: 'admin', password: 'public', dialect: emqxV4 });
  onTestFinished(async () => {
    await api.close();
    await server.close();
  });
  const reading = await readCluster(api);
  const snapshot = snapshotOf(reading);
  expect(snapshot.errors).toEqual([]);
  expect(snapshot.nodes?.map(({ name }) => name)).toEqual(['nanomq']);
  expect([snapshot.clients.total, snapshot.metrics, snapshot.listeners]).toEqual([undefined, undefined, undefined]);
  expect(reading.report.findings).toEqual([]);
  const reasons = new Map(
    reading.report.results.map(({ check, unchecked }) => [
      check,
      unchecked.map((reason) => plainText(uncheckedText(reason))),
    ]),
  );
  expect(reasons.get('listeners')).toEqual(["this broker's API has no listeners"]);
  expect(reasons.get('slow')).toEqual(["this broker's API has no sessions"]);
  expect(reasons.get('reconnects')).toEqual(["this broker's API has no metrics and statistics"]);
});
