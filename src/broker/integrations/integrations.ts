import { BrokerError } from '../../api/errors.ts';
import type { ManagementApi } from '../../api/management-api.ts';
import type { Integration, IntegrationOnNode } from '../../domain/integrations.ts';
import type { NodeName } from '../../domain/node.ts';
import type { BrokerCluster } from '../cluster.ts';
import type { Counters } from '../engine/counters.ts';
import type { Message } from '../engine/message.ts';
import type { Alarms } from '../management/alarms.ts';
import { runningNodes } from '../management/changes.ts';
import type { BrokerNode } from '../node.ts';
import { HttpSender } from '../plugins/http-sender.ts';
import { probe } from '../plugins/probe.ts';
import { ActionBuffer, defaultBufferBytes, defaultTtlMs } from './action-buffer.ts';
import type { ConnectorState } from './connector.ts';
import { type ActionSetup, type ConnectorSetup, type IntegrationSetup, type ParsedRule, parseRule } from './setup.ts';

export interface Integrations {
  readonly api: Required<Pick<ManagementApi, 'listIntegrations' | 'startIntegration' | 'setRuleEnabled'>>;
  close(): void;
}

export interface IntegrationOptions {
  readonly alarms: Pick<Alarms, 'raise' | 'end'>;
  /** The interval at which connectors try to connect. */
  readonly healthMs?: number | undefined;
}

const defaultHealthMs = 5_000;
const pumpMs = 200;
const connections = 4;

interface RuleCounters {
  matched: number;
  passed: number;
  exceptions: number;
}

/** The work and the counters of one node since it started. */
interface NodePart {
  /** Those of the node, which are new when it starts again. */
  readonly of: Counters;
  readonly states: Map<string, ConnectorState>;
  readonly buffers: ReadonlyMap<string, ActionBuffer>;
  readonly rules: Map<string, RuleCounters>;
}

const idOf = (name: string): string => `http:${name}`;
const resourceOf = (connector: string): string => `connector:${idOf(connector)}`;

const notConnected: ConnectorState = { status: 'connecting', reason: undefined };

/**
 * Runs rules, whose actions post messages to HTTP services. Each node has connections, buffers and counters of its own.
 * @throws RangeError for a rule that it cannot run
 */
