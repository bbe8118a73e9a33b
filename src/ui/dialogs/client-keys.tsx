import { useMemo } from 'react';
import type { DisconnectTarget } from '../../actions/bulk.ts';
import { clearAclCache, clientIdOf, disconnectClient, type Subscriber } from '../../actions/clients.ts';
import type { ActionDefinition } from '../../actions/definition.ts';
import { hasRefusedWildcards, subscribeClient, unsubscribeClient } from '../../actions/messages.ts';
import type { WatchedMonitor } from '../../actions/state.ts';
import type { Subscription } from '../../domain/client.ts';
import type { NodeName } from '../../domain/node.ts';
import { formatCount } from '../../terminal/format.ts';
import type { Span } from '../../terminal/line.ts';
import { escapeText, joinSafe, safe, type SafeText } from '../../terminal/safe-text.ts';
import type { Theme } from '../../terminal/theme.ts';
import { useTheme } from '../components/theme-context.ts';
import { allBindings, formatKey } from '../keys/keymap.ts';
import { useKeys } from '../keys/use-keys.ts';
import { type AskRequest, type BulkDisconnectRequest, type MenuChoice, type MenuRequest, useAsk } from './ask.ts';
import { clearAclRequest, disconnectRequest, subscribeRequest, unsubscribeRequest } from './client-requests.ts';
import { type PublishStart, usePublishStart } from './publish-request.ts';
import { countChanged, type SelectableKind, type Selection } from './selection.ts';

export interface ClientTarget {
  /** The target as shown. */
  readonly subject: Subscriber;
  /** Set if the row is one of its subscriptions. */
  readonly subscription?: Subscription | undefined;
}

const nodeOf = ({ subject, subscription }: ClientTarget): NodeName | undefined => {
  switch (subject.kind) {
    case 'client': return subject.client.node;
    case 'session': return subject.session.node;
    case 'id': return subscription?.node;
  }
};

const disconnectOf = (theme: Theme, target: ClientTarget): AskRequest => {
  const { subject } = target;
  switch (subject.kind) {
    case 'client': return disconnectRequest(theme, subject.client);
    default: return { kind: 'read-client', clientId: clientIdOf(subject), node: nodeOf(target), wish: 'disconnect' };
  }
};

/** An action as a menu choice, with its key if it has one of its own. */
const menuChoice = ({ id, menuLabel, label, key }: ActionDefinition, request: AskRequest, changes: Partial<MenuChoice> = {}): MenuChoice => {
  const binding = key === 'rowActions' ? undefined : allBindings.find((each) => each.id === key);
  return { id, label: escapeText(menuLabel ?? label), note: binding === undefined ? undefined : formatKey(binding.keys[0] ?? ''), request, ...changes };
};

/** Everything the broker's API can do to a client; the notes say what is missing and why. */
export const clientMenu = (theme: Theme, target: ClientTarget, canUnsubscribe: boolean | undefined, bulk: BulkDisconnectRequest | undefined, isWildcardRefused = false): MenuRequest => {
  const { subject, subscription } = target;
  const clientId = clientIdOf(subject);
  const choices: readonly (MenuChoice | undefined)[] = [
    menuChoice(disconnectClient, disconnectOf(theme, target), bulk === undefined ? {} : { note: undefined }),
    bulk === undefined ? undefined : menuChoice(disconnectClient, bulk, { id: 'disconnect-marked', label: safe`disconnect the ${formatCount(bulk.targets.length)} marked ones` }),
    menuChoice(subscribeClient, subscribeRequest(theme, subject, subscription?.qos, isWildcardRefused)),
    canUnsubscribe !== true ? undefined : (subscription === undefined
      ? menuChoice(unsubscribeClient, { kind: 'choose-subscription', clientId, node: nodeOf(target) })
      : menuChoice(unsubscribeClient, unsubscribeRequest(theme, subscription), { label: safe`remove this subscription` })),
    menuChoice(clearAclCache, subject.kind === 'client' ? clearAclRequest(theme, subject.client) : { kind: 'read-client', clientId, node: nodeOf(target), wish: 'clear-acl' }),
  ];
  const missing = canUnsubscribe === undefined
    ? safe`Whether this broker can unsubscribe a client is not known yet.`
    : safe`This variant of the interface cannot unsubscribe a client.`;
  return {
    kind: 'menu',
    title: safe`Client ${theme.escape(clientId, 60)}`,
    choices: choices.filter((choice) => choice !== undefined),
    notes: canUnsubscribe === true ? [] : [missing],
  };
};

