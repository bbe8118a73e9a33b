import type { Binding } from '../../tui/keys/bindings.ts';

/** The keys of the result of a ban. */
export const banOutcomeKeys = [
  {
    id: 'outcomeOffer',
    keys: ['K'],
    label: 'disconnect',
    help: 'Disconnect the clients that a ban concerns; asks first',
    group: 'Dialogs',
    scope: 'outcome',
    isForActing: true,
    needs: 'bans',
  },
] as const satisfies readonly Binding[];
