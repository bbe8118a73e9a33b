import type { NodeName } from '../domain/node.ts';
import { literal, pluralize, type TextPart, untrusted, withThousands } from '../domain/text.ts';
import type { AddressSkip, FailoverEvent } from './state.ts';

const nowServing = (url: string): string => `Now using ${url}`;

interface NodeStatusChange {
  readonly to: string;
  readonly from: string | undefined;
  readonly statusText: string | undefined;
  readonly wasSilent: boolean;
}

export const journalTexts = {
  failure: (source: string, message: string): string => `${source}: ${message}`,
  withBrokerText: (message: string, brokerText: string): string => `${message} The broker says: ${brokerText}`,
  answersAgain: (source: string): string => `${source}: recovered`,
  nowServing,
  failover: ({ url, insteadOf, because }: Pick<FailoverEvent, 'url' | 'insteadOf' | 'because'>): string =>
    `${nowServing(url)} instead of ${insteadOf}. ${because}`,
  skippedAddress: ({ url, message }: Pick<AddressSkip, 'url' | 'message'>): string => `Skipped ${url}. ${message}`,
  scanStopped: (noun: string): string => `Stopped reading ${noun}`,
  signedIn: 'Signed in again. Polling resumed.',
  loginUnknown: (message: string): string => `Polling resumed, but the login could not be checked. ${message}`,
  tryingNewPassword: 'The password change may have taken effect. Trying the new password once.',
  newPasswordRejected: 'The broker rejected the new password too.',
  clockJumped: (seconds: number): string =>
    `The clock jumped by ${seconds} s (was the machine suspended?). Rates start again.`,
  /** @param statusText the broker's word for a status that is not known */
  nodeStatus: (node: NodeName, { to, from, statusText = '', wasSilent }: NodeStatusChange): string => {
    const before =
      from === undefined
        ? 'new'
        : `was ${wasSilent ? 'not responding' : from === 'other' ? 'in an unknown status' : from === 'unknown' ? 'not listed' : from}`;
    if (to === 'other') return `Node ${node}: unknown status "${statusText}" (${before})`;
    return `Node ${node} is ${to === 'unknown' ? 'no longer listed by the broker' : to} (${before})`;
  },
  alarmSet: (name: string, text: string | undefined): string => `Alarm ${name}: ${text ?? 'no text'}`,
  alarmCleared: (name: string): string => `Alarm ${name} cleared`,
  moreAlarmsSet: (count: number): string => `${pluralize(count, 'more alarm')} set`,
  moreAlarmsCleared: (count: number): string => `${pluralize(count, 'more alarm')} cleared`,
};

/** Why waiting actions are not sent, unless the caller of `stop` has a better reason. */
export const stoppedText = 'brokertop was stopped.';

export const missingRowsTexts = {
  title: (title: string): readonly TextPart[] => [literal(`${title}: `)],
  titleOfNode: (title: string, node: NodeName, moreNodes = 0): readonly TextPart[] => [
    literal(`${title} of `),
    untrusted(node),
    literal(moreNodes === 0 ? ': ' : ` and ${pluralize(moreNodes, 'more node')}: `),
  ],
  plugins: 'Plugins',
  settings: 'Settings',
  users: 'Users',
  maxRows: 'limit: --max-rows',
  maxText: (megabytes: number): string => `limit: ${megabytes} MiB of text`,
  maxMinutes: (minutes: number): string => `limit: ${minutes} min`,
  growth: 'the list grew by more than 50 % during the scan',
  repeats: 'later pages had no new rows',
  /** @param expected how many rows the list has, if that is known and more than `read` */
  partial: (read: number, expected: number | undefined, reason: string): string =>
    `${withThousands(read)}${expected === undefined ? '' : ` of ${withThousands(expected)}`} rows read (${reason})`,
  only: (cut: string): string => `only ${cut}`,
  /** @param read how many rows were understood, where that is known */
  unusable: (count: number, read?: number): string =>
    read === undefined
      ? `${pluralize(count, 'invalid row')}`
      : `${withThousands(count)} of ${pluralize(read + count, 'row')} invalid`,
  unusableNote: (source: string, unusable: string, example: string): string =>
    `${source}: ${unusable}, skipped. Example: ${example}`,
};

/** Says why "not connected" may be wrong: the broker says the same of a client on a stopped node. Raw. */
export function maybeOnStoppedNodeText(nodes: readonly NodeName[]): string | undefined {
  if (nodes.length === 0) return undefined;
  return nodes.length === 1
    ? `${nodes.join('')} is not running, so its clients look disconnected.`
    : `${nodes.join(', ')} are not running, so their clients look disconnected.`;
}
