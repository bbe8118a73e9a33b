import { describe, expect, it } from 'vitest';
import { problemText, uncheckedText } from '../../../src/checks/words.ts';
import { split } from '../../../src/checks/split/check.ts';
import { plainText } from '../../../src/domain/sentence.ts';
import type { NodeName } from '../../../src/domain/node.ts';
import type { AddressView } from '../../../src/resources/cluster-views/resource.ts';
import type { Alarm } from '../../../src/domain/administration.ts';
import { nodeStats } from '../../monitor/fake-api.ts';
import { readingsOf } from '../../support/readings.ts';
import { check, figures, found, loaded, resultOf, type Scene, unchecked, verdict } from '../scene.ts';

const urls = ['http://a', 'http://b'];

const seen = (url: string, nodes: readonly NodeName[] | undefined, more: Partial<AddressView> = {}): AddressView => ({
  url,
  view: nodes && { self: url.replace('http://', ''), nodes },
  isSteady: nodes !== undefined,
  ...more,
});

const scene = (addresses: readonly AddressView[] | undefined, more: Scene['state'] = {}): Scene => ({
  state: {
    urls,
    ...(addresses && readingsOf({ clusterViews: loaded({ addresses, shownUrl: 'http://a' }) })),
    ...more,
  },
});

const partition = (node: NodeName, partedFrom: NodeName): Alarm => ({
  id: 'partition',
  severity: undefined,
  title: 'partition',
  summary: `Partition occurs at node ${partedFrom}`,
  occurredAt: undefined,
  node,
  partedFrom,
});

const textsOf = (problems: ReturnType<typeof found>): readonly string[] =>
  problems.flatMap(([code, evidence]) => {
    const problem = { code, evidence };
    return [plainText(problemText(problem))];
  });

describe('several addresses', () => {
  it('that see the same nodes are no split', () => {
    const result = resultOf('split', scene([seen('http://a', ['a', 'b']), seen('http://b', ['b', 'a'])]));
    expect([result.findings, result.unchecked]).toEqual([[], []]);
    expect(plainText(split.passed({ by: 'views', views: 2, nodes: 2 }, 0))).toBe(
      '2 addresses asked, all see the same 2 nodes',
    );
  });

  it('of which a node sees only itself are a critical problem, which says whose view is shown', () => {
    const parts = scene([seen('http://a', ['a', 'c']), seen('http://b', ['b'])]);
    const [problem] = resultOf('split', parts).findings;
    expect(problem).toMatchObject({
      code: 'split-brain',
      severity: 'critical',
      evidence: {
        parts: [
          { by: ['a'], nodes: ['a', 'c'] },
          { by: ['b'], nodes: ['b'] },
        ],
        shown: 'a',
        apart: ['b'],
      },
    });
    expect(textsOf(found(resultOf('split', parts)))).toEqual([
      'Cluster is split: b sees only itself: a sees a, c; shown: the view of a',
    ]);
  });

  it('that differ once are asked again: a node may just be stopping', () => {
    const differing = scene([seen('http://a', ['a', 'b']), seen('http://b', ['b'], { isSteady: false })]);
    expect(resultOf('split', differing).findings).toEqual([]);
    expect(unchecked('split', differing)).toEqual([{ code: 'views-differ' }]);
  });

  it('of which one does not answer do not agree: its view is unknown', () => {
    const silent = scene([seen('http://a', ['a', 'b']), seen('http://b', undefined)]);
    expect(verdict('split', silent)).toBe('unchecked');
    expect(resultOf('split', silent).unchecked).toEqual([{ code: 'view-missing', urls: ['http://b'] }]);
    expect(verdict('split', scene(undefined))).toBe('unchecked');
  });

  it('do not speak for a node that was not asked, without alarms of the broker', () => {
    const { capabilities } = check().state;
    const half = scene(
      [seen('http://a', ['a', 'b']), seen('http://a2', ['a', 'b'], { view: { self: 'a', nodes: ['a', 'b'] } })],
      {
        capabilities: capabilities && { ...capabilities, partitionAlarms: false },
      },
    );
    expect(resultOf('split', half).unchecked).toEqual([{ code: 'nodes-not-asked', nodes: ['b'] }]);
    expect(resultOf('split', half).unchecked.map((reason) => plainText(uncheckedText(reason)))).toEqual([
      'b not asked (add its URL)',
    ]);
  });

  it('make a node that only others do not see a part of the split, and no problem of its own', () => {
    const { problems } = check({
      ...scene([seen('http://a', ['a']), seen('http://b', ['b'])]),
      resources: {
        nodeStats: loaded([nodeStats('a', 'running', { ...figures, clients: 50 }), nodeStats('b', 'stopped')]),
      },
    });
    expect(problems.map(({ code }) => code)).toEqual(['split-brain']);
  });
});

describe('one address', () => {
  const alone = (alarms: readonly Alarm[]): Scene => ({
    state: { urls: ['http://a'], ...readingsOf({ alarms: loaded(alarms) }) },
  });

  it('is judged by the alarms of the broker, and their rows are parts of the problem', () => {
    expect(verdict('split', alone([]))).toBe('ok');
    const lost = alone([partition('a', 'b')]);
    expect(textsOf(found(resultOf('split', lost)))).toEqual([
      "Cluster is split: a lost touch with b: by the broker's partition alarm",
    ]);
    expect(check(lost).problems.map(({ code, parts }) => [code, parts?.map((part) => part.code)])).toEqual([
      ['partition', ['alarm']],
    ]);
  });

  it('shows nothing where the broker raises no such alarms', () => {
    const { capabilities } = check().state;
    expect(
      unchecked('split', {
        state: { urls: ['http://a'], capabilities: capabilities && { ...capabilities, partitionAlarms: false } },
      }),
    ).toEqual([{ code: 'one-view' }]);
  });
});

it('an alarm of nodes that see each other again is only late', () => {
  const joined = scene([seen('http://a', ['a', 'b']), seen('http://b', ['a', 'b'])], {
    ...readingsOf({
      alarms: loaded([partition('a', 'b')]),
      clusterViews: loaded({
        addresses: [seen('http://a', ['a', 'b']), seen('http://b', ['a', 'b'])],
        shownUrl: 'http://a',
      }),
    }),
  });
  expect(resultOf('split', joined).findings).toEqual([]);
});
