import type {
  Integration,
  IntegrationCounters,
  IntegrationKind,
  IntegrationOnNode,
  IntegrationStatus,
} from '../../../domain/integrations.ts';
import type { ByNode, NodeName } from '../../../domain/node.ts';
import { isObject } from '../../json.ts';
import type { UnusableTally } from '../records.ts';
import { decodeRows, Fields } from '../fields.ts';

type CountersById = ReadonlyMap<string, ByNode<IntegrationCounters>>;

/** The counters of all nodes, in the form that scrapers read. */
export interface IntegrationFigures {
  readonly actions: CountersById;
  readonly rules: ReadonlyMap<string, ByNode<RuleFigures>>;
  /** The number of parts that the broker has; actions and sources are counted together. */
  readonly counts: { readonly connectors: number | undefined; readonly rules: number | undefined };
}

interface RuleFigures {
  readonly matched: number | undefined;
  readonly passed: number | undefined;
  readonly exceptions: number | undefined;
  readonly actionsFailed: number | undefined;
}

const actionPrefix = 'emqx_action_';
const rulePrefix = 'emqx_rule_';

function byIdAndNode<T>(rows: unknown, what: string, decode: (fields: Fields) => T): ReadonlyMap<string, ByNode<T>> {
  const decoded = decodeRows(rows, what, (fields) => {
    const [id, node] = [fields.id('id'), fields.text('node')];
    return id === undefined || node === undefined ? undefined : { id, node, value: decode(fields) };
  });
  return new Map(
    [...Map.groupBy(decoded, ({ id }) => id)].map(([id, own]) => [
      id,
      new Map(own.map(({ node, value }) => [node, value])),
    ]),
  );
}

const known = (counts: Readonly<Record<string, number | undefined>>): IntegrationCounters['lost'] =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== undefined));

/**
 * Decodes the counters. States in the same answer are not read: a disabled action is `enabled` and connected there
 * (5.8.9). @throws ShapeError
 */
export function decodeIntegrationFigures(body: unknown): IntegrationFigures {
  const fields = Fields.of(body, 'integration metrics');
  const overview = fields.within('data_integration_overview');
  return {
    counts: { connectors: overview.number('emqx_connectors_count'), rules: overview.number('emqx_rules_count') },
    actions: byIdAndNode(fields.raw['actions'], 'actions', (row) => {
      const of = (name: string): number | undefined => row.number(actionPrefix + name);
      return {
        matched: of('matched'),
        succeeded: of('success'),
        retried: of('retried'),
        queued: of('queuing'),
        inflight: of('inflight'),
        lost: known({
          failed: of('failed'),
          expired: of('dropped_expired'),
          'queue-full': of('dropped_queue_full'),
          stopped: of('dropped_resource_stopped'),
          'not-found': of('dropped_resource_not_found'),
          other: of('dropped_other'),
        }),
      };
    }),
    rules: byIdAndNode(fields.raw['rules'], 'rules', (row) => {
      const of = (name: string): number | undefined => row.number(rulePrefix + name);
      return {
        matched: of('matched'),
        passed: of('passed'),
        // `failed` also counts messages that the WHERE of the rule leaves out.
        exceptions: of('failed_exception'),
        actionsFailed: of('actions_failed'),
      };
    }),
  };
}

export interface ConnectorRow {
  readonly type: string;
  readonly id: string;
  readonly isEnabled: boolean | undefined;
  readonly states: ByNode<IntegrationOnNode>;
  readonly actions: readonly string[];
  readonly sources: readonly string[];
}

const statuses: ReadonlySet<string> = new Set<IntegrationStatus>([
  'connected',
  'connecting',
  'disconnected',
  'stopped',
]);
const isStatus = (status: string | undefined): status is IntegrationStatus =>
  status !== undefined && statuses.has(status);

