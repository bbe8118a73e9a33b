import type { Alarm } from '../domain/administration.ts';
import { literal, pluralize, type TextPart, untrusted, withThousands } from '../domain/text.ts';
import { hasNoAlarms } from '../monitor/polling/alarms.ts';
import { type PluginRow, selectIsReadByNode, selectPlugins, selectSettings } from '../monitor/select/administration.ts';
import { type NodeRow, selectBrokerClock, selectNodes } from '../monitor/select/nodes.ts';
import { doubtsAbout } from './base-checks.ts';
import { type CheckInput, type CheckResult, figure, type Finding, type Jump, percent } from './check.ts';
import { severityOf, triageThresholds } from './thresholds.ts';

const maxShown = 5;

const runningNodes = (input: CheckInput): readonly NodeRow[] => selectNodes(input.state).filter(({ status }) => status === 'running');

/** The node with the most of something, against the average; `undefined` when one of them does not tell, or there is nothing to share. */
function highest(nodes: readonly NodeRow[], value: (node: NodeRow) => number | undefined): { readonly node: NodeRow; readonly value: number; readonly ratio: number; readonly sum: number } | undefined {
  let most: { readonly node: NodeRow; readonly value: number } | undefined;
  let sum = 0;
  for (const node of nodes) {
    const own = value(node);
    if (own === undefined) return undefined;
    sum += own;
    if (most === undefined || own > most.value) most = { node, value: own };
  }
  return most === undefined ? undefined : { ...most, sum, ratio: sum === 0 ? 1 : most.value / (sum / nodes.length) };
}

/** Clients and load, shared out over the nodes. */
export function spreadCheck(input: CheckInput): CheckResult {
  const nodes = runningNodes(input);
  const jump: Jump = { screen: 'nodes' };
  const base = { check: 'spread', findings: [], doubts: doubtsAbout(input, ['nodeStats']), evidence: [], jump } as const;
  if (base.doubts.length > 0) return base;
  if (nodes.length < 2) return { ...base, evidence: [literal(`${pluralize(nodes.length, 'running node')}: nothing to spread over`)] };
  const clients = highest(nodes, ({ stats, counts }) => stats?.clients ?? counts?.clients.count);
  const load = highest(nodes, ({ stats }) => stats?.load1);
  const findings: Finding[] = [];
  const unevenClients = clients !== undefined && clients.sum >= triageThresholds.unevenClients ? severityOf(clients.ratio, triageThresholds.unevenness) : undefined;
  if (clients !== undefined && unevenClients !== undefined) {
    findings.push({
      check: 'spread', key: 'spread clients', severity: unevenClients, sinceMs: undefined, jump: { screen: 'clients', node: clients.node.name },
      parts: [literal('Uneven clients: node '), untrusted(clients.node.name), literal(` has ${withThousands(clients.value)} of ${withThousands(clients.sum)}, ${figure(clients.ratio)} times the average.`)],
    });
  }
  const unevenLoad = load !== undefined && load.value >= triageThresholds.unevenLoad ? severityOf(load.ratio, triageThresholds.unevenness) : undefined;
  if (load !== undefined && unevenLoad !== undefined) {
    findings.push({
      check: 'spread', key: 'spread load', severity: unevenLoad, sinceMs: undefined, jump: { screen: 'node', node: load.node.name },
      parts: [literal('Uneven load: node '), untrusted(load.node.name), literal(` has ${load.value.toFixed(2)}, ${figure(load.ratio)} times the average of ${pluralize(nodes.length, 'node')}.`)],
    });
  }
  return {
    ...base, findings,
    doubts: [
      ...(clients === undefined ? [[literal('a node does not tell its clients')]] : []),
      ...(load === undefined ? [[literal('a node does not tell its load')]] : []),
    ],
    evidence: clients === undefined || load === undefined ? [] : [literal(`most clients on one node: ${percent(clients.sum === 0 ? 0 : clients.value / clients.sum)} of ${withThousands(clients.sum)}; highest load ${load.value.toFixed(2)}`)],
  };
}

