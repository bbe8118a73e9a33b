import { disconnectByIdRequest } from '../../clients/actions.ts';
import type { WatchedMonitor } from '../../../actions/acting-monitor.ts';
import type { MenuChoice, MenuRequest } from '../../../actions/requests.ts';
import { useClientJumps } from '../../clients/view/client-jumps.ts';
import type { Theme } from '../../../terminal/theme.ts';
import type { Finding } from '../../../triage/problem.ts';
import { useTheme } from '../../../tui/components/drawing.tsx';
import { clientMenuNow, menuCommands } from '../../clients/view/client-keys.ts';
import { useOpenDialog } from '../../../tui/hooks/open-dialog.ts';
import { formatKey, type Keymap } from '../../../tui/keys/keymap.ts';
import { useKeymap, useKeys } from '../../../tui/keys/use-keys.ts';
import { useAcknowledge } from './acknowledge.ts';
import { acknowledgeTexts } from './texts.ts';

const choiceOf = ({ catalog }: Keymap, id: 'open' | 'acknowledge', label: MenuChoice['label']): MenuChoice => ({
  id,
  label,
  note: formatKey(catalog.bindings.find((binding) => binding.id === id)?.keys[0] ?? ''),
  next: id,
});

/** Returns the actions on the client of a problem, if it has one, and on the problem. */
const problemMenu = (
  theme: Theme,
  keymap: Keymap,
  monitor: WatchedMonitor,
  clientId: string | undefined,
  { acknowledged }: Finding,
): MenuRequest => {
  const menu: MenuRequest =
    clientId === undefined
      ? { kind: 'menu', title: acknowledgeTexts.menu, choices: [] }
      : clientMenuNow(theme, monitor, { subject: { kind: 'id', clientId } });
  return {
    ...menu,
    choices: [
      ...menu.choices,
      choiceOf(keymap, 'open', acknowledgeTexts.open),
      choiceOf(
        keymap,
        'acknowledge',
        acknowledged === undefined ? acknowledgeTexts.acknowledge : acknowledgeTexts.undo,
      ),
    ],
  };
};

/** Binds what can be done about the selected problem: acknowledge it, and act on its client, which is read first. */
export const useProblemKeys = (
  monitor: WatchedMonitor,
  finding: Finding | undefined,
  {
    notify,
    go,
  }: { readonly notify: Parameters<typeof useAcknowledge>[1]; readonly go: Parameters<typeof useClientJumps>[0]['go'] },
): void => {
  const theme = useTheme();
  const keymap = useKeymap();
  const openDialog = useOpenDialog();
  useAcknowledge(finding, notify);
  const clientId = finding?.jump.clientId;
  useClientJumps({ monitor, clientId, go });
  useKeys(
    'row',
    {
      disconnect:
        clientId === undefined
          ? undefined
          : () => {
              openDialog(disconnectByIdRequest(theme, clientId, undefined));
            },
      rowActions:
        finding === undefined
          ? undefined
          : () => {
              openDialog(problemMenu(theme, keymap, monitor, clientId, finding));
            },
    },
    {
      named:
        clientId === undefined
          ? []
          : menuCommands(monitor, openDialog, () =>
              clientMenuNow(theme, monitor, { subject: { kind: 'id', clientId } }),
            ),
    },
  );
};
