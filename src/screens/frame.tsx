import { bulkViews } from '../resources/clients/view/bulk-dialog.tsx';
import { selectVital } from '../resources/vital.ts';
import { catalog } from './keys.ts';
import { Box, useApp } from 'ink';
import { type ActionDispatch, type ReactNode, use, useCallback, useMemo, useReducer, useState } from 'react';
import type { DialogOrRefusal } from '../actions/requests.ts';
import type { Capabilities } from '../api/management-api.ts';
import { shownNowMs, shownWallMs } from '../monitor/shown-time.ts';
import type { Monitor, MonitorState, Past } from '../monitor/state.ts';
import { selectHasLongScan } from '../resources/freshness.ts';
import { messageActions, type PublishStart, type ShownPublish } from '../resources/messages/actions.ts';
import { windowCommands, windowKey } from '../resources/metrics/view/counter-series.ts';
import { selectBrokerClock, selectNodeNames } from '../resources/nodes/select.ts';
import { scans } from '../resources/scans.ts';
import { zoneSecondsOf } from '../table/records.ts';
import type { Span } from '../terminal/line.ts';
import { escapeText, type SafeText, trusted } from '../terminal/safe-text.ts';
import { runningTraces } from '../resources/traces/actions.ts';
import { traceKindNames } from '../resources/traces/fields.ts';
import { tracesTexts } from '../resources/traces/texts.ts';
import type { ActingState } from '../actions/acting-monitor.ts';
import { themeNames } from '../terminal/theme-name.ts';
import { ClusterNameContext } from '../tui/components/dialog-box.tsx';
import { ThemeChoiceContext, useTheme } from '../tui/components/drawing.tsx';
import { useSelectedCount } from '../resources/clients/view/client-keys.ts';
import { isActing } from '../tui/dialogs/confirm-dialog.tsx';
import { type DialogHost, TopDialog, useDialogHost } from '../tui/dialogs/dialog-host.tsx';
import { DialogContext } from '../tui/hooks/open-dialog.ts';
import { PublishStartContext } from '../resources/messages/view/publish-start.ts';
import { useScreenMenu } from '../tui/dialogs/screen-menu.ts';
import { actionHandlers } from '../tui/dialogs/use-actions.ts';
import { useStore } from '../tui/hooks/use-store.ts';
import {
  isTooSmall,
  smallestSize,
  useRepaint,
  useRepaintOnResize,
  useTerminalSize,
} from '../tui/hooks/use-terminal.ts';
import type { NamedCommand } from '../tui/keys/key-stack.ts';
import { formatKeys, type Keymap, offeredKeymap } from '../tui/keys/keymap.ts';
import {
  useAvailableCommands,
  useHasIgnored,
  useKeymap,
  useKeys,
  useSettleAgain,
  useTopScope,
} from '../tui/keys/use-keys.ts';
import { type ListExport, ListExportContext } from '../tui/list/export-list.ts';
import { BreadcrumbsContext, placeName } from '../resources/view/list-scope.ts';
import { CoveredContext, placeKey, useListMemory, VisitIdContext } from '../tui/list/list-state.ts';
import { stopScan } from '../resources/view/scan-list.ts';
import {
  breadcrumbsOf,
  withTitle,
  currentPlace,
  navigate,
  type NavigationAction,
  navigationFrom,
  type Place,
} from './navigation.ts';
import { CurrentScreen } from './current-screen.tsx';
import { definitionOf, type ScreenCommandId, screenCommandOf, type ScreenId, screens } from './registry.ts';
import { useSpoken } from '../tui/speech/use-speech.ts';
import type { Notice } from '../tui/frame/message.ts';
import { Header, headerHeight } from './status/header.tsx';
import { Help } from '../tui/frame/help.tsx';
import { Palette } from '../tui/frame/palette.tsx';
import { exposureTexts } from '../tui/frame/screen.ts';
import { NoFilter, SignInForm, type SignInView, useSignIn } from '../tui/frame/sign-in.tsx';
import { frameTexts, noticeTexts, pastTexts } from '../tui/frame/texts.ts';
import { menuActions } from '../resources/actions.ts';
import type { TriagedMonitor } from '../triage/triaged-monitor.ts';
import { TooSmall } from '../tui/frame/too-small.tsx';
import { useCommands } from '../tui/frame/use-commands.ts';
import { dialogScopeOf, hintedAt, scansOf } from './hints.ts';
import { KeyHints } from './key-hints.tsx';
import { useNotice } from '../tui/frame/use-notice.ts';
import { answerTexts, commandTexts } from './command-texts.ts';
import { MessageLine } from './status/message.tsx';
import type { SessionView } from './session-view.ts';
import type { Notify } from '../tui/screen.ts';
import type { KnownBinding } from '../tui/keys/bindings.ts';
import { TimeBar } from '../tui/frame/time-bar.tsx';
import { CompareContext, useComparing } from './compare/comparing.ts';
import { useTimeKeys, useTravel } from '../tui/frame/time-travel.ts';
import type { Travel } from '../monitor/travel.ts';
import { useRecording } from './use-recording.ts';
import { reportRequest } from './report-form.ts';
import { steadyNowMs, wallMs } from '../monitor/clock.ts';
import { reading } from '../monitor/query/part.ts';
import type { TimeRange } from '../recording/recording.ts';
import { beginMs } from '../triage/problem.ts';
import { triageView } from '../triage/view.ts';
import { useJump } from '../resources/view/use-jump.ts';
import { absentNotes } from './absent-notes.ts';
import { bulkTold } from '../resources/clients/view/bulk-texts.ts';

