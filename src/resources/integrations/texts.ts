import { quoteIfNeeded, words } from '../../actions/texts.ts';
import type { Integration, LossReason, StartableKind } from '../../domain/integrations.ts';
import { joinSafe, safe, type SafeText } from '../../terminal/safe-text.ts';

const enablement = (isEnabled: boolean | undefined): string =>
  isEnabled === undefined ? 'in an unknown state' : isEnabled ? 'enabled' : 'disabled';

export const integrationWords = {
  start: (kind: StartableKind, id: string) => words('reconnect', 'Reconnected', `${kind} ${quoteIfNeeded(id)}`),
  setEnabled: (id: string, isEnabled: boolean) =>
    words(
      isEnabled ? 'enable' : 'disable',
      isEnabled ? 'Enabled' : 'Disabled',
      `rule ${quoteIfNeeded(id)}`,
      ' on all nodes',
    ),
};

/** Says why a part is not changed, and what became of it. */
export const integrationSentences = {
  gone: 'it no longer exists.',
  disabled: 'it is disabled now, and the broker connects only what is enabled.',
  alreadyConnected: 'It is already connected on all nodes.',
  already: (isEnabled: boolean): string => `It is already ${enablement(isEnabled)}.`,
  changed: 'its SQL or its actions are others now.',
  missing: 'It is not listed.',
  isEnabled: (isEnabled: boolean | undefined): string => `It is ${enablement(isEnabled)}.`,
  status: (status: Integration['nodes'] extends ReadonlyMap<string, infer State> ? State : never): string =>
    `It is ${status.status ?? 'in an unknown state'}${status.reason === undefined ? '' : `: ${status.reason}`}.`,
};

export const integrationTexts = {
  notOffered: safe`connectors and rules`,
  empty: safe`No connectors and no rules.`,
  start: { question: (kind: SafeText) => safe`Reconnect this ${kind}?`, verb: safe`reconnect` },
  enable: { question: safe`Enable this rule on all nodes?`, verb: safe`enable` },
  disable: { question: safe`Disable this rule on all nodes?`, verb: safe`disable` },
  stops: safe`Its actions get no more messages of this rule. Its counters start again at zero.`,
  connector: (connector: SafeText) => safe`connector ${connector}`,
  onNode: (node: SafeText, status: SafeText) => safe`${node}: ${status}`,
  actions: (actions: readonly SafeText[]) => safe`actions: ${joinSafe(actions, safe`, `)}`,
  noActions: safe`no actions`,
  already: (id: SafeText, isEnabled: boolean) =>
    safe`Rule ${id} is already ${isEnabled ? safe`enabled` : safe`disabled`}`,
  onlyRules: safe`Only rules can be enabled and disabled here`,
  notStartable: safe`A rule has no connection: S and K enable and disable it`,
  isDisabled: (id: SafeText) => safe`${id} is disabled: the broker connects only what is enabled`,
  connectorDisabled: (connector: SafeText) =>
    safe`Its connector ${connector} is disabled: the broker cannot connect it`,
  allConnected: (id: SafeText) => safe`${id} is connected on all nodes`,
  status: safe`status`,
  reason: safe`reason`,
  under: safe`connector`,
  incoming: safe`in`,
  succeeded: safe`succeeded`,
  losing: safe`losing`,
  lost: safe`lost`,
  queued: safe`queued`,
  inflight: safe`inflight`,
  retried: safe`retried`,
  name: safe`name`,
  sql: safe`SQL`,
  usedBy: safe`used by`,
  lostOf: (lost: SafeText, matched: SafeText) => safe`${lost} of ${matched}`,
};

/** The reasons of losses as labels. */
export const lossNames: Readonly<Record<LossReason, SafeText>> = {
  expired: safe`expired`,
  'queue-full': safe`buffer full`,
  failed: safe`refused`,
  exception: safe`SQL failed`,
  action: safe`action failed`,
  stopped: safe`stopped`,
  'not-found': safe`not installed`,
  other: safe`dropped`,
};
