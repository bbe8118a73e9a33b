import type { AclAction } from './hooks.ts';

/** What the `authorize` hook decided for one client, the latest decisions of each topic. */
export class AclCache {
  readonly #decisions = new Map<string, boolean>();

  get(action: AclAction, topic: string): boolean | undefined {
    return this.#decisions.get(keyOf(action, topic));
  }

  /** Keeps a decision; beyond `bound` the oldest goes. */
  set(action: AclAction, topic: string, allowed: boolean, bound: number): void {
    this.#decisions.set(keyOf(action, topic), allowed);
    for (const oldest of this.#decisions.keys()) {
      if (this.#decisions.size <= bound) break;
      this.#decisions.delete(oldest);
    }
  }

  /** Forgets what was decided about this topic. */
  clear(topic: string): void {
    this.#decisions.delete(keyOf('publish', topic));
    this.#decisions.delete(keyOf('subscribe', topic));
  }
}

function keyOf(action: AclAction, topic: string): string {
  return `${action} ${topic}`;
}
