import type { Binding } from '../../tui/keys/bindings.ts';

/** The keys of the messages of a session. */
export const sessionMessageKeys = [
  {
    id: 'toggleInflight',
    keys: ['v'],
    label: 'inflight',
    help: 'Queued or inflight messages',
    group: 'Screen',
    scope: 'session-messages',
    needs: 'sessionMessages',
  },
] as const satisfies readonly Binding[];
