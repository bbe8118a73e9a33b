import { expect, test } from 'vitest';
import { actionDefinitions } from '../../src/resources/actions.ts';
import {
  type ApiOperations,
  type ManagementApi,
  operationNames,
  operations,
  type OperationClasses,
  type OperationName,
  type ReadingApi,
} from '../../src/api/management-api.ts';

interface Longer extends ApiOperations {
  purge?(): Promise<void>;
}

// @ts-expect-error: the class of `purge`, which is optional, is missing
const incomplete: OperationClasses<Longer> = operations;
// @ts-expect-error: there is no call `purge`
const excessive: OperationClasses<Pick<ApiOperations, 'listNodes'>> = { listNodes: 'read', purge: 'read' };
// @ts-expect-error: a write says what it does
const silent: OperationClasses<Pick<ApiOperations, 'addBan'>> = { addBan: { write: true } };

type Requests<Calls> = {
  [Name in keyof Calls]-?: NonNullable<Calls[Name]> extends (...values: never[]) => Promise<unknown> ? Name : never;
}[keyof Calls];
/** Calls that are declared outside of `ApiOperations`, and so without a class. */
type Unclassified<Api> = Exclude<Requests<Api>, OperationName>;

const none: readonly Unclassified<ManagementApi>[] = [];
// @ts-expect-error: a call beside `ApiOperations` has no class
const one: readonly never[] = ['purge'] as readonly Unclassified<ManagementApi & Pick<Longer, 'purge'>>[];

// @ts-expect-error: what only reads is not given a write
const writing = (api: ReadingApi): unknown => api.addBan;
// @ts-expect-error: nor at another address
const writingElsewhere = (api: ReadingApi): unknown => api.at?.('http://other').addBan;

test('a call without a class does not compile', () => {
  expect([writing, writingElsewhere].map((use) => typeof use)).toEqual(['function', 'function']);
  expect([incomplete, none, one]).toEqual([operations, [], ['purge']]);
  expect([excessive, silent]).toHaveLength(2);
});

test('every write belongs to an action, and every action writes', () => {
  const writes = operationNames.filter((name) => operations[name] !== 'read');
  const acting = new Set<OperationName>(actionDefinitions.flatMap((action) => action.operations));
  expect([...acting].toSorted()).toEqual(writes.toSorted());
});
