import { changeSetting } from '../../../src/resources/settings/actions.ts';
import { stopPlugin } from '../../../src/resources/plugins/actions.ts';
import { unsubscribeClient } from '../../../src/resources/subscriptions/actions.ts';
import { disconnectClient } from '../../../src/resources/clients/actions.ts';
import { describe, expect, test } from 'vitest';
import type { ActionResult } from '../../../src/actions/action.ts';
import { briefOutcome } from '../../../src/tui/dialogs/brief-outcome.ts';
import { capabilitiesOfA, capabilitiesOfB } from '../../actions/support.ts';
import { client } from '../../monitor/fake-api.ts';

const nodes = ['broker1@10.0.0.1', 'broker2@10.0.0.2'] as const;

const part = (
  node: string | undefined,
  more: Partial<ActionResult['parts'][number]> = {},
): ActionResult['parts'][number] => ({ node, outcome: 'done', text: undefined, error: undefined, ...more });

const result = (parts: ActionResult['parts'], more: Partial<ActionResult> = {}): ActionResult => ({
  id: '',
  outcome: 'done',
  reason: 'reading',
  wasSent: true,
  parts,
  isAccepted: true,
  error: undefined,
  why: undefined,
  before: undefined,
  after: undefined,
  startedAtMs: 0,
  finishedAtMs: 0,
  auditError: undefined,
  ...more,
});

const shown = nodes.map((node) => ({ node, active: true }));
const unsubscribe = unsubscribeClient.create({ clientId: 'pump-1', topic: 'a/b', qos: 1, node: nodes[0] });

describe('the status line says', () => {
  test('what is done on all nodes, without their names', () => {
    const stop = stopPlugin.create({ plugin: 'emq_retainer', nodes: shown, capabilities: capabilitiesOfA });
    expect(briefOutcome(stop, result(nodes.map((node) => part(node))), nodes)).toBe(
      'Stopped plugin emq_retainer on all nodes.',
    );
  });

  test('the short names of nodes', () => {
    const stop = stopPlugin.create({ plugin: 'emq_retainer', nodes: shown, capabilities: capabilitiesOfB });
    expect(briefOutcome(stop, result(nodes.map((node) => part(node))), nodes)).toBe(
      'Stopped plugin emq_retainer on broker1, broker2.',
    );
  });

  test('a value in full, even one that is the name of a node', () => {
    const named = changeSetting.create({
      app: 'emq',
      key: 'a.b',
      value: nodes[0],
      isForAll: false,
      nodes: [{ node: nodes[1], value: 'x' }],
    });
    expect(briefOutcome(named, result([part(nodes[1])]), nodes)).toBe(`Set a.b to ${nodes[0]} on broker2.`);
  });

  test('what is done to a client', () => {
    expect(briefOutcome(unsubscribe, result([part(undefined)]), nodes)).toBe('Unsubscribed client pump-1 from a/b.');
  });
});

test.each([
  ['accepted', result([part(undefined, { outcome: 'accepted' })], { outcome: 'accepted' })],
  ['unknown', result([part(undefined, { outcome: 'unknown' })], { outcome: 'unknown' })],
  ['not done', result([part(undefined, { outcome: 'not-done' })], { outcome: 'not-done' })],
  ['not done on a node', result([part(nodes[0]), part(nodes[1], { outcome: 'not-done' })])],
  ['already done on a node', result([part(nodes[0]), part(nodes[1], { wasAlready: true })])],
  ['not necessary', result([], { wasSent: false, reason: 'already' })],
  ['not recorded', result([part(undefined)], { auditError: 'disk full' })],
])('the dialog stays for what is %s', (_, outcome) => {
  expect(briefOutcome(unsubscribe, outcome, nodes)).toBeUndefined();
});

test('the dialog of a disconnect stays, and says what it leads to', () => {
  const disconnect = disconnectClient.create({ kind: 'client', client: client('pump-1', nodes[0], 1) });
  expect(briefOutcome(disconnect, result([part(undefined)]), nodes)).toBeUndefined();
});
