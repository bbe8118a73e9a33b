import type { DialogOrRefusal } from '../../actions/requests.ts';
import { startListener, stopListener } from '../../actions/listeners.ts';
import type { Listener } from '../../domain/administration.ts';
import type { ListenerRow } from '../../monitor/select/nodes.ts';
import { listenerStates } from '../../resources/listeners/fields.ts';
import { unknownText } from '../../terminal/format.ts';
import { trusted } from '../../terminal/safe-text.ts';
import type { Theme } from '../../terminal/theme.ts';
import { listenerTexts, unavailableTexts } from './texts.ts';

/** One request for all nodes. Stopping has to be confirmed by typing the ID. @param rows listeners of all nodes */
export const listenerRequest = (
  theme: Theme,
  { id, protocol, listen }: Listener,
  rows: readonly ListenerRow[],
  isRunning: boolean,
): DialogOrRefusal => {
  if (id === undefined) return { refused: unavailableTexts.listenerUnnamed };
  const those = rows.filter(({ listener }) => listener.id === id);
  if (those.every(({ listener }) => listener.running === (isRunning ? 'yes' : 'no')))
    return { refused: unavailableTexts.listenerAlready(theme.escape(id, 60), isRunning) };
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
