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

  /** A promise only where the hook gives one, so that without hooks a packet is handled in one go. */
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

  /** The setting is asked each time, so that its change acts on what is in the cache too. */
  #resolve(decision: AclDecision): boolean {
    return decision === 'no-match' ? this.#settings.aclNoMatch === 'allow' : decision;
  }
}

/** Rejects when there is no answer in time: the packets of the client wait for it. */
function withTimeout<T>(answer: Promise<T>, ms: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('no answer in time')), ms).unref();
    answer.finally(() => clearTimeout(timer)).then(resolve, reject);
  });
}

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
