import { auditFileTexts } from '../src/cli/texts.ts';
import { alarmsTexts } from '../src/resources/alarms/texts.ts';
import { banTexts, banWords } from '../src/resources/bans/texts.ts';
import { clearAclCache } from '../src/resources/clients/actions.ts';
import { clientDialogTexts, clientTexts, clientWords } from '../src/resources/clients/texts.ts';
import { listenerTexts } from '../src/resources/listeners/texts.ts';
import { messagesTexts, publishTexts } from '../src/resources/messages/texts.ts';
import { metricsTexts } from '../src/resources/metrics/texts.ts';
import { nodeTexts } from '../src/resources/nodes/texts.ts';
import { pluginSettingsTexts } from '../src/resources/plugin-settings/texts.ts';
import { pluginTexts } from '../src/resources/plugins/texts.ts';
import { settingDialogTexts } from '../src/resources/settings/texts.ts';
import { subscriptionTexts, subscriptionWords } from '../src/resources/subscriptions/texts.ts';
import { traceTexts } from '../src/resources/traces/texts.ts';
import { userTexts, userWords } from '../src/resources/users/texts.ts';
import { loadingText } from '../src/terminal/format.ts';
import { glyphs } from '../src/terminal/glyphs.ts';
import { joinSafe, safe, type SafeText, trusted } from '../src/terminal/safe-text.ts';
import { clustersTexts } from '../src/screens/clusters/texts.ts';
import { confirmTexts, formTexts, outcomeDialogTexts } from '../src/tui/dialogs/texts.ts';
import { headerTexts } from '../src/screens/status/texts.ts';
import { helpTexts, paletteTexts, signInTexts } from '../src/tui/frame/texts.ts';
import { formatKey } from '../src/tui/keys/keymap.ts';
import { columnTexts, filterTexts, listTexts } from '../src/tui/list/texts.ts';
import { definitionOf, type ScreenId, screenTitle } from '../src/screens/registry.ts';
import { compareTexts } from '../src/screens/compare/texts.ts';
import { overviewTexts } from '../src/screens/texts.ts';
import { triageTexts } from '../src/resources/problems/view/texts.ts';
import type { TerminalScreen } from '../test/support/terminal-screen.ts';
import type { Expected, Key } from '../test/support/terminal.ts';
import { any, matching } from '../test/support/texts.ts';
import { allBindings } from '../src/screens/keys.ts';
import { bulkDialogTexts } from '../src/resources/clients/view/bulk-texts.ts';
import type { CommandId } from '../src/tui/keys/bindings.ts';

/** A step towards a picture: keys, text, or a text to wait for. */
export type Step =
  | { readonly press: readonly Key[] }
  | { readonly type: string }
  | { readonly until: Expected }
  /** Waits for graphs to fill. */
  | { readonly passSeconds: number };

export interface Shot {
  /** File name without extension. */
  readonly name: string;
  readonly cols: number;
  readonly rows: number;
  readonly steps: readonly Step[];
  /** The screen that the tabs must show as the current one. */
  readonly on?: ScreenId;
  /** What the picture must show; without it there is no picture. */
  readonly holds: readonly (string | RegExp)[];
  /** May show the signs of unfinished screens: the help explains them, and without a login nothing is read. */
  readonly mayBeUnfinished?: true;
  /** How long the picture is shown in the moving picture of its run. */
  readonly frameMs?: number;
}

/** Header and tabs. */
const headRows = 4;

/** The texts in the first rows that have a background or are inverse. */
function highlighted(screen: TerminalScreen): readonly string[] {
  return Array.from({ length: Math.min(headRows, screen.rows) }, (_, y) => screen.row(y)).flatMap((row) =>
    row
      .map(({ char, inverse, background }) => (inverse || background !== 'default' ? char : '\n'))
      .join('')
      .split(/\n+/u)
      .filter((text) => text !== ''),
  );
}

/** Returns what the tab of a screen may say; on narrow terminals a screen under More marks More. */
const tabTexts = (id: ScreenId): readonly SafeText[] => {
  const { title, tab, parent } = definitionOf(id);
  if (tab !== undefined) return [title, tab.label, tab.shortLabel].filter((text) => text !== undefined);
  return parent === undefined ? [title] : [...(parent === 'more' ? [title] : []), ...tabTexts(parent as ScreenId)];
};

