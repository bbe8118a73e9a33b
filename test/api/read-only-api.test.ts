import { expect, test } from 'vitest';
import { ReadOnlyError } from '../../src/api/errors.ts';
import { makeOperations, type ManagementApi, operationNames, operations } from '../../src/api/management-api.ts';
import { readOnlyApi } from '../../src/api/read-only-api.ts';
import { createFakeApi } from '../monitor/fake-api.ts';

const answers = (): { readonly api: ManagementApi; readonly calls: readonly string[] } => {
  const calls: string[] = [];
  const all = makeOperations((name) => async (...values) => {
    calls.push(name);
    return [name, ...values];
  });
  return { api: createFakeApi({ ...all, at: (url) => createFakeApi({ ...all, servingUrl: url }) }), calls };
};

const results = (api: ManagementApi): Promise<readonly PromiseSettledResult<unknown>[]> =>
  Promise.allSettled(
    operationNames.map((name): Promise<unknown> => Reflect.apply(api[name] ?? expect.fail(name), api, ['one', 'two'])),
  );

const expected = operationNames.map((name) =>
  operations[name] === 'read'
    ? { status: 'fulfilled', value: [name, 'one', 'two'] }
    : { status: 'rejected', reason: expect.any(ReadOnlyError) as unknown },
);
const reads = operationNames.filter((name) => operations[name] === 'read');

test('reads are passed on unchanged and writes are refused, at each address too', async () => {
  const { api, calls } = answers();
  const guarded = readOnlyApi(api);
  expect(await results(guarded)).toEqual(expected);
  const other = guarded.at?.('http://other');
  expect(other?.servingUrl).toBe('http://other');
  expect(other && (await results(other))).toEqual(expected);
  expect(calls).toEqual([...reads, ...reads]);
});

test('a refusal says what cannot be done', async () => {
  const { api } = answers();
  await expect(readOnlyApi(api).addBan?.({ kind: 'client-id', value: 'x' })).rejects.toThrow(
    'Read-only mode: cannot add a ban.',
  );
  await expect(readOnlyApi(api).checkCredentials('admin', 'x')).rejects.toThrow(
    'Read-only mode: cannot check a password.',
  );
});

test('what an API lacks stays absent', () => {
  const { searchClients, addBan, listBans } = readOnlyApi(createFakeApi({ listBans: () => expect.fail() }));
  expect([typeof searchClients, typeof addBan, typeof listBans]).toEqual(['undefined', 'undefined', 'function']);
});
