import { BrokerError } from '../../api/errors.ts';
import type { AccessBackend, AccessBackendOnNode } from '../../domain/access.ts';
import type { Plugin, PluginSetting } from '../../domain/administration.ts';
import type { NodeName } from '../../domain/node.ts';
import type { BrokerCluster } from '../cluster.ts';
import type { AccessRules } from '../engine/access.ts';
import type { AclAction, AuthenticateResult, BrokerEvents, ClientIdentity, ConnectRequest } from '../engine/hooks.ts';
import type { Log } from '../log.ts';
import type { PluginState } from '../management/changes.ts';
import { Decisions } from './decisions.ts';
import { type PluginContext, type PluginDefinition, PluginError, PluginValues, type RunningPlugin } from './plugin.ts';
import { pluginPrefix } from './registry.ts';

interface ClusterPluginsOptions {
  readonly cluster: BrokerCluster;
  readonly definitions: readonly PluginDefinition[];
  readonly rules: AccessRules;
  readonly logOf: (node: NodeName) => Log;
}

export function createClusterPlugins({
  cluster,
  definitions,
  rules,
  logOf,
}: ClusterPluginsOptions): ReadonlyMap<NodeName, NodePlugins> {
  const all = new Map(
    cluster.nodes.map((node) => [
      node.name,
      new NodePlugins({ node, cluster, log: logOf(node.name) }, cluster.version, definitions),
    ]),
  );
  const runningOn = (node: NodeName | undefined): readonly RunningPlugin[] =>
    node === undefined ? [] : (all.get(node)?.running ?? []);

  cluster.hooks.authenticate = (request) => {
    const own = all.get(request.node);
    const plugins = runningOn(request.node).filter(({ authenticate }) => authenticate !== undefined);
    return own === undefined || plugins.length === 0 ? 'ignore' : authenticateInTurn(own, plugins, request);
  };
  cluster.hooks.authorize = (client, action, topic) => {
    const own = all.get(client.node);
    const plugin = own?.running.find(({ authorize }) => authorize !== undefined);
    const decide = (): boolean | undefined => countAuthorization(own, accessRules, rules.decide(client, action, topic));
    return own === undefined || plugin === undefined
      ? decide()
      : authorizeBy(own, plugin, rules, decide, client, action, topic);
  };
  cluster.hooks.retain = (message, node) => runningOn(node).every((plugin) => plugin.retain?.(message) ?? true);

  const forward = <E extends keyof BrokerEvents>(
    event: E,
    nodeOf: (...args: BrokerEvents[E]) => NodeName | undefined,
    notify: (plugin: RunningPlugin, ...args: BrokerEvents[E]) => void,
  ): void => {
    const listener = (...args: BrokerEvents[E]): void => {
      const node = nodeOf(...args);
      for (const plugin of runningOn(node)) {
        try {
          notify(plugin, ...args);
        } catch (error) {
          if (node !== undefined)
            logOf(node)('error', `a plugin failed in ${event}: ${error instanceof Error ? error.name : typeof error}`);
        }
      }
    };
    Reflect.apply(cluster.events.on, cluster.events, [event, listener]);
  };
  forward(
    'connected',
    ({ node }) => node,
    (plugin, client) => plugin.connected?.(client),
  );
  forward(
    'disconnected',
    ({ node }) => node,
    (plugin, client, reason) => plugin.disconnected?.(client, reason),
  );
  forward(
    'subscribed',
    (_clientId, _filter, _qos, node) => node,
    (plugin, clientId, filter, qos) => plugin.subscribed?.(clientId, filter, qos),
  );
  forward(
    'unsubscribed',
    (_clientId, _filter, node) => node,
    (plugin, clientId, filter) => plugin.unsubscribed?.(clientId, filter),
  );
  forward(
    'published',
    (_message, node) => node,
    (plugin, message) => plugin.published?.(message),
  );
  return all;
}

/** The name of the access rules among what decides. */
export const accessRules = 'file';

const decisions = {
  accept: 'accepted',
  'bad-credentials': 'refused',
  // The service did not answer.
  'not-authorized': 'undecided',
  ignore: 'undecided',
} as const satisfies Readonly<Record<AuthenticateResult, string>>;

function countAuthorization(
  own: NodePlugins | undefined,
  id: string,
  answer: boolean | undefined,
): boolean | undefined {
  own?.decisions.count('authorization', id, answer === undefined ? 'undecided' : answer ? 'accepted' : 'refused');
  return answer;
}

