import { expect, test } from 'vitest';
import { NoAnswerError } from '../../../src/api/errors.ts';
import type { Page, PageRequest } from '../../../src/api/management-api.ts';
import { checks } from '../../../src/checks/registry.ts';
import { readCluster } from '../../../src/cli/once/once.ts';
import { say } from '../../../src/domain/sentence.ts';
import { reading } from '../../../src/monitor/query/part.ts';
import { bans } from '../../../src/resources/bans/resource.ts';
import { routeScan } from '../../../src/resources/routes/resource.ts';
import { type Check, defineCheck } from '../../../src/triage/check.ts';
import { byNode, createFakeApi, nodeInfo, nodeStats, stats } from '../../monitor/fake-api.ts';

const needy = defineCheck({
  id: 'needy',
  title: 'Needy',
  noun: 'bans and routes',
  finds: 'nothing, but needs what no other check does',
  needs: () => [
    { watched: bans, everySeconds: 60 },
    { watched: routeScan, everySeconds: 30 },
  ],
  judge: ({ state }) => ({
    findings: [],
    unchecked: [],
    ...(reading(state, bans).data === undefined ? {} : { passed: {} }),
  }),
  jump: { screen: 'log' },
  passed: () => say`nothing`,
  unchecked: {},
  problems: {},
});

(checks as Check[]).push(needy);

const emptyPage = (request: PageRequest): Promise<Page<never>> =>
  Promise.resolve({ ...request, items: [], totalItems: 0, totalPages: 1 });

const parts = {
  listNodes: () => Promise.resolve([nodeInfo('a')]),
  listNodeStats: () => Promise.resolve([nodeStats('a')]),
  listListeners: () => Promise.resolve(new Map()),
  listMetrics: () => Promise.resolve(byNode({ a: {} })),
  listStats: () => Promise.resolve(new Map([['a', stats({})]])),
  listSessions: (_: string, request: PageRequest) => emptyPage(request),
  listClients: (_: string, request: PageRequest) => emptyPage(request),
  listRoutes: emptyPage,
  listPlugins: () => Promise.resolve([]),
  listBans: emptyPage,
};

test('whatever a check needs is read', async () => {
  const { state, errors } = await readCluster(createFakeApi(parts));
  expect(errors).toEqual([]);
  expect(reading(state, bans).data).toEqual([]);
  expect(reading(state, routeScan).phase).toBe('complete');
});

test('what a check needs and cannot have is said by its name', async () => {
  const { errors } = await readCluster(
    createFakeApi({ ...parts, listBans: () => Promise.reject(new NoAnswerError()) }),
  );
  expect(errors).toEqual([{ part: 'bans', kind: 'unreachable', message: new NoAnswerError().message }]);
});
