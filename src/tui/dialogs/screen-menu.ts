import type { DialogOrRefusal } from '../../actions/requests.ts';
import type { Capabilities } from '../../api/management-api.ts';
import { type SafeText, trusted } from '../../terminal/safe-text.ts';
import type { Catalog } from '../keys/catalog.ts';
import { formatKey } from '../keys/keymap.ts';
import { useAvailableCommands, useKeymap, useKeys } from '../keys/use-keys.ts';
import type { ScreenId } from '../registered.ts';
import { screenMenuTexts } from './texts.ts';
import type { KnownBinding } from '../keys/bindings.ts';

/** Returns the label of a key. A question that follows is no part of what the menu says. */
const labelOf = ({ help }: KnownBinding): SafeText => trusted(help.replace(/; asks .*/u, ''));

/** Returns a menu of what the keys of a screen do to the broker now. @param subject what they act on */
export const screenMenu = (
  catalog: Catalog,
  screen: ScreenId,
  available: readonly KnownBinding[],
  capabilities: Capabilities | undefined,
  subject?: SafeText,
): DialogOrRefusal => {
  const { title, scopes } = catalog.definitionOf(screen);
  const actions = available.filter(
    ({ id, scope, group }) => group === 'Actions' && scopes.includes(scope) && !catalog.isAbsent(id, capabilities),
  );
  return actions.length === 0
    ? { refused: screenMenuTexts.none }
    : {
        request: {
          kind: 'menu',
          title: screenMenuTexts.title(title, subject),
          choices: actions.map((binding) => ({
            id: binding.id,
            label: labelOf(binding),
            note: formatKey(binding.keys[0] ?? ''),
            next: binding.id,
          })),
        },
      };
};

export interface ScreenMenuOptions {
  readonly screen: ScreenId;
  readonly capabilities: Capabilities | undefined;
  readonly open: (dialog: DialogOrRefusal) => void;
}

/** Binds the key of the menu, on the screens that have one. */
export const useScreenMenu = ({ screen, capabilities, open }: ScreenMenuOptions): void => {
  const commands = useAvailableCommands();
  const { catalog } = useKeymap();
  useKeys(
    'actions',
    {
      screenMenu: () => {
        open(screenMenu(catalog, screen, commands.available(), capabilities, commands.subject()));
      },
    },
    { isActive: catalog.definitionOf(screen).scopes.includes('actions') },
  );
};
