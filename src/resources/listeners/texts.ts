import { quoteIfNeeded, words } from '../../actions/texts.ts';
import type { Listener } from '../../domain/administration.ts';
import { formatAge, formatCount } from '../../terminal/format.ts';
import { joinSafe, safe, type SafeText } from '../../terminal/safe-text.ts';

const listenerState = (running: Listener['running']): string =>
  running === undefined ? 'in an unknown state' : { yes: 'running', no: 'stopped', partly: 'partly running' }[running];

export const listenerWords = {
  set: (id: string, isRunning: boolean) =>
    words(
      isRunning ? 'start' : 'stop',
      isRunning ? 'Started' : 'Stopped',
      `listener ${quoteIfNeeded(id)}`,
      ' on all nodes',
    ),
};

/** Says why a listener is not started or stopped, and what became of it. */
export const listenerSentences = {
  gone: 'it is no longer listed.',
  already: (isRunning: boolean): string => `It is already ${isRunning ? 'running' : 'stopped'} on all nodes.`,
  changed: (node: string, running: Listener['running']): string => `it is now ${listenerState(running)} on ${node}.`,
  isNow: (running: Listener['running']): string => `It is ${listenerState(running)}.`,
  missing: 'The listener is not listed.',
};

const clientCount = (clients: number | undefined): SafeText =>
  safe`${formatCount(clients)} ${clients === 1 ? safe`client` : safe`clients`}`;

export const listenerTexts = {
  question: (isRunning: boolean) => safe`${isRunning ? safe`Start` : safe`Stop`} this listener on all nodes?`,
  verb: (isRunning: boolean) => (isRunning ? safe`start` : safe`stop`),
  where: (protocol: SafeText, listen: SafeText) => safe`${protocol} on ${listen}`,
  node: (node: SafeText, before: SafeText, clients: number | undefined) =>
    safe`${node}: ${before}, ${clientCount(clients)}`,
  disconnects: (clients: number | undefined) =>
    safe`${clientCount(clients)} connected to it will be disconnected, and cannot reconnect to it.`,
  refuses: safe`Clients cannot connect to it until it is started again.`,
  already: (id: SafeText, isRunning: boolean) =>
    safe`Listener ${id} is already ${isRunning ? safe`running` : safe`stopped`}`,
  unnamed: safe`The broker reports no ID for this listener`,
};

export const listenersTexts = {
  empty: safe`No listeners.`,
  emptyInScope: safe`No listeners on this node.`,
  used: safe`used`,
  connections: safe`connections`,
  limit: safe`limit`,
  acceptors: safe`acceptors`,
  shutdownCounts: safe`Shutdown counts`,
  none: safe`none`,
  id: safe`ID`,
  running: safe`state`,
  /** @param ageSeconds since the listeners were read */
  connectionsNote: (ageSeconds: number | undefined) =>
    ageSeconds === undefined ? safe`connections / limit` : safe`connections / limit, read ${formatAge(ageSeconds)}`,
  more: (count: number) => safe`+${formatCount(count)} more (press 3)`,
  unlimited: safe`unlimited`,
  noDataFrom: (nodes: readonly SafeText[]) => safe`no data from ${joinSafe(nodes, safe`, `)}`,
};
