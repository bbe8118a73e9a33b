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

/** All taken in one run of the monitor, in this order: each begins where the one before ended. */
export const shots: readonly Shot[] = [
  { name: 'overview', cols: 120, rows: 36, steps: [{ until: 'brokertop' }, { press: ['1'] }, { passSeconds: 60 }] },
  { name: 'nodes', cols: 120, rows: 36, steps: [{ press: ['2'] }, { until: 'sorted by node' }] },
  { name: 'listeners', cols: 120, rows: 36, steps: [{ press: ['3'] }, { until: 'mqtt:tcp' }] },
  { name: 'clients', cols: 120, rows: 36, steps: [{ press: ['4'] }, { until: /scanned 100 %/ }, { press: ['j', 'j', 'j'] }] },
  { name: 'client', cols: 120, rows: 36, steps: [{ press: ['enter'] }, { until: /QoS \d/ }] },
  { name: 'sessions', cols: 120, rows: 36, steps: [{ press: ['5'] }, { until: /scanned 100 %/ }, { passSeconds: 6 }] },
  { name: 'subscriptions', cols: 120, rows: 36, steps: [{ press: ['6'] }, { until: /scanned 100 %/ }] },
  { name: 'routes', cols: 120, rows: 36, steps: [{ press: ['7'] }, { until: /scanned 100 %/ }, { press: ['t'] }, { until: 'FILTERS' }, { press: ['j', 'right', 'right', 'right', 'right'] }, { until: '[-]' }] },
  { name: 'plugins', cols: 120, rows: 36, steps: [{ press: ['8'] }, { until: 'broker_retainer' }] },
  { name: 'plugin-stop', cols: 120, rows: 36, steps: [{ press: ['/'] }, { type: 'retainer' }, { until: '1 of 20' }, { press: ['enter', 'x'] }, { until: 'Stop this plugin' }] },
  { name: 'settings', cols: 120, rows: 36, steps: [{ press: ['n', ','] }, { until: 'mqtt.session.max_inflight' }] },
  { name: 'users', cols: 120, rows: 36, steps: [{ press: ['@'] }, { until: 'this program' }] },
  { name: 'triage', cols: 120, rows: 36, steps: [{ press: ['T'] }, { passSeconds: 15 }] },
  { name: 'metrics', cols: 120, rows: 36, steps: [{ press: ['9'] }, { until: 'bytes/received' }, { passSeconds: 10 }] },
  { name: 'help', cols: 120, rows: 36, steps: [{ press: ['?'] }, { until: 'Move up' }] },
];
