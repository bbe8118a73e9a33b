import { Box, useApp } from 'ink';
import { type ReactNode, useCallback, useMemo, useReducer, useRef, useState } from 'react';
import type { ActingMonitor } from '../../actions/acting-monitor.ts';
import { selectHasLongScan } from '../../monitor/select/freshness.ts';
import type { MonitorState } from '../../monitor/state.ts';
import { safe } from '../../terminal/safe-text.ts';
import { KeyHints } from '../components/key-hints.tsx';
import { useTheme } from '../components/theme-context.ts';
import { TooSmall } from '../components/too-small.tsx';
import { AskDialog, useAskHost } from '../dialogs/ask-host.tsx';
import { AskContext } from '../dialogs/ask.ts';
import { publishRequest, type PublishStart, PublishStartContext } from '../dialogs/publish-request.ts';
import { useNotice } from '../hooks/use-notice.ts';
import { isTooSmall, smallestSize, useRepaint, useRepaintOnResize, useTerminalSize } from '../hooks/use-screen.ts';
import { useStore } from '../hooks/use-store.ts';
import type { Keymap, KnownBinding } from '../keys/keymap.ts';
import { useAvailableCommands, useKeymap, useKeys, useTopScope } from '../keys/use-keys.ts';
import { VisitIdContext } from '../list/list-state.ts';
import { stopScan } from '../list/scan-view.ts';
import { breadcrumbsOf, currentPlace, navigate, placeKey, startNavigation } from '../navigation.ts';
import { CurrentScreen } from '../screens/current-screen.tsx';
import { BreadcrumbsContext } from './breadcrumbs.ts';
import { Header, headerHeight } from './header.tsx';
import { Help } from './help.tsx';
import { absentNotes, dialogScopeOf, hintedAt, hintsOf, isAbsent } from './hints.ts';
import { Message } from './message.tsx';
import { Palette } from './palette.tsx';
import { exposureTexts, type SessionView } from './screen.ts';
import { NoFilter, SignIn, type SignInView, useSignIn } from './sign-in.tsx';
import { useCommands } from './use-commands.ts';

/** Lines below the body: message and key hints. */
const footerHeight = 2;

const longScanNow = (state: MonitorState): boolean => selectHasLongScan(state, Date.now());

/** Actions of other screens. */
const elsewhere = (here: readonly KnownBinding[], { bindings }: Keymap): readonly KnownBinding[] =>
  bindings.filter((binding) => binding.group === 'Actions' && !here.includes(binding));

export interface FrameProps {
  readonly monitor: ActingMonitor;
  readonly session: SessionView;
  /** How the password is entered again after a 401. */
  readonly signIn: SignInView;
}

