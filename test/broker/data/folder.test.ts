import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openBrokerData } from '../../../src/broker/data/broker-data.ts';
import { DataError, reasonOf } from '../../../src/broker/data/files.ts';
import { Message } from '../../../src/broker/engine/message.ts';
import { makeFolder, readStored, startBroker } from './support.ts';

const header = (name: string, records: number, version = 1): string =>
  JSON.stringify({ brokertop: name, version, records });

const makeMessage = (topic: string): Message =>
  new Message({ topic, payload: Buffer.from('x'), qos: 0, retain: true, publisher: 'p' });

/** Opens and closes again; the message of what went wrong. */
async function refusal(folder: string): Promise<string> {
  try {
    const data = await openBrokerData(folder);
    await data.close();
    return '';
  } catch (error) {
    if (!(error instanceof DataError)) throw error;
    return error.message;
  }
}

it('is used by one broker at a time', async () => {
  const folder = await makeFolder();
  const first = await startBroker(folder);
  await expect(startBroker(folder)).rejects.toThrow(`in use by process ${process.pid}`);
  await symlink(folder, `${folder}-alias`);
  onTestFinished(() => rm(`${folder}-alias`));
  expect(await refusal(`${folder}-alias`)).toContain('in use');
  await first.close();
  await startBroker(`${folder}-alias`).then((second) => second.close());
  expect(await readdir(folder)).not.toContain('lock');
});

it('is taken over from an ended process, also if its id was reused', async () => {
  const folder = await makeFolder();
  const child = spawn(process.execPath, ['-e', '']);
  await once(child, 'exit');
  const lock = path.join(folder, 'lock');
  for (const holder of [
    { pid: child.pid, started: '' },
    { pid: process.pid, started: 'another boot 1' },
    'no JSON',
    '',
  ]) {
    await writeFile(lock, typeof holder === 'string' ? holder : JSON.stringify(holder), { mode: 0o600 });
    expect(await refusal(folder)).toBe('');
    expect((await readdir(folder)).filter((name) => name.startsWith('lock'))).toEqual([]);
  }
  await writeFile(lock, JSON.stringify({ pid: process.ppid, started: '' }));
  expect(await refusal(folder)).toContain(`in use by process ${process.ppid}`);
  expect(await readFile(lock, 'utf8')).toContain(String(process.ppid));
});

it('lets only one of several take a stale lock over', async () => {
  const folder = await makeFolder();
  await writeFile(path.join(folder, 'lock'), JSON.stringify({ pid: 4_194_304, started: '' }));
  const results = await Promise.allSettled([1, 2, 3, 4].map(() => openBrokerData(folder)));
  const opened = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  expect(opened).toHaveLength(1);
  await opened[0]?.close();
});

