import { pluginDuty } from '../../src/api/dialects/plugin-duties.ts';
import { settingTraits } from '../../src/api/dialects/emq-v2/settings.ts';
import type { DialogRequest, ConfirmRequest, FormRequest, MenuChoice } from '../../src/actions/requests.ts';
import type { ReactNode } from 'react';
import type { Plugin, Setting } from '../../src/domain/administration.ts';
import type { MonitorState } from '../../src/monitor/state.ts';
import { DialogContext } from '../../src/tui/hooks/open-dialog.ts';
import { createRig, type Rig } from '../tui/support/rig.tsx';
import { createFakeMonitor, type FakeMonitor, figuresOf, propsOf, ready, tableOf } from './list-fixtures.ts';
import type { ScreenProps } from '../../src/tui/screen.ts';
import { createKeymap } from '../../src/screens/keys.ts';
import { stoppedStats } from '../support/records.ts';

export const [node1, node2, node3] = ['broker1@127.0.0.1', 'broker2@127.0.0.1', 'broker3@127.0.0.1'] as const;

export const capabilitiesA: NonNullable<MonitorState['capabilities']> = {
  unsubscribe: false,
  settings: false,
  nodeSubscriptionsOfClient: false,
  pluginPerNode: false,
  sessionTotals: false,
  metricsByNode: true,
  apiName: 'API v2 A',
};
export const capabilitiesB: NonNullable<MonitorState['capabilities']> = {
  unsubscribe: true,
  settings: true,
  nodeSubscriptionsOfClient: true,
  pluginPerNode: true,
  sessionTotals: true,
  metricsByNode: false,
};

export const pluginOf = (name: string, active: boolean | undefined, patch: Partial<Plugin> = {}): Plugin => ({
  name,
  version: '2.3.11',
  description: `The ${name}`,
  active,
  duty: pluginDuty(name),
  ...patch,
});

export const settingOf = (key: string, value: string | undefined, patch: Partial<Setting> = {}): Setting => ({
  key,
  value,
  dataType: 'string',
  app: 'broker',
  appliesTo: 'all',
  // As the dialect knows them.
  meaning: settingTraits('broker', key).meaning,
  ...patch,
});

/** Two running nodes and a stopped one. */
export const createCluster = (patch: Partial<MonitorState> = {}): FakeMonitor => {
  const monitor = createFakeMonitor({ capabilities: capabilitiesB, ...patch });
  monitor.setResources({ nodeStats: ready([figuresOf(node1), figuresOf(node2), stoppedStats(node3)]) });
  return monitor;
};

export interface AskingRig extends Rig {
  /** The dialogs that the screen opened, oldest first. */
  readonly asked: readonly DialogRequest[];
}

/** A screen whose dialogs are only recorded. */
export const createAskingRig = (
  screen: ReactNode,
  [columns, rows]: readonly [number, number],
  { isReadOnly = false } = {},
): AskingRig => {
  const asked: DialogRequest[] = [];
  const rig = createRig(
    <DialogContext
      value={(request) => {
        asked.push(request);
      }}
    >
      {screen}
    </DialogContext>,
    { columns, rows, keymap: createKeymap({ isReadOnly }) },
  );
  return Object.assign(rig, { asked });
};

export const confirmOf = (request: MenuChoice['next'] | undefined): ConfirmRequest => {
  if (typeof request !== 'object' || request.kind !== 'confirm')
    throw new Error(`Not a question: ${JSON.stringify(request)}`);
  return request;
};

export const formOf = (request: MenuChoice['next'] | undefined): FormRequest => {
  if (typeof request !== 'object' || request.kind !== 'form') throw new Error(`Not a form: ${JSON.stringify(request)}`);
  return request;
};

/** The error of a form with these values, or the next dialog. */
export const fill = (form: FormRequest, values: Readonly<Record<string, string>>): string | ConfirmRequest => {
  const initial = Object.fromEntries(
    form.fields.map(({ id, initial: text, kind, choices }) => [
      id,
      text ?? (kind === 'choice' ? choices?.[0] : undefined) ?? '',
    ]),
  );
  const built = form.build({ ...initial, ...values });
  if ('later' in built || 'done' in built) throw new Error('This form fetches nothing.');
  return 'error' in built ? built.error : confirmOf(built.next);
};

/** The confirmation after a form with these values. */
export const confirmed = (form: FormRequest, values: Readonly<Record<string, string>>): ConfirmRequest => {
  const question = fill(form, values);
  if (typeof question === 'string') throw new Error(question);
  return question;
};

type Open = (
  monitor: FakeMonitor,
  size?: readonly [number, number],
  options?: { readonly isReadOnly: boolean },
) => AskingRig;

/** Returns what opens a screen whose dialogs are only recorded; of a list also its table alone. */
export const openersOf = (
  draw: (props: ScreenProps) => ReactNode,
  usual: readonly [number, number] = [139, 12],
): { readonly openWhole: Open; readonly open: Open } => {
  const openWhole: Open = (monitor, size = usual, options) =>
    createAskingRig(draw(propsOf(monitor, size)), size, options);
  return {
    openWhole,
    open: (monitor, size = usual, options) => tableOf(openWhole(monitor, size, options), size[0]),
  };
};

/** A text that escapes the terminal and turns the direction of reading. */
export const hostile = 'z\u001B[2J\u202E';

/** The cells of a line, where two spaces or more are between them. */
export const cellsOf = (line = ''): readonly string[] => line.trim().split(/\s{2,}/);
