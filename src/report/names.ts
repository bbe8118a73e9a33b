import type { BanKind } from '../domain/administration.ts';
import { reading } from '../monitor/query/part.ts';
import type { MonitorState } from '../monitor/state.ts';
import { bans } from '../resources/bans/resource.ts';
import { clientScan } from '../resources/clients/resource.ts';
import { selectNodes } from '../resources/nodes/select.ts';
import { sessionScan } from '../resources/sessions/resource.ts';
import { subscriptionScan } from '../resources/subscriptions/resource.ts';
import { users } from '../resources/users/resource.ts';
import type { RedactedKind } from './redact.ts';

/** Collects what a report must not show of a cluster if it is redacted. */
export interface NameCollector {
  add(state: MonitorState): void;
  addClients(clientIds: readonly string[]): void;
  addUser(user: string): void;
  kinds(): readonly RedactedKind[];
}

const hostOf = (url: string): string | undefined => (URL.canParse(url) ? new URL(url).hostname : undefined);

export function createNameCollector(): NameCollector {
  const [client, user, node, address] = [new Set<string>(), new Set<string>(), new Set<string>(), new Set<string>()];
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
        // Names such as `emqx@10.2.4.17`.
        address.add(name.slice(name.indexOf('@') + 1));
      }
      const kinds: Readonly<Record<BanKind, Set<string>>> = {
        'client-id': client,
        'client-id-pattern': client,
        username: user,
        'username-pattern': user,
        address,
        network: address,
      };
      for (const { kind, value, by } of reading(state, bans).data ?? []) {
        kinds[kind].add(value);
        if (by !== undefined) user.add(by);
      }
      for (const url of state.urls ?? []) {
        const host = hostOf(url);
        if (host !== undefined) address.add(host);
      }
    },
    addClients(clientIds) {
      for (const clientId of clientIds) client.add(clientId);
    },
    addUser(name) {
      user.add(name);
    },
    kinds: () => [
      { name: 'client', values: client },
      { name: 'user', values: user },
      { name: 'node', values: node },
      { name: 'address', values: address },
    ],
  };
}
