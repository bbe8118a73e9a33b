import { emptyResource } from './poller.ts';
import type { Poller } from './poller.ts';
import type { ResourceState } from '../state.ts';

export interface FamilyOptions<T> {
  /** How many that nobody watches are remembered, the latest. */
  readonly mostKept: number;
  readonly create: (key: string, onState: (state: ResourceState<T>) => void) => Poller<T>;
  readonly onStates: (states: ReadonlyMap<string, ResourceState<T>>) => void;
}

/** Pollers of one kind, one for each key, made when first asked for. */
export interface Family<T> {
  get(key: string): Poller<T>;
  keep(key: string): void;
  /** Nobody watches it any more: its last data stays until newer ones push it out. */
  release(key: string): void;
}

export function createFamily<T>(options: FamilyOptions<T>): Family<T> {
  const pollers = new Map<string, Poller<T>>();
  /** Keys that nobody watches, the longest unwatched first. */
  const idle = new Set<string>();
  let states: ReadonlyMap<string, ResourceState<T>> = new Map();

  function publish(key: string, state: ResourceState<T>): void {
    states = new Map(states).set(key, state);
    options.onStates(states);
  }

  function forget(key: string): void {
    idle.delete(key);
    pollers.delete(key);
    const next = new Map(states);
    next.delete(key);
    states = next;
    options.onStates(states);
  }

  function get(key: string): Poller<T> {
    let poller = pollers.get(key);
    if (poller === undefined) {
      poller = options.create(key, (state) => { if (pollers.has(key)) publish(key, state); });
      pollers.set(key, poller);
      publish(key, emptyResource());
    }
    return poller;
  }

  return {
    get,
    keep(key) {
      idle.delete(key);
      get(key);
    },
    release(key) {
      idle.add(key);
      for (const oldest of [...idle].slice(0, Math.max(0, idle.size - options.mostKept))) forget(oldest);
    },
  };
}