const isOn = (screen: TerminalScreen, id: ScreenId): boolean =>
  highlighted(screen).some((text) => tabTexts(id).some((label) => text.includes(label)));

/** Texts of screens that have not read everything. */
const unfinished: readonly string[] = [loadingText, listTexts.unread, headerTexts.stale];

const isShown = (text: string, wanted: string | RegExp): boolean =>
  typeof wanted === 'string' ? text.includes(wanted) : wanted.test(text);

/** Whether a sign stands for itself, and is not part of a gap in a graph, which is drawn with dots. */
const standsAlone = (text: string, sign: string): boolean =>
  text.includes(sign) && !(sign === loadingText && !/(?<!·)···(?!·)/u.test(text));

export function lacking(
  { on, holds, mayBeUnfinished }: Pick<Shot, 'on' | 'holds' | 'mayBeUnfinished'>,
  screen: TerminalScreen,
): readonly string[] {
  const text = screen.text();
  return [
    ...(on === undefined || isOn(screen, on) ? [] : [`no tab ${screenTitle(on)}`]),
    ...holds.filter((held) => !isShown(text, held)).map((held) => `no ${String(held)}`),
    ...(mayBeUnfinished === true
      ? []
      : unfinished.filter((sign) => standsAlone(text, sign)).map((sign) => `still ${sign}`)),
  ];
}

/** A text up to its first name. */
const start = (text: string): string => text.slice(0, text.indexOf(any));

const keyOf = (command: CommandId): string => formatKey(allBindings.find(({ id }) => id === command)?.keys[0] ?? '');

/** Two texts in one line. */
const inLine = (first: string, second: string): RegExp =>
  new RegExp(`${matching(first).source}\\W+${matching(second).source}`, 'u');

const onScreen = (id: ScreenId): Step => ({ until: ({ screen }) => isOn(screen, id) });
const goTo = (id: ScreenId): readonly Step[] => [{ press: [definitionOf(id).key ?? ''] }, onScreen(id)];

/** Waits until a dialog is closed: `Esc` sent with the next key would be another key. */
const gone = (text: string | RegExp): Step => ({ until: ({ screen }) => !isShown(screen.text(), text) });

/** Confirmations ignore keys for a moment. */
const settled: Step = { passSeconds: 1 };
const sayYes: readonly Step[] = [settled, { press: ['y'] }];

/** Filters the list; the prompt may have the last filter. */
const filterBy = (text: string, matches: SafeText = filterTexts.matches(any, any)): readonly Step[] => [
  { press: ['/', 'ctrl-u'] },
  { type: text },
  { until: new RegExp(`${matching(text).source}.*${matching(matches).source}`, 'u') },
  { press: ['enter'] },
];

/** Sorts the list by the command of a column. */
const sortBy = (column: string): readonly Step[] => {
  const command = columnTexts.sortBy(trusted(column));
  return [
    { press: [':'] },
    { type: command },
    { until: inLine(command, paletteTexts.count(any, true)) },
    { press: ['enter'] },
    gone(command),
  ];
};

const scanned = /read \d+ s ago/u;
const continueKey = keyOf('formGoOn');
const nodes = ['broker1', 'broker2', 'broker3'];
const size = { cols: 120, rows: 36 };
const smallSize = { cols: 80, rows: 24 };

const { disconnect, clearAcl, menu } = clientDialogTexts;
const { subscribe, unsubscribe } = subscriptionTexts;
const aclMenu = clearAclCache.menuLabel ?? clearAclCache.label;
const topic = 'plant/line1/alarm';
const added = start(userWords.add(any).past);
const banned = start(banWords.add('client-id', any).past);
const subscribed = start(subscriptionWords.subscribe(any, '', 0).past);
const bulkAnswer = confirmTexts.type(safe`40`, bulkDialogTexts.verb);
const allMarked = matching(confirmTexts.type(any, bulkDialogTexts.verb).trim());
/** A name as the dialogs print it, whatever is behind it. */
const unsubscribeMenu = start(unsubscribe.menuTitle(any));
const slowWorker = new RegExp(
  `(?:${triageTexts.severityWords.critical}|${triageTexts.severity.critical}|!) .*worker-\\d`,
  'u',
);
const columns = (shown: SafeText): RegExp => matching(columnTexts.shown(0, 0).replaceAll('0', shown));