export interface ClientKeysProps {
  readonly monitor: WatchedMonitor;
  /** `undefined` when no row is focused. */
  readonly target: ClientTarget | undefined;
  /** What `K` opens while rows are selected. */
  readonly bulkOf?: (() => BulkDisconnectRequest) | undefined;
}

/** A subscription row prefills its topic, any other row its client. */
const startOf = (target: ClientTarget | undefined): PublishStart | undefined => {
  if (target?.subscription !== undefined) {
    return { topic: target.subscription.topic };
  }
  return target === undefined ? undefined : { clientId: clientIdOf(target.subject) };
};

/** Handles `K`, `S` and `a` for the focused client, and prefills `P`. */
export const useClientKeys = ({ monitor, target, bulkOf }: ClientKeysProps): void => {
  const theme = useTheme();
  const ask = useAsk();
  usePublishStart(startOf(target));
  useKeys('row', {
    disconnect: bulkOf === undefined && target === undefined ? undefined : () => {
      const request = bulkOf?.() ?? (target === undefined ? undefined : disconnectOf(theme, target));
      if (request !== undefined) {
        ask(request);
      }
    },
    subscribe: target === undefined ? undefined : () => { ask(subscribeRequest(theme, target.subject, target.subscription?.qos, hasRefusedWildcards(monitor.store.getState()))); },
    rowActions: target === undefined ? undefined : () => { ask(clientMenu(theme, target, monitor.store.getState().capabilities?.unsubscribe, bulkOf?.(), hasRefusedWildcards(monitor.store.getState()))); },
  });
};

export interface SelectionKeysOptions<T> {
  readonly monitor: WatchedMonitor;
  readonly marks: Selection<T>;
  /** How many are no longer listed as selected. */
  readonly changedCount: number;
  /** The focused row. */
  readonly row: T | undefined;
  /** The target of the keys for a single row. */
  readonly target: ClientTarget | undefined;
  readonly bulkTargetOf: (row: T) => DisconnectTarget;
  /** All rows that the filter shows and that still exist. */
  readonly shown: () => readonly T[];
  /** Keeps the cursor on its row. */
  readonly anchor: () => void;
  /** Moves it to the next one. */
  readonly moveToNext: () => void;
}

/** Hears the keys of a list whose rows can be marked: marks, and what can be done to a row or to the marked ones. */
export const useSelectionKeys = <T,>({ monitor, marks, changedCount, row, target, bulkTargetOf, shown, anchor, moveToNext }: SelectionKeysOptions<T>): void => {
  const { marked, isMarked, toggle, add, clear } = marks;
  useKeys('row', {
    mark: row === undefined ? undefined : () => { toggle(row); moveToNext(); },
    markAll: row === undefined ? undefined : () => { anchor(); add(shown()); },
    unmarkAll: marked.size === 0 ? undefined : clear,
  });
  const bulkOf = marked.size === 0 ? undefined : (): BulkDisconnectRequest => {
    const rows = [...marked.values()];
    return {
      kind: 'bulk',
      targets: rows.map(bulkTargetOf),
      changedCount,
      shownCount: shown().filter(isMarked).length,
      onBegin: clear,
      onEnd: (left) => { add(rows.filter((_, place) => left.has(place))); },
    };
  };
  useClientKeys({ monitor, target, bulkOf });
};

/** What a list says about its selection. */
export interface SelectionNotes {
  /** How many are no longer listed as selected. */
  readonly changedCount: number;
  readonly footerNote: SafeText | undefined;
  readonly problem: Span | undefined;
}

/** Puts the number of selected rows before the footer note, and warns if some are gone unless there is a worse problem. */
export const useSelectionNotes = <T,>(
  { marked }: Selection<T>, rows: readonly T[], kind: SelectableKind<T>, { footerNote, problem }: Pick<SelectionNotes, 'footerNote' | 'problem'>,
): SelectionNotes => {
  const changedCount = useMemo(() => countChanged(marked, rows, kind), [marked, rows, kind]);
  const notes = [...(marked.size === 0 ? [] : [safe`${formatCount(marked.size)} marked`]), ...(footerNote === undefined ? [] : [footerNote])];
  const gone: Span | undefined = changedCount === 0
    ? undefined
    : { text: safe`! ${formatCount(changedCount)} of ${formatCount(marked.size)} marked not listed any more as marked; nothing will be done to them`, role: 'warning' };
  return { changedCount, footerNote: notes.length === 0 ? undefined : joinSafe(notes, safe` · `), problem: problem ?? gone };
};
