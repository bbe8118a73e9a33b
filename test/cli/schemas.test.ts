import { sinkSetup } from '../../src/broker/integrations/topic-sinks.ts';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import * as z from 'zod';
import { runList } from '../../src/cli/list/command.ts';
import { type ListResource, listResources } from '../../src/cli/list/resources.ts';
import { listSchemas } from '../../src/cli/list/schemas.ts';
import { runOnce } from '../../src/cli/once/command.tsx';
import { type Chain, password, startChain, registeredSpeakers, type Speaker, traitsOf } from '../contract/support.ts';
import { schemas } from '../support/schemas.ts';

const folder = path.join(import.meta.dirname, '..', '..', 'schemas');

/** `vitest -u` writes it again. */
test.each([...schemas])('%s is that of the values', async (name, schema) => {
  await expect(schema).toMatchFileSnapshot(path.join(folder, name));
});

test('there are no others', () => {
  expect(readdirSync(folder).toSorted()).toEqual([...schemas.keys()].toSorted());
});

const generated = new Map([...schemas, ...listSchemas()]);

const schemaOf = (name: string): z.ZodType =>
  z.fromJSONSchema(JSON.parse(generated.get(`${name}.json`) ?? '') as Parameters<typeof z.fromJSONSchema>[0]);

/** Scripts and configurations name them; more may come, but none may go or become another type. */
const published: Readonly<Record<ListResource, string>> = {
  clients:
    'id:text node:text username:text address:text proto:number keepalive:number clean:flag connected:time since:time',
  sessions:
    'id:text node:text connected:flag problem:text inflight:number queue:number growth:number dropped:number drop:number deliver:number enqueue:number delivered:number enqueued:number subscriptions:number rel:number ack:number comp:number counters:text clean:flag created:time since:time',
  subscriptions: 'id:text topic:text qos:number node:text',
  routes: 'topic:text wildcard:flag nodes:number node:text',
  nodes:
    'node:text status:text version:text uptime:number clients:number memory-share:number process-share:number memory:number total:number processes:number limit:number fds:number load1:number load5:number load15:number otp:text clock:time description:text',
  listeners:
    'node:text protocol:text listen:text running:text used:number current:number max:number acceptors:number shutdown:text',
  plugins: 'plugin:text active:number version:text description:text',
  users: 'name:text tags:text own:flag',
  alarms: 'alarm:text node:text since:time duration:number message:text',
  'ended-alarms': 'alarm:text node:text since:time ended:time duration:number message:text',
  bans: 'who:text kind:text added:time ends:time reason:text by:text since:time until:time',
  'api-keys': 'name:text key:text enabled:flag expires:time created:time description:text',
  retained: 'topic:text qos:number published:time from:text user:text',
  'slow-subscriptions': 'client:text latency:number topic:text node:text updated:time',
  integrations:
    'id:text kind:text status:text matched:number succeeded:number losing:number lost:number total:number queued:number reason:text connector:text sql:text',
  'access-backends':
    'id:text purpose:text status:text asked:number accepted:number refused:number undecided:number total:number refusals:number',
  problems: 'severity:text check:text code:text text:text node:text client:text topic:text since:time',
  traces: 'name:text status:text kind:text value:text size:number started:time ends:time',
};

const isOffered = (speaker: Speaker, resource: ListResource): boolean =>
  !traitsOf(speaker).lacksLists.includes(resource);
/** A calm broker has none of them. */
const mayBeEmpty: ReadonlySet<ListResource> = new Set(['problems', 'alarms', 'ended-alarms', 'slow-subscriptions']);

const values = {
  text: { type: ['string', 'null'] },
  number: { type: ['number', 'null'] },
  flag: { type: ['boolean', 'null'] },
  time: { anyOf: [{ type: 'string', format: 'date-time' }, { type: 'null' }] },
} as const;

test.each(listResources)('%s has the columns that it was published with', (resource) => {
  const wanted = published[resource].split(' ').map((each) => each.split(':') as [string, keyof typeof values]);
  expect(JSON.parse(generated.get(`list-${resource}.json`) ?? '')).toMatchObject({
    items: {
      properties: Object.fromEntries(wanted.map(([name, type]) => [name, values[type]])),
      required: expect.arrayContaining(wanted.map(([name]) => name)) as unknown,
    },
  });
});

describe.each(registeredSpeakers)('the output on %s follows its schema', (speaker) => {
  let chain: Chain;
  beforeAll(async () => {
    chain = await startChain(speaker, {
      integrations: sinkSetup([{ filter: 'a/#', url: new URL('http://127.0.0.1:9/in') }]),
    });
    const one = await chain.connect('one', 0, { clean: false });
    await one.subscribeAsync('a/+');
    await one.publishAsync('kept', 'x', { retain: true, qos: 1 });
    await chain.api.addBan?.({ kind: 'client-id', value: 'bad' });
    await chain.api.addApiKey?.({ name: 'script' });
    await chain.api.startTrace?.({ name: 't', kind: 'client-id', value: 'one', endAt: Date.now() / 1_000 + 86_400 });
  });
  afterAll(() => chain.close());
  const session = () =>
    ({
      url: chain.broker.server.url,
      user: 'admin',
      password,
      variant: 'auto',
      intervalSeconds: 2,
      isReadOnly: false,
      hasAudit: true,
      isInsecure: false,
    }) as const;

  it.each(listResources.filter((resource) => isOffered(speaker, resource)))('list %s', async (resource) => {
    const stdout = new PassThrough();
    await runList(
      session(),
      { resource, format: 'json', filter: undefined, sort: undefined, columns: undefined, limit: undefined },
      { stdout, stderr: new PassThrough(), env: {} },
      0.05,
    );
    const document = JSON.parse(String(stdout.read())) as readonly object[];
    const schema = schemaOf(`list-${resource}`);
    expect(schema.safeParse(document).error).toBeUndefined();
    expect(document.length > 0 || mayBeEmpty.has(resource)).toBe(true);
    expect(schema.safeParse([{ ...document[0], other: 1 }]).success).toBe(false);
  });

  it('--once --json', async () => {
    const stdout = new PassThrough();
    await runOnce(session(), 'json', { stdout, stderr: new PassThrough(), env: {} }, { rateSeconds: 0.05 });
    const document = JSON.parse(String(stdout.read())) as object;
    expect(schemaOf('once').safeParse(document).error).toBeUndefined();
    expect(schemaOf('once').safeParse({ ...document, nodes: 1 }).success).toBe(false);
  });
});