const mainShots: readonly Shot[] = [
  {
    name: 'nodes',
    ...size,
    on: 'nodes',
    holds: nodes,
    steps: [{ until: 'brokertop' }, { passSeconds: 30 }, ...goTo('nodes')],
  },
  {
    name: 'node',
    ...size,
    on: 'nodes',
    holds: ['broker1', nodeTexts.statistics, nodeTexts.listeners, nodeTexts.rates],
    steps: [{ press: ['enter'] }, { until: nodeTexts.statistics }, { passSeconds: 12 }],
  },
  {
    name: 'listeners',
    ...size,
    on: 'listeners',
    holds: [...nodes, 'mqtt:tcp', 'mqtt:ws', 'mqtt:api'],
    steps: goTo('listeners'),
  },
  {
    name: 'clients',
    ...size,
    on: 'clients',
    holds: [scanned, /-\d{6}/u],
    steps: [...goTo('clients'), { until: scanned }],
  },
  {
    name: 'disconnect',
    ...size,
    holds: [disconnect.question, 'dashboard-'],
    steps: [...filterBy('dashboard'), { press: ['j', 'j', 'K'] }, { until: disconnect.question }],
  },
  {
    name: 'actions',
    ...size,
    holds: [start(menu.title(any)), aclMenu],
    steps: [{ press: ['n'] }, gone(disconnect.question), { press: ['a'] }, { until: aclMenu }],
  },
  {
    name: 'subscribe',
    ...size,
    holds: [start(subscribe.formTitle(any)), inLine(subscribe.filterLabel, 'plant/+/alarm')],
    steps: [
      { press: ['down', 'enter'] },
      { until: start(subscribe.formTitle(any)) },
      { type: 'plant/+/alarm' },
      { until: inLine(subscribe.filterLabel, 'plant/+/alarm') },
      { press: ['tab', 'right'] },
      { until: joinSafe([glyphs.less, safe`1`, glyphs.more], safe` `) },
    ],
  },
  {
    name: 'outcome',
    ...size,
    holds: [subscribed],
    steps: [{ press: ['ctrl-s'] }, { until: subscribe.question }, ...sayYes, { until: subscribed }],
  },
  {
    name: 'unsubscribe',
    ...size,
    holds: [unsubscribeMenu, 'plant/+/alarm'],
    steps: [{ press: ['a'] }, { until: aclMenu }, { press: ['down', 'down', 'enter'] }, { until: 'plant/+/alarm' }],
  },
  {
    name: 'acl-cache',
    ...size,
    holds: [start(clearAcl.title(any)), inLine(clearAcl.topicLabel, topic)],
    steps: [
      { press: ['esc'] },
      gone('plant/+/alarm'),
      { press: ['a'] },
      { until: aclMenu },
      { press: ['down', 'down', 'down', 'enter'] },
      { until: start(clearAcl.title(any)) },
      { type: topic },
    ],
  },
  {
    name: 'columns',
    ...size,
    on: 'clients',
    holds: [columnTexts.title, columns(any)],
    steps: [
      { press: ['esc'] },
      gone(start(clearAcl.title(any))),
      { press: ['C'] },
      { until: columns(any) },
      { press: ['j', 'j', 'space'] },
    ],
  },
  {
    name: 'bulk',
    ...size,
    holds: [allMarked, 'broker2'],
    steps: [
      { press: ['r', 'C'] },
      gone(columns(any)),
      ...filterBy('node:broker2'),
      { press: ['*', 'K'] },
      { until: allMarked },
    ],
  },
  {
    name: 'bulk-running',
    ...size,
    holds: [outcomeDialogTexts.leave, bulkDialogTexts.abort],
    steps: [
      { press: ['esc'] },
      gone(allMarked),
      { press: ['U', 'esc'] },
      gone('node:broker2'),
      { press: ['g', ...Array.from({ length: 40 }, () => 'space')] },
      { until: clientDialogTexts.marked(40) },
      { press: ['K'] },
      { until: bulkAnswer.trim() },
      settled,
      { press: ['-', '-', '4', '0'] },
      { until: `${bulkAnswer}40` },
      { press: ['enter'] },
      { until: bulkDialogTexts.leave },
      { passSeconds: 3 },
    ],
  },
  {
    name: 'publish',
    ...size,
    holds: [publishTexts.title, '{"level":"high"}'],
    steps: [
      { press: ['esc'] },
      gone(bulkDialogTexts.leave),
      { press: ['P'] },
      { until: publishTexts.title },
      { press: ['ctrl-u'] },
      { type: topic },
      { press: ['tab'] },
      { type: '{"level":"high"}' },
      { until: '{"level":"high"}' },
      { press: ['tab', 'tab', 'right'] },
    ],
  },
  {
    name: 'client',
    ...size,
    on: 'client',
    holds: [clientTexts.connection, clientTexts.subscriptions, /QoS \d/u],
    steps: [
      { press: ['esc'] },
      gone(publishTexts.title),
      ...filterBy('dashboard'),
      { press: ['enter'] },
      { until: /QoS \d/u },
    ],
  },
  {
    name: 'sessions',
    ...size,
    on: 'sessions',
    holds: [scanned, /worker-\d/u, /\d\/s/u],
    steps: [...goTo('sessions'), { until: scanned }, ...sortBy('QUEUE'), { passSeconds: 15 }],
  },
  {
    name: 'subscriptions',
    ...size,
    on: 'subscriptions',
    holds: [scanned, /plant-[a-d]\//u],
    steps: goTo('subscriptions'),
  },
  {
    name: 'groups',
    ...size,
    on: 'clients',
    holds: ['SHARE'],
    steps: [...goTo('clients'), { press: ['esc'] }, { until: scanned }, { press: ['o'] }, { press: ['enter'] }],
  },
  {
    name: 'routes',
    ...size,
    on: 'routes',
    holds: [scanned, '[-] +/', '[+] plant-a/'],
    steps: [
      ...goTo('routes'),
      { until: scanned },
      { press: ['t'] },
      { until: '[+] plant-a/' },
      { press: ['g', 'right', 'down', 'right', 'down', 'right'] },
    ],
  },
  { name: 'plugins', ...size, on: 'plugins', holds: [...nodes, 'broker_retainer'], steps: goTo('plugins') },
  {
    name: 'plugin-stop',
    ...size,
    holds: [pluginTexts.question(false, undefined).slice(0, 16), 'broker_retainer'],
    steps: [
      ...filterBy('retainer', filterTexts.matches(safe`1`, safe`20`)),
      { press: ['K'] },
      { until: pluginTexts.question(false, undefined).slice(0, 16) },
    ],
  },
  {
    name: 'plugin-settings',
    ...size,
    holds: ['retainer.max_payload_size', continueKey],
    steps: [
      { press: ['esc'] },
      gone(pluginTexts.question(false, undefined).slice(0, 16)),
      { press: ['enter'] },
      { until: start(pluginSettingsTexts.title(any, any)) },
      { until: 'retainer.max_payload_size' },
      { press: ['e'] },
      { until: continueKey },
    ],
  },
  {
    name: 'settings',
    ...size,
    on: 'settings',
    holds: [...nodes, 'mqtt.session.max_inflight'],
    steps: [{ press: ['esc'] }, gone(continueKey), ...goTo('settings')],
  },
  {
    name: 'setting-change',
    ...size,
    holds: [matching(settingDialogTexts.change(any, safe`64`)), start(settingDialogTexts.question(any))],
    steps: [
      ...filterBy('max_inflight', filterTexts.matches(safe`1`, any)),
      { press: ['e'] },
      { until: continueKey },
      { press: ['ctrl-u'] },
      { type: '64' },
      { press: ['ctrl-s'] },
    ],
  },
  {
    name: 'users',
    ...size,
    on: 'users',
    holds: [inLine('administrator', 'you')],
    steps: [{ press: ['esc'] }, { until: continueKey }, { press: ['esc'] }, gone(continueKey), ...goTo('users')],
  },
  {
    name: 'user-new',
    ...size,
    holds: [userTexts.add.title, inLine(userTexts.name, 'night-shift')],
    steps: [
      { press: ['n'] },
      { until: userTexts.add.title },
      { type: 'night-shift' },
      { until: inLine(userTexts.name, 'night-shift') },
      { press: ['tab'] },
      { type: 'only for a picture' },
      { until: '*'.repeat(8) },
    ],
  },
  {
    name: 'user-delete',
    ...size,
    holds: [userTexts.delete.question, 'night-shift'],
    steps: [
      { press: ['tab'] },
      { type: 'only for a picture' },
      { press: ['tab'] },
      { until: formTexts.position(4, 4) },
      { type: 'auditor' },
      { until: inLine(userTexts.attribute.tags, 'auditor') },
      { press: ['ctrl-s'] },
      { until: userTexts.add.question },
      ...sayYes,
      { until: added },
      { until: inLine('night-shift', 'auditor') },
      { press: ['G', 'D'] },
      { until: userTexts.delete.question },
    ],
  },
  {
    name: 'more',
    ...size,
    on: 'more',
    holds: [screenTitle('users'), definitionOf('users').note ?? ''],
    steps: [{ press: ['esc'] }, gone(userTexts.delete.question), ...goTo('more')],
  },
  {
    name: 'log',
    ...size,
    on: 'log',
    holds: [matching(auditFileTexts.on(any)), added],
    steps: [...goTo('log'), { until: 'EVENT' }],
  },
  {
    name: 'triage',
    ...size,
    on: 'triage',
    holds: [slowWorker],
    steps: [...goTo('triage'), { until: /worker-\d/u }, { passSeconds: 15 }],
  },
  {
    name: 'overview',
    ...size,
    on: 'overview',
    holds: [slowWorker, triageTexts.problems, triageTexts.next, 'Messages', overviewTexts.nodes],
    steps: [...goTo('overview'), { passSeconds: 10 }],
  },
  {
    name: 'metrics',
    ...size,
    on: 'metrics',
    holds: [metricsTexts.clusterTitle, 'bytes.received'],
    steps: [...goTo('metrics'), { passSeconds: 10 }],
  },
  {
    name: 'palette',
    ...size,
    holds: [inLine('client', paletteTexts.count(any, true))],
    steps: [{ press: [':'] }, { type: 'client' }],
  },
  {
    name: 'help',
    ...size,
    holds: [helpTexts.here(screenTitle('metrics'))],
    mayBeUnfinished: true,
    steps: [{ press: ['esc'] }, gone('Enter Run'), { until: 'bytes.received' }, { press: ['?'] }],
  },
  {
    name: 'overview-80x24',
    ...smallSize,
    on: 'overview',
    holds: [triageTexts.problems, slowWorker],
    steps: [{ press: ['esc'] }, gone(helpTexts.here(screenTitle('metrics'))), ...goTo('overview')],
  },
  { name: 'triage-80x24', ...smallSize, on: 'triage', holds: [slowWorker], steps: goTo('triage') },
  {
    name: 'clients-80x24',
    ...smallSize,
    on: 'clients',
    holds: [scanned, /-\d{6}/u],
    steps: [{ press: ['esc'] }, ...goTo('clients')],
  },
  { name: 'disconnect-80x24', ...smallSize, holds: [disconnect.question], steps: [{ press: ['K'] }] },
  {
    name: 'publish-80x24',
    ...smallSize,
    holds: [publishTexts.title, topic],
    steps: [
      { press: ['n'] },
      gone(disconnect.question),
      { press: ['P'] },
      { until: publishTexts.title },
      { press: ['ctrl-u'] },
      { type: topic },
      { press: ['tab'] },
    ],
  },
];

/** Pictures of screens that only API v5 has. */
const v5Shots: readonly Shot[] = [
  {
    name: 'bans',
    ...size,
    on: 'bans',
    holds: ['floods', 'worker-000001'],
    steps: [
      { until: 'brokertop' },
      ...goTo('bans'),
      { press: ['n'] },
      { until: banTexts.add.title },
      { press: ['tab'] },
      { type: 'worker-000001' },
      { press: ['tab'] },
      { type: 'floods' },
      { until: inLine(banTexts.reason, 'floods') },
      { press: ['ctrl-s'] },
      { until: banTexts.add.verb },
      ...sayYes,
      { until: banned },
      { press: ['enter'] },
      gone(banned),
      { until: 'floods' },
    ],
  },
  {
    name: 'compare',
    ...size,
    on: 'compare',
    holds: ['→ now', /bans +came +.*-000002/u],
    steps: [
      { press: ['='] },
      { until: matching(compareTexts.markedNow(any)) },
      { press: ['n'] },
      { until: banTexts.add.title },
      { press: ['tab'] },
      { type: 'worker-000002' },
      { press: ['ctrl-s'] },
      { until: banTexts.add.verb },
      ...sayYes,
      { until: banned },
      { press: ['enter'] },
      gone(banned),
      { press: ['='] },
      onScreen('compare'),
      { until: /bans +came/u },
    ],
  },
  {
    name: 'listener-stop',
    ...size,
    holds: [listenerTexts.question(false), 'ws:default'],
    steps: [...goTo('listeners'), ...filterBy('ws'), { press: ['K'] }, { until: listenerTexts.question(false) }],
  },
  {
    name: 'apiKeys',
    ...size,
    on: 'apiKeys',
    holds: ['brokertop'],
    steps: [{ press: ['esc'] }, gone(listenerTexts.question(false)), ...goTo('apiKeys')],
  },
  // Until the queues of slow workers are full.
  {
    name: 'alarms',
    ...size,
    on: 'alarms',
    holds: [alarmsTexts.active, /worker-\d/u],
    steps: [...goTo('alarms'), { passSeconds: 90 }, { until: /worker-\d/u }],
  },
  {
    name: 'topTalkers',
    ...size,
    on: 'topTalkers',
    holds: [/\d\/s/u, 'MSG/S'],
    steps: [...goTo('topTalkers'), { passSeconds: 20 }, { until: /\d(?: [kM]?B)?\/s/u }],
  },
  {
    name: 'slowSubscriptions',
    ...size,
    on: 'slowSubscriptions',
    holds: [/-\d{6} /u, 'LATENCY'],
    steps: [...goTo('slowSubscriptions'), { until: /-\d{6} /u }],
  },
  {
    name: 'retained',
    ...size,
    on: 'retained',
    holds: [/sensor-\d+\/state/u],
    steps: [...goTo('retained'), { until: /sensor-\d+\/state/u }],
  },
  {
    name: 'session-messages',
    ...size,
    on: 'session-messages',
    holds: [messagesTexts.title.queue, /worker-\d/u, '"value"'],
    steps: [
      ...goTo('sessions'),
      { until: /worker-\d/u },
      { press: ['enter'] },
      { until: clientTexts.session },
      { press: ['M'] },
      { until: '"value"' },
    ],
  },
];

/** Who decides on access, and a trace of a client. */
const accessShots: readonly Shot[] = [
  {
    name: 'accessBackends',
    ...size,
    on: 'accessBackends',
    holds: ['authorization', 'connected'],
    steps: [...goTo('accessBackends'), { until: /\d\/s/u }],
  },
  {
    name: 'traces',
    ...size,
    on: 'traces',
    holds: ['sensor-', 'running'],
    steps: [
      ...goTo('clients'),
      ...filterBy('sensor'),
      { press: ['f'] },
      { until: traceTexts.duration },
      { press: ['enter'] },
      { until: traceTexts.writes.slice(0, 20) },
      ...sayYes,
      onScreen('traces'),
      { until: /running/u },
    ],
  },
  {
    name: 'trace',
    ...size,
    on: 'trace',
    holds: [/published, topic/u],
    // The first Enter closes the notice that the trace has started.
    steps: [{ press: ['enter'] }, { passSeconds: 1 }, { press: ['enter'] }, { until: /published, topic/u }],
  },
];

/** A service that is away, and what is lost because of it. */
const integrationShots: readonly Shot[] = [
  {
    name: 'integrations',
    ...size,
    on: 'integrations',
    holds: ['http:audit', 'Connection refused', /expired +\d/u],
    mayBeUnfinished: true,
    steps: [
      ...goTo('integrations'),
      { until: /http:audit +action/u },
      { press: ['j'] },
      { passSeconds: 30 },
      { until: /expired +\d/u },
      { until: /losing +\d/u },
    ],
  },
];

/** An incident from the alarm to its end. */
const incidentShots: readonly Shot[] = [
  {
    name: 'incident-overview',
    ...size,
    on: 'overview',
    holds: [slowWorker, triageTexts.next, 'Messages'],
    frameMs: 5000,
    steps: [
      { until: 'brokertop' },
      ...goTo('triage'),
      { until: /worker-\d/u },
      ...goTo('overview'),
      { passSeconds: 45 },
    ],
  },
  {
    name: 'incident-session',
    ...size,
    on: 'client',
    holds: [/worker-\d/u, clientTexts.session, clientTexts.subscriptions, /QoS \d/u],
    frameMs: 4000,
    steps: [{ press: ['enter'] }, { until: clientTexts.subscriptions }, { until: /QoS \d/u }, { passSeconds: 12 }],
  },
  {
    name: 'incident-disconnect',
    ...size,
    holds: [disconnect.question, /worker-\d/u],
    frameMs: 4000,
    steps: [{ press: ['K'] }],
  },
  {
    name: 'incident-outcome',
    ...size,
    holds: [start(clientWords.disconnect(any).past), /worker-\d/u],
    frameMs: 4000,
    steps: sayYes,
  },
  {
    name: 'incident-end',
    ...size,
    on: 'client',
    holds: [/worker-\d+ lost \d+ messages/u, /queued +0 of/u],
    frameMs: 6000,
    steps: [
      { press: ['enter'] },
      gone(start(clientWords.disconnect(any).past)),
      { passSeconds: 25 },
      { until: /worker-\d+ lost \d+ messages/u },
    ],
  },
];

/** The overview of all clusters, once the slow workers lose messages again. */
const clustersShots: readonly Shot[] = [
  {
    name: 'clusters',
    ...size,
    holds: ['plant-a', 'plant-b', clustersTexts.reachable(2, 2), slowWorker],
    steps: [{ until: clustersTexts.reachable(2, 2) }, { passSeconds: 40 }],
  },
];

/** One run of the monitor. Each shot starts where the previous one ended. */
export interface Run {
  /** Used instead of the right password. */
  readonly password?: string | undefined;
  /** The API of the cluster; `v2` by default. */
  readonly api?: 'v5' | undefined;
  /** Rules of a cluster of its own, as of `--rule`. */
  readonly rules?: readonly string[] | undefined;
  readonly shots: readonly Shot[];
  /** Watches this cluster, `plant-a`, and a smaller one of another API, `plant-b`, which is in a context of its own. */
  readonly isOfAll?: true | undefined;
  /** The moving picture of the shots that are its frames. */
  readonly animation?: string | undefined;
}

export const runs: readonly Run[] = [
  { shots: incidentShots, animation: 'incident' },
  { shots: mainShots },
  { isOfAll: true, shots: clustersShots },
  { api: 'v5', shots: v5Shots },
  { api: 'v5', shots: accessShots },
  { api: 'v5', rules: ['audit/#=http://127.0.0.1:9/in'], shots: integrationShots },
  {
    password: 'not this one',
    shots: [
      {
        name: 'sign-in',
        cols: 100,
        rows: 24,
        holds: [signInTexts.title, '******'],
        mayBeUnfinished: true,
        steps: [{ until: signInTexts.password(safe`admin`).trim() }, { passSeconds: 1 }, { type: 'secret' }],
      },
    ],
  },
];

/** The names of all pictures. */
export const pictureNames: readonly string[] = runs.flatMap(({ shots, animation }) => [
  ...shots.map(({ name }) => name),
  ...(animation === undefined ? [] : [animation]),
]);
