import type { Binding } from '../../tui/keys/bindings.ts';

/** The keys of the dialog that shows the secret of a new API key. */
export const secretKeys = [
  {
    id: 'secretClose',
    keys: ['y'],
    label: 'close',
    help: 'Close: the secret is not shown again',
    group: 'Dialogs',
    scope: 'secret',
    isForActing: true,
  },
  {
    id: 'secretQuit',
    keys: ['Ctrl-C'],
    label: 'quit',
    help: 'Quit; asks first',
    group: 'Dialogs',
    scope: 'secret',
    isForActing: true,
  },
] as const satisfies readonly Binding[];
