import type { Binding } from '../../tui/keys/bindings.ts';

/** The keys of problems. */
export const problemKeys = [
  {
    id: 'acknowledge',
    keys: ['z'],
    label: 'ack',
    aliases: ['ack', 'silence', 'mute', 'snooze'],
    help: 'Acknowledge the problem, or undo it',
    group: 'Screen',
    scope: 'findings',
    isOfNow: true,
  },
] as const satisfies readonly Binding[];