/** Versions of the broker on the nodes. */
export function versionCheck(input: CheckInput): CheckResult {
  const nodes = runningNodes(input);
  const jump: Jump = { screen: 'nodes', sort: { columnId: 'version', isReversed: false } };
  const unread = doubtsAbout(input, ['nodes']);
  const silent = nodes.filter(({ info }) => info?.version === undefined);
  const versions = new Map<string, number>();
  for (const { info } of nodes) if (info?.version !== undefined) versions.set(info.version, (versions.get(info.version) ?? 0) + 1);
  const each = [...versions].flatMap(([version, count], index): readonly TextPart[] => [literal(index === 0 ? '' : ', '), untrusted(version), literal(` on ${pluralize(count, 'node')}`)]);
  return {
    check: 'versions', jump,
    findings: versions.size < 2 ? [] : [{ check: 'versions', key: 'versions', severity: 'warning', sinceMs: undefined, jump, parts: [literal('Nodes run different versions: '), ...each, literal('.')] }],
    doubts: unread.length > 0 ? unread : silent.map(({ name }) => [literal('version of '), untrusted(name), literal(' not known')]),
    evidence: each,
  };
}

const notRead = (running: readonly string[], read: ReadonlySet<string>, what: string): readonly (readonly TextPart[])[] =>
  running.filter((node) => !read.has(node)).map((node) => [literal(`${what} of `), untrusted(node), literal(' not read')]);

const notUnderstood = (what: string): readonly TextPart[] => [literal(`not all ${what} were understood`)];

const differenceOf = (row: PluginRow, readCount: number): string | undefined => {
  if (row.byNode.size < readCount) return `is on ${row.byNode.size} of ${pluralize(readCount, 'node')}`;
  if (row.versions.length > 1) return `has ${row.versions.length} versions`;
  return row.activeCount > 0 && row.activeCount < row.knownCount ? `is active on ${row.activeCount} of ${pluralize(row.knownCount, 'node')}` : undefined;
};

/** The earliest of several moments; `undefined` when one of them, or all, are not known. */
const oldest = (moments: readonly (number | undefined)[]): number | undefined => {
  const known = moments.filter((moment) => moment !== undefined);
  return known.length === 0 || known.length < moments.length ? undefined : Math.min(...known);
};

const moreOf = (check: 'plugins' | 'settings', count: number, jump: Jump): readonly Finding[] =>
  (count <= maxShown ? [] : [{ check, key: `${check}, more`, severity: 'warning', count: count - maxShown, sinceMs: undefined, jump, parts: [literal(`${withThousands(count - maxShown)} more ${check} differ between nodes.`)] }]);

/** Plugins that are not the same on all nodes: missing, active here only, another version. */
export function pluginCheck({ state }: CheckInput): CheckResult {
  const isWatched = state.watched?.some(({ kind }) => kind === 'nodePlugins') === true;
  const jump: Jump = { screen: 'plugins', sort: { columnId: 'plugin', isReversed: false } };
  const { rows, running, read } = selectPlugins(state);
  const unclear = new Set([...read].filter((node) => state.nodePlugins.get(node)?.unusable !== undefined));
  const different = rows.flatMap((row) => {
    // A plugin that a node seems to lack may be one that was not understood.
    const how = differenceOf(row, [...read].filter((node) => row.byNode.has(node) || !unclear.has(node)).length);
    return how === undefined ? [] : [{ row, how }];
  });
  return {
    check: 'plugins', jump, reading: { noun: 'plugins', isWatched, atMs: oldest([...read].map((node) => state.nodePlugins.get(node)?.updatedAtMs)) },
    findings: [
      ...different.slice(0, maxShown).map(({ row, how }): Finding => ({
        check: 'plugins', key: `plugins ${row.name}`, severity: 'warning', sinceMs: undefined, jump: { ...jump, row: row.name }, parts: [literal('Plugin '), untrusted(row.name), literal(` ${how}.`)],
      })),
      ...moreOf('plugins', different.length, jump),
    ],
    doubts: running.length === 0 ? [[literal('no node is known to run')]] : [...notRead(running, read, 'plugins'), ...(unclear.size > 0 ? [notUnderstood('plugins')] : [])],
    evidence: [literal(`${pluralize(rows.length, 'plugin')} the same on ${pluralize(read.size, 'node')}`)],
  };
}

