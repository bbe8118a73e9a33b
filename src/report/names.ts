import type { BanKind } from '../domain/administration.ts';
import type { CommonTrait } from '../checks/reconnects/common-trait.ts';
import { reading } from '../monitor/query/part.ts';
import type { MonitorState } from '../monitor/state.ts';
import { bans } from '../resources/bans/resource.ts';
import { clientScan } from '../resources/clients/resource.ts';
import { selectNodes } from '../resources/nodes/select.ts';
import { sessionScan } from '../resources/sessions/resource.ts';
import { subscriptionScan } from '../resources/subscriptions/resource.ts';
import { users } from '../resources/users/resource.ts';
import { triageView } from '../triage/view.ts';
import type { RedactedKind } from './redact.ts';

/** Collects what a report must not show of a cluster if it is redacted. */
export interface NameCollector {
  add(state: MonitorState): void;
  /** Adds the names in something that was found or done, from fields whose name says what they hold. */
  addFound(found: object): void;
  kinds(): readonly RedactedKind[];
}

type Kind = 'client' | 'user' | 'node' | 'address';

/** The kinds of values that fields of events, findings and actions hold, by their names. */
const kindOfField: Readonly<Record<string, Kind>> = {
  clientId: 'client',
  clientIds: 'client',
  queueOf: 'client',
  username: 'user',
  usernames: 'user',
  by: 'user',
  author: 'user',
  node: 'node',
  nodes: 'node',
  lostNode: 'node',
  ipAddress: 'address',
  address: 'address',
};

const kindOfValue: Readonly<Record<string, Kind>> = {
  'client-id': 'client',
  'client-id-pattern': 'client',
  prefix: 'client',
  username: 'user',
  'username-pattern': 'user',
  address: 'address',
  network: 'address',
  node: 'node',
} satisfies Readonly<Record<BanKind | CommonTrait['trait'], Kind>>;

/** Returns the host of a node with a name such as `emqx@10.2.4.17`. */
const hostOfNode = (name: string): string => name.slice(name.indexOf('@') + 1);

const hostOf = (url: string): string | undefined => (URL.canParse(url) ? new URL(url).hostname : undefined);

export function createNameCollector(): NameCollector {
  const [client, user, node, address] = [new Set<string>(), new Set<string>(), new Set<string>(), new Set<string>()];
  const sets = { client, user, node, address };
  const seen = new WeakSet<object>();

  function collect(value: unknown, field: string): void {
    if (typeof value === 'string') {
      const kind = kindOfField[field];
      if (kind !== undefined) sets[kind].add(value);
      if (kind === 'node') address.add(hostOfNode(value));
      return;
    }
    if (typeof value !== 'object' || value === null) return;
    if (seen.has(value)) return;
    seen.add(value);
    if (Array.isArray(value) || value instanceof Set) {
      for (const each of value) collect(each, field);
      return;
    }
    const fields = Object.entries(value);
    // A value whose kind stands beside it, as of bans and of what clients have in common.
    const named = fields.find(([name]) => name === 'kind' || name === 'trait')?.[1];
    const kind = typeof named === 'string' ? kindOfValue[named] : undefined;
    for (const [name, each] of fields) {
      if (name === 'value' && kind !== undefined && typeof each === 'string') sets[kind].add(each);
      else collect(each, name);
    }
  }

  let [clientRows, sessionRows, subscriptionRows]: [unknown, unknown, unknown] = [undefined, undefined, undefined];
  return {
    add(state) {
      const { rows, gone } = reading(state, clientScan);
      if (rows !== clientRows)
        for (const { clientId, username, ipAddress } of [...rows, ...gone]) {
          client.add(clientId);
          if (username !== undefined) user.add(username);
          if (ipAddress !== undefined) address.add(ipAddress);
        }
      const sessions = reading(state, sessionScan).rows;
      if (sessions !== sessionRows) for (const { clientId } of sessions) client.add(clientId);
      const subscriptions = reading(state, subscriptionScan).rows;
      if (subscriptions !== subscriptionRows) for (const { clientId } of subscriptions) client.add(clientId);
      [clientRows, sessionRows, subscriptionRows] = [rows, sessions, subscriptions];
      for (const { username } of reading(state, users).data ?? []) user.add(username);
      for (const { name } of selectNodes(state)) {
        node.add(name);
        address.add(hostOfNode(name));
      }
      for (const ban of reading(state, bans).data ?? []) collect(ban, '');
      const { report, open } = reading(state, triageView);
      for (const finding of [...report.problems, ...open.values()]) collect(finding, '');
      for (const url of state.urls ?? []) {
        const host = hostOf(url);
        if (host !== undefined) address.add(host);
      }
    },
    addFound(found) {
      collect(found, '');
    },
    kinds: () => [
      { name: 'client', values: client },
      { name: 'user', values: user },
      { name: 'node', values: node },
      { name: 'address', values: address },
    ],
  };
}
