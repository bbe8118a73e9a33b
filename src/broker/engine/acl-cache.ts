import type { AclAction } from './hooks.ts';

/** What a hook said: `no-match` when no rule names the topic. */
export type AclDecision = boolean | 'no-match';

/** What the `authorize` hook decided for one client, the latest decisions of each topic. */
export class AclCache {
  readonly #decisions = new Map<string, AclDecision>();

  get(action: AclAction, topic: string): AclDecision | undefined {
    return this.#decisions.get(keyOf(action, topic));
  }

  /** Keeps a decision; beyond `bound` the oldest goes. */
  set(action: AclAction, topic: string, decision: AclDecision, bound: number): void {
    this.#decisions.set(keyOf(action, topic), decision);
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

  clearAll(): void {
    this.#decisions.clear();
  }
}

function keyOf(action: AclAction, topic: string): string {
  return `${action} ${topic}`;
}