/** Hot settings that are not the same on all nodes. */
export function settingCheck({ state }: CheckInput): CheckResult {
  const jump: Jump = { screen: 'settings', sort: { columnId: 'key', isReversed: false } };
  const base = { check: 'settings', findings: [], doubts: [], evidence: [], jump } as const;
  if (state.capabilities?.settings === false) return { ...base, isNotOffered: true, doubts: [[literal(`${state.capabilities.apiName ?? 'this broker'} has no settings to compare`)]], jump: { screen: 'log' } };
  if (selectIsReadByNode(state)) return { ...base, isNotOffered: true, doubts: [[literal('this broker does not give the settings of all nodes at once')]] };
  const { rows, running, read } = selectSettings(state);
  const different = rows.filter(({ isDifferent }) => isDifferent);
  return {
    ...base,
    reading: { noun: 'settings', isWatched: state.watched?.some(({ kind }) => kind === 'settings') === true, atMs: state.settings.updatedAtMs },
    findings: [
      ...different.slice(0, maxShown).map((row): Finding => ({
        check: 'settings', key: `settings ${row.id}`, severity: 'warning', sinceMs: undefined, jump: { ...jump, row: row.id },
        parts: [literal('Setting '), untrusted(row.key), literal(` has ${new Set([...row.byNode.values()].map(({ value }) => value)).size} values on ${pluralize(row.byNode.size, 'node')}.`)],
      })),
      ...moreOf('settings', different.length, jump),
    ],
    doubts: running.length === 0 ? [[literal('no node is known to run')]] : [...notRead(running, read, 'settings'), ...(state.settings.unusable === undefined ? [] : [notUnderstood('settings')])],
    evidence: [literal(`${pluralize(rows.length, 'setting')} the same on ${pluralize(read.size, 'node')}`)],
  };
}

const severityOfAlarm = ({ severity }: Alarm): Finding['severity'] => (severity === 'error' || severity === 'critical' ? 'error' : 'warning');

/** When it was set, by this machine's clock: the broker tells its own local time. */
function sinceMsOf({ occurredAt }: Alarm, { state, nowMs }: CheckInput): number | undefined {
  const clock = selectBrokerClock(state, undefined, nowMs);
  return occurredAt === undefined || clock === undefined || clock < occurredAt ? undefined : nowMs - (clock - occurredAt) * 1_000;
}

function findingOf(alarm: Alarm, input: CheckInput): Finding {
  const { id, summary, title, queueOf: clientId } = alarm;
  const text = summary ?? title;
  const said = text === undefined ? [] : [literal(': '), untrusted(text)];
  return {
    check: 'alarms', key: `alarm ${id}`, severity: severityOfAlarm(alarm), sinceMs: sinceMsOf(alarm, input),
    parts: clientId === undefined
      ? [literal('Alarm '), untrusted(id), ...said, literal('.')]
      : [literal('Queue of session '), untrusted(clientId), literal(' is past its high-water mark (alarm)'), ...said, literal('.')],
    jump: clientId === undefined ? { screen: 'log' } : { screen: 'sessions', clientId },
  };
}

/** What the broker itself warns of, where it tells. It is true of sessions of offline clients, too, whose counters are not. */
export function alarmCheck(input: CheckInput): CheckResult {
  const { state } = input;
  const jump: Jump = { screen: 'log' };
  if (hasNoAlarms(state)) return { check: 'alarms', findings: [], doubts: [[literal('this broker has no list of alarms')]], evidence: [], jump, isNotOffered: true };
  const { data, updatedAtMs } = state.alarms;
  const sorted = (data ?? []).toSorted((a, b) => Number(severityOfAlarm(b) === 'error') - Number(severityOfAlarm(a) === 'error'));
  const rest = sorted.slice(maxShown);
  return {
    check: 'alarms', jump,
    findings: [
      ...sorted.slice(0, maxShown).map((alarm) => findingOf(alarm, input)),
      ...(['error', 'warning'] as const).flatMap((severity): readonly Finding[] => {
        const alike = rest.filter((alarm) => severityOfAlarm(alarm) === severity);
        return alike.length === 0 ? [] : [{ check: 'alarms', key: `alarms, more ${severity}`, severity, count: alike.length, sinceMs: undefined, jump, parts: [literal(`${pluralize(alike.length, 'more alarm')}.`)] }];
      }),
    ],
    doubts: data === undefined ? [[literal('alarms not read')]] : [],
    evidence: [literal('no alarm is set')],
    reading: { noun: 'alarms', atMs: updatedAtMs, isWatched: state.watched?.some(({ kind }) => kind === 'alarms') === true },
  };
}
