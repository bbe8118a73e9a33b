import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import * as z from 'zod';
import { runList } from '../../src/cli/list/command.ts';
import { listResources } from '../../src/cli/list/resources.ts';
import { runOnce } from '../../src/cli/once/command.tsx';
import { type Chain, password, startChain } from '../contract/support.ts';
import { schemas } from '../support/schemas.ts';

const folder = path.join(import.meta.dirname, '..', '..', 'schemas');

/** `vitest -u` writes them again. */
test.each([...schemas])('%s is that of the columns', async (name, schema) => {
  await expect(schema).toMatchFileSnapshot(path.join(folder, name));
});

test('there are no others', () => {
  expect(readdirSync(folder).toSorted()).toEqual([...schemas.keys()].toSorted());
});

const schemaOf = (name: string): z.ZodType =>
  z.fromJSONSchema(
    JSON.parse(readFileSync(path.join(folder, `${name}.json`), 'utf8')) as Parameters<typeof z.fromJSONSchema>[0],
  );

describe.each(['b', 'v5'] as const)('the output on %s follows its schema', (speaker) => {
  let chain: Chain;
  beforeAll(async () => {
    chain = await startChain(speaker);
    const one = await chain.connect('one', 0, { clean: false });
    await one.subscribeAsync('a/+');
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

  it.each(listResources)('list %s', async (resource) => {
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
    expect(document.length > 0 || resource === 'problems').toBe(true);
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
