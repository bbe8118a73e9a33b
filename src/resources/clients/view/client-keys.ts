import { sessionKnowledge } from '../../sessions/knowledge.ts';
import type { BulkDisconnectRequest, DialogRequest, MenuChoice, MenuRequest } from '../../../actions/requests.ts';
import { createContext, createElement, type ReactNode, use, useEffect, useMemo, useState } from 'react';
import type { WatchedMonitor } from '../../../actions/acting-monitor.ts';
import {
  type Client,
  clientIdOf,
  type DisconnectTarget,
  isSameConnection,
  isSameSession,
  type Session,
} from '../../../domain/client.ts';
import type { MonitorState } from '../../../monitor/state.ts';
import { advisedAction } from '../../../checks/words.ts';
import type { Span } from '../../../terminal/line.ts';
import { escapeText, joinSafe, safe, type SafeText } from '../../../terminal/safe-text.ts';
import type { Theme } from '../../../terminal/theme.ts';
import { useTheme } from '../../../tui/components/drawing.tsx';
import type { NamedCommand } from '../../../tui/keys/key-stack.ts';
import { formatKey } from '../../../tui/keys/keymap.ts';
import { useKeys } from '../../../tui/keys/use-keys.ts';
import { type OpenDialog, useOpenDialog } from '../../../tui/hooks/open-dialog.ts';
import { actionDefinitions, type AnyAction, menuActions, rowActions } from '../../actions.ts';
import { type ClientRow, disconnectClient, disconnectOf } from '../actions.ts';
import type { ClientTarget } from '../target.ts';
import { clientDialogTexts } from '../texts.ts';
import { unsubscribeClient } from '../../subscriptions/actions.ts';
import { usePublishStart } from '../../messages/view/publish-start.ts';
import { commandOfAction } from '../../../actions/define-action.ts';
import { selectReport } from '../../../triage/view.ts';

export interface SelectableKind<T> {
  readonly idOf: (row: T) => string;
  readonly isSame: (marked: T, row: T) => boolean;
}

/** Selected rows, by id. A later row with the same id is not selected. */
export interface Selection<T> {
  readonly rows: ReadonlyMap<string, T>;
  readonly isSelected: (row: T) => boolean;
  readonly toggle: (row: T) => void;
  readonly add: (rows: readonly T[]) => void;
  /** Selects these and no others. */
  readonly replace: (rows: readonly T[]) => void;
  readonly clear: () => void;
}

/** Selects clients. A reconnected client is another connection. */
export const selectableClients: SelectableKind<Client> = { idOf: ({ clientId }) => clientId, isSame: isSameConnection };
/** Selects sessions. One created again, or on another node, is another one. */
export const selectableSessions: SelectableKind<Session> = { idOf: ({ clientId }) => clientId, isSame: isSameSession };

const isSelectedIn = <T>(marked: ReadonlyMap<string, T>, { idOf, isSame }: SelectableKind<T>, row: T): boolean => {
  const as = marked.get(idOf(row));
  return as !== undefined && isSame(as, row);
};

const useCreateSelection = <T>(kind: SelectableKind<T>): Selection<T> => {
  const [marked, setMarked] = useState<ReadonlyMap<string, T>>(() => new Map());
  return useMemo(
    () => ({
      rows: marked,
      isSelected: (row) => isSelectedIn(marked, kind, row),
      toggle: (row) => {
        setMarked((old) => {
          const next = new Map(old);
          if (isSelectedIn(old, kind, row)) {
            next.delete(kind.idOf(row));
          } else {
            next.set(kind.idOf(row), row);
          }
          return next;
        });
      },
      add: (rows) => {
        setMarked((old) => new Map([...old, ...rows.map((row) => [kind.idOf(row), row] as const)]));
      },
      replace: (rows) => {
        setMarked(new Map(rows.map((row) => [kind.idOf(row), row])));
      },
      clear: () => {
        setMarked(new Map());
      },
    }),
    [kind, marked],
  );
};

interface Selections {
  readonly clients: Selection<Client>;
  readonly sessions: Selection<Session>;
  /** The number of clients of the group under the cursor, in a list of groups. */
  readonly groupSize: number;
  readonly setGroupSize: (size: number) => void;
}

const useCreateSelections = (): Selections => {
  const clients = useCreateSelection(selectableClients);
  const sessions = useCreateSelection(selectableSessions);
  const [groupSize, setGroupSize] = useState(0);
  return useMemo(() => ({ clients, sessions, groupSize, setGroupSize }), [clients, sessions, groupSize]);
};

const SelectionContext = createContext<Selections | undefined>(undefined);

export interface SelectionProviderProps {
  readonly children?: ReactNode;
}

export const SelectionProvider = ({ children }: SelectionProviderProps): ReactNode =>
  createElement(SelectionContext, { value: useCreateSelections() }, children);

const useSelections = (): Selections => {
  const own = useCreateSelections();
  return use(SelectionContext) ?? own;
};

export const useClientSelection = (): Selection<Client> => useSelections().clients;
export const useSessionSelection = (): Selection<Session> => useSelections().sessions;

