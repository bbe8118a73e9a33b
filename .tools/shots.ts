import type { Key } from '../test/support/terminal-keys.ts';
import type { Expected } from '../test/support/terminal.ts';

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
}

/** Waits until a dialog is closed: `Esc` sent with the next key would be another key. */
const gone = (text: string): Step => ({ until: (terminal) => !terminal.text().includes(text) });

/** Confirmations ignore keys for a moment. */
const settled: Step = { passSeconds: 1 };
const sayYes: readonly Step[] = [settled, { press: ['y'] }];

const mainShots: readonly Shot[] = [
  { name: 'nodes', cols: 120, rows: 36, steps: [{ until: 'brokertop' }, { passSeconds: 30 }, { press: ['2'] }, { until: 'sorted by node' }] },
  { name: 'node', cols: 120, rows: 36, steps: [{ press: ['enter'] }, { until: /Esc back/ }, { passSeconds: 3 }] },
  { name: 'listeners', cols: 120, rows: 36, steps: [{ press: ['3'] }, { until: 'mqtt:tcp' }] },
  { name: 'clients', cols: 120, rows: 36, steps: [{ press: ['4'] }, { until: /scanned 100 %/ }, { press: ['j', 'j', 'j'] }] },
  { name: 'disconnect', cols: 120, rows: 36, steps: [{ press: ['K'] }, { until: 'Disconnect this client' }] },
  { name: 'actions', cols: 120, rows: 36, steps: [{ press: ['n'] }, gone('Disconnect this client'), { press: ['a'] }, { until: 'clear its ACL cache' }] },
  { name: 'subscribe', cols: 120, rows: 36, steps: [
    { press: ['down', 'enter'] }, { until: 'Subscribe on behalf of' }, { type: 'plant/+/alarm' }, { until: /topic filter +plant/ }, { press: ['tab', 'right'] }, { until: '« 1 »' },
  ] },
  { name: 'outcome', cols: 120, rows: 36, steps: [{ press: ['ctrl-s'] }, { until: 'Subscribe this client?' }, ...sayYes, { until: 'Done: subscribe' }] },
  { name: 'unsubscribe', cols: 120, rows: 36, steps: [
    { press: ['enter'] }, gone('Done: subscribe'), { press: ['a'] }, { until: 'clear its ACL cache' }, { press: ['down', 'down', 'enter'] }, { until: /Unsubscribe .* from[^]*plant\/\+\/alarm/ },
  ] },
  { name: 'acl-cache', cols: 120, rows: 36, steps: [
    { press: ['esc'] }, gone('Unsubscribe'), { press: ['a'] }, { until: 'clear its ACL cache' }, { press: ['down', 'down', 'down', 'enter'] }, { until: 'Clear the ACL cache of' }, { type: 'plant/line1/alarm' }, { until: /topic +plant/ },
  ] },
  { name: 'columns', cols: 120, rows: 36, steps: [{ press: ['esc'] }, gone('Clear the ACL cache'), { press: ['C'] }, { until: 'Columns' }, { press: ['j', 'j', 'space'] }] },
  { name: 'bulk', cols: 120, rows: 36, steps: [
    { press: ['r', 'C'] }, gone('Columns'), { press: ['/'] }, { type: 'node:broker2' }, { until: /node:broker2.* \d+ of \d+/ }, { press: ['enter', '*', 'K'] }, { until: 'to disconnect them' },
  ] },
  { name: 'bulk-running', cols: 120, rows: 36, steps: [
    { press: ['esc'] }, gone('to disconnect them'), { press: ['U', 'esc'] }, gone('node:broker2'),
    { press: ['g', ...Array.from({ length: 40 }, () => 'space')] }, { until: '40 marked' }, { press: ['K'] }, { until: 'type 40 to disconnect them' },
    settled, { press: ['-', '-', '4', '0'] }, { until: 'disconnect them: 40' }, { press: ['enter'] }, { until: 'leave it running' }, { passSeconds: 3 },
  ] },
  { name: 'publish', cols: 120, rows: 36, steps: [
    { press: ['esc'] }, gone('leave it running'),
    { press: ['P'] }, { until: 'Publish a message' }, { type: 'plant/line1/alarm' }, { press: ['tab'] }, { type: '{"level":"high"}' }, { until: '{"level":"high"}' }, { press: ['tab', 'tab', 'right'] },
  ] },
  { name: 'client', cols: 120, rows: 36, steps: [{ press: ['esc'] }, gone('Publish a message'), { press: ['enter'] }, { until: /QoS \d/ }] },
  { name: 'sessions', cols: 120, rows: 36, steps: [{ press: ['5'] }, { until: /scanned 100 %/ }, { press: ['>'] }, { until: /NODE [▲▼]/ }, { press: ['>'] }, { until: /CONN [▲▼]/ }, { press: ['>'] }, { until: /INFLIGHT [▲▼]/ }, { press: ['>'] }, { until: /QUEUE [▲▼]/ }, { passSeconds: 12 }] },
  { name: 'subscriptions', cols: 120, rows: 36, steps: [{ press: ['6'] }, { until: /scanned 100 %/ }] },
  { name: 'groups', cols: 120, rows: 36, steps: [{ press: ['4'] }, { until: /scanned 100 %/ }, { press: ['o'] }, { until: 'SHARE' }] },
  { name: 'routes', cols: 120, rows: 36, steps: [{ press: ['7'] }, { until: /scanned 100 %/ }, { press: ['t'] }, { until: 'FILTERS' }, { press: ['j', 'right', 'right', 'right', 'right'] }, { until: '[-]' }] },
  { name: 'plugins', cols: 120, rows: 36, steps: [{ press: ['8'] }, { until: 'broker_retainer' }] },
  { name: 'plugin-stop', cols: 120, rows: 36, steps: [{ press: ['/'] }, { type: 'retainer' }, { until: '1 of 20' }, { press: ['enter', 'K'] }, { until: 'Stop this plugin' }] },
  { name: 'plugin-settings', cols: 120, rows: 36, steps: [{ press: ['esc'] }, gone('Stop this plugin'), { press: ['enter'] }, { until: 'Settings of' }, { until: 'retainer.max_payload_size' }, { press: ['e'] }, { until: 'Ctrl-S' }] },
  { name: 'settings', cols: 120, rows: 36, steps: [{ press: ['esc'] }, gone('Ctrl-S'), { press: [','] }, { until: 'mqtt.session.max_inflight' }] },
  { name: 'setting-change', cols: 120, rows: 36, steps: [
    { press: ['/'] }, { type: 'max_inflight' }, { until: /1 of \d+/ }, { press: ['enter', 'e'] }, { until: 'Ctrl-S' }, { press: ['ctrl-u'] }, { type: '64' }, { press: ['ctrl-s'] }, { until: '→ 64' },
  ] },
  { name: 'users', cols: 120, rows: 36, steps: [{ press: ['esc'] }, { until: 'Ctrl-S' }, { press: ['esc'] }, gone('Ctrl-S'), { press: ['@'] }, { until: 'this program' }] },
  { name: 'user-new', cols: 120, rows: 36, steps: [
    { press: ['n'] }, { until: 'New user' }, { type: 'night-shift' }, { until: 'night-shift' }, { press: ['tab'] }, { type: 'only for a picture' }, { until: /Password +\*{8}/ },
  ] },
  { name: 'user-delete', cols: 120, rows: 36, steps: [
    { press: ['tab'] }, { type: 'only for a picture' }, { press: ['tab'] }, { until: '4 of 4' }, { type: 'auditor' }, { until: /Tags +auditor/ }, { press: ['ctrl-s'] }, { until: 'Add this user?' }, ...sayYes,
    { until: 'Done: add user' }, { press: ['enter'] }, gone('Done: add user'), { press: ['G'] }, { until: '▸night-shift' }, { press: ['D'] }, { until: 'Delete this user?' },
  ] },
  { name: 'more', cols: 120, rows: 36, steps: [{ press: ['esc'] }, gone('Delete this user?'), { press: ['0'] }, { until: 'Users' }] },
  { name: 'log', cols: 120, rows: 36, steps: [{ press: ['esc', 'L'] }, { until: 'Actions are recorded' }] },
  { name: 'triage', cols: 120, rows: 36, steps: [{ press: ['T'] }, { until: /Slow consumer worker/ }, { passSeconds: 15 }] },
  { name: 'overview', cols: 120, rows: 36, steps: [{ press: ['1'] }, { passSeconds: 10 }] },
  { name: 'metrics', cols: 120, rows: 36, steps: [{ press: ['9'] }, { until: 'bytes.received' }, { passSeconds: 10 }] },
  { name: 'palette', cols: 120, rows: 36, steps: [{ press: [':'] }, { type: 'client' }, { until: /client[^]*Clients/ }] },
  { name: 'help', cols: 120, rows: 36, steps: [{ press: ['esc'] }, { until: 'bytes.received' }, { press: ['?'] }, { until: 'Move up' }] },
  { name: 'overview-80x24', cols: 80, rows: 24, steps: [{ press: ['esc'] }, gone('Move up'), { press: ['1'] }, { passSeconds: 2 }] },
  { name: 'triage-80x24', cols: 80, rows: 24, steps: [{ press: ['T'] }, { until: 'Slow consumer' }] },
  { name: 'clients-80x24', cols: 80, rows: 24, steps: [{ press: ['4'] }, { until: /scanned 100 %/ }] },
  { name: 'disconnect-80x24', cols: 80, rows: 24, steps: [{ press: ['K'] }, { until: 'Disconnect this client' }] },
  { name: 'publish-80x24', cols: 80, rows: 24, steps: [{ press: ['n'] }, gone('Disconnect this client'), { press: ['P'] }, { until: 'Publish a message' }, { press: ['ctrl-u'] }, { type: 'plant/line1/alarm' }, { press: ['tab'] }] },
];

/** One run of the monitor. Each shot starts where the previous one ended. */
export interface Run {
  /** Used instead of the right password. */
  readonly password?: string | undefined;
  readonly shots: readonly Shot[];
}

export const runs: readonly Run[] = [
  { shots: mainShots },
  { password: 'not this one', shots: [{ name: 'sign-in', cols: 100, rows: 24, steps: [{ until: 'Password of admin:' }, { type: 'secret' }, { until: '******' }] }] },
];
