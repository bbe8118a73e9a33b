import type { Read, Undoing } from '../../actions/action.ts';
import { type ActionParts, type Ask, defineAction } from '../../actions/define-action.ts';
import type { DialogOrRefusal } from '../../actions/requests.ts';
import { listNodes, undoTexts } from '../../actions/texts.ts';
import { defineUndo } from '../../actions/undo.ts';
import { changedNodes, orUnsupported, verifyEach } from '../../actions/verification.ts';
import type { Listener } from '../../domain/administration.ts';
import type { NodeName } from '../../domain/node.ts';
import type { Effects } from '../../monitor/state.ts';
import { unknownText } from '../../terminal/format.ts';
import { trusted } from '../../terminal/safe-text.ts';
import type { Theme } from '../../terminal/theme.ts';
import { clientScan } from '../clients/resource.ts';
import { stats } from '../statistics/resource.ts';
import { listenerStates } from './fields.ts';
import { listeners } from './resource.ts';
import type { ListenerRow } from './select.ts';
import { listenerSentences, listenerTexts, listenerWords } from './texts.ts';

export interface ShownListener {
  readonly id: string;
  readonly nodes: readonly { readonly node: NodeName; readonly running: Listener['running'] }[];
}

/** The rows and facts that the actions of the screen Listeners act on. */
export interface ShownListeners {
  /** `undefined` where the API cannot start or stop it. */
  readonly row: Listener | undefined;
  /** Rows of all nodes. */
  readonly rows: readonly ListenerRow[];
}

const undoSetListener = defineUndo(
  (kept) => ({
    id: kept.text('id'),
    isRunning: kept.flag('isRunning'),
    nodes: kept.texts('nodes'),
    isOnAll: kept.flag('isOnAll'),
  }),
  async ({ id, isRunning, nodes, isOnAll }): Promise<Undoing> =>
    isOnAll
      ? {
          action: (isRunning ? stopListener : startListener).create({
            id,
            nodes: nodes.map((node) => ({ node, running: isRunning ? 'yes' : 'no' })),
          }),
        }
      : { refused: undoTexts.notAll(nodes) },
);

const common = {
  capability: 'listenerControl',
  where: 'Listeners',
  auditFields: ['listener', 'nodes'],
  undo: undoSetListener.plan,
} as const;

export const startListener = defineAction({
  ...common,
  id: 'start-listener',
  label: 'start a listener on all nodes',
  danger: 'changes',
  key: {
    id: 'startListener',
    keys: ['S'],
    label: 'start',
    help: 'Start the listener on all nodes; asks first',
    scope: 'listeners',
  },
  ask: (theme, shown: ShownListeners) => askToSet(theme, shown, true),
  operations: ['startListener'],
  confirmation: 'y/N',
  create: (listener: ShownListener) => setListener(listener, true),
});

/** Stops a listener, and disconnects its clients. */
export const stopListener = defineAction({
  ...common,
  id: 'stop-listener',
  label: 'stop a listener on all nodes',
  danger: 'destroys',
  key: {
    id: 'stopListener',
    keys: ['K'],
    label: 'stop',
    help: 'Stop the listener on all nodes; asks you to type its ID',
    scope: 'listeners',
  },
  ask: (theme, shown: ShownListeners) => askToSet(theme, shown, false),
  operations: ['stopListener'],
  confirmation: 'type the ID',
  create: (listener: ShownListener) => setListener(listener, false),
});

type OnNode = ShownListener['nodes'][number];

const read = async (request: Read, id: string): Promise<readonly OnNode[]> => {
  const listeners = await request((api, options) => api.listListeners(options));
  return [...listeners].flatMap(([node, list]) =>
    list.filter((listener) => listener.id === id).map(({ running }) => ({ node, running })),
  );
};