/** Says how many clients the group under the cursor has. */
export const useGroupSize = (size: number): void => {
  const { setGroupSize } = useSelections();
  useEffect(() => {
    setGroupSize(size);
    return () => {
      setGroupSize(0);
    };
  }, [setGroupSize, size]);
};

/** Counts the clients that a disconnect is about: the selected rows of a screen, or the group under the cursor. */
export const useSelectedCount = (screen: string): number => {
  const { clients, sessions, groupSize } = useSelections();
  if (screen === 'groups') return groupSize;
  return screen === 'clients' ? clients.rows.size : screen === 'sessions' ? sessions.rows.size : 0;
};

/** Returns the ids of selected rows that are no longer listed as selected. */
export const changedIdsOf = <T>(
  marked: ReadonlyMap<string, T>,
  rows: readonly T[],
  kind: SelectableKind<T>,
): ReadonlySet<string> => {
  const changed = new Set(marked.keys());
  for (const row of changed.size === 0 ? [] : rows) {
    if (isSelectedIn(marked, kind, row)) changed.delete(kind.idOf(row));
  }
  return changed;
};

/** Asks as for a single client if there is only one, unless it would be skipped. */
const bulkRequest = (theme: Theme, state: MonitorState, bulk: BulkDisconnectRequest): DialogRequest => {
  const [target, ...others] = bulk.targets;
  if (target === undefined || others.length > 0 || bulk.changedIds.size > 0) return bulk;
  return disconnectOf(theme, { subject: target }, sessionKnowledge(state, clientIdOf(target)), () => {
    bulk.onEnd?.(new Set());
  });
};

/** A request about the marked rows. */
export interface MarkedRequest {
  readonly request: DialogRequest;
  readonly count: number;
}

const advised = { disconnect: disconnectClient.id, unsubscribe: unsubscribeClient.id } as const;

/** Returns the action that the next step for a client's problem advises. */
const advisedFor = (monitor: WatchedMonitor, clientId: string): string | undefined => {
  const state = monitor.store.getState();
  const problem = selectReport(state).problems.find(
    ({ jump }) => jump.screen === 'client' && jump.clientId === clientId,
  );
  const way =
    problem === undefined
      ? undefined
      : advisedAction(problem, { endsSession: state.capabilities?.disconnectEndsSession });
  return way === undefined ? undefined : advised[way];
};

/** The keys of actions on a row, by their commands. */
const rowKeys: ReadonlyMap<string, string> = new Map(
  actionDefinitions.flatMap(({ key }) =>
    typeof key === 'string' || key.scope !== 'row' ? [] : [[key.id, key.keys[0]] as const],
  ),
);

const choiceOf = (
  theme: Theme,
  action: AnyAction,
  row: ClientRow,
): MenuChoice | { readonly missing: SafeText } | undefined => {
  const choice = action.rowChoice?.(theme, row);
  if (choice === undefined || 'missing' in choice) return choice;
  const key = rowKeys.get(commandOfAction(action));
  return {
    id: action.id,
    label: choice.label ?? escapeText(action.menuLabel ?? action.label),
    note: key === undefined ? undefined : formatKey(key),
    next: choice.next,
  };
};

/** The menu of a client: what can be done with it. `advisedId`: advised for its problem, so selected at first and marked. */
export const clientMenu = (
  theme: Theme,
  row: ClientRow,
  bulk: MarkedRequest | undefined,
  advisedId?: string | undefined,
): MenuRequest => {
  const found = rowActions.flatMap((action) => choiceOf(theme, action, row) ?? []);
  const [first, ...others] = found.flatMap((choice) => ('missing' in choice ? [] : [choice]));
  const choices: readonly (MenuChoice | undefined)[] =
    bulk === undefined
      ? [first, ...others]
      : [
          first && { ...first, note: undefined },
          {
            id: 'disconnect-marked',
            label: clientDialogTexts.menu.disconnectMarked(bulk.count),
            note: first?.note,
            next: bulk.request,
          },
          ...others,
        ];
  return {
    kind: 'menu',
    selectedId: advisedId,
    title: clientDialogTexts.menu.title(theme.escape(clientIdOf(row.target.subject), 60)),
    choices: choices.flatMap((choice) =>
      choice === undefined
        ? []
        : choice.id === advisedId
          ? [
              {
                ...choice,
                note: joinSafe(
                  [clientDialogTexts.menu.suggested, ...(choice.note === undefined ? [] : [choice.note])],
                  safe`  `,
                ),
              },
            ]
          : [choice],
    ),
    notes: found.flatMap((choice) => ('missing' in choice ? [choice.missing] : [])),
  };
};

/** Returns the menu of a client as its state is now. */
export const clientMenuNow = (
  theme: Theme,
  monitor: WatchedMonitor,
  target: ClientTarget,
  bulk?: MarkedRequest,
): MenuRequest =>
  clientMenu(
    theme,
    { target, state: () => monitor.store.getState() },
    bulk,
    advisedFor(monitor, clientIdOf(target.subject)),
  );

