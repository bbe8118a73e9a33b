import type { Expected } from '../test/support/terminal.ts';
import type { Key } from '../test/support/terminal-keys.ts';

/** One step on the way to a picture: keys, text, or something that has to be on the screen first. */
export type Step =
  | { readonly press: readonly Key[] }
  | { readonly type: string }
  | { readonly until: Expected }
  /** For curves that need some history; nothing on the screen says when there is enough. */
  | { readonly passSeconds: number };

export interface Shot {
  /** File name without its ending. */
  readonly name: string;
  readonly cols: number;
  readonly rows: number;
  readonly steps: readonly Step[];
}

/** What was open is closed: `Esc` and the key after it in one piece would be another key. */
const gone = (text: string): Step => ({ until: (terminal) => !terminal.text().includes(text) });

/** All taken in one run of the monitor, in this order: each begins where the one before ended. */
export const shots: readonly Shot[] = [
  { name: 'nodes', cols: 120, rows: 36, steps: [{ until: 'brokertop' }, { passSeconds: 30 }, { press: ['2'] }, { until: 'sorted by node' }] },
  { name: 'node', cols: 120, rows: 36, steps: [{ press: ['enter'] }, { until: /Esc back/ }, { passSeconds: 3 }] },
  { name: 'listeners', cols: 120, rows: 36, steps: [{ press: ['3'] }, { until: 'mqtt:tcp' }] },
  { name: 'clients', cols: 120, rows: 36, steps: [{ press: ['4'] }, { until: /scanned 100 %/ }, { press: ['j', 'j', 'j'] }] },
  { name: 'disconnect', cols: 120, rows: 36, steps: [{ press: ['K'] }, { until: 'Disconnect this client' }] },
  { name: 'columns', cols: 120, rows: 36, steps: [{ press: ['n'] }, gone('Disconnect this client'), { press: ['C'] }, { until: 'Columns' }, { press: ['j', 'j', 'space'] }] },
  { name: 'bulk', cols: 120, rows: 36, steps: [
    { press: ['r', 'C'] }, gone('Columns'), { press: ['/'] }, { type: 'node:broker2' }, { until: /node:broker2.* \d+ of \d+/ }, { press: ['enter', '*', 'K'] }, { until: 'to disconnect them' },
  ] },
  { name: 'publish', cols: 120, rows: 36, steps: [
    { press: ['esc'] }, gone('to disconnect them'), { press: ['U', 'esc'] }, gone('node:broker2'),
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
  { name: 'more', cols: 120, rows: 36, steps: [{ press: ['0'] }, { until: 'Users' }] },
  { name: 'log', cols: 120, rows: 36, steps: [{ press: ['esc', 'L'] }, { until: 'Actions are recorded' }] },
  { name: 'triage', cols: 120, rows: 36, steps: [{ press: ['T'] }, { until: /Slow consumer worker/ }, { passSeconds: 15 }] },
  { name: 'overview', cols: 120, rows: 36, steps: [{ press: ['1'] }, { passSeconds: 10 }] },
  { name: 'metrics', cols: 120, rows: 36, steps: [{ press: ['9'] }, { until: 'bytes/received' }, { passSeconds: 10 }] },
  { name: 'help', cols: 120, rows: 36, steps: [{ press: ['?'] }, { until: 'Move up' }] },
];