/** Header, tabs, message and hints around the current screen. */
export const Frame = ({ monitor, session, signIn: signInView }: FrameProps): ReactNode => {
  const { columns, rows } = useTerminalSize();
  const repaint = useRepaint();
  useRepaintOnResize({ columns, rows }, repaint);
  const keymap = useKeymap();
  const available = useAvailableCommands();
  const topScope = useTopScope();
  const [navigation, dispatch] = useReducer(navigate, startNavigation);
  const [overlay, setOverlay] = useState<'help' | 'palette' | 'no-filter' | undefined>(undefined);
  const [notice, notify] = useNotice(placeKey(currentPlace(navigation)));
  const theme = useTheme();
  const { exit } = useApp();
  const host = useAskHost({ monitor, isReadOnly: session.isReadOnly, notify, exit });
  const { ask, entry } = host;
  const publishStart = useRef<PublishStart>({});
  const publish = useCallback(() => { ask(publishRequest(theme, session.readPayload, publishStart.current)); }, [ask, theme, session.readPayload]);
  const signIn = useSignIn({ monitor, view: signInView, notify, isBusy: overlay !== undefined || entry !== undefined || topScope === 'prompt' });
  const breadcrumbs = useMemo(() => breadcrumbsOf(navigation), [navigation]);
  const isOpened = breadcrumbs.length > 0;
  const back = useCallback(() => {
    if (isOpened) dispatch({ type: 'close' });
    else if (selectHasLongScan(monitor.store.getState(), Date.now())) notify(stopScan(monitor));
  }, [isOpened, monitor, notify]);
  const commands = useCommands({ monitor, dispatch, notify, openOverlay: setOverlay, repaint, publish, showBulk: host.showBulk, quit: host.quit, signIn: signIn.begin, back });
  useKeys('global', commands, {
    onText: (text) => {
      if (keymap.find('list', text)?.id === 'filter') setOverlay('no-filter');
      if (keymap.missing.has(text === ' ' ? 'Space' : text)) notify(safe`read-only: this program was started to look only`);
    },
  });

  const capabilities = useStore(monitor.store, (state) => state.capabilities);
  const url = useStore(monitor.store, (state) => state.takeover?.url) ?? session.url;
  const place = currentPlace(navigation);
  const hasLongScan = useStore(monitor.store, longScanNow);
  const close = (): void => { setOverlay(undefined); };
  const tooSmall = isTooSmall({ columns, rows });
  // On a terminal that is too small the screen stays mounted, laid out for the smallest size.
  const size = tooSmall
    ? { width: smallestSize.columns, height: smallestSize.rows - headerHeight - footerHeight }
    : { width: columns, height: rows - headerHeight - footerHeight };
  const hinted = overlay === 'no-filter' ? 'prompt' : overlay ?? dialogScopeOf(topScope) ?? hintedAt(place);
  useKeys('tooSmall', { quitTooSmall: commands.quit }, { isActive: tooSmall });

  return (
    <Box flexDirection="column" width={columns} height={rows} overflow="hidden">
      {tooSmall && <TooSmall columns={columns} rows={rows} needed={smallestSize} always={exposureTexts(session)} quit={entry?.shown.kind === 'quit' ? safe`cuts an action short: q quits` : safe`q quit`} />}
      <Box flexDirection="column" width={columns} height={rows} display={tooSmall ? 'none' : 'flex'} overflow="hidden">
        <Header monitor={monitor} session={session} place={place} width={columns} />
        {overlay === 'help' && <Help {...size} keymap={keymap} screen={place.screen} absent={absentNotes({ capabilities, isReadOnly: session.isReadOnly })} onClose={close} />}
        {overlay === 'palette' && (
          <Palette
            {...size}
            bindings={available.available().filter(({ id }) => id !== 'palette' && !isAbsent(id, capabilities))}
            elsewhere={elsewhere(available.available(), keymap).filter(({ id }) => !isAbsent(id, capabilities))}
            named={available.named()}
            onClose={close}
            onChoose={(id) => {
              close();
              available.run(id);
            }}
          />
        )}
        <Box flexDirection="column" {...size} display={overlay === undefined || overlay === 'no-filter' ? 'flex' : 'none'} overflow="hidden">
          <Box flexDirection="column" flexGrow={1} flexShrink={1} overflow="hidden">
            <PublishStartContext value={publishStart}>
              <BreadcrumbsContext value={breadcrumbs}>
              <AskContext value={ask}>
                <VisitIdContext value={'visitId' in place ? place.visitId : undefined}>
                  <CurrentScreen
                    key={placeKey(place)}
                    {...size}
                    monitor={monitor}
                    place={place}
                    ownUser={session.user}
                    notify={notify}
                    go={(next) => { dispatch({ type: 'open', place: next }); }}
                  />
                </VisitIdContext>
              </AskContext>
              </BreadcrumbsContext>
            </PublishStartContext>
          </Box>
          {entry !== undefined && (
            <Box flexDirection="column" flexShrink={0}>
              <AskDialog key={entry.key} host={host} entry={entry} monitor={monitor} {...size} />
            </Box>
          )}
          {overlay === 'no-filter' && <NoFilter width={size.width} onClose={close} />}
          {signIn.isOpen && overlay === undefined && entry === undefined && (
            <Box flexDirection="column" flexShrink={0}>
              <SignIn state={signIn} user={session.user} url={url} width={size.width} />
            </Box>
          )}
        </Box>
        {/* An earlier message would look like the answer to a question. */}
        <Message monitor={monitor} notice={entry === undefined ? notice : undefined} width={columns} />
        <KeyHints keymap={keymap} width={columns} commands={hintsOf(hinted, capabilities, { isOpened, hasLongScan })} />
      </Box>
    </Box>
  );
};