/** Asks plugins one after the other. A client that all of them ignore is refused. */
function authenticateInTurn(
  own: NodePlugins,
  plugins: readonly RunningPlugin[],
  request: ConnectRequest,
): AuthenticateResult | Promise<AuthenticateResult> {
  for (const [index, plugin] of plugins.entries()) {
    const answer = plugin.authenticate?.(request) ?? 'ignore';
    const count = (result: AuthenticateResult): void => {
      own.decisions.count('authentication', own.nameOf(plugin), decisions[result]);
    };
    if (answer instanceof Promise) {
      return answer.then((later) => {
        count(later);
        return later === 'ignore' ? authenticateInTurn(own, plugins.slice(index + 1), request) : later;
      });
    }
    count(answer);
    if (answer !== 'ignore') return answer;
  }
  return request.username === undefined ? 'not-authorized' : 'bad-credentials';
}

async function authorizeBy(
  own: NodePlugins,
  plugin: RunningPlugin,
  rules: AccessRules,
  decide: () => boolean | undefined,
  client: ClientIdentity,
  action: AclAction,
  topic: string,
): Promise<boolean | undefined> {
  // Applies to superusers, too.
  if (rules.isReserved(action, topic)) return false;
  const name = own.nameOf(plugin);
  try {
    return countAuthorization(own, name, await plugin.authorize?.(client, action, topic)) ?? decide();
  } catch (error) {
    countAuthorization(own, name, undefined);
    throw error;
  }
}

interface PluginSlot {
  readonly definition: PluginDefinition;
  values: ReadonlyMap<string, string>;
  running: RunningPlugin | undefined;
  isChanged: boolean;
}

export class NodePlugins {
  readonly #context: PluginContext;
  readonly #version: string;
  readonly #slots: ReadonlyMap<string, PluginSlot>;
  #running: readonly RunningPlugin[] = [];
  readonly decisions: Decisions;

  constructor(context: PluginContext, version: string, definitions: readonly PluginDefinition[]) {
    this.#context = context;
    this.decisions = new Decisions(() => context.node.counters);
    this.#version = version;
    this.#slots = new Map(
      definitions.map((definition) => [
        pluginPrefix + definition.name,
        {
          definition,
          values: new Map(definition.settings.map(({ key, initial }) => [key, initial])),
          running: undefined,
          isChanged: false,
        },
      ]),
    );
    for (const slot of this.#slots.values()) if (slot.definition.activeByDefault) this.#start(slot);
  }

  get running(): readonly RunningPlugin[] {
    return this.#running;
  }

