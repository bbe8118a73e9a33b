import type { AclAction, BrokerHooks, ClientIdentity } from './hooks.ts';
import type { BrokerSettings } from './settings.ts';

/** What one connected client may publish to and subscribe to. */
export class Access {
  readonly cache = new AclCache();
  readonly #client: ClientIdentity;
  readonly #hooks: BrokerHooks;
  readonly #settings: BrokerSettings;

  constructor(client: ClientIdentity, hooks: BrokerHooks, settings: BrokerSettings) {
    this.#client = client;
    this.#hooks = hooks;
    this.#settings = settings;
  }

  /** Returns a promise only where the hook does, so that without hooks packets are handled synchronously. */
  allows(action: AclAction, topic: string): boolean | Promise<boolean> {
    const authorize = this.#hooks.authorize;
    if (authorize === undefined) return this.#settings.aclNoMatch === 'allow';
    const cached = this.#isCaching() ? this.cache.get(action, topic) : undefined;
    if (cached !== undefined) return this.#resolve(cached);
    try {
      const answer = authorize(this.#client, action, topic);
      if (!(answer instanceof Promise)) return this.#remember(action, topic, answer);
      return withTimeout(answer, this.#settings.authorizeTimeoutMs).then((later) => this.#remember(action, topic, later), () => false);
    } catch {
      return false;
    }
  }

  #remember(action: AclAction, topic: string, answer: boolean | undefined): boolean {
    const decision = answer ?? 'no-match';
    if (this.#isCaching()) this.cache.set(action, topic, decision, this.#settings.aclCacheSize);
    return this.#resolve(decision);
  }

  #isCaching(): boolean {
    return this.#settings.aclCache && this.#settings.aclCacheSize > 0;
  }

  /** Reads the setting each time, so that a change also applies to cached decisions. */
  #resolve(decision: AclDecision): boolean {
    return decision === 'no-match' ? this.#settings.aclNoMatch === 'allow' : decision;
  }
}

/** Rejects after `ms`: the client's packets wait for the hook. */
function withTimeout<T>(answer: Promise<T>, ms: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('no answer in time')), ms).unref();
    answer.finally(() => clearTimeout(timer)).then(resolve, reject);
  });
}

/** Result of the hook; `no-match` when no rule applies. */
export type AclDecision = boolean | 'no-match';

/** Decisions of the `authorize` hook for one client, by action and topic. */
export class AclCache {
  readonly #decisions = new Map<string, AclDecision>();

  get(action: AclAction, topic: string): AclDecision | undefined {
    return this.#decisions.get(keyOf(action, topic));
  }

  /** Adds a decision and removes the oldest beyond `maxSize`. */
  set(action: AclAction, topic: string, decision: AclDecision, maxSize: number): void {
    this.#decisions.set(keyOf(action, topic), decision);
    for (const oldest of this.#decisions.keys()) {
      if (this.#decisions.size <= maxSize) break;
      this.#decisions.delete(oldest);
    }
  }

  /** Removes the decisions about this topic. */
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
