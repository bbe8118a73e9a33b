/** A broker in this process whose management API fails on demand during actions. */
import { expect } from 'vitest';
import { createManagementServer } from '../../../src/api/dialects/emq-v2/server/server.ts';
import { createBrokerApi } from '../../../src/broker/management/broker-api.ts';
import { createAdminUsers } from '../../../src/broker/management/users.ts';
import { type Chain, startChain } from '../../contract/support.ts';
import { startFaultProxy } from '../../support/fault-proxy.ts';
import { type Target, targetOf } from '../support.ts';

export const ownUser = 'ops';
export const ownPassword = 'pw-of-ops';
/** Another administrator, to check the first one from outside. */
export const otherUser = 'other';
export const otherPassword = 'pw-of-other';

export interface ActingServer {
  readonly chain: Chain;
  readonly target: Target;
  /** URL of the API, without the proxy. */
  readonly url: string;
  /** Operations carried out, in order: name and arguments. */
  readonly calls: readonly (readonly [name: string, ...about: unknown[]])[];
  /** Carries out the next action, then resets all connections instead of answering, until `heal`. */
  cutNext(): void;
  /** Forwards answers again once the program has opened a new connection. */
  heal(): Promise<void>;
  /** Whether a change on all nodes reaches the first node only and succeeds, as with real brokers. */
  readonly setting: { takesOnlyFirst: boolean };
  close(): Promise<void>;
}

export async function startActingServer(): Promise<ActingServer> {
  const chain = await startChain('b', { nodes: 3 });
  const { cluster, operator } = chain.broker;
  const {
    authenticate,
    exportUser: _,
    onUserChange: __,
    ...users
  } = await createAdminUsers({ username: ownUser, password: ownPassword, tags: 'administrator' });
  await users.addUser({ username: otherUser, password: otherPassword, tags: 'administrator' });
  const base = { ...createBrokerApi(cluster), ...operator.api, ...users };
  const calls: [string, ...unknown[]][] = [];
  const setting = { takesOnlyFirst: false };
  let isCutting = false;
  let acceptedAtCut: number | undefined;

  const acting =
    <Given extends readonly unknown[]>(name: string, act: (...given: Given) => Promise<void>) =>
    async (...given: Given): Promise<void> => {
      // Further arguments belong to the request.
      calls.push([name, ...given.slice(0, act.length)]);
      await act(...given);
      if (!isCutting) return;
      isCutting = false;
      acceptedAtCut = proxy.connections.accepted;
      await proxy.set({ kind: 'reset', at: 'answer' });
    };
  const server = await createManagementServer({
    api: {
      ...base,
      disconnectClient: acting('disconnect', (id: string) => base.disconnectClient(id)),
      publish: acting('publish', (message: Parameters<typeof base.publish>[0]) => base.publish(message)),
      stopPlugin: acting('stop', (node: string | undefined, plugin: string) => base.stopPlugin(node, plugin)),
      changeSetting: acting('set', (node: string | undefined, change: Parameters<typeof base.changeSetting>[1]) =>
        base.changeSetting(node ?? (setting.takesOnlyFirst ? cluster.nodes[0]?.name : undefined), change),
      ),
    },
    variant: 'b',
    authenticate,
    host: '127.0.0.1',
    port: 0,
  });
  const proxy = await startFaultProxy(server.url);
  return {
    chain,
    url: server.url,
    target: {
      ...targetOf(proxy.url, ownPassword),
      args: [...targetOf(proxy.url, ownPassword).args, '--user', ownUser],
    },
    calls,
    setting,
    cutNext() {
      isCutting = true;
    },
    async heal() {
      await expect
        .poll(() => acceptedAtCut !== undefined && proxy.connections.accepted > acceptedAtCut, { timeout: 30_000 })
        .toBe(true);
      acceptedAtCut = undefined;
      await proxy.set({ kind: 'none' });
    },
    async close() {
      await proxy.close();
      await server.close();
      await chain.close();
    },
  };
}
