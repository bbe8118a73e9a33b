import { type Alarm, alarmName } from '../domain/administration.ts';
import {
  alarmSinceMs,
  hasNoAlarms,
  type PluginRow,
  selectIsReadByNode,
  selectPlugins,
  selectSettings,
  type SettingRow,
} from '../monitor/select/administration.ts';
import type { NodeName } from '../domain/node.ts';
import { type NodeRow, requestedMsOf, selectNodes, selectUnreadNodes } from '../monitor/select/nodes.ts';
import { areAllNodesRead, unreadReasons } from './base-checks.ts';
import type { CheckInput, CheckResult, Evidence, Finding, UncheckedReason } from './check.ts';
import { selectElsewhere, selectSessionsUnread } from './slow-check.ts';
import { reaches, type Severity, severityOf, triageThresholds } from './thresholds.ts';

const runningNodes = (input: CheckInput): readonly NodeRow[] =>
  selectNodes(input.state).filter(({ status }) => status === 'running');

/** `undefined` if the value of a node is unknown. */
function highest(
  nodes: readonly NodeRow[],
  valueOf: (node: NodeRow) => number | undefined,
): { readonly node: string; readonly value: number; readonly ratio: number; readonly sum: number } | undefined {
  let top: { readonly node: string; readonly value: number } | undefined;
  let sum = 0;
  for (const node of nodes) {
    const value = valueOf(node);
    if (value === undefined) return undefined;
    sum += value;
    if (top === undefined || value > top.value) top = { node: node.name, value };
  }
  return top === undefined ? undefined : { ...top, sum, ratio: sum === 0 ? 1 : top.value / (sum / nodes.length) };
}

export function balanceCheck(input: CheckInput): CheckResult {
  const nodes = runningNodes(input);
  const areAllRead = areAllNodesRead(input.state, input.state.resources.nodeStats);
  const base = {
    check: 'balance',
    findings: [],
    unchecked: unreadReasons(input, ['nodeStats']),
    target: { kind: 'nodes' },
    refutes: () => false,
  } as const;
  if (base.unchecked.length > 0) return base;
  if (nodes.length < 2)
    return {
      ...base,
      refutes: () => areAllRead,
      passed: { check: 'balance', nodes: nodes.length, highest: undefined },
    };
  const clients = highest(nodes, ({ stats, counts }) => stats?.clients ?? counts?.clients.count);
  const load = highest(nodes, ({ stats }) => stats?.load1);
  const findings: Finding[] = [];
  const unevenClients =
    clients !== undefined && clients.sum >= triageThresholds.unevenClients
      ? severityOf(clients.ratio, triageThresholds.unevenness, input.found.has('balance clients'))
      : undefined;
  if (clients !== undefined && unevenClients !== undefined) {
    findings.push({
      check: 'balance',
      key: 'balance clients',
      severity: unevenClients,
      target: { kind: 'clients', node: clients.node },
      code: 'uneven-clients',
      evidence: { node: clients.node, clients: clients.value, total: clients.sum, ratio: clients.ratio },
    });
  }
  const unevenLoad =
    load !== undefined && reaches(load.value, triageThresholds.unevenLoad, input.found.has('balance load'))
      ? severityOf(load.ratio, triageThresholds.unevenness, input.found.has('balance load'))
      : undefined;
  if (load !== undefined && unevenLoad !== undefined) {
    findings.push({
      check: 'balance',
      key: 'balance load',
      severity: unevenLoad,
      target: { kind: 'node', node: load.node },
      code: 'uneven-load',
      evidence: { node: load.node, load: load.value, ratio: load.ratio, nodes: nodes.length },
    });
  }
  return {
    ...base,
    findings,
    unchecked: [
      ...(clients === undefined ? [{ code: 'figure-unknown', figure: 'clients' } as const] : []),
      ...(load === undefined ? [{ code: 'figure-unknown', figure: 'load' } as const] : []),
    ],
    refutes: ({ key }) => areAllRead && (key === 'balance clients' ? clients : load) !== undefined,
    passed: clients &&
      load && {
        check: 'balance',
        nodes: nodes.length,
        highest: { share: clients.sum === 0 ? 0 : clients.value / clients.sum },
      },
  };
}

export function versionCheck(input: CheckInput): CheckResult {
  const nodes = runningNodes(input);
  const unread = unreadReasons(input, ['nodes']);
  const unknown = nodes.filter(({ info }) => info?.version === undefined);
  const counts = new Map<string, number>();
  for (const { info } of nodes)
    if (info?.version !== undefined) counts.set(info.version, (counts.get(info.version) ?? 0) + 1);
  const versions = [...counts].map(([version, count]) => ({ version, nodes: count }));
  return {
    check: 'versions',
    target: { kind: 'nodes' },
    passed: { check: 'versions', versions },
    findings:
      versions.length < 2
        ? []
        : [
            {
              check: 'versions',
              key: 'versions',
              severity: 'warning',
              target: { kind: 'nodes' },
              code: 'mixed-versions',
              evidence: { versions },
            },
          ],
    unchecked: unread.length > 0 ? unread : unknown.map(({ name }) => ({ code: 'version-unknown', node: name })),
    refutes: () =>
      unread.length === 0 && unknown.length === 0 && areAllNodesRead(input.state, input.state.resources.nodes),
  };
}