function statesOf(fields: Fields): ByNode<IntegrationOnNode> {
  const list = fields.raw['node_status'];
  const rows = Array.isArray(list) ? list.filter(isObject).map((raw) => new Fields(raw)) : [];
  return new Map(
    rows.flatMap((row): readonly (readonly [NodeName, IntegrationOnNode])[] => {
      const node = row.text('node');
      const status = row.text('status');
      // Texts of a connector may explain at length what its first sentence says.
      const reason = row.text('status_reason')?.split('. ')[0];
      return node === undefined ? [] : [[node, { status: isStatus(status) ? status : undefined, reason }]];
    }),
  );
}

const textsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];

const partIdOf = (
  fields: Fields,
): { readonly type: string; readonly name: string; readonly id: string } | undefined => {
  const [type, name] = [fields.text('type'), fields.id('name')];
  return type === undefined || name === undefined ? undefined : { type, name, id: `${type}:${name}` };
};

/** @throws ShapeError */
export const decodeConnectors = (body: unknown, tally: UnusableTally): readonly ConnectorRow[] =>
  decodeRows(
    body,
    'connectors',
    (fields) => {
      const part = partIdOf(fields);
      return part === undefined
        ? undefined
        : {
            type: part.type,
            id: part.id,
            isEnabled: fields.flag('enable'),
            states: statesOf(fields),
            actions: textsOf(fields.raw['actions']),
            sources: textsOf(fields.raw['sources']),
          };
    },
    tally,
  );

export const connectorPart = ({ id, isEnabled, states }: ConnectorRow): Integration => ({
  kind: 'connector',
  id,
  isEnabled,
  nodes: states,
  alarmCause: `connector:${id}`,
});

const withCounters = (
  states: ByNode<IntegrationOnNode>,
  counters: ByNode<IntegrationCounters> | undefined,
): ByNode<IntegrationOnNode> =>
  new Map(
    [...new Set([...states.keys(), ...(counters?.keys() ?? [])])].map((node) => [
      node,
      { ...states.get(node), counters: counters?.get(node) },
    ]),
  );

/**
 * Decodes actions or sources. Their summaries do not name the connector: it is the one of the same type that has them,
 * or the only one. @throws ShapeError
 */
export const decodeParts = (
  body: unknown,
  kind: Extract<IntegrationKind, 'action' | 'source'>,
  connectors: readonly ConnectorRow[],
  figures: CountersById,
  tally: UnusableTally,
): readonly Integration[] =>
  decodeRows(
    body,
    `${kind}s`,
    (fields) => {
      const part = partIdOf(fields);
      if (part === undefined) return undefined;
      const having = connectors.filter((each) => each[`${kind}s`].includes(part.name));
      const connector = having.find(({ type }) => type === part.type) ?? (having.length === 1 ? having[0] : undefined);
      const isEnabled = fields.flag('enable');
      return {
        kind,
        id: part.id,
        isEnabled,
        connector: connector?.id,
        ...(connector !== undefined && { alarmCause: `${kind}:${part.id}:connector:${connector.id}` }),
        // A disabled action has lost its counters: what is listed for it are zeros.
        nodes: withCounters(statesOf(fields), isEnabled === false ? undefined : figures.get(part.id)),
      };
    },
    tally,
  );

/** Decodes a rule. What the actions of a rule lose, they count themselves, unless they are functions of the rule. */
export const toRule =
  (figures: IntegrationFigures['rules']) =>
  (fields: Fields): Integration | undefined => {
    const id = fields.id('id');
    if (id === undefined) return undefined;
    const all: unknown = fields.raw['actions'];
    const actions = textsOf(all);
    const functions = Array.isArray(all)
      ? all.filter(isObject).map((action) => `function ${new Fields(action).text('function') ?? ''}`.trim())
      : [];
    const hasOnlyFunctions = functions.length > 0 && actions.length === 0;
    return {
      kind: 'rule',
      id,
      isEnabled: fields.flag('enable'),
      name: fields.text('name'),
      sql: fields.text('sql'),
      actions: [...actions, ...functions],
      nodes: new Map(
        [...(figures.get(id) ?? [])].map(([node, { matched, passed, exceptions, actionsFailed }]) => [
          node,
          {
            counters: {
              matched,
              succeeded: passed,
              lost: known({ exception: exceptions, action: hasOnlyFunctions ? actionsFailed : undefined }),
            },
          },
        ]),
      ),
    };
  };