export function createIntegrations(
  cluster: BrokerCluster,
  { connectors, actions, rules }: IntegrationSetup,
  { alarms, healthMs = defaultHealthMs }: IntegrationOptions,
): Integrations {
  const parsed = new Map<string, ParsedRule>(rules.map(({ id, sql }) => [id, parseRule(sql)]));
  const disabledRules = new Set(rules.flatMap(({ id, isEnabled }) => (isEnabled === false ? [id] : [])));
  const senders = new Map(
    connectors.map(({ name }) => [name, new HttpSender({ connections, waiting: 64, timeoutMs: 5_000 })]),
  );
  const parts = new Map<NodeName, NodePart>();
  const connectorOf = ({ connector }: ActionSetup): ConnectorSetup | undefined =>
    connectors.find(({ name }) => name === connector);

  function createPart(node: BrokerNode): NodePart {
    const states = new Map<string, ConnectorState>();
    const buffers = new Map(
      actions.flatMap((action): readonly (readonly [string, ActionBuffer])[] => {
        const connector = connectorOf(action);
        const sender = senders.get(action.connector);
        if (connector === undefined || sender === undefined || action.isEnabled === false) return [];
        const { requestTtlMs = defaultTtlMs, maxBufferBytes = defaultBufferBytes } = action;
        return [
          [
            action.name,
            new ActionBuffer({
              url: connector.url,
              requestTtlMs,
              maxBufferBytes,
              sender,
              isConnected: () => node.isRunning && states.get(connector.name)?.status === 'connected',
            }),
          ],
        ];
      }),
    );
    return { of: node.counters, states, buffers, rules: new Map() };
  }

  /** Returns the part of a node, which begins again when the node starts. */
  function partOf(node: BrokerNode): NodePart {
    const known = parts.get(node.name);
    if (known?.of === node.counters) return known;
    for (const buffer of known?.buffers.values() ?? []) buffer.close();
    const part = createPart(node);
    parts.set(node.name, part);
    return part;
  }

  /** Raises or ends the alarms of a connector and of the actions that need it. */
  function showAlarms(node: BrokerNode, { name }: ConnectorSetup, { status, reason }: ConnectorState): void {
    const ids = [
      [resourceOf(name), `resource down: ${reason ?? 'unknown'}`],
      ...actions
        .filter(({ connector, isEnabled }) => connector === name && isEnabled !== false)
        .map((action) => [
          `action:${idOf(action.name)}:${resourceOf(name)}`,
          'resource down: #{error => not_added_yet,status => disconnected}',
        ]),
    ];
    for (const [id = '', summary] of ids) {
      if (status === 'disconnected') alarms.raise(node.name, { id, title: id, summary, causeId: resourceOf(name) });
      else alarms.end(node.name, id);
    }
  }

  async function check(node: BrokerNode, connector: ConnectorSetup): Promise<string | undefined> {
    const part = partOf(node);
    const reason = await probe(connector.url);
    if (!node.isRunning || partOf(node) !== part) return reason;
    const state: ConnectorState = { status: reason === undefined ? 'connected' : 'disconnected', reason };
    part.states.set(connector.name, state);
    showAlarms(node, connector, state);
    for (const buffer of part.buffers.values()) buffer.pump();
    return reason;
  }

  const checkAll = async (some: readonly ConnectorSetup[]): Promise<string | undefined> => {
    const reasons = await Promise.all(
      runningNodes(cluster).flatMap((node) =>
        some.filter(({ isEnabled }) => isEnabled !== false).map((connector) => check(node, connector)),
      ),
    );
    return reasons.find((reason) => reason !== undefined);
  };

  const onPublished = ({ topic, payload, qos, publisher }: Message, name: NodeName | undefined): void => {
    const node = name === undefined ? undefined : cluster.node(name);
    if (node?.isRunning !== true) return;
    for (const { id, actions: targets } of rules) {
      const rule = parsed.get(id);
      if (rule?.matches(topic) !== true || disabledRules.has(id)) continue;
      const part = partOf(node);
      const counters = part.rules.get(id) ?? { matched: 0, passed: 0, exceptions: 0 };
      part.rules.set(id, counters);
      counters.matched += 1;
      let selected: object;
      try {
        selected = rule.select({
          topic,
          payload: payload.toString(),
          qos,
          clientid: publisher,
          node: node.name,
          timestamp: Date.now(),
        });
      } catch {
        counters.exceptions += 1;
        continue;
      }
      counters.passed += 1;
      for (const target of targets) part.buffers.get(target)?.push(JSON.stringify(selected));
    }
  };

  cluster.events.on('published', onPublished);
  const healthTimer = setInterval(() => void checkAll(connectors), healthMs).unref();
  // Messages expire while nothing is sent.
  const pumpTimer = setInterval(() => {
    for (const node of runningNodes(cluster)) for (const buffer of partOf(node).buffers.values()) buffer.pump();
  }, pumpMs).unref();
  void checkAll(connectors);

  const onNodes = (read: (part: NodePart) => IntegrationOnNode): ReadonlyMap<NodeName, IntegrationOnNode> =>
    new Map(runningNodes(cluster).map((node) => [node.name, read(partOf(node))]));
  const stateOf = (part: NodePart, { name, isEnabled }: ConnectorSetup): ConnectorState =>
    isEnabled === false ? { status: 'stopped', reason: undefined } : (part.states.get(name) ?? notConnected);

  const describeConnector = (connector: ConnectorSetup): Integration => ({
    kind: 'connector',
    id: idOf(connector.name),
    isEnabled: connector.isEnabled !== false,
    nodes: onNodes((part) => stateOf(part, connector)),
    alarmCause: resourceOf(connector.name),
  });
  const describeAction = (action: ActionSetup): Integration => {
    const connector = connectorOf(action);
    return {
      kind: 'action',
      id: idOf(action.name),
      isEnabled: action.isEnabled !== false,
      connector: idOf(action.connector),
      nodes: onNodes((part): IntegrationOnNode => {
        const counters = part.buffers.get(action.name)?.counters();
        if (connector === undefined || connector.isEnabled === false || counters === undefined)
          return { status: 'disconnected', reason: 'Not installed', counters };
        const { status } = stateOf(part, connector);
        return status === 'connected' ? { status, counters } : { status, reason: 'Resource not operational', counters };
      }),
    };
  };
  const describeRule = ({ id, sql, actions: targets }: IntegrationSetup['rules'][number]): Integration => ({
    kind: 'rule',
    id,
    isEnabled: !disabledRules.has(id),
    name: '',
    sql,
    actions: targets.map(idOf),
    nodes: onNodes((part) => {
      const { matched, passed, exceptions } = part.rules.get(id) ?? { matched: 0, passed: 0, exceptions: 0 };
      return { counters: { matched, succeeded: passed, lost: { exception: exceptions } } };
    }),
  });

  return {
    api: {
      async listIntegrations() {
        return [...connectors.map(describeConnector), ...actions.map(describeAction), ...rules.map(describeRule)];
      },
      async startIntegration(kind, id) {
        const action = kind === 'action' ? actions.find(({ name }) => idOf(name) === id) : undefined;
        const connector =
          kind === 'connector' ? connectors.find(({ name }) => idOf(name) === id) : action && connectorOf(action);
        if (connector === undefined) throw new BrokerError('does-not-exist');
        if (connector.isEnabled === false || action?.isEnabled === false)
          throw new BrokerError(
            'invalid',
            `Forbidden operation, ${kind === 'connector' ? 'connector' : 'bridge'} not enabled`,
          );
        const reason = await checkAll([connector]);
        if (reason !== undefined) throw new BrokerError('invalid', reason);
      },
      async setRuleEnabled(id, isEnabled) {
        if (!parsed.has(id)) throw new BrokerError('does-not-exist', 'Rule Id Not Found');
        if (isEnabled) disabledRules.delete(id);
        else disabledRules.add(id);
        for (const part of parts.values()) part.rules.delete(id);
      },
    },
    close: () => {
      cluster.events.off('published', onPublished);
      clearInterval(healthTimer);
      clearInterval(pumpTimer);
      for (const part of parts.values()) for (const buffer of part.buffers.values()) buffer.close();
      for (const sender of senders.values()) sender.close();
    },
  };
}