  nameOf(plugin: RunningPlugin): string {
    return [...this.#slots.values()].find(({ running }) => running === plugin)?.definition.name ?? '';
  }

  /** Describes what decides about access on this node: active plugins, and the access rules. */
  describeBackends(): readonly (AccessBackendOnNode & Pick<AccessBackend, 'purpose' | 'id'>)[] {
    const describe = (purpose: AccessBackend['purpose'], id: string, isConnected: boolean) => ({
      purpose,
      id,
      isEnabled: true,
      isConnected,
      counters: this.decisions.read(purpose, id),
    });
    const ofPlugin = (hook: 'authenticate' | 'authorize', purpose: AccessBackend['purpose']) =>
      this.#running
        .filter((plugin) => plugin[hook] !== undefined)
        .map((plugin) => describe(purpose, this.nameOf(plugin), plugin.isConnected?.() ?? true));
    return [
      ...ofPlugin('authenticate', 'authentication'),
      ...ofPlugin('authorize', 'authorization'),
      describe('authorization', accessRules, true),
    ];
  }

  list(): readonly Plugin[] {
    return [...this.#slots].map(([name, { definition, running }]) => ({
      name,
      version: this.#version,
      description: definition.description,
      active: running !== undefined,
    }));
  }

  isActive(name: string): boolean | undefined {
    const slot = this.#slots.get(name);
    return slot === undefined ? undefined : slot.running !== undefined;
  }

  /**
   * Starts a plugin and returns its undo. @throws BrokerError `failed` when missing or unable to start,
   * `already-started` when active.
   */
  start(name: string): () => void {
    const slot = this.#slots.get(name);
    if (slot === undefined) throw new BrokerError('failed', `Plugin ${name} does not exist.`);
    if (slot.running !== undefined) throw new BrokerError('already-started', 'already_started');
    const problem = this.#start(slot);
    if (problem !== undefined) throw new BrokerError('failed', `${name} cannot start: ${problem}`);
    const { isChanged } = slot;
    slot.isChanged = true;
    return () => {
      if (slot.running !== undefined) this.#stop(slot);
      slot.isChanged = isChanged;
    };
  }

  /**
   * Stops a plugin and returns its undo. @throws BrokerError `failed` when it cannot be stopped, `not-started` when
   * inactive or missing.
   */
  stop(name: string): () => void {
    const slot = this.#slots.get(name);
    if (slot?.running === undefined) throw new BrokerError('not-started', 'not_started');
    const { cannotStopReason } = slot.definition;
    if (cannotStopReason !== undefined)
      throw new BrokerError('failed', `${name} cannot be stopped: ${cannotStopReason}`);
    const { isChanged } = slot;
    this.#stop(slot);
    slot.isChanged = true;
    return () => {
      if (slot.running === undefined) this.#restart(name, slot);
      slot.isChanged = isChanged;
    };
  }

  settings(name: string): readonly PluginSetting[] | undefined {
    const slot = this.#slots.get(name);
    if (slot === undefined) return undefined;
    const { settings, dynamicSetting } = slot.definition;
    const further = [...slot.values.keys()].filter((key) => settings.every((setting) => setting.key !== key));
    return [...settings, ...further.flatMap((key) => dynamicSetting?.(key) ?? [])].map(
      ({ key, description, required }) => ({
        key,
        value: slot.values.get(key) ?? '',
        description,
        required,
      }),
    );
  }

  /**
   * Replaces settings and returns the undo. Missing keys become empty. @throws BrokerError `failed`; an active plugin
   * then keeps its old settings.
   */
  replaceSettings(name: string, values: Readonly<Record<string, string>>): () => void {
    const slot = this.#slots.get(name);
    if (slot === undefined) throw new BrokerError('failed', `Plugin ${name} does not exist.`);
    const [before, after] = [slot.values, this.#readValues(name, slot, values)];
    slot.values = after;
    const old = slot.running;
    const problem = old === undefined ? undefined : this.#start(slot);
    if (problem !== undefined) {
      slot.values = before;
      this.#context.log('warning', `${name} cannot start with its new settings and keeps the old ones: ${problem}`);
      throw new BrokerError('failed', `${name} cannot start with these settings and keeps the old ones: ${problem}`);
    }
    const { isChanged } = slot;
    slot.isChanged = true;
    old?.stop();
    return () => {
      if (slot.values !== after) return;
      slot.values = before;
      slot.isChanged = isChanged;
      if (slot.running !== undefined) this.#restart(name, slot);
    };
  }

  changedStates(): Readonly<Record<string, PluginState>> {
    return Object.fromEntries(
      [...this.#slots]
        .filter(([, { isChanged }]) => isChanged)
        .map(([name, { values, running }]) => [
          name,
          { active: running !== undefined, settings: Object.fromEntries(values) },
        ]),
    );
  }

  restore(states: Readonly<Record<string, PluginState>>): readonly string[] {
    return Object.entries(states).flatMap(([name, { active, settings }]) => {
      try {
        this.#restore(name, active, settings);
        return [];
      } catch (error) {
        if (!(error instanceof BrokerError)) throw error;
        return [`${this.#context.node.name}: ${error.brokerMessage ?? error.message}`];
      }
    });
  }

  close(): void {
    for (const plugin of this.#running) plugin.stop();
    this.#running = [];
  }

  #restore(name: string, active: boolean, settings: Readonly<Record<string, string>>): void {
    const slot = this.#slots.get(name);
    // Stopped first: it may not start with settings that were stored while it was stopped.
    if (slot?.definition.cannotStopReason === undefined && slot?.running !== undefined) this.#stop(slot);
    this.replaceSettings(name, settings);
    if (active && slot?.running === undefined) this.start(name);
  }

  #readValues(
    name: string,
    { definition }: PluginSlot,
    given: Readonly<Record<string, string>>,
  ): ReadonlyMap<string, string> {
    const values = new Map(definition.settings.map(({ key }) => [key, '']));
    for (const [key, value] of Object.entries(given)) {
      if (!values.has(key) && definition.dynamicSetting?.(key) === undefined)
        throw new BrokerError('failed', `${name} has no setting ${key}.`);
      values.set(key, value);
    }
    return values;
  }

  /** Restarts a plugin. If that fails, the running one stays. */
  #restart(name: string, slot: PluginSlot): void {
    const old = slot.running;
    const problem = this.#start(slot);
    if (problem === undefined) old?.stop();
    else this.#context.log('error', `${name} could not be restarted with its old settings: ${problem}`);
  }

  #start(slot: PluginSlot): string | undefined {
    try {
      slot.running = slot.definition.start(this.#context, new PluginValues(slot.values));
    } catch (error) {
      if (!(error instanceof PluginError)) throw error;
      return error.message;
    }
    this.#updateRunning();
    return undefined;
  }

  #stop(slot: PluginSlot): void {
    const { running } = slot;
    slot.running = undefined;
    this.#updateRunning();
    running?.stop();
  }

  #updateRunning(): void {
    const slots = [...this.#slots.values()];
    const [last, others] = [
      slots.filter(({ definition }) => definition.runsLast),
      slots.filter(({ definition }) => definition.runsLast !== true),
    ];
    this.#running = [...others, ...last].flatMap(({ running }) => running ?? []);
  }
}