/** Returns what the menu has and no key does, for the palette. */
export const menuCommands = (
  monitor: WatchedMonitor,
  ask: OpenDialog,
  menu: () => MenuRequest,
): readonly NamedCommand[] => {
  const { isReadOnly, capabilities } = monitor.store.getState();
  return isReadOnly
    ? []
    : menuActions(capabilities).map(({ id, name }) => ({
        name,
        group: 'Actions',
        run: () => {
          const request = menu();
          const next = request.choices.find((choice) => choice.id === id)?.next;
          ask(next === undefined || typeof next === 'string' ? request : next);
        },
      }));
};

/** The keys of the actions on a row. */
const rowCommands: readonly string[] = rowActions.flatMap(({ key }) =>
  typeof key !== 'string' && key.scope === 'row' ? [key.id] : [],
);

export interface ClientKeysProps {
  readonly monitor: WatchedMonitor;
  readonly target: ClientTarget | undefined;
  readonly bulkOf?: (() => MarkedRequest) | undefined;
}

export const useClientKeys = ({ monitor, target, bulkOf }: ClientKeysProps): void => {
  const theme = useTheme();
  const ask = useOpenDialog();
  usePublishStart({ topic: target?.subscription?.topic });
  const askFor = (command: string): void => {
    if (target === undefined) return;
    const row: ClientRow = { target, state: () => monitor.store.getState() };
    for (const action of rowActions) {
      const choice = commandOfAction(action) === command ? action.rowChoice?.(theme, row) : undefined;
      if (choice !== undefined && 'next' in choice) {
        ask(choice.next);
        return;
      }
    }
  };
  useKeys(
    'row',
    {
      ...(target !== undefined &&
        Object.fromEntries(
          rowCommands.map((command) => [
            command,
            () => {
              askFor(command);
            },
          ]),
        )),
      ...(bulkOf !== undefined && {
        disconnect: () => {
          ask(bulkOf().request);
        },
      }),
      rowActions:
        target === undefined
          ? undefined
          : () => {
              ask(clientMenuNow(theme, monitor, target, bulkOf?.()));
            },
    },
    { named: target === undefined ? [] : menuCommands(monitor, ask, () => clientMenuNow(theme, monitor, target)) },
  );
};

export interface SelectionKeysOptions<T> {
  readonly monitor: WatchedMonitor;
  readonly marks: Selection<T>;
  readonly changedIds: ReadonlySet<string>;
  readonly row: T | undefined;
  readonly target: ClientTarget | undefined;
  readonly bulkTargetOf: (row: T) => DisconnectTarget;
  readonly shown: () => readonly T[];
  readonly anchor: () => void;
  readonly moveToNext: () => void;
}

export const useSelectionKeys = <T>({
  monitor,
  marks,
  changedIds,
  row,
  target,
  bulkTargetOf,
  shown,
  anchor,
  moveToNext,
}: SelectionKeysOptions<T>): void => {
  const { rows: marked, isSelected: isMarked, toggle, add, replace, clear } = marks;
  useKeys('row', {
    mark:
      row === undefined
        ? undefined
        : () => {
            toggle(row);
            moveToNext();
          },
    markAll:
      row === undefined
        ? undefined
        : () => {
            anchor();
            add(shown());
          },
    unmarkAll: marked.size === 0 ? undefined : clear,
  });
  const theme = useTheme();
  const bulkOf =
    marked.size === 0
      ? undefined
      : (): MarkedRequest => {
          const rows = [...marked.values()];
          const bulk: BulkDisconnectRequest = {
            kind: 'bulk',
            targets: rows.map(bulkTargetOf),
            changedIds,
            shownCount: shown().filter(isMarked).length,
            onBegin: clear,
            onEnd: (left) => {
              replace(rows.filter((_, place) => left.has(place)));
            },
          };
          return { request: bulkRequest(theme, monitor.store.getState(), bulk), count: rows.length };
        };
  useClientKeys({ monitor, target, bulkOf });
};

export interface SelectionNotes {
  readonly changedIds: ReadonlySet<string>;
  readonly footerNote: SafeText | undefined;
  readonly problem: Span | undefined;
}

export const useSelectionNotes = <T>(
  { rows: marked }: Selection<T>,
  rows: readonly T[],
  kind: SelectableKind<T>,
  { footerNote, problem }: Pick<SelectionNotes, 'footerNote' | 'problem'>,
): SelectionNotes => {
  const changedIds = useMemo(() => changedIdsOf(marked, rows, kind), [marked, rows, kind]);
  const notes = [
    ...(marked.size === 0 ? [] : [clientDialogTexts.marked(marked.size)]),
    ...(footerNote === undefined ? [] : [footerNote]),
  ];
  const gone: Span | undefined =
    changedIds.size === 0
      ? undefined
      : { text: clientDialogTexts.markedChanged(changedIds.size, marked.size), role: 'warning' };
  return {
    changedIds,
    footerNote: notes.length === 0 ? undefined : joinSafe(notes, safe` · `),
    problem: problem ?? gone,
  };
};