const hourMs = 3_600_000;

/** The time of a report: since the first problem that is open began, else the last hour. */
const proposedRange = (state: MonitorState): TimeRange => {
  const begins = reading(state, triageView).report.problems.flatMap((problem) => beginMs(problem) ?? []);
  const nowMs = shownNowMs();
  // What led to it is a part of it.
  const fromMs = begins.length === 0 ? nowMs - hourMs : Math.min(...begins) - leadMs;
  return { fromMs: shownWallMs(fromMs), toMs: shownWallMs(nowMs) };
};
const leadMs = 60_000;

const footerHeight = 2;
/** The smallest terminal with room for recent events on Overview; on others the latest stands in the message line. */
const minEventsWidth = 110;
const minEventsHeight = 44;

/** Stops the scans that the screen shows: others are read for the checks, and go on. */
const stopLongScans = (monitor: Monitor, screen: ScreenId, notify: Notify): void => {
  for (const name of scansOf(screen))
    if (selectHasLongScan(monitor.store.getState(), shownNowMs(), [name])) notify(stopScan(monitor, scans[name]));
};

const selectPast = (state: MonitorState): Past | undefined => state.past;

const ignored: Notice = { text: frameTexts.ignored, role: 'accent' };

/** Orders of the sessions that the palette names: largest first. */
const sessionOrders = [
  { name: commandTexts.longestQueues, aliases: ['slow', 'lag', 'queue', 'queues', 'backlog'], columnId: 'queue' },
  { name: commandTexts.mostDelivered, aliases: ['top', 'most', 'deliver', 'busiest'], columnId: 'deliver' },
  { name: commandTexts.mostDropped, aliases: ['drops', 'dropped', 'losing', 'lost'], columnId: 'drop' },
] as const;

/** Other places that the palette names. */
const otherOrders = [
  {
    name: commandTexts.mostSubscribers,
    aliases: ['subscribers', 'fan-out', 'popular'],
    place: { screen: 'subscriptions', scope: { kind: 'groups', by: 'filter', of: undefined } },
  },
  {
    name: commandTexts.clientsByNetwork,
    aliases: ['network', 'networks', 'subnet'],
    place: { screen: 'clients', scope: { kind: 'groups', by: 'network', of: undefined } },
  },
  {
    name: commandTexts.clientsByUsername,
    aliases: ['username', 'usernames'],
    place: { screen: 'clients', scope: { kind: 'groups', by: 'username', of: undefined } },
  },
  {
    name: commandTexts.clientsByNode,
    aliases: ['distribution'],
    place: { screen: 'clients', scope: { kind: 'groups', by: 'node', of: undefined } },
  },
] as const satisfies readonly { readonly name: SafeText; readonly aliases: readonly string[]; readonly place: Place }[];

/**
 * Returns commands that this screen does not have; of two keys of one command the first. Actions of the menu have names
 * of their own.
 */
