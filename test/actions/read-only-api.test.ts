import { expect, test } from 'vitest';
import { actionDefinitions } from '../../src/actions/registry.ts';
import { ReadOnlyError } from '../../src/api/errors.ts';
import { readOnlyApi } from '../../src/api/read-only-api.ts';
import { createFakeApi } from '../monitor/fake-api.ts';
import { capabilitiesOfB } from './support.ts';

/** A port that answers every call with its name and arguments. */
function echo() {
  const calls: string[] = [];
  // Some dialects lack these.
  const optional = [
    ...actionDefinitions.flatMap(({ operations }) => operations),
    'listEndedAlarms',
    'listBans',
    'listApiKeys',
  ];
  const names = [
    ...new Set([...Object.keys(createFakeApi({})).filter((name) => name !== 'capabilities'), ...optional]),
  ];
  const parts = Object.fromEntries(
    names.map((name) => [
      name,
      async (...values: readonly unknown[]) => {
        calls.push(name);
        return [name, ...values];
      },
    ]),
  );
  return { names, calls, api: createFakeApi({ ...parts, capabilities: capabilitiesOfB }) };
}

test('a read-only port refuses everything but reads, and passes those on unchanged', async () => {
  const { names, calls, api } = echo();
  const guarded = readOnlyApi(api);
  const refused: string[] = [];
  const answers: [string, unknown, unknown][] = [];
  for (const name of names) {
    const call: unknown = Reflect.get(guarded, name);
    if (typeof call !== 'function') throw new TypeError(`${name} is missing`);
    const given = ['one', 'two', 'three'].slice(0, call.length);
    const answer: unknown = await Promise.resolve(Reflect.apply(call, guarded, given)).catch((error: unknown) => error);
    if (answer instanceof ReadOnlyError) refused.push(name);
    else answers.push([name, answer, [name, ...given]]);
  }
  expect(refused.toSorted()).toEqual(
    [...new Set(actionDefinitions.flatMap(({ operations }) => operations))].toSorted(),
  );
  expect(answers.map(([name, answer]) => [name, answer])).toEqual(
    answers.map(([name, , expected]) => [name, expected]),
  );
  expect(calls).toEqual(names.filter((name) => !refused.includes(name)));
  expect(calls.every((name) => /^(?:get|list|received|waited|openConnections)/u.test(name))).toBe(true);
  expect(guarded.capabilities).toBe(capabilitiesOfB);
});
