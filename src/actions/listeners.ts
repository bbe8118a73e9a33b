import { type ActionParts, defineAction } from './define-action.ts';
import type { Listener } from '../domain/administration.ts';
import type { NodeName } from '../domain/node.ts';
import type { Effects } from '../monitor/state.ts';
import { type Read } from './action.ts';
import { actionWords, listNodes, skipTexts, verificationTexts } from './texts.ts';
import { orUnsupported, verifyEach } from './verification.ts';

export interface ShownListener {
  readonly id: string;
  readonly nodes: readonly { readonly node: NodeName; readonly running: Listener['running'] }[];
}

const common = {
  capability: 'listenerControl',
  where: 'Listeners',
  auditFields: ['listener', 'nodes'],
} as const;

export const startListener = defineAction({
  ...common,
  id: 'start-listener',
  label: 'start a listener on all nodes',
  danger: 'changes',
  key: 'startListener',
  operations: ['startListener'],
  confirmation: 'y/N',
  create: (listener: ShownListener) => setListener(listener, true),
});

/** Also disconnects the clients of the listener. */
export const stopListener = defineAction({
  ...common,
  id: 'stop-listener',
  label: 'stop a listener on all nodes',
  danger: 'destroys',
  key: 'stopListener',
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

/** One request for all nodes. */
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
    ...actionWords.setListener(id, isRunning),
    async recheck(request) {
      const before = await read(request, id);
      if (before.length === 0) return { changed: skipTexts.listenerGone };
      if (before.every(({ running }) => running === wanted)) return { already: skipTexts.listenerAlready(isRunning) };
      const changed = before.find(({ node, running }) => shown.find((each) => each.node === node)?.running !== running);
      if (changed !== undefined) return { changed: skipTexts.listenerChanged(changed.node, changed.running) };
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
                  : { state: 'not-as-wanted', text: verificationTexts.listener(running) },
              verificationTexts.listenerMissing,
            ),
        },
      };
    },
    effects: (): Effects => ({
      refresh: [{ kind: 'resource', name: 'listeners' }, { kind: 'resource', name: 'stats' }, { kind: 'clientScan' }],
    }),
  };
}
