import { BlockList, isIPv4, isIPv6 } from 'node:net';
import type { AclAction, BrokerHooks, ClientIdentity } from './hooks.ts';
import type { BrokerSettings } from './settings.ts';
import { isValidFilter } from '../../domain/topics.ts';

/** Whom a rule is about. An address may be a network (`10.0.0.0/8`, `::1`). */
type AccessSubject =
  | 'all'
  | { readonly clientId: string }
  | { readonly username: string }
  | { readonly address: string };

export interface AccessRule {
  readonly permission: 'allow' | 'deny';
  readonly who: AccessSubject;
  readonly action: AclAction | 'pubsub';
  /** Topic filters; `%c` stands for the client id and `%u` for the username. */
  readonly topics: readonly string[];
}

const systemTopics = '$SYS/#';

/** `$SYS` may be read from this machine only; everything else is decided by `mqtt.acl_nomatch`. */
const defaultAccessRules: readonly AccessRule[] = [
  { permission: 'allow', who: { address: '127.0.0.0/8' }, action: 'subscribe', topics: [systemTopics] },
  { permission: 'allow', who: { address: '::1' }, action: 'subscribe', topics: [systemTopics] },
  { permission: 'deny', who: 'all', action: 'pubsub', topics: [systemTopics] },
];

interface CompiledRule {
  readonly rule: AccessRule;
  readonly matches: (client: ClientIdentity) => boolean;
}

const maxLevels = 128;

/**
 * Access rules, of which the first match decides. Deny applies to overlapping filters, allow only to covered ones: `#`
 * must not bypass `secret/#`.
 */
export class AccessRules {
  #rules: readonly CompiledRule[];

  constructor(rules: readonly AccessRule[] = defaultAccessRules) {
    this.#rules = rules.map(compile);
  }

  get rules(): readonly AccessRule[] {
    return this.#rules.map(({ rule }) => rule);
  }

  /** Replaces the rules. ACL caches keep earlier decisions. @throws RangeError for an invalid address or filter. */
  replace(rules: readonly AccessRule[]): void {
    this.#rules = rules.map(compile);
  }

  /** Whether the topic is below `$SYS`. No plugin or rule can allow publishing there. */
  isReserved(action: AclAction, topic: string): boolean {
    return action === 'publish' && covers(systemTopics, topic);
  }

  decide(client: ClientIdentity, action: AclAction, topic: string): boolean | undefined {
    if (this.isReserved(action, topic)) return false;
    for (const { rule, matches } of this.#rules) {
      if (rule.action !== 'pubsub' && rule.action !== action) continue;
      if (!matches(client)) continue;
      const isAllowing = rule.permission === 'allow';
      if (rule.topics.some((filter) => applies(filter, client, topic, isAllowing))) return isAllowing;
    }
    return undefined;
  }
}

function applies(filter: string, client: ClientIdentity, topic: string, isAllowing: boolean): boolean {
  const filled = substitute(filter, client, isAllowing);
  if (filled === undefined) return false;
  return isAllowing ? covers(filled, topic) : overlaps(filled, topic);
}

/**
 * Fills in the client's names; `undefined` when the filter does not apply. For names with a wildcard or slash only deny
 * rules apply, from that level on.
 */