const elsewhere = (
  here: readonly KnownBinding[],
  named: readonly NamedCommand[],
  screen: ScreenId,
  { bindings }: Keymap,
  capabilities: Capabilities | undefined,
): readonly KnownBinding[] => {
  const { scopes } = definitionOf(screen);
  const found = bindings.filter(
    (binding, index) =>
      !here.includes(binding) &&
      (binding.group === 'Actions' || (binding.group === 'Screen' && !scopes.includes(binding.scope))) &&
      bindings.findIndex(({ help }) => help === binding.help) === index &&
      !catalog.isAbsent(binding.id, capabilities),
  );
  const menu = bindings.find(({ id }) => id === 'rowActions');
  const ofMenu =
    menu === undefined
      ? []
      : menuActions(capabilities)
          .filter(({ name }) => !named.some((each) => each.name === name))
          .map(({ name }) => ({ ...menu, help: name, label: name, words: '' }));
  return [...found, ...ofMenu];
};

/** The longest name of a cluster in the border of a dialog. */
const maxClusterWidth = 40;
const noContexts: NonNullable<SessionView['contexts']> = { names: [], switchTo: () => Promise.resolve() };

const rejectionHint = (state: MonitorState): string | undefined =>
  Object.values(selectVital(state)).find(({ error }) => error?.kind === 'unauthorized')?.error?.hint;

export interface FrameProps {
  readonly monitor: TriagedMonitor;
  readonly session: SessionView;
  /** Says how the password is entered again after a 401. */
  readonly signIn: SignInView;
  readonly onLeave?: ((exit: () => void) => void) | undefined;
  /** Moves through what was recorded. */
  readonly travel?: Travel | undefined;
}

/** Says which traces that were started here go on at the broker. */
const leftRunning = ({ actions }: ActingState): readonly SafeText[] =>
  runningTraces(actions, wallMs(steadyNowMs())).map(({ value, kind }) =>
    tracesTexts.running(trusted(traceKindNames[kind]), escapeText(value)),
  );

