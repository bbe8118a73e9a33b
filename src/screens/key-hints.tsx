import type { ReactNode } from 'react';
import type { WatchedMonitor } from '../actions/acting-monitor.ts';
import type { MonitorState } from '../monitor/state.ts';
import { Rows, useTheme } from '../tui/components/drawing.tsx';
import { useStore } from '../tui/hooks/use-store.ts';
import type { Keymap } from '../tui/keys/keymap.ts';
import { usePointer, useRuns } from '../tui/keys/use-keys.ts';
import { type Hinted, hintsOf, isDialog } from './hints.ts';
import { pastTexts } from '../tui/frame/texts.ts';
import { hintAt, hintLine, type HintLineOptions } from '../tui/frame/hint-line.ts';

export interface KeyHintsProps {
  readonly monitor: WatchedMonitor;
  readonly keymap: Keymap;
  readonly screen: Hinted;
  readonly hasLongScan: boolean;
  readonly selectedCount: number;
  readonly width: number;
}

const selectLoad = ({ causedLoad }: MonitorState): MonitorState['causedLoad'] => causedLoad;

const selectIsPast = ({ past }: MonitorState): boolean => past !== undefined;

const selectFrozen = ({ isFrozen }: MonitorState): boolean => isFrozen;

const selectCapabilities = ({ capabilities }: MonitorState): MonitorState['capabilities'] => capabilities;

export const KeyHints = ({ monitor, keymap, screen, width, hasLongScan, selectedCount }: KeyHintsProps): ReactNode => {
  const theme = useTheme();
  const causedLoad = useStore(monitor.store, selectLoad);
  // Not while a dialog is open: it would stand where its keys are looked for.
  const isPast = useStore(monitor.store, selectIsPast);
  const load = isDialog(screen) || isPast ? undefined : causedLoad;
  const lead = isPast && !isDialog(screen) ? pastTexts.actionsOff : undefined;
  const capabilities = useStore(monitor.store, selectCapabilities);
  const runs = useRuns();
  const commands = hintsOf(screen, capabilities, { runs, hasLongScan, selectedCount, isPast });
  const counts: HintLineOptions['counts'] = selectedCount === 0 ? undefined : new Map([['disconnect', selectedCount]]);
  const isFrozen = useStore(monitor.store, selectFrozen);
  const { click } = usePointer();
  const onClick = (_line: number, column: number): void => {
    const id = hintAt(theme, width, keymap, commands, column, { counts, isFrozen, load, lead });
    if (id !== undefined) click(id);
  };
  return (
    <Rows onClick={onClick} lines={[hintLine(theme, width, keymap, commands, { counts, isFrozen, load, lead })]} />
  );
};
