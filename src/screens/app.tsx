import { type ReactNode, useEffect, useMemo, useState } from 'react';
import type { MonitorState } from '../monitor/state.ts';
import type { Reports } from '../terminal/reports.ts';
import type { ThemeName } from '../terminal/theme-name.ts';
import { onBackground, type Theme } from '../terminal/theme.ts';
import type { TriagedMonitor } from '../triage/triaged-monitor.ts';
import { ClickTargets, ClickTargetsContext, ThemeChoiceContext, ThemeContext } from '../tui/components/drawing.tsx';
import { SelectionProvider } from '../resources/clients/view/client-keys.ts';
import { Frame } from './frame.tsx';
import type { SignInView } from '../tui/frame/sign-in.tsx';
import { useTicksWith } from '../tui/hooks/use-now.ts';
import { useStore } from '../tui/hooks/use-store.ts';
import type { ExtraKeys } from '../tui/keys/keymap.ts';
import { KeysProvider, usePointer } from '../tui/keys/use-keys.ts';
import { ListMemoryProvider, type Preferences } from '../tui/list/list-state.ts';
import { createKeymap } from './keys.ts';
import type { SessionView } from './session-view.ts';
import { AcknowledgeContext } from '../resources/problems/view/acknowledge.ts';
import type { Travel } from '../monitor/travel.ts';

export interface AppProps {
  readonly monitor: TriagedMonitor;
  readonly session: SessionView;
  readonly signIn: SignInView;
  /** The theme at the start; that of the background once `reports` know it. */
  readonly theme: Theme;
  /** Themes that the operator can choose while the program runs. */
  readonly themeNamed?: ((name: ThemeName) => Theme) | undefined;
  readonly reports?: Reports | undefined;
  readonly preferences?: Preferences | undefined;
  /** Called with the name of each command. Must be the same function at every rendering. */
  readonly onCommand?: ((name: string) => void) | undefined;
  /** Called as the operator quits; calls `exit` when the terminal owes nothing. */
  readonly onLeave?: ((exit: () => void) => void) | undefined;
  /** Moves through what was recorded. */
  readonly travel?: Travel | undefined;
}

const selectIsPast = ({ past }: MonitorState): boolean => past !== undefined;

/** A question ignores answers for so long, so that `K` and `y` typed in a row do not confirm it. */
const settleMs = 500;

interface ThemeChoice {
  readonly theme: Theme;
  readonly choose: ((name: ThemeName) => void) | undefined;
}

/** Keeps the theme: the one at the start, or `auto`, fits the background; one that was chosen stays. */
const useChosenTheme = (
  first: Theme,
  themeNamed: AppProps['themeNamed'],
  reports: Reports | undefined,
): ThemeChoice => {
  const [isLight, setIsLight] = useState<boolean>();
  const [chosen, setChosen] = useState<ThemeName>();
  useEffect(
    () =>
      reports?.subscribe((report) => {
        if (report.kind === 'background') setIsLight(report.isLight);
      }),
    [reports],
  );
  const theme = useMemo(() => {
    const base = chosen === undefined ? first : (themeNamed?.(chosen) ?? first);
    return isLight === undefined || (chosen !== undefined && chosen !== 'auto') ? base : onBackground(base, isLight);
  }, [first, themeNamed, chosen, isLight]);
  return { theme, choose: themeNamed === undefined ? undefined : setChosen };
};

/** One notch of the wheel moves so many rows. */
const wheelRows = 3;

interface MouseProps {
  readonly reports: Reports | undefined;
  readonly children: ReactNode;
}

/** Gives clicks and the wheel of the terminal's reports to what is drawn in it. */
export const Mouse = ({ reports, children }: MouseProps): ReactNode => {
  const [targets] = useState(() => new ClickTargets());
  const { roll } = usePointer();
  useEffect(
    () =>
      reports?.subscribe((report) => {
        if (report.kind !== 'mouse') return;
        const { action, button, column, row } = report;
        if (action === 'up' || action === 'down') roll(action === 'up' ? 'Up' : 'Down', wheelRows);
        else if (action === 'press' && button === 'left') targets.click(row, column);
      }),
    [reports, roll, targets],
  );
  return <ClickTargetsContext value={targets}>{children}</ClickTargetsContext>;
};

export interface ProgramProvidersProps extends Pick<
  AppProps,
  'theme' | 'themeNamed' | 'reports' | 'preferences' | 'onCommand'
> {
  readonly isReadOnly: boolean;
  readonly isPast?: boolean | undefined;
  readonly extraKeys?: ExtraKeys | undefined;
  readonly children: ReactNode;
}

/** Provides theme, keys, mouse and memory of lists for whatever has the screen. */
export const ProgramProviders = ({
  theme: first,
  themeNamed,
  reports,
  preferences,
  onCommand,
  isReadOnly,
  isPast,
  extraKeys,
  children,
}: ProgramProvidersProps): ReactNode => {
  const { theme, choose } = useChosenTheme(first, themeNamed, reports);
  const keymap = useMemo(() => createKeymap({ isReadOnly, isPast, extraKeys }), [isReadOnly, isPast, extraKeys]);
  return (
    <ThemeContext value={theme}>
      <ThemeChoiceContext value={choose}>
        <KeysProvider keymap={keymap} settleMs={settleMs} onCommand={onCommand}>
          <Mouse reports={reports}>
            <ListMemoryProvider preferences={preferences}>{children}</ListMemoryProvider>
          </Mouse>
        </KeysProvider>
      </ThemeChoiceContext>
    </ThemeContext>
  );
};

export const App = ({
  monitor,
  session,
  signIn,
  theme,
  themeNamed,
  reports,
  preferences,
  onCommand,
  onLeave,
  travel,
}: AppProps): ReactNode => {
  const { isReadOnly, extraKeys } = session;
  const isPast = useStore(monitor.store, selectIsPast);
  useTicksWith(monitor.store);
  return (
    <ProgramProviders
      theme={theme}
      themeNamed={themeNamed}
      reports={reports}
      preferences={preferences}
      isReadOnly={isReadOnly}
      isPast={isPast}
      extraKeys={extraKeys}
      onCommand={onCommand}
    >
      <AcknowledgeContext value={isPast ? undefined : monitor.acknowledge}>
        <SelectionProvider>
          <Frame monitor={monitor} session={session} signIn={signIn} onLeave={onLeave} travel={travel} />
        </SelectionProvider>
      </AcknowledgeContext>
    </ProgramProviders>
  );
};