/** Draws header, tabs, message and hints around the current screen. */
export const Frame = ({ monitor, session, signIn: signInView, onLeave, travel }: FrameProps): ReactNode => {
  const { columns, rows } = useTerminalSize();
  const repaint = useRepaint();
  const settleAgain = useSettleAgain();
  useRepaintOnResize({ columns, rows }, () => {
    repaint();
    settleAgain();
  });
  const keymap = useKeymap();
  const available = useAvailableCommands();
  const topScope = useTopScope();
  const [navigation, dispatch] = useReducer(navigate, session.firstScreen, navigationFrom);
  const [overlay, setOverlay] = useState<'help' | 'palette' | 'no-filter' | undefined>(undefined);
  const [notice, notify] = useNotice(placeKey(currentPlace(navigation)));
  const theme = useTheme();
  const chooseTheme = use(ThemeChoiceContext);
  const { exit } = useApp();
  const leave = useCallback(() => {
    if (onLeave === undefined) exit();
    else onLeave(exit);
  }, [exit, onLeave]);
  const past = useStore(monitor.store, selectPast);
  const time = useTravel(monitor, travel, notify);
  const host = useDialogHost({
    bulkTold,
    monitor,
    refusal: session.isReadOnly
      ? noticeTexts.readOnly
      : past !== undefined || time.isOpening
        ? past?.hasNow === false
          ? pastTexts.offInFile
          : pastTexts.off
        : undefined,
    isDemo: session.shownLogin !== undefined,
    notify,
    width: columns,
    nodeNames: useCallback(() => selectNodeNames(monitor.store.getState()), [monitor]),
    exit: leave,
    run: useCallback(
      (command: string) => {
        available.run(command);
      },
      [available],
    ),
    leftRunning,
  });
  const { ask, entry, quit: askQuit } = host;
  const hasIgnored = useHasIgnored();
  const [publishStart] = useState<{ current: PublishStart }>(() => ({ current: {} }));
  const open = (dialog: DialogOrRefusal): void => {
    if ('request' in dialog) ask(dialog.request);
    else notify(dialog.refused);
  };
  const shownToPublish: ShownPublish = { readPayload: session.readPayload, start: () => publishStart.current };
  // Its Enter is meant for it, as for the result in a dialog, and must not open a row.
  useKeys(
    'notice',
    {
      noticeClose: () => {
        notify(undefined);
      },
    },
    { isActive: notice?.role === 'ok' && entry === undefined },
  );
  const signIn = useSignIn({
    monitor,
    view: signInView,
    notify,
    hintOf: rejectionHint,
    isBusy: overlay !== undefined || entry !== undefined || topScope === 'prompt',
  });
  const { saveFile } = session;
  const listExport = useMemo(
    (): ListExport | undefined =>
      saveFile && {
        save: saveFile,
        zoneSeconds: () =>
          zoneSecondsOf(
            selectBrokerClock(monitor.store.getState(), undefined, shownNowMs()),
            shownWallMs(shownNowMs()),
          ),
      },
    [saveFile, monitor],
  );
  const breadcrumbs = useMemo(() => breadcrumbsOf(navigation), [navigation]);
  const namedBreadcrumbs = useMemo(() => breadcrumbs.map(withTitle), [breadcrumbs]);
  const place = currentPlace(navigation);
  const back = (): void => {
    stopLongScans(monitor, place.screen, notify);
  };
  const comparing = useComparing({
    monitor,
    travel,
    isOpen: place.screen === 'compare',
    isBehind: breadcrumbs.some(({ screen }) => screen === 'compare'),
    open: useCallback(() => {
      dispatch({ type: 'open', place: { screen: 'compare' } });
    }, []),
    notify,
  });
  useKeys(
    'closable',
    {
      close: () => {
        if (place.screen === 'compare' && breadcrumbs.at(-1)?.screen !== 'compare') comparing.forget();
        dispatch({ type: 'close' });
      },
    },
    { isActive: breadcrumbs.length > 0 },
  );
  useTimeKeys(monitor, time);
  const quit = useCallback<DialogHost['quit']>(
    (key) => {
      // What still runs is part of now.
      travel?.leave();
      if (monitor.store.getState().past === undefined) askQuit(key);
      else leave();
    },
    [monitor, travel, askQuit, leave],
  );
  const commands = useCommands({
    monitor,
    time,
    dispatch,
    notify,
    openOverlay: setOverlay,
    repaint,
    quit,
    signIn: signIn.begin,
    back,
  });
  const goTo = useMemo(() => screenCommands(dispatch), [dispatch]);
  const { contexts = noContexts } = session;
  const clusterName = useMemo(
    (): Span => ({
      text: theme.escape(session.context ?? session.url, maxClusterWidth),
      role: session.contextRole ?? 'dim',
    }),
    [theme, session],
  );
  const switchTo = useCallback(
    (name: string | undefined) => {
      travel?.leave();
      if (isActing(monitor.store.getState())) {
        notify(answerTexts.finishFirst);
        return;
      }
      notify(name === undefined ? answerTexts.openingClusters : answerTexts.switching(theme.escape(name)));
      contexts.switchTo(name).then(leave, (error: unknown) => {
        notify(theme.escape(error instanceof Error ? error.message : String(error)));
      });
    },
    [monitor, travel, notify, theme, contexts, leave],
  );
  const { isRecording, toggle: toggleRecording } = useRecording(session.recording, notify);
  const { writeReport } = session;
  const openReport =
    writeReport === undefined || saveFile === undefined
      ? undefined
      : () => {
          const nowMs = wallMs(steadyNowMs());
          const range = proposedRange(monitor.store.getState());
          ask(reportRequest(theme, { write: writeReport, save: saveFile, range, nowMs }));
        };
  const memory = useListMemory();
  const jump = useJump((next) => {
    dispatch({ type: 'go', place: next });
  });
  // One layer: its text handler takes the letters that it has no command for.
  useKeys(
    'global',
    {
      ...commands,
      ...goTo,
      screenCompare: comparing.press,
      showBulk: host.showBulk,
      ...actionHandlers(theme, 'global', messageActions, shownToPublish, open),
    },
    {
      named: [
        ...sessionOrders.map(({ name, aliases, columnId }) => ({
          name,
          aliases,
          group: 'Screens' as const,
          run: () => {
            jump({ screen: 'sessions', sort: { columnId, isReversed: true } }, shownNowMs());
          },
        })),
        ...otherOrders.map(({ name, aliases, place: to }) => ({
          name,
          aliases,
          group: 'Screens' as const,
          run: () => {
            dispatch({ type: 'open', place: to });
          },
        })),
        // Metrics has them itself.
        ...(place.screen === 'metrics'
          ? []
          : windowCommands((index) => {
              memory?.graphWindows.set(windowKey, index);
              dispatch({ type: 'go', place: { screen: 'metrics' } });
            })),
        ...(contexts.names.length === 0
          ? []
          : [
              {
                name: commandTexts.clusters,
                aliases: ['all', 'contexts'],
                group: 'Program' as const,
                run: () => {
                  switchTo(undefined);
                },
              },
            ]),
        ...contexts.names.map((name) => ({
          name: commandTexts.context(theme.escape(name)),
          aliases: ['ctx'],
          group: 'Program' as const,
          run: () => {
            switchTo(name);
          },
        })),
        ...(openReport === undefined
          ? []
          : [
              {
                name: commandTexts.report,
                aliases: ['report', 'incident', 'post-mortem'],
                group: 'Program' as const,
                run: openReport,
              },
            ]),
        ...(session.recording === undefined
          ? []
          : [
              {
                name: isRecording ? commandTexts.stopRecording : commandTexts.startRecording,
                aliases: ['record', 'rec'],
                group: 'Program' as const,
                run: toggleRecording,
              },
            ]),
        ...(chooseTheme === undefined
          ? []
          : themeNames.map((name) => ({
              name: commandTexts.theme(trusted(name)),
              aliases: ['theme', 'themes', 'colors', 'colours', name],
              group: 'Program' as const,
              run: () => {
                chooseTheme(name);
              },
            }))),
        {
          name: commandTexts.fewestClients,
          aliases: ['fewest', 'balance'],
          group: 'Screens' as const,
          run: () => {
            jump({ screen: 'nodes', sort: { columnId: 'clients', isReversed: false } }, shownNowMs());
          },
        },
      ],
      onText: (text) => {
        const key = text === ' ' ? 'Space' : text;
        if (keymap.find('list', text)?.id === 'filter') setOverlay('no-filter');
        else if (keymap.missing.has(key))
          notify(past === undefined ? noticeTexts.readOnly : past.hasNow ? pastTexts.off : pastTexts.offInFile);
        else if (
          keymap.find('row', text)?.id === 'disconnect' &&
          definitionOf(place.screen).scopes.includes('findings')
        )
          notify(answerTexts.noClient);
        else if (keymap.bindings.some(({ keys }) => keys.includes(key))) notify(frameTexts.noKey(theme.escape(key)));
      },
    },
  );

  const capabilities = useStore(monitor.store, (state) => state.capabilities);
  const offered = useMemo(() => offeredKeymap(keymap, capabilities), [keymap, capabilities]);
  const url = useStore(monitor.store, (state) => state.failover?.url) ?? session.url;
  useScreenMenu({
    screen: place.screen,
    capabilities,
    open,
  });
  useSpoken({ rank: 'title', key: placeKey(place), lines: () => [placeName(theme, withTitle(place))] });
  const hasLongScan = useStore(
    monitor.store,
    useCallback((state: MonitorState) => selectHasLongScan(state, shownNowMs(), scansOf(place.screen)), [place.screen]),
  );
  const selectedCount = useSelectedCount(hintedAt(place));
  const close = (): void => {
    setOverlay(undefined);
  };
  const tooSmall = isTooSmall({ columns, rows });
  const barHeight = past === undefined ? 0 : 1;
  // On a terminal that is too small the screen stays mounted, laid out for the smallest size.
  const size = tooSmall
    ? { width: smallestSize.columns, height: smallestSize.rows - headerHeight - barHeight - footerHeight }
    : { width: columns, height: rows - headerHeight - barHeight - footerHeight };
  const hinted =
    overlay === 'no-filter' || (overlay === 'help' && topScope === 'prompt')
      ? 'prompt'
      : (overlay ?? dialogScopeOf(topScope) ?? hintedAt(place));
  // There is no room to ask whether the demo's cluster may end.
  useKeys(
    'tooSmall',
    {
      quitTooSmall: () => {
        commands.quit('Ctrl-C');
      },
    },
    { isActive: tooSmall },
  );

  return (
    <Box flexDirection="column" width={columns} height={rows} overflow="hidden">
      {tooSmall && (
        <TooSmall
          columns={columns}
          rows={rows}
          needed={smallestSize}
          always={exposureTexts(session)}
          quit={entry?.shown.kind === 'quit' ? frameTexts.quitRunning : frameTexts.quit}
        />
      )}
      <Box flexDirection="column" width={columns} height={rows} display={tooSmall ? 'none' : 'flex'} overflow="hidden">
        <Header
          monitor={monitor}
          session={session}
          place={place}
          width={columns}
          isCovered={entry !== undefined || overlay === 'palette' || (signIn.isOpen && overlay === undefined)}
        />
        <TimeBar store={monitor.store} width={columns} markMs={comparing.context.mark?.at.wallMs} />
        {overlay === 'help' && (
          <Help
            {...size}
            keymap={offered}
            screen={place.screen}
            capabilities={capabilities}
            absent={absentNotes({ capabilities, isReadOnly: session.isReadOnly })}
            shownLogin={session.shownLogin}
            onClose={close}
          />
        )}
        <Box flexDirection="column" {...size} display={overlay === 'help' ? 'none' : 'flex'} overflow="hidden">
          <Box flexDirection="column" flexGrow={1} flexShrink={1} overflow="hidden">
            <PublishStartContext value={publishStart}>
              <BreadcrumbsContext value={namedBreadcrumbs}>
                <DialogContext value={ask}>
                  <ListExportContext value={listExport}>
                    <CoveredContext value={entry !== undefined}>
                      <CompareContext value={comparing.context}>
                        <VisitIdContext value={'visitId' in place ? place.visitId : undefined}>
                          <CurrentScreen
                            // What a screen remembers of other moments must not show in this one.
                            key={`${placeKey(place)} ${past?.visit ?? ''}`}
                            {...size}
                            monitor={monitor}
                            place={place}
                            ownUser={session.user}
                            notify={notify}
                            go={(next) => {
                              dispatch({ type: 'open', place: next });
                            }}
                          />
                        </VisitIdContext>
                      </CompareContext>
                    </CoveredContext>
                  </ListExportContext>
                </DialogContext>
              </BreadcrumbsContext>
            </PublishStartContext>
          </Box>
          {entry !== undefined && (
            <ClusterNameContext value={clusterName}>
              <TopDialog key={entry.key} host={host} views={bulkViews} entry={entry} monitor={monitor} {...size} />
            </ClusterNameContext>
          )}
          {overlay === 'palette' && (
            <Palette
              {...size}
              bindings={available
                .available()
                .filter(({ id }) => id !== 'palette' && !catalog.isAbsent(id, capabilities))}
              elsewhere={elsewhere(available.available(), available.named(), place.screen, keymap, capabilities)}
              absent={keymap.bindings.filter(({ id }) => catalog.isAbsent(id, capabilities))}
              apiName={trusted(capabilities?.apiName ?? 'this broker')}
              named={available.named()}
              labelOf={(id) =>
                id === 'disconnect' && selectedCount > 0 ? commandTexts.disconnect(selectedCount) : undefined
              }
              onClose={close}
              timeTyped={(text) => comparing.typed(text) ?? time.typed(text)}
              fallback={{
                label: commandTexts.findClient,
                run: (filter) => {
                  jump({ screen: 'clients', sort: { columnId: 'id', isReversed: false }, filter }, shownNowMs());
                },
              }}
              onChoose={(id, leadsTo) => {
                close();
                available.run(id);
                if (leadsTo !== undefined)
                  notify(frameTexts.thenPress(formatKeys(leadsTo, theme.charset), trusted(leadsTo.label)));
              }}
            />
          )}
          {overlay === 'no-filter' && <NoFilter width={size.width} onClose={close} />}
          {signIn.isOpen && overlay === undefined && entry === undefined && (
            <SignInForm {...size} state={signIn} user={session.user} url={url} />
          )}
        </Box>
        {/* An earlier message would look like the answer to a question. */}
        <MessageLine
          monitor={monitor}
          notice={entry === undefined ? notice : hasIgnored ? ignored : undefined}
          width={columns}
          hasLatestEvent={
            place.screen === 'overview' && entry === undefined && (columns < minEventsWidth || rows < minEventsHeight)
          }
        />
        <KeyHints
          monitor={monitor}
          keymap={keymap}
          width={columns}
          screen={hinted}
          hasLongScan={hasLongScan}
          selectedCount={selectedCount}
        />
      </Box>
    </Box>
  );
};

const screenCommands = (dispatch: ActionDispatch<[NavigationAction]>): Readonly<Record<ScreenCommandId, () => void>> =>
  Object.fromEntries(
    screens.flatMap((screen) =>
      'key' in screen
        ? // What has no tab is opened from where one is, and closed again.
          [
            [
              screenCommandOf(screen.id),
              () => {
                dispatch({ type: 'parent' in screen ? 'open' : 'go', place: { screen: screen.id } });
              },
            ],
          ]
        : [],
    ),
  ) as Record<ScreenCommandId, () => void>;
