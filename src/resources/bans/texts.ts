import { quoteIfNeeded, words } from '../../actions/texts.ts';
import type { BanKind, BanTarget } from '../../domain/administration.ts';
import { pluralize } from '../../domain/text.ts';
import { safe, type SafeText } from '../../terminal/safe-text.ts';
import { counted, countedText, lostMessages } from '../sessions/texts.ts';
import { banKindNames } from './fields.ts';

const ban = (kind: BanKind, value: string): string => `${banKindNames[kind]} ${quoteIfNeeded(value)}`;

export const banWords = {
  add: (kind: BanKind, value: string) => words('ban', 'Banned', ban(kind, value)),
  lift: (kind: BanKind, value: string) => words('lift', 'Lifted', `the ban on ${ban(kind, value)}`),
};

interface BannedClient {
  readonly isConnected: boolean;
  readonly session: { readonly queueLength: number | undefined } | undefined;
}

/** Says why a ban is not added or lifted, and what became of it. */
export const banSentences = {
  exists: 'it is already banned. Lift that ban first.',
  gone: 'it no longer exists.',
  changed: (until: string): string =>
    `the ban was changed; it now ${until === 'never' ? 'never expires' : `expires at ${until}`}.`,
  empty: 'Enter what to ban.',
  address: 'The address must be an IP address, such as 10.2.4.17.',
  network: 'The network must be an address and a prefix length, such as 10.2.0.0/16.',
  disconnects: 'If the client is connected, it is disconnected.',
  beginsNow: 'The broker lists it as a new ban, by the user of this login.',
  missing: 'The ban is not listed.',
  remains: 'The ban is still listed.',
  expires: (until: string): string =>
    until === 'never' ? 'The ban is permanent.' : `The ban expires at ${until} (broker time).`,
  expiresOtherwise: (until: string): string =>
    until === 'never'
      ? 'The ban is listed, but it is permanent.'
      : `The ban is listed, but expires at ${until} (broker time).`,
  ofClient: (before: BannedClient, now: BannedClient, countersSeconds?: number): string => {
    if (now.isConnected) return 'The client is still connected. To disconnect it, press K in Clients.';
    const queued = before.session?.queueLength ?? 0;
    const wasDisconnected = before.isConnected ? 'It was disconnected' : 'It was not connected';
    if (now.session !== undefined) return `${wasDisconnected}. Its session is kept.`;
    if (before.session === undefined) return `${wasDisconnected}${before.isConnected ? '' : ', and had no session'}.`;
    return `${wasDisconnected}, and its session was deleted${queued === 0 ? '' : ` with ${pluralize(queued, 'message')} queued${countedText(countersSeconds)}`}.`;
  },
  stillConnected: (count: number, isMore: boolean): string =>
    count === 0 && !isMore
      ? 'No such client is connected.'
      : `${isMore ? 'At least ' : ''}${pluralize(count, 'client')} ${count === 1 && !isMore ? 'is' : 'are'} still connected: this ban does not disconnect ${count === 1 && !isMore ? 'it' : 'them'}.`,
  staysConnected: 'The ban is listed, but the client is still connected. To disconnect it, press K in Clients.',
  othersStay: 'Connected clients stay connected: this ban does not disconnect them.',
};

export const banTexts = {
  add: {
    title: safe`New ban`,
    titleOf: (clientId: SafeText) => safe`Ban ${clientId}`,
    question: (kind: SafeText) => safe`Ban this ${kind}?`,
    verb: safe`ban`,
  },
  lift: { question: (kind: SafeText) => safe`Lift the ban on this ${kind}?`, verb: safe`lift` },
  kind: safe`Kind`,
  kindHelp: safe`what the ban matches (← → or Space)`,
  value: safe`Value`,
  valueHelp: {
    'client-id': safe`a client ID`,
    username: safe`a username`,
    address: safe`an IP address, such as 10.2.4.17`,
    'client-id-pattern': safe`a regular expression, such as ^test-`,
    'username-pattern': safe`a regular expression, such as ^guest`,
    network: safe`a network, such as 10.2.0.0/16`,
  } satisfies Readonly<Record<BanKind, SafeText>>,
  target: safe`Ban`,
  targetHelp: safe`the client ID, username or address (← → or Space)`,
  reason: safe`Reason`,
  reasonHelp: safe`optional`,
  duration: safe`Duration`,
  because: (reason: SafeText) => safe`reason: ${reason}`,
  staysConnected: safe`The broker refuses new connections. Connected clients stay connected.`,
  disconnects: safe`The broker refuses new connections, and this client is disconnected. Its session is kept.`,
  staysConnectedUntil: safe`The broker refuses new connections. Connected clients stay connected: you can disconnect them next.`,
  /** @param queued `undefined` if it is not known */
  endsSession: (queued: number | undefined, countersSeconds?: number) =>
    safe`The broker disconnects this client at once and deletes its session; ${lostMessages(queued)}${counted(queued, countersSeconds)}.`,
  disconnect: safe`Disconnect its clients`,
  concerned: (kind: BanTarget['kind'], value: SafeText) =>
    kind === 'username' ? safe`with username ${value}` : safe`from ${value}`,
  concernedTitle: (clients: SafeText) => safe`Disconnect the clients ${clients}`,
  noneConcerned: safe`No such client is connected.`,
  firstOf: (clients: SafeText) => safe`${clients}, the first ones found`,
  wide: safe`This may lock out many clients.`,
  until: (until: SafeText) => safe`expires: ${until}`,
  byFor: (by: SafeText, reason: SafeText) => safe`by ${by}, reason: ${reason}`,
};

export const bansTexts = {
  notOffered: safe`bans`,
  empty: safe`No bans. Press n to add one.`,
  emptyReadOnly: safe`No bans.`,
  kind: safe`bans`,
  reason: safe`Reason`,
  by: safe`by`,
  since: safe`added`,
  until: safe`ends`,
};
