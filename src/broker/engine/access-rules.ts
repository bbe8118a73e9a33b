import { BlockList, isIPv4, isIPv6 } from 'node:net';
import type { AclAction, ClientIdentity } from './hooks.ts';
import { isValidFilter } from './topics.ts';

/** Clients a rule applies to: all, one client id, one user name, or an address or network (`10.0.0.0/8`, `::1`). */
export type AccessSubject =
  | 'all'
  | { readonly clientId: string }
  | { readonly username: string }
  | { readonly address: string };

/** One access rule. */
export interface AccessRule {
  readonly permission: 'allow' | 'deny';
  readonly who: AccessSubject;
  readonly action: AclAction | 'pubsub';
  /** Topic filters; `%c` stands for the client id and `%u` for the user name. */
  readonly topics: readonly string[];
}

/** Topics that only the cluster itself publishes to. */
const systemTopics = '$SYS/#';

/** `$SYS` may be read from this machine only; the rest is left to `mqtt.acl_nomatch`. */
export const defaultAccessRules: readonly AccessRule[] = [
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
 * Ordered rules for publishing and subscribing; the first that applies decides. A deny rule applies to every
 * filter that overlaps its topics, an allow rule only to filters that its topics cover, so that `#` does not
 * bypass a rule about `secret/#`.
 */
export class AccessRules {
  #rules: readonly CompiledRule[];

  /** @throws RangeError for an invalid address or topic filter. */
  constructor(rules: readonly AccessRule[] = defaultAccessRules) {
    this.#rules = rules.map(compile);
  }

  get rules(): readonly AccessRule[] {
    return this.#rules.map(({ rule }) => rule);
  }

  /** Replaces the rules; ACL caches keep earlier decisions. @throws RangeError like the constructor, without a change. */
  replace(rules: readonly AccessRule[]): void {
    this.#rules = rules.map(compile);
  }

  /** Whether no client may do this, whatever plugins and rules say: publishing below `$SYS`. */
  isReserved(action: AclAction, topic: string): boolean {
    return action === 'publish' && covers(systemTopics, topic);
  }

  /** Whether the client may; `undefined` when no rule applies. `topic` is the filter when subscribing. */
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
 * Substitutes client id and user name; `undefined` when the filter does not apply to this client. Where a name
 * contains a wildcard or slash, an allow rule does not apply and a deny rule covers everything from that level on.
 */
function substitute(filter: string, { clientId, username }: ClientIdentity, isAllowing: boolean): string | undefined {
  if (!filter.includes('%')) return filter;
  const levels: string[] = [];
  for (const level of filter.split('/')) {
    if (level.includes('%u') && username === undefined) return undefined;
    const filled = level.replace(/%[cu]/gu, (mark) => (mark === '%c' ? clientId : username ?? ''));
    if (filled !== level && /[+#/]|^$/u.test(filled)) return isAllowing ? undefined : [...levels, '#'].join('/');
    levels.push(filled);
  }
  return levels.join('/');
}

function compile(rule: AccessRule): CompiledRule {
  for (const filter of rule.topics) {
    if (!isValidFilter(filter, maxLevels)) throw new RangeError(`${JSON.stringify(filter)} in an access rule is not a topic filter.`);
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
  const isWrong = (type === 'ipv6' && !isIPv6(address)) || rest.length > 0
    || (prefix !== undefined && (bits === undefined || bits > (type === 'ipv4' ? 32 : 128)));
  if (isWrong) throw new RangeError(`${JSON.stringify(text)} in an access rule is not an address or network.`);
  if (bits === undefined) network.addAddress(address, type);
  else network.addSubnet(address, bits, type);
  return network;
}

/** A cheap check that settles most pairs: every message is compared with every rule. */
function startsDifferently(one: string, other: string): boolean {
  const [a, b] = [one.charAt(0), other.charAt(0)];
  return a !== b && a !== '+' && a !== '#' && b !== '+' && b !== '#';
}

/** A wildcard in the first level does not match topics that start with `$` (3.1.1, 4.7.2). */
function excludesSystemTopics(wild: string | undefined, other: string | undefined): boolean {
  return (wild === '#' || wild === '+') && other?.startsWith('$') === true;
}

/** Whether some topic matches both filters. */
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

/** Whether `wide` matches every topic that `narrow` matches. */
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