function uncheckedNodes(
  what: 'plugins' | 'settings',
  running: readonly string[],
  read: ReadonlySet<string>,
  isUnusable: boolean,
): readonly UncheckedReason[] {
  if (running.length === 0) return [{ code: 'no-running-node' }];
  return [
    ...running.filter((node) => !read.has(node)).map((node): UncheckedReason => ({ code: 'node-unread', what, node })),
    ...(isUnusable ? [{ code: 'rows-unusable', what } as const] : []),
  ];
}

function differenceOf(
  { name: plugin, byNode, versions, activeCount, knownCount }: PluginRow,
  read: readonly NodeName[],
): Evidence['plugin-differs'] | undefined {
  if (byNode.size < read.length)
    return {
      plugin,
      difference: 'missing',
      count: byNode.size,
      nodes: read.length,
      on: read.filter((node) => !byNode.has(node)),
    };
  if (versions.length > 1) return { plugin, difference: 'versions', count: versions.length };
  if (activeCount === 0 || activeCount === knownCount) return undefined;
  return {
    plugin,
    difference: 'inactive',
    count: activeCount,
    nodes: knownCount,
    on: [...byNode].flatMap(([node, { active }]) => (active === false ? [node] : [])),
  };
}

/** Values stay here: some are secret. */
function settingDifference({ key, byNode }: SettingRow): Evidence['setting-differs'] {
  const byValue = [...Map.groupBy(byNode, ([, { value }]) => value).values()].toSorted((a, b) => b.length - a.length);
  const hasMajority = (byValue[0]?.length ?? 0) > byNode.size / 2;
  return {
    key,
    values: byValue.length,
    nodes: byNode.size,
    on: hasMajority
      ? byValue
          .slice(1)
          .flat()
          .map(([node]) => node)
      : [],
  };
}

/** The earliest time; `undefined` if there is none or one is unknown. */
const oldest = (times: readonly (number | undefined)[]): number | undefined => {
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 || known.length < times.length ? undefined : Math.min(...known);
};

export function pluginCheck({ state }: CheckInput): CheckResult {
  const { rows, running, read } = selectPlugins(state);
  const unusable = new Set([...read].filter((node) => state.nodePlugins.get(node)?.unusable !== undefined));
  // A plugin that a node seems to lack may be an unusable row.
  const different = rows
    .map((row) =>
      differenceOf(
        row,
        [...read].filter((node) => row.byNode.has(node) || !unusable.has(node)),
      ),
    )
    .filter((evidence) => evidence !== undefined);
  const unchecked = uncheckedNodes('plugins', running, read, unusable.size > 0);
  return {
    check: 'plugins',
    target: { kind: 'plugins' },
    passed: { check: 'plugins', rows: rows.length, nodes: read.size },
    reading: {
      noun: 'plugins',
      isWatched: state.watched?.some(({ kind }) => kind === 'nodePlugins') === true,
      atMs: oldest([...read].map((node) => state.nodePlugins.get(node)?.updatedAtMs)),
    },
    findings: different.map((evidence): Finding => ({
      check: 'plugins',
      key: `plugins ${evidence.plugin}`,
      severity: 'warning',
      target: { kind: 'plugins', row: evidence.plugin },
      code: 'plugin-differs',
      evidence,
    })),
    unchecked,
    refutes: () =>
      unchecked.length === 0 && [...read].every((node) => areAllNodesRead(state, state.nodePlugins.get(node))),
  };
}

export function settingCheck({ state }: CheckInput): CheckResult {
  const base = { check: 'settings', findings: [], target: { kind: 'settings' } } as const;
  if (state.capabilities?.settings === false)
    return {
      ...base,
      isNotOffered: true,
      target: { kind: 'log' },
      unchecked: [{ code: 'settings-unavailable', apiName: state.capabilities.apiName }],
    };
  if (selectIsReadByNode(state)) return { ...base, isNotOffered: true, unchecked: [{ code: 'settings-by-node' }] };
  const { rows, running, read } = selectSettings(state);
  const different = rows.filter(({ isDifferent }) => isDifferent);
  const unchecked = uncheckedNodes('settings', running, read, state.settings.unusable !== undefined);
  return {
    ...base,
    passed: { check: 'settings', rows: rows.length, nodes: read.size },
    reading: {
      noun: 'settings',
      isWatched: state.watched?.some(({ kind }) => kind === 'settings') === true,
      atMs: state.settings.updatedAtMs,
    },
    findings: different.map((row): Finding => ({
      check: 'settings',
      key: `settings ${row.id}`,
      severity: 'warning',
      target: { kind: 'settings', row: row.id },
      code: 'setting-differs',
      evidence: settingDifference(row),
    })),
    unchecked,
    refutes: () => unchecked.length === 0 && areAllNodesRead(state, state.settings),
  };
}