it('is not used when it or its files are accessible to others', async () => {
  const folder = await makeFolder();
  await chmod(folder, 0o750);
  expect(await refusal(folder)).toBe(
    `The data folder ${JSON.stringify(folder)} is accessible to other users. Run: chmod 700 ${JSON.stringify(folder)}`,
  );
  await chmod(folder, 0o700);
  const file = path.join(folder, 'users.jsonl');
  await writeFile(file, `${header('users', 0, 2)}\n`, { mode: 0o640 });
  await chmod(file, 0o640);
  expect(await refusal(folder)).toMatch(/users\.jsonl" is accessible to other users. Run: chmod 600 /u);
});

it('must be a folder, and its files plain files', async () => {
  const folder = await makeFolder();
  const file = path.join(folder, 'file');
  await writeFile(file, '');
  expect(await refusal(file)).toBe(`${JSON.stringify(file)} is not a folder.`);
  expect(await refusal(path.join(file, 'below'))).toContain('part of the path is not a folder');
  await mkdir(path.join(folder, 'retained.jsonl'), 0o700);
  expect(await refusal(folder)).toContain('is not a regular file');
});

it('removes the temporary file of an interrupted write', async () => {
  const folder = await makeFolder();
  await startBroker(folder).then((broker) => broker.close());
  const users = await readStored(folder, 'users');
  await writeFile(path.join(folder, 'users.jsonl.tmp'), `${header('users', 9, 2)}\n{"username":"ha`);
  await writeFile(path.join(folder, 'retained.jsonl.tmp'), '');
  const again = await startBroker(folder);
  expect(again.hasStoredUsers).toBe(true);
  expect((await readdir(folder)).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  await again.close();
  expect(await readStored(folder, 'users')).toBe(users);
});

const message = { topic: 't', payload: '', qos: 0, retain: true, publisher: 'p' };
const session = {
  clientId: 'c',
  node: 'n',
  createdAt: 1,
  subscriptions: [],
  awaitingRel: [],
  lastPacketId: 0,
  dropped: 0,
  delivered: 0,
  enqueued: 0,
  inflight: [],
  queue: [],
  queueQos0: [],
};
const delivery = { qos: 1, retain: false, message };
const broken: readonly (readonly [what: string, name: string, text: string, where: string])[] = [
  ['nothing', 'users', '', 'line 1 (not JSON)'],
  ['no JSON', 'users', 'hello\n', 'line 1 (not JSON)'],
  ['a list', 'users', '[]\n', 'line 1 (not an object)'],
  ['another kind', 'users', `${header('retained', 0)}\n`, 'line 1 (brokertop must be one of users)'],
  ['a newer version', 'users', `${header('users', 0, 3)}\n`, 'line 1 (version 3, but this program reads version 2)'],
  [
    'hashes of an older version',
    'users',
    `${header('users', 0, 1)}\n`,
    'line 1 (version 1, but this program reads version 2)',
  ],
  ['a missing line', 'users', `${header('users', 1, 2)}\n`, 'line 1 (the number of records does not match)'],
  [
    'half a line',
    'retained',
    `${header('retained', 1)}\n${JSON.stringify({ node: 'n', ...message })}`,
    'line 1 (the number of records does not match)',
  ],
  [
    'a user without a hash',
    'users',
    `${header('users', 1, 2)}\n{"username":"a","tags":"","salt":"AAAAAAAAAAAAAAAAAAAAAA=="}\n`,
    'line 2 (hash must be text)',
  ],
  [
    'a short salt',
    'users',
    `${header('users', 1, 2)}\n{"username":"a","tags":"","salt":"AAAA","hash":""}\n`,
    'line 2 (salt must have 16 bytes)',
  ],
  [
    'a payload that is no base64',
    'retained',
    `${header('retained', 1)}\n${JSON.stringify({ node: 'n', ...message, payload: 'a b' })}\n`,
    'line 2 (payload must be base64)',
  ],
  [
    'a retained wildcard',
    'retained',
    `${header('retained', 1)}\n${JSON.stringify({ node: 'n', ...message, topic: '#' })}\n`,
    'line 2 (topic is invalid)',
  ],
  [
    'a topic twice',
    'retained',
    `${header('retained', 2)}\n${`${JSON.stringify({ node: 'n', ...message })}\n`.repeat(2)}`,
    'line 3 (duplicate record)',
  ],
  [
    'a QoS of 3',
    'sessions',
    `${header('sessions', 1)}\n${JSON.stringify({ ...session, subscriptions: [{ filter: 'a', qos: 3 }] })}\n`,
    'line 2 (qos must be one of 0, 1, 2)',
  ],
  [
    'a bad filter',
    'sessions',
    `${header('sessions', 1)}\n${JSON.stringify({ ...session, subscriptions: [{ filter: 'a#', qos: 1 }] })}\n`,
    'line 2 (filter is invalid)',
  ],
  [
    'a packet id of 0',
    'sessions',
    `${header('sessions', 1)}\n${JSON.stringify({ ...session, awaitingRel: [0] })}\n`,
    'line 2 (awaitingRel must be an integer from 1 to 65535)',
  ],
  [
    'a packet id twice',
    'sessions',
    `${header('sessions', 1)}\n${JSON.stringify({ ...session, inflight: [1, 1].map((packetId) => ({ ...delivery, awaits: 'puback', packetId })) })}\n`,
    'line 2 (packetId must be unique)',
  ],
  [
    'a wrong acknowledgement',
    'sessions',
    `${header('sessions', 1)}\n${JSON.stringify({ ...session, inflight: [{ ...delivery, awaits: 'pubrec', packetId: 1 }] })}\n`,
    'line 2 (awaits must be one of puback)',
  ],
  [
    'a message that is none',
    'sessions',
    `${header('sessions', 1)}\n${JSON.stringify({ ...session, queue: [{ ...delivery, message: null }] })}\n`,
    'line 2 (not an object)',
  ],
  [
    'a plugin that is no object',
    'nodes',
    `${header('nodes', 1)}\n{"node":"n","settings":{},"plugins":{"p":true}}\n`,
    'line 2 (not an object)',
  ],
  [
    'a setting that is no text',
    'nodes',
    `${header('nodes', 1)}\n{"node":"n","settings":{"k":1},"plugins":{}}\n`,
    'line 2 (k must be text)',
  ],
];

it.each(broken)('is left as it is when a file holds %s', async (_, name, text, where) => {
  const folder = await makeFolder();
  const file = path.join(folder, `${name}.jsonl`);
  await writeFile(file, text, { mode: 0o600 });
  await expect(startBroker(folder)).rejects.toThrow(
    `The data file ${JSON.stringify(file)} is damaged at ${where}. It was not changed. Repair it or move it away.`,
  );
  expect(await readFile(file, 'utf8')).toBe(text);
  expect(await readdir(folder)).toEqual([`${name}.jsonl`]);
});

it('says so when a file is not text', async () => {
  const folder = await makeFolder();
  await writeFile(path.join(folder, 'sessions.jsonl'), Buffer.from([0x7b, 0xff, 0x7d]), { mode: 0o600 });
  expect(await refusal(folder)).toContain('cannot be read (it is not UTF-8).');
});

it.runIf(process.getuid?.() !== 0)('says so when it cannot be written', async () => {
  const folder = await makeFolder();
  await chmod(folder, 0o500);
  expect(await refusal(folder)).toBe(
    `The data folder ${JSON.stringify(folder)} cannot be written (permission denied).`,
  );
});

it.each([
  ['ENOSPC', 'disk full'],
  ['EWHATEVER', 'EWHATEVER'],
])('puts %s into words', (code, words) => {
  expect(reasonOf(Object.assign(new Error('refused'), { code }))).toBe(words);
});

it('says so when a folder cannot be made', async () => {
  // Nobody can make a folder there, root included.
  expect(await refusal('/proc/brokertop/data')).toMatch(
    /^The data folder "\/proc\/brokertop\/data" cannot be created or opened \(.+\)\.$/u,
  );
});

it('starts nothing when its files cannot be written, and lets go of the folder', async () => {
  const folder = await makeFolder();
  // A folder in the way of the temporary file stops root, too.
  const obstacle = path.join(folder, 'users.jsonl.tmp');
  await mkdir(obstacle);
  await expect(startBroker(folder)).rejects.toThrow(DataError);
  expect(await readdir(folder)).not.toContain('lock');
  await rm(obstacle, { recursive: true });
  await startBroker(folder);
});

it('keeps the journal when the files cannot be written at the end', async () => {
  const folder = await makeFolder();
  const broker = await startBroker(folder);
  const obstacle = path.join(folder, 'retained.jsonl.tmp');
  await mkdir(obstacle);
  broker.cluster.publish(makeMessage('kept'));
  await broker.close();
  expect(await readdir(folder)).not.toContain('lock');
  await rm(obstacle, { recursive: true });
  expect((await startBroker(folder)).cluster.retained('#').map(({ topic }) => topic)).toEqual(['kept']);
});