/** Starts or stops a listener with one request for all nodes. */
function setListener(
  { id, nodes }: ShownListener,
  isRunning: boolean,
): ActionParts<(typeof common.auditFields)[number]> {
  const wanted = isRunning ? 'yes' : 'no';
  const shown = Object.freeze(nodes.map((each) => Object.freeze({ ...each })));
  const states = (on: readonly OnNode[]): Readonly<Record<string, string | undefined>> =>
    Object.fromEntries(on.map(({ node, running }) => [node, running]));
  return {
    target: { listener: id, nodes: listNodes(shown.map(({ node }) => node)) },
    ...listenerWords.set(id, isRunning),
    async recheck(request) {
      const before = await read(request, id);
      if (before.length === 0) return { changed: listenerSentences.gone };
      if (before.every(({ running }) => running === wanted)) return { already: listenerSentences.already(isRunning) };
      const changed = before.find(({ node, running }) => shown.find((each) => each.node === node)?.running !== running);
      if (changed !== undefined) return { changed: listenerSentences.changed(changed.node, changed.running) };
      return {
        plan: {
          before: states(before),
          after: Object.fromEntries(before.map(({ node }) => [node, wanted])),
          requests: [
            {
              node: undefined,
              send: (api, options) =>
                orUnsupported(
                  `${isRunning ? 'start' : 'stop'} a listener`,
                  (isRunning ? api.startListener : api.stopListener)?.call(api, id, options),
                ),
            },
          ],
          verify: async (again) =>
            verifyEach(
              before.map(({ node }) => node),
              await read(again, id),
              ({ running }) =>
                running === wanted
                  ? { state: 'as-wanted' }
                  : { state: 'not-as-wanted', text: listenerSentences.isNow(running) },
              listenerSentences.missing,
            ),
        },
      };
    },
    changed: (result) => {
      const nodes = changedNodes(result);
      const isOnAll = nodes.length === shown.length && shown.every(({ running }) => running !== wanted);
      return undoSetListener.changed({ id, isRunning, nodes, isOnAll });
    },
    effects: (): Effects => ({
      refresh: [listeners, stats, clientScan],
    }),
  };
}

/**
 * Asks to start or stop a listener, with one request for all nodes. Stopping has to be confirmed by typing the ID.
 * @param rows listeners of all nodes
 */
export const listenerRequest = (
  theme: Theme,
  { id, protocol, listen }: Listener,
  rows: readonly ListenerRow[],
  isRunning: boolean,
): DialogOrRefusal => {
  if (id === undefined) return { refused: listenerTexts.unnamed };
  const those = rows.filter(({ listener }) => listener.id === id);
  if (those.every(({ listener }) => listener.running === (isRunning ? 'yes' : 'no')))
    return { refused: listenerTexts.already(theme.escape(id, 60), isRunning) };
  const counts = those.map(({ listener }) => listener.currentClients);
  const clients = counts.some((count) => count === undefined)
    ? undefined
    : counts.reduce<number>((sum, count = 0) => sum + count, 0);
  return {
    request: {
      kind: 'confirm',
      question: listenerTexts.question(isRunning),
      target: id,
      details: [
        listenerTexts.where(theme.escape(protocol, 40), theme.escape(listen, 80)),
        ...those.map(({ node, listener: { running, currentClients } }) =>
          listenerTexts.node(
            theme.escape(node, 200),
            running === undefined ? unknownText : trusted(listenerStates[running]),
            currentClients,
          ),
        ),
      ],
      verb: listenerTexts.verb(isRunning),
      warning: isRunning ? undefined : clients === 0 ? listenerTexts.refuses : listenerTexts.disconnects(clients),
      mustType: isRunning ? undefined : id,
      action: (isRunning ? startListener : stopListener).create({
        id,
        nodes: those.map(({ node, listener: { running } }) => ({ node, running })),
      }),
    },
  };
};

const askToSet = (theme: Theme, { row, rows }: ShownListeners, isRunning: boolean): Ask | undefined =>
  row && (() => listenerRequest(theme, row, rows, isRunning));

export const listenerActions = [startListener, stopListener] as const;
