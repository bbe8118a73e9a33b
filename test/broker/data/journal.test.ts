import { appendFile, readdir, readFile, type rename, type rm, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { createHttpApi } from '../../../src/api/dialects/index.ts';
import { encodeGroup, encodeHeader } from '../../../src/broker/data/journal-file.ts';
import type { EmbeddedBroker } from '../../../src/broker/embedded-broker.ts';
import { RawClient } from '../support.ts';
import { copyFolder, openApi, publish } from './journal-support.ts';
import { makeFolder, password, portAt, startBroker } from './support.ts';

/** Called before each change of the folder's names. */
const step = vi.hoisted(() => ({ before: async (): Promise<void> => undefined }));

vi.mock(import('node:fs/promises'), async (importOriginal) => {
  const original = await importOriginal();
  return {
    ...original,
    rename: async (...args: Parameters<typeof rename>) => {
      await step.before();
      await original.rename(...args);
      await step.before();
    },
    rm: async (...args: Parameters<typeof rm>) => {
      await step.before();
      await original.rm(...args);
    },
  };
});

/** A copy of the folder, in the making of which `step` has no part. */
async function imageOf(folder: string): Promise<string> {
  const { before } = step;
  step.before = async () => undefined;
  try {
    return await copyFolder(folder);
  } finally {
    step.before = before;
  }
}

async function journalOf(folder: string): Promise<string> {
  const names = (await readdir(folder)).filter((name) => name.startsWith('journal.'));
  const [name] = names;
  if (name === undefined || names.length > 1) throw new Error(`journals: ${names.join(', ')}`);
  return path.join(folder, name);
}

/** Retains messages one after the other, each of which is on disk when the next is sent. */
async function retain(broker: EmbeddedBroker, topics: readonly string[]): Promise<void> {
  const client = await RawClient.connect(portAt(broker, 0), { clientId: 'retains' });
  for (const topic of topics) {
    client.send(publish(topic, 'x', 1, 1, true));
    await client.take('puback');
  }
}

const topicsOf = ({ cluster }: EmbeddedBroker): readonly string[] => cluster.retained('#').map(({ topic }) => topic);

/** A folder with three groups in its journal. */
async function makeJournal(): Promise<{ readonly folder: string; readonly file: string }> {
  const folder = await makeFolder();
  await retain(await startBroker(folder), ['a', 'b', 'c']);
  const copy = await copyFolder(folder);
  return { folder: copy, file: await journalOf(copy) };
}

describe('a journal', () => {
  it.each([
    ['half a line', async (file: string) => truncate(file, (await readFile(file)).length - 20), ['a', 'b']],
    ['a line without its end', async (file: string) => truncate(file, (await readFile(file)).length - 1), ['a', 'b']],
    ['zeros', (file: string) => appendFile(file, Buffer.alloc(100)), ['a', 'b', 'c']],
    [
      'a line with a wrong checksum',
      (file: string) => appendFile(file, '00000000 {"first":9,"changes":[]}\n'),
      ['a', 'b', 'c'],
    ],
  ] as const)('that ends with %s is cut there, and goes on', async (_, damage, kept) => {
    const { folder, file } = await makeJournal();
    await damage(file);
    const broker = await startBroker(folder);
    expect(topicsOf(broker)).toEqual(kept);
    await retain(broker, ['d']);
    expect(topicsOf(await startBroker(await copyFolder(folder)))).toEqual([...kept, 'd']);
  });

  it('that is broken before its end is left as it is, and nothing starts', async () => {
    const { folder, file } = await makeJournal();
    const text = await readFile(file, 'utf8');
    const broken = text.replace('"topic":"b"', '"topic":"x"');
    await writeFile(file, broken);
    await expect(startBroker(folder)).rejects.toThrow(
      `The data file ${JSON.stringify(file)} is damaged at line 3 (wrong checksum). It was not changed. Repair it or move it away.`,
    );
    expect(await readFile(file, 'utf8')).toBe(broken);
    await writeFile(file, text.split('\n').toSpliced(2, 1).join('\n'));
    await expect(startBroker(folder)).rejects.toThrow(
      /is damaged at line 3 \(first must be an integer from \d+ to \d+\)/u,
    );
  });

  it.each([
    ['an unknown change', '{"op":"nonsense","id":"c"}', 'unknown change "nonsense"'],
    [
      'a message that was never written',
      '{"op":"queue","id":"c","message":1,"qos":1,"retain":false}',
      'message is not in the same group',
    ],
    ['a message from an empty queue', '{"op":"sendQueued","id":"c","packetId":1}', 'the queue is empty'],
    ['a record of no file', '{"op":"put","file":"x","record":{}}', 'unknown file'],
    ['a record of another shape', '{"op":"put","file":"users","record":{}}', 'username must be text'],
    ['a filter that is none', '{"op":"subscribe","id":"c","filter":"a#","qos":1}', 'filter is invalid'],
  ])('with %s is refused', async (_, change, why) => {
    const folder = await makeFolder();
    const file = path.join(folder, 'journal.1.jsonl');
    const open = '{"op":"open","id":"c","node":"n","createdAt":1}';
    await writeFile(file, Buffer.concat([encodeHeader(1), encodeGroup(1, [open, change])]), { mode: 0o600 });
    await expect(startBroker(folder)).rejects.toThrow(`is damaged at line 2 (${why})`);
    expect(await readdir(folder)).toEqual(['journal.1.jsonl']);
  });

  it('that lacks a segment is refused', async () => {
    const folder = await makeFolder();
    for (const first of [1, 3])
      await writeFile(path.join(folder, `journal.${first}.jsonl`), encodeHeader(first), { mode: 0o600 });
    await expect(startBroker(folder)).rejects.toThrow('the previous segment is missing or truncated');
  });
});

it('gives the same state wherever a kill comes while the data files are written', async () => {
  const folder = await makeFolder();
  const first = await startBroker(folder);
  await openApi(first).addUser({ username: 'op', password: 'one', tags: 'administrator' });
  const away = await RawClient.connect(portAt(first, 0), { clientId: 'away', clean: false });
  away.send({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: 'kept', qos: 2 }] });
  await away.take('suback');
  away.socket.destroy();
  await away.closed;
  const gone = await RawClient.connect(portAt(first, 0), { clientId: 'gone', clean: false });
  gone.send({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: 'kept', qos: 2 }] });
  await gone.take('suback');
  const sender = await RawClient.connect(portAt(first, 1), { clientId: 'sender', clean: false });
  for (let messageId = 1; messageId <= 5; messageId += 1) {
    sender.send(publish('kept', String(messageId), 2, messageId));
    await sender.take('pubrec');
    // Some are released, so that their ids may be used again.
    if (messageId < 3) {
      sender.send({ cmd: 'pubrel', messageId });
      await sender.take('pubcomp');
    }
  }
  await RawClient.connect(portAt(first, 0), { clientId: 'gone', clean: true });
  await retain(first, ['r']);
  await openApi(first).changePassword('op', 'one', 'two');
  const look = async (broker: EmbeddedBroker) => {
    const isRight = async (secret: string): Promise<boolean> => {
      const api = createHttpApi({ url: broker.server.url, variant: 'b', user: 'op', password: secret });
      return api
        .listNodes()
        .then(
          () => true,
          () => false,
        )
        .finally(() => api.close());
    };
    return {
      retained: topicsOf(broker),
      passwords: [await isRight('one'), await isRight('two')],
      away: broker.cluster.exportSession('away'),
      gone: broker.cluster.exportSession('gone'),
      sender: broker.cluster.exportSession('sender'),
    };
  };
  const known = await look(first);
  expect(known).toMatchObject({
    passwords: [false, true],
    gone: undefined,
    sender: { awaitingRel: [3, 4, 5] },
    away: { outbox: { queue: { length: 5 } } },
  });

  const images: string[] = [];
  step.before = async () => void images.push(await imageOf(folder));
  await first.close();
  step.before = async () => undefined;
  images.push(await copyFolder(folder));
  // The files before and after their renames, the journals before and after they go, and the end.
  expect(images.length).toBeGreaterThan(8);
  const journals = await Promise.all(
    images.map(async (image) => (await readdir(image)).filter((name) => name.startsWith('journal.')).length),
  );
  expect([...new Set(journals)].toSorted()).toEqual([0, 1, 2]);
  for (const image of images) {
    const broker = await startBroker(image, { user: 'admin', password });
    expect(await look(broker)).toEqual(known);
    await broker.close();
  }
}, 90_000);
