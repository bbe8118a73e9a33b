import { describe, expect, test } from 'vitest';
import type { Integration, IntegrationStatus } from '../../../src/domain/integrations.ts';
import {
  disableRule,
  enableRule,
  ruleRequest,
  startIntegration,
  startRequest,
} from '../../../src/resources/integrations/actions.ts';
import { type IntegrationRow, integrationRows } from '../../../src/resources/integrations/select.ts';
import { timesCalled } from '../../actions/support.ts';
import { plainTheme as theme } from '../../tui/support/rig.tsx';
import { setUp } from '../support.ts';

const part = (kind: Integration['kind'], id: string, status: IntegrationStatus, more: Partial<Integration> = {}) => ({
  kind,
  id,
  isEnabled: true,
  nodes: new Map(['a', 'b'].map((node) => [node, { status, reason: 'Connection refused' }])),
  ...more,
});
const connector = (status: IntegrationStatus, more?: Partial<Integration>): Integration =>
  part('connector', 'http:sink', status, more);
const action = (status: IntegrationStatus, more?: Partial<Integration>): Integration =>
  part('action', 'http:tosink', status, { connector: 'http:sink', ...more });
const rule = (more: Partial<Integration> = {}): Integration => ({
  kind: 'rule',
  id: 'r',
  isEnabled: true,
  sql: 'SELECT * FROM "a"',
  actions: ['http:tosink'],
  nodes: new Map(),
  ...more,
});

const rowsOf = (...parts: readonly Integration[]): readonly IntegrationRow[] => integrationRows(parts, new Map());
const rowOf = (rows: readonly IntegrationRow[], kind: Integration['kind']): IntegrationRow => {
  const row = rows.find((each) => each.part.kind === kind);
  if (row === undefined) throw new Error(`no ${kind}`);
  return row;
};
const refusal = (request: object): unknown => ('refused' in request ? String(request.refused) : undefined);

describe('connecting again', () => {
  test('sends one request, and reads whether all nodes are connected', async () => {
    const rig = setUp();
    rig.broker.integrations = [connector('disconnected')];
    expect(await rig.run(startIntegration.create({ kind: 'connector', id: 'http:sink' }))).toMatchObject({
      outcome: 'done',
      before: { a: 'disconnected', b: 'disconnected' },
      after: { a: 'connected', b: 'connected' },
    });
    expect(timesCalled(rig.calls, 'startIntegration')).toBe(1);
  });

  test('that changes nothing is not done, with the reason', async () => {
    const rig = setUp(() => ({ startIntegration: async () => {} }));
    rig.broker.integrations = [connector('disconnected')];
    expect(await rig.run(startIntegration.create({ kind: 'connector', id: 'http:sink' }))).toMatchObject({
      outcome: 'not-done',
      parts: [{ text: 'It is disconnected: Connection refused.' }],
    });
  });

  test.each([
    ['gone', [], 'it no longer exists.'],
    [
      'disabled since',
      [connector('stopped', { isEnabled: false })],
      'it is disabled now, and the broker connects only what is enabled.',
    ],
    ['connected since', [connector('connected')], 'It is already connected on all nodes.'],
  ] as const)('sends nothing for what is %s', async (_, parts, why) => {
    const rig = setUp();
    rig.broker.integrations = parts;
    expect(await rig.run(startIntegration.create({ kind: 'connector', id: 'http:sink' }))).toMatchObject({ why });
    expect(timesCalled(rig.calls, 'startIntegration')).toBe(0);
  });

  test('is refused before asking where the broker would refuse it', () => {
    const off = rowsOf(connector('stopped', { isEnabled: false }), action('disconnected'), rule());
    expect(refusal(startRequest(theme, rowOf(off, 'connector'), off))).toBe(
      'http:sink is disabled: the broker connects only what is enabled',
    );
    expect(refusal(startRequest(theme, rowOf(off, 'action'), off))).toBe(
      'Its connector http:sink is disabled: the broker cannot connect it',
    );
    expect(refusal(startRequest(theme, rowOf(off, 'rule'), off))).toBe(
      'A rule has no connection: S and K enable and disable it',
    );
    const up = rowsOf(connector('connected'));
    expect(refusal(startRequest(theme, rowOf(up, 'connector'), up))).toBe('http:sink is connected on all nodes');
  });
});

describe('a rule', () => {
  test('is disabled by typing its ID, and enabled by y', () => {
    const on = rowOf(rowsOf(rule()), 'rule');
    expect(ruleRequest(theme, on, false)).toMatchObject({ request: { mustType: 'r', target: 'r' } });
    expect(refusal(ruleRequest(theme, on, true))).toBe('Rule r is already enabled');
    const off = rowOf(rowsOf(rule({ isEnabled: false })), 'rule');
    expect(ruleRequest(theme, off, true)).toMatchObject({ request: { mustType: undefined } });
    const rows = rowsOf(connector('connected'));
    expect(refusal(ruleRequest(theme, rowOf(rows, 'connector'), false))).toBe(
      'Only rules can be enabled and disabled here',
    );
  });

  test('is changed by one request and read back, and that can be undone', async () => {
    const rig = setUp();
    rig.broker.integrations = [rule()];
    const disable = disableRule.create(rule());
    const result = await rig.run(disable);
    expect(result).toMatchObject({ outcome: 'done', before: { enabled: true }, after: { enabled: false } });
    const read = async <T>(request: (api: never, options: object) => Promise<T>): Promise<T> =>
      request(rig.broker.parts as never, {});
    const undoing = await disableRule.undo?.(disable.changed?.(result), read as never);
    if (undoing === undefined || !('action' in undoing)) throw new Error('refused');
    expect(undoing.action.title).toBe('enable rule r on all nodes');
    expect(await rig.run(undoing.action)).toMatchObject({ outcome: 'done' });
    expect(rig.broker.integrations).toMatchObject([{ isEnabled: true }]);
  });

  test('that is another one since is not touched', async () => {
    const rig = setUp();
    rig.broker.integrations = [rule({ sql: 'SELECT * FROM "b"' })];
    expect(await rig.run(disableRule.create(rule()))).toMatchObject({
      reason: 'changed',
      why: 'its SQL or its actions are others now.',
    });
    rig.broker.integrations = [rule({ isEnabled: true })];
    expect(await rig.run(enableRule.create(rule()))).toMatchObject({ reason: 'already' });
    expect(timesCalled(rig.calls, 'setRuleEnabled')).toBe(0);
  });
});