function substitute(filter: string, { clientId, username }: ClientIdentity, isAllowing: boolean): string | undefined {
  if (!filter.includes('%')) return filter;
  const levels: string[] = [];
  for (const level of filter.split('/')) {
    if (level.includes('%u') && username === undefined) return undefined;
    const filled = level.replace(/%[cu]/gu, (mark) => (mark === '%c' ? clientId : (username ?? '')));
    if (filled !== level && /[+#/]|^$/u.test(filled)) return isAllowing ? undefined : [...levels, '#'].join('/');
    levels.push(filled);
  }
  return levels.join('/');
}

function compile(rule: AccessRule): CompiledRule {
  for (const filter of rule.topics) {
    if (!isValidFilter(filter, maxLevels))
      throw new RangeError(`${JSON.stringify(filter)} in an access rule is not a topic filter.`);
  }
  return { rule, matches: compileSubject(rule.who) };
}

function compileSubject(who: AccessSubject): (client: ClientIdentity) => boolean {
  if (who === 'all') return () => true;
  if ('clientId' in who) return ({ clientId }) => clientId === who.clientId;
  if ('username' in who) return ({ username }) => username === who.username;
  const network = parseNetwork(who.address);
  return ({ ipAddress }) => ipAddress !== undefined && network.check(ipAddress, isIPv4(ipAddress) ? 'ipv4' : 'ipv6');
}

function parseNetwork(text: string): BlockList {
  const network = new BlockList();
  const [address = '', prefix, ...rest] = text.split('/');
  const bits = prefix === undefined || !/^\d{1,3}$/u.test(prefix) ? undefined : Number(prefix);
  const type = isIPv4(address) ? 'ipv4' : 'ipv6';
  const isWrong =
    (type === 'ipv6' && !isIPv6(address)) ||
    rest.length > 0 ||
    (prefix !== undefined && (bits === undefined || bits > (type === 'ipv4' ? 32 : 128)));
  if (isWrong) throw new RangeError(`${JSON.stringify(text)} in an access rule is not an address or network.`);
  if (bits === undefined) network.addAddress(address, type);
  else network.addSubnet(address, bits, type);
  return network;
}

/** Decides most pairs cheaply: every message is compared with every rule. */
function startsDifferently(one: string, other: string): boolean {
  const [a, b] = [one.charAt(0), other.charAt(0)];
  return a !== b && a !== '+' && a !== '#' && b !== '+' && b !== '#';
}

/**
 * Whether `wild` is a wildcard in the first level, which does not match topics that start with `$` (MQTT 3.1.1, 4.7.2).
 */
function excludesSystemTopics(wild: string | undefined, other: string | undefined): boolean {
  return (wild === '#' || wild === '+') && other?.startsWith('$') === true;
}

export function overlaps(one: string, other: string): boolean {
  if (startsDifferently(one, other)) return false;
  const [a, b] = [one.split('/'), other.split('/')];
  if (excludesSystemTopics(a[0], b[0]) || excludesSystemTopics(b[0], a[0])) return false;
  for (let at = 0; ; at += 1) {
    const [x, y] = [a[at], b[at]];
    // `a/#` also matches `a`.
    if (x === '#' || y === '#') return true;
    if (x === undefined || y === undefined) return x === y;
    if (x !== '+' && y !== '+' && x !== y) return false;
  }
}

export function covers(wide: string, narrow: string): boolean {
  if (startsDifferently(wide, narrow)) return false;
  const [w, n] = [wide.split('/'), narrow.split('/')];
  if (excludesSystemTopics(w[0], n[0])) return false;
  for (let at = 0; ; at += 1) {
    const [x, y] = [w[at], n[at]];
    if (x === '#') return true;
    if (y === '#') return false;
    if (x === undefined || y === undefined) return x === y;
    if (x !== '+' && x !== y) return false;
  }
}

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

  /** Decides, with a promise only if the hook returns one: without hooks packets are handled synchronously. */
  allows(action: AclAction, topic: string): boolean | Promise<boolean> {
    const authorize = this.#hooks.authorize;
    if (authorize === undefined) return this.#settings.aclNoMatch === 'allow';
    const cached = this.#isCaching() ? this.cache.get(action, topic) : undefined;
    if (cached !== undefined) return this.#resolve(cached);
    try {
      const answer = authorize(this.#client, action, topic);
      if (!(answer instanceof Promise)) return this.#remember(action, topic, answer);
      return withTimeout(answer, this.#settings.authorizeTimeoutMs).then(
        (later) => this.#remember(action, topic, later),
        () => false,
      );
    } catch {
      return false;
    }
  }

  /** Lists what is cached, as it counts now. */
  decisions(): readonly {
    readonly action: AclAction;
    readonly topic: string;
    readonly isAllowed: boolean;
    readonly atMs: number;
  }[] {
    return this.cache.entries().map(({ decision, ...entry }) => ({ ...entry, isAllowed: this.#resolve(decision) }));
  }

  #remember(action: AclAction, topic: string, answer: boolean | undefined): boolean {
    const decision = answer ?? 'no-match';
    if (this.#isCaching()) this.cache.set(action, topic, decision, this.#settings.aclCacheSize);
    return this.#resolve(decision);
  }

  #isCaching(): boolean {
    return this.#settings.aclCache && this.#settings.aclCacheSize > 0;
  }

  /** Reads the setting each time: a change also applies to cached decisions. */
  #resolve(decision: AclDecision): boolean {
    return decision === 'no-match' ? this.#settings.aclNoMatch === 'allow' : decision;
  }
}

function withTimeout<T>(answer: Promise<T>, ms: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('no answer in time')), ms).unref();
    answer.finally(() => clearTimeout(timer)).then(resolve, reject);
  });
}

type AclDecision = boolean | 'no-match';

interface CachedDecision {
  readonly action: AclAction;
  readonly topic: string;
  readonly decision: AclDecision;
  readonly atMs: number;
}

class AclCache {
  readonly #decisions = new Map<string, CachedDecision>();

  get(action: AclAction, topic: string): AclDecision | undefined {
    return this.#decisions.get(keyOf(action, topic))?.decision;
  }

  set(action: AclAction, topic: string, decision: AclDecision, maxSize: number): void {
    this.#decisions.set(keyOf(action, topic), { action, topic, decision, atMs: Date.now() });
    for (const oldest of this.#decisions.keys()) {
      if (this.#decisions.size <= maxSize) break;
      this.#decisions.delete(oldest);
    }
  }

  entries(): readonly CachedDecision[] {
    return [...this.#decisions.values()];
  }

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
