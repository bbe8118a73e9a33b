import { BrokerError } from '../../api/errors.ts';
import type { Plugin, PluginSetting } from '../../domain/administration.ts';
import type { PluginState } from '../data/operator-state.ts';
import { type PluginContext, type PluginDefinition, PluginError, PluginValues, type RunningPlugin } from './plugin.ts';
import { pluginPrefix } from './registry.ts';

interface PluginSlot {
  readonly definition: PluginDefinition;
  values: ReadonlyMap<string, string>;
  running: RunningPlugin | undefined;
  /** Changed by an operator. */
  isChanged: boolean;
}

/** The plugins of one node, with their settings. All operations are synchronous. */
export class NodePlugins {
  readonly #context: PluginContext;
  readonly #version: string;
  readonly #slots: ReadonlyMap<string, PluginSlot>;
  #running: readonly RunningPlugin[] = [];

  /** Starts the plugins that are active by default. */
  constructor(context: PluginContext, version: string, definitions: readonly PluginDefinition[]) {
    this.#context = context;
    this.#version = version;
    this.#slots = new Map(definitions.map((definition) => [pluginPrefix + definition.name, {
      definition,
      values: new Map(definition.settings.map(({ key, initial }) => [key, initial])),
      running: undefined,
      isChanged: false,
    }]));
    for (const slot of this.#slots.values()) if (slot.definition.activeByDefault) this.#start(slot);
  }

  /** The active plugins, in calling order. */
  get running(): readonly RunningPlugin[] {
    return this.#running;
  }

  list(): readonly Plugin[] {
    return [...this.#slots].map(([name, { definition, running }]) => ({
      name, version: this.#version, description: definition.description, active: running !== undefined,
    }));
  }

  /** `undefined` for one that does not exist. */
  isActive(name: string): boolean | undefined {
    const slot = this.#slots.get(name);
    return slot === undefined ? undefined : slot.running !== undefined;
  }

  /** Returns a function that undoes it. @throws BrokerError `failed` when it does not exist or cannot start, `already-started` when it is active. */
  start(name: string): () => void {
    const slot = this.#slots.get(name);
    if (slot === undefined) throw new BrokerError('failed', `There is no plugin ${name}.`);
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

  /** Returns a function that undoes it. @throws BrokerError `failed` when it cannot be stopped, `not-started` when it is not active or does not exist. */
  stop(name: string): () => void {
    const slot = this.#slots.get(name);
    if (slot?.running === undefined) throw new BrokerError('not-started', 'not_started');
    const { cannotStopReason } = slot.definition;
    if (cannotStopReason !== undefined) throw new BrokerError('failed', `${name} cannot be stopped: ${cannotStopReason}`);
    const { isChanged } = slot;
    this.#stop(slot);
    slot.isChanged = true;
    return () => {
      if (slot.running === undefined) this.#restart(name, slot);
      slot.isChanged = isChanged;
    };
  }

  /** `undefined` for a plugin that does not exist. */
  settings(name: string): readonly PluginSetting[] | undefined {
    const slot = this.#slots.get(name);
    if (slot === undefined) return undefined;
    const { settings, dynamicSetting } = slot.definition;
    const further = [...slot.values.keys()].filter((key) => settings.every((setting) => setting.key !== key));
    return [...settings, ...further.flatMap((key) => dynamicSetting?.(key) ?? [])].map(({ key, description, required }) => ({
      key, value: slot.values.get(key) ?? '', description, required,
    }));
  }

  /**
   * Replaces all settings and restarts an active plugin; missing keys become empty. Returns a function that undoes it.
   * @throws BrokerError `failed` for an unknown plugin or key, and when an active plugin cannot start with the new
   * settings. It then keeps running with the old ones.
   */
  replaceSettings(name: string, values: Readonly<Record<string, string>>): () => void {
    const slot = this.#slots.get(name);
    if (slot === undefined) throw new BrokerError('failed', `There is no plugin ${name}.`);
    const [before, after] = [slot.values, this.#readValues(name, slot, values)];
    slot.values = after;
    const old = slot.running;
    const problem = old === undefined ? undefined : this.#start(slot);
    if (problem !== undefined) {
      slot.values = before;
      this.#context.log('warning', `settings of ${name} were refused, and it goes on with those that it has: ${problem}`);
      throw new BrokerError('failed', `${name} cannot start with these settings and goes on with those that it has: ${problem}`);
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

  /** State of the plugins that an operator changed. */
  changedStates(): Readonly<Record<string, PluginState>> {
    return Object.fromEntries([...this.#slots].filter(([, { isChanged }]) => isChanged).map(([name, { values, running }]) => [
      name, { active: running !== undefined, settings: Object.fromEntries(values) },
    ]));
  }

  /** Restores plugin states. Returns the problems, one sentence each. */
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

  /** Stops the plugins without changing their stored state. */
  close(): void {
    for (const plugin of this.#running) plugin.stop();
    this.#running = [];
  }

  #restore(name: string, active: boolean, settings: Readonly<Record<string, string>>): void {
    const slot = this.#slots.get(name);
    // Stopped first: settings stored while it was stopped may not let it start.
    if (slot?.definition.cannotStopReason === undefined && slot?.running !== undefined) this.#stop(slot);
    this.replaceSettings(name, settings);
    if (active && slot?.running === undefined) this.start(name);
  }

  #readValues(name: string, { definition }: PluginSlot, given: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
    const values = new Map(definition.settings.map(({ key }) => [key, '']));
    for (const [key, value] of Object.entries(given)) {
      if (!values.has(key) && definition.dynamicSetting?.(key) === undefined) throw new BrokerError('failed', `${name} has no setting ${key}.`);
      values.set(key, value);
    }
    return values;
  }

  /** Restarts a plugin to undo a change; on failure the running one stays. */
  #restart(name: string, slot: PluginSlot): void {
    const old = slot.running;
    const problem = this.#start(slot);
    if (problem === undefined) old?.stop();
    else this.#context.log('error', `${name} could not be started as it was before: ${problem}`);
  }

  /** Returns why it cannot start, or `undefined`. */
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
    const [last, others] = [slots.filter(({ definition }) => definition.runsLast), slots.filter(({ definition }) => definition.runsLast !== true)];
    this.#running = [...others, ...last].flatMap(({ running }) => running ?? []);
  }
}