const severityOfAlarm = ({ severity }: Alarm): Severity =>
  severity === 'error' || severity === 'critical' ? 'critical' : 'warning';

const keyOfAlarm = (alarm: Alarm): string => `alarm ${alarmName(alarm)}`;

/** Of alarms with the same cause, the one that the others are a part of: that of the cause itself, if it is among them. */
const rootsOf = (alarms: readonly Alarm[]): ReadonlyMap<string, Alarm> =>
  new Map(
    [
      ...Map.groupBy(
        alarms.filter(({ causeId }) => causeId !== undefined),
        ({ causeId = '' }) => causeId,
      ),
    ].flatMap(([causeId, same]) => {
      const root = same.find(({ id }) => id === causeId) ?? same[0];
      return root === undefined ? [] : [[causeId, root] as const];
    }),
  );

function alarmFinding(alarm: Alarm, input: CheckInput, roots: ReadonlyMap<string, Alarm>): Finding {
  const { summary, title, queueOf: clientId, causeId } = alarm;
  const root = causeId === undefined ? undefined : roots.get(causeId);
  const name = alarmName(alarm);
  const text = summary ?? title;
  const facts = {
    check: 'alarms',
    key: keyOfAlarm(alarm),
    severity: severityOfAlarm(alarm),
    sinceMs: alarmSinceMs(alarm, input.state, input.nowMs),
    partOf: root === undefined || root === alarm ? undefined : keyOfAlarm(root),
  } as const;
  return clientId === undefined
    ? { ...facts, target: { kind: 'alarms', row: name }, code: 'alarm', evidence: { id: name, text } }
    : { ...facts, target: { kind: 'session', clientId }, code: 'queue-alarm', evidence: { clientId, text } };
}

/** A session that came while the list was read may be missing in it. */
const longestScanMs = 60_000;

/** A queue's alarm from before the last complete list of the sessions of all nodes, which does not have the session. Some brokers never clear such alarms. */
function isStale(alarm: Alarm, input: CheckInput): boolean {
  const {
    state: {
      sessionScan: { rows, leftOut },
    },
    history: {
      sessionReadings: { last, completeMs = 0 },
    },
  } = input;
  if (selectSessionsUnread(input.state, input.history).length > 0) return false;
  const sinceMs = alarmSinceMs(alarm, input.state, input.nowMs);
  return (
    alarm.queueOf !== undefined &&
    last === 'complete' &&
    leftOut.size === 0 &&
    sinceMs !== undefined &&
    sinceMs < completeMs - longestScanMs &&
    rows.every(({ clientId }) => clientId !== alarm.queueOf)
  );
}

/** Alarms of the broker. They cover sessions of offline clients too, whose counters are out of date. */
export function alarmCheck(input: CheckInput): CheckResult {
  const { state } = input;
  const base = { check: 'alarms', findings: [], target: { kind: 'alarms' } } as const;
  if (hasNoAlarms(state)) return { ...base, unchecked: [{ code: 'alarms-unavailable' }], isNotOffered: true };
  const { data, updatedAtMs } = state.alarms;
  const unread = selectUnreadNodes(state, requestedMsOf(state.alarms) ?? -Infinity);
  const stale = (data ?? []).filter((alarm) => isStale(alarm, input));
  const { nodes: elsewhere } = selectElsewhere(state);
  const current = (data ?? []).filter((alarm) => !stale.includes(alarm));
  const roots = rootsOf(current);
  return {
    ...base,
    passed: { check: 'alarms', leftOut: 0 },
    refutes: ({ key }) => data !== undefined && ![...elsewhere, ...unread].some((node) => key.endsWith(` on ${node}`)),
    findings: current.map((alarm) => alarmFinding(alarm, input, roots)),
    unchecked: [
      ...(data === undefined ? [{ code: 'alarms-unread' } as const] : []),
      ...(elsewhere.length === 0 ? [] : [{ code: 'alarms-elsewhere', nodes: elsewhere } as const]),
      ...(stale.length === 0
        ? []
        : [{ code: 'alarms-stale', clientIds: stale.map(({ queueOf = '' }) => queueOf) } as const]),
    ],
    reading: {
      noun: 'alarms',
      atMs: updatedAtMs,
      isWatched: state.watched?.some(({ kind }) => kind === 'alarms') === true,
    },
  };
}
